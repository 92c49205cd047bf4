/* The shortest round trip through 12 towns, by branch and bound. Each task fixes the first two stops. A worker keeps the length of the best tour it
 * has found itself as its bound, in a global of its own: it does not hear of what others have found. How much it can cut off so depends on
 * which tasks it happened to get, and in which order: the number of roads looked at, and the order of the results, differ from one tree to another,
 * and the shortest length is always the same. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <trek_kernel/trek.h>

enum { towns = 12, no_tour = 1 << 30 };

struct task {
    int first, second;
};
struct result {
    int length, roads; /* of the best tour that begins so, or no_tour; looked at */
    int tour[towns];
};

static int distance[towns][towns];

static void load_map(void) {
    int x[towns], y[towns];
    unsigned state = 4711;
    for (int i = 0; i < towns; ++i) {
        state = state * 1103515245u + 12345u;
        x[i] = (int)(state / 65536u) % 1000;
        state = state * 1103515245u + 12345u;
        y[i] = (int)(state / 65536u) % 1000;
    }
    for (int i = 0; i < towns; ++i) {
        for (int k = 0; k < towns; ++k) distance[i][k] = (int)(sqrt((x[i] - x[k]) * (x[i] - x[k]) + (y[i] - y[k]) * (y[i] - y[k])) + 0.5);
    }
}

/* A task for each ordered pair of first stops. */
void data_generator(void) {
    struct task task;
    if (total_tasks() != (towns - 1) * (towns - 2)) printf("total_tasks must be %d\n", (towns - 1) * (towns - 2));
    for (task.first = 1; task.first < towns; ++task.first) {
        for (task.second = 1; task.second < towns; ++task.second) {
            if (task.second != task.first) do_task(&task, sizeof task);
        }
    }
}

static int bound = no_tour; /* of this worker */

static void extend(int* tour, int stops, unsigned visited, int length, struct result* best) {
    const int here = tour[stops - 1];
    if (stops == towns) {
        if (length + distance[here][0] > bound) return;
        if (length + distance[here][0] == bound && best->length <= bound) return;
        bound = best->length = length + distance[here][0];
        memcpy(best->tour, tour, sizeof best->tour);
        return;
    }
    for (int next = 1; next < towns; ++next) {
        const int longer = length + distance[here][next];
        if ((visited >> next & 1u) != 0) continue;
        ++best->roads;
        if (longer + distance[next][0] > bound) continue;
        tour[stops] = next;
        extend(tour, stops + 1, visited | 1u << next, longer, best);
    }
}

void compute_fn(const void* data, unsigned bytes) {
    static int map_loaded;
    struct task task;
    struct result result;
    int tour[towns] = {0};
    (void)bytes;
    if (!map_loaded) load_map();
    map_loaded = 1;
    memcpy(&task, data, sizeof task);
    memset(&result, 0, sizeof result);
    result.length = no_tour;
    tour[1] = task.first;
    tour[2] = task.second;
    extend(tour, 3, 1u | 1u << task.first | 1u << task.second, distance[0][task.first] + distance[task.first][task.second], &result);
    return_result(&result, sizeof result);
}

/* Of a tour and its way back the one with the lower first stop, so that the same tour has one name. */
static void turn(int* tour) {
    if (tour[1] < tour[towns - 1]) return;
    for (int i = 1, k = towns - 1; i < k; ++i, --k) {
        const int stop = tour[i];
        tour[i] = tour[k];
        tour[k] = stop;
    }
}

void result_receiver(void) {
    const unsigned tasks = total_tasks();
    struct result best;
    long roads = 0;
    unsigned order = 0;
    memset(&best, 0, sizeof best);
    best.length = no_tour;
    for (unsigned i = 0; i < tasks; ++i) {
        struct result result;
        memcpy(&result, get_result(0), sizeof result);
        roads += result.roads;
        order = order * 31u + result_task();
        if (result.length < best.length) best = result;
    }
    turn(best.tour);
    printf("shortest tour %d:", best.length);
    for (int i = 0; i < towns; ++i) printf(" %d", best.tour[i]);
    printf("\nby chance: %ld roads looked at, order of results %08x\n", roads, order);
}

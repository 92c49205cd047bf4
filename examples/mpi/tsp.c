/* The salesman's tour, by branch and bound, as the paper on races in MPI measures it (figure 6, left).
 *
 * Rank 0 is the master. It has a queue of beginnings of tours, and gives one to each worker that asks. Master and workers look for
 * messages with MPI_Iprobe(), so most probes find none. A worker that finds a shorter tour tells the master, which tells all others.
 * How many tours are tried depends on when such messages come. The length of the best one does not.
 *
 *   magicwire mpicc -O2 -o tsp examples/mpi/tsp.c
 *   magicwire mpirun -np 16 ./tsp                 # 18 cities, seed 4
 *   magicwire mpirun -np 4 --record tsp.mwo ./tsp 8 1 check
 *   magicwire mpirun -np 4 --replay tsp.mwo ./tsp 8 1 check
 *
 * Arguments: cities, seed of their places. With "check" rank 0 also searches alone, and compares. A single rank searches alone. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_cities = 24, beginning = 4, looks_every = 64, side = 1000 };
enum { ask_tag = 1, shorter_tag, task_tag, end_tag };

static int rank, size, cities;
static int distance[most_cities][most_cities];
static int nearest[most_cities][most_cities]; /* the others, by distance */
static int least[most_cities];                /* twice the least cost of passing through a city: its two shortest ways */
static int shortest, alone;
static double tried, probes, found;

/* ---- The search ---- */

static int root_of(int square) {
    int root = 0;
    while ((root + 1) * (root + 1) <= square) ++root;
    return root;
}

static void place_cities(unsigned seed) {
    int place[most_cities][2];
    for (int i = 0; i < cities; ++i) {
        for (int k = 0; k < 2; ++k) {
            seed = 1664525u * seed + 1013904223u;
            place[i][k] = (int)((seed >> 8) % side);
        }
    }
    for (int i = 0; i < cities; ++i) {
        for (int j = 0; j < cities; ++j) {
            const int dx = place[i][0] - place[j][0], dy = place[i][1] - place[j][1];
            distance[i][j] = root_of(dx * dx + dy * dy);
        }
    }
}

static void sort_neighbours(void) {
    for (int i = 0; i < cities; ++i) {
        int many = 0;
        for (int j = 0; j < cities; ++j) {
            if (j == i) continue;
            int at = many++;
            for (; at > 0 && distance[i][nearest[i][at - 1]] > distance[i][j]; --at) nearest[i][at] = nearest[i][at - 1];
            nearest[i][at] = j;
        }
        least[i] = distance[i][nearest[i][0]] + distance[i][nearest[i][1]];
    }
}

struct tour {
    int city[most_cities], many, length;
    unsigned seen;
    int rest; /* sum of `least` of the cities that are left */
};

static struct tour begin_at_first(void) {
    struct tour tour = {.city = {0}, .many = 1, .length = 0, .seen = 1, .rest = 0};
    for (int i = 1; i < cities; ++i) tour.rest += least[i];
    return tour;
}
static void add(struct tour* tour, int city) {
    tour->length += distance[tour->city[tour->many - 1]][city];
    tour->city[tour->many++] = city;
    tour->seen |= 1u << city;
    tour->rest -= least[city];
}
static void remove_last(struct tour* tour) {
    const int city = tour->city[--tour->many];
    tour->length -= distance[tour->city[tour->many - 1]][city];
    tour->seen &= ~(1u << city);
    tour->rest += least[city];
}
/* No tour that begins so is shorter: each city that is left is passed, and first and last have one way more. */
static int at_least(const struct tour* tour) {
    const int last = tour->city[tour->many - 1];
    return tour->length + (tour->rest + distance[last][nearest[last][0]] + distance[0][nearest[0][0]] + 1) / 2;
}

static void look_for_shorter(void);
static void tell_shorter(void);

static void search(struct tour* tour) {
    ++tried;
    if (!alone && (long)tried % looks_every == 0) look_for_shorter();
    if (tour->many == cities) {
        const int whole = tour->length + distance[tour->city[cities - 1]][0];
        if (whole >= shortest) return;
        shortest = whole;
        if (!alone) tell_shorter();
        return;
    }
    const int* next = nearest[tour->city[tour->many - 1]];
    for (int k = 0; k < cities - 1; ++k) {
        if ((tour->seen >> next[k] & 1u) != 0) continue;
        add(tour, next[k]);
        if (at_least(tour) < shortest) search(tour);
        remove_last(tour);
    }
}

/* Always to the nearest city. */
static int first_guess(void) {
    struct tour tour = begin_at_first();
    while (tour.many < cities) {
        const int* next = nearest[tour.city[tour.many - 1]];
        while ((tour.seen >> *next & 1u) != 0) ++next;
        add(&tour, *next);
    }
    return tour.length + distance[tour.city[cities - 1]][0] + 1;
}

static void search_alone(void) {
    struct tour tour = begin_at_first();
    alone = 1;
    shortest = first_guess();
    search(&tour);
}

/* ---- Messages: one number, or the cities of a beginning and the shortest length known ---- */

static int probe(int source, MPI_Status* status) {
    int flag = 0;
    ++probes;
    MPI_Iprobe(source, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, status);
    found += flag;
    return flag;
}

static void take_length(const MPI_Status* status) {
    int length = 0;
    MPI_Recv(&length, 1, MPI_INT, status->MPI_SOURCE, status->MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (length < shortest) shortest = length;
}

/* Workers */
static void look_for_shorter(void) {
    MPI_Status status;
    while (probe(0, &status)) take_length(&status);
}
static void tell_shorter(void) {
    MPI_Send(&shortest, 1, MPI_INT, 0, shorter_tag, MPI_COMM_WORLD);
}

static void work(void) {
    for (;;) {
        int task[beginning + 1] = {0};
        MPI_Status status;
        MPI_Send(&shortest, 1, MPI_INT, 0, ask_tag, MPI_COMM_WORLD);
        do {
            while (!probe(0, &status)) {
            }
            if (status.MPI_TAG == shorter_tag) take_length(&status);
        } while (status.MPI_TAG == shorter_tag);
        MPI_Recv(task, beginning + 1, MPI_INT, 0, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (status.MPI_TAG == end_tag) return;
        struct tour tour = begin_at_first();
        for (int i = 1; i < beginning; ++i) add(&tour, task[i]);
        if (task[beginning] < shortest) shortest = task[beginning];
        search(&tour);
    }
}

/* The master */
struct queue {
    int (*task)[beginning];
    int many, next;
};

static void put_beginnings(struct queue* queue, struct tour* tour) {
    if (tour->many == beginning) {
        memcpy(queue->task[queue->many++], tour->city, sizeof queue->task[0]);
        return;
    }
    const int* next = nearest[tour->city[tour->many - 1]];
    for (int k = 0; k < cities - 1; ++k) {
        if ((tour->seen >> next[k] & 1u) != 0) continue;
        add(tour, next[k]);
        if (at_least(tour) < shortest) put_beginnings(queue, tour);
        remove_last(tour);
    }
}

/* The next beginning that may still lead to a shorter tour. */
static int next_task(struct queue* queue, int* task) {
    while (queue->next < queue->many) {
        struct tour tour = begin_at_first();
        memcpy(task, queue->task[queue->next++], sizeof queue->task[0]);
        for (int i = 1; i < beginning; ++i) add(&tour, task[i]);
        if (at_least(&tour) < shortest) return 1;
    }
    return 0;
}

static void answer(struct queue* queue, int worker, int* working) {
    int task[beginning + 1] = {0};
    const int tag = next_task(queue, task) ? task_tag : end_tag;
    task[beginning] = shortest;
    MPI_Send(task, beginning + 1, MPI_INT, worker, tag, MPI_COMM_WORLD);
    if (tag == end_tag) --*working;
}

static void tell_others(int worker, char* gone) {
    for (int other = 1; other < size; ++other) {
        if (other != worker && !gone[other]) MPI_Send(&shortest, 1, MPI_INT, other, shorter_tag, MPI_COMM_WORLD);
    }
}

static void lead(void) {
    struct queue queue = {calloc((size_t)cities * cities * cities, sizeof *queue.task), 0, 0};
    char* const gone = calloc((size_t)size, 1);
    struct tour tour = begin_at_first();
    int working = size - 1;
    if (queue.task == NULL || gone == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
    put_beginnings(&queue, &tour);
    while (working > 0) {
        MPI_Status status;
        const int before = shortest;
        while (!probe(MPI_ANY_SOURCE, &status)) {
        }
        take_length(&status);
        if (shortest < before) tell_others(status.MPI_SOURCE, gone);
        if (status.MPI_TAG != ask_tag) continue;
        const int still = working;
        answer(&queue, status.MPI_SOURCE, &working);
        gone[status.MPI_SOURCE] = (char)(working < still);
    }
    free(queue.task);
    free(gone);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    cities = argc > 1 ? atoi(argv[1]) : 18;
    const int checks = argc > 3 && strcmp(argv[3], "check") == 0;
    if (cities <= beginning || cities > most_cities) {
        if (rank == 0) fprintf(stderr, "%d cities: choose %d to %d\n", cities, beginning + 1, most_cities);
        MPI_Finalize();
        return 2;
    }
    place_cities(argc > 2 ? (unsigned)atoi(argv[2]) : 4);
    sort_neighbours();
    shortest = first_guess();
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    if (size == 1)
        search_alone();
    else if (rank == 0)
        lead();
    else
        work();
    const double took = MPI_Wtime() - begin;
    const double own[3] = {tried, probes, found};
    double all[3], longest = 0;
    MPI_Reduce(own, all, 3, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    int wrong = 0;
    if (rank == 0) {
        const int together = shortest;
        printf("%d cities, %d ranks: %d long, %.0f beginnings tried in %.6f s\n", cities, size, together, all[0], longest);
        printf("probes %.0f, found %.0f\n", all[1], all[2]);
        if (checks) search_alone();
        wrong = shortest != together;
        if (checks) printf("searched alone: %d long\n", shortest);
    }
    MPI_Finalize();
    return wrong;
}

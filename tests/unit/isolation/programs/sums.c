/* Sums of numbers, divided and joined. Each process counts its calls in what it makes, so that a call that was left out shows. */
#include <stdlib.h>
#include <string.h>

#include <trek_kernel/trek.h>

struct numbers {
    int calls, count, values[8];
};
static int calls;
static char* shared;

void init_master(void) {
#ifdef SHARES_MEMORY
    shared = malloc(16);
#endif
}

void data_generator(void) {
    for (int task = 0; task < (int)total_tasks(); ++task) {
        struct numbers made = {++calls, 8, {0}};
        for (int i = 0; i < made.count; ++i) made.values[i] = 10 * task + i;
        if (shared != NULL) shared[0] = 1;
        do_task(&made, sizeof made);
    }
}

void split_fn(const void* task, unsigned bytes) {
    const struct numbers* all = task;
    (void)bytes;
    ++calls;
    for (unsigned part = 0; part < split_degree(); ++part) {
        struct numbers half = {calls, all->count / 2, {0}};
        memcpy(half.values, all->values + part * (unsigned)half.count, (size_t)half.count * sizeof(int));
        sub_task(&half, sizeof half);
    }
}

void compute_fn(const void* task, unsigned bytes) {
    const struct numbers* own = task;
    struct numbers sum = {++calls, 1, {0}};
    (void)bytes;
    for (int i = 0; i < own->count; ++i) sum.values[0] += own->values[i];
    if (own->values[0] == 20) abort();
    return_result(&sum, sizeof sum);
}

void join_fn(void) {
    struct numbers sum = {++calls, 1, {0}};
    for (unsigned i = 0; i < sub_results(); ++i) sum.values[0] += ((const struct numbers*)sub_result(i, 0))->values[0];
    return_result(&sum, sizeof sum);
}

void result_receiver(void) {
    int sum = 0;
    for (unsigned i = 0; i < total_tasks(); ++i) sum += ((const struct numbers*)get_result(0))->values[0];
    trek_print(sum > 0 ? "all\n" : "nothing\n");
}

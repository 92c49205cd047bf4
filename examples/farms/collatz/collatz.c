/* How many steps Collatz' rule takes from each of some numbers to 1. A task is a range of numbers, and its result the longest way in it.
 * collatz.s is the same computation in T800 code. */
#include <stdio.h>
#include <string.h>

#include <trek_kernel/trek.h>

enum { numbers_in_a_task = 50 };

struct task {
    unsigned from, count;
};
struct result {
    unsigned number, steps;
};

void data_generator(void) {
    const unsigned tasks = total_tasks();
    for (unsigned i = 0; i < tasks; ++i) {
        const struct task task = {1 + i * numbers_in_a_task, numbers_in_a_task};
        do_task(&task, sizeof task);
    }
}

void compute_fn(const void* data, unsigned bytes) {
    struct task task;
    struct result best = {0, 0};
    (void)bytes;
    memcpy(&task, data, sizeof task);
    for (unsigned n = task.from; n < task.from + task.count; ++n) {
        unsigned steps = 0;
        for (unsigned at = n; at != 1; ++steps) at = at % 2 == 0 ? at / 2 : 3 * at + 1;
        if (steps > best.steps) best.number = n, best.steps = steps;
    }
    return_result(&best, sizeof best);
}

void result_receiver(void) {
    struct result best = {0, 0}, one;
    for (unsigned i = 0; i < total_tasks(); ++i) {
        memcpy(&one, get_result(0), sizeof one);
        if (one.steps > best.steps || (one.steps == best.steps && one.number < best.number)) best = one;
    }
    printf("%u takes %u steps\n", best.number, best.steps);
}

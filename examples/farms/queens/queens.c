/* In how many ways do n queens stand on a board of n x n without attacking each other? One task for each place of the first queen, so total_tasks
 * is n. A node with children splits a task by the place of the next queen. */
#include <stdio.h>
#include <string.h>

#include <trek_kernel/trek.h>

struct task {
    unsigned size, row;                 /* queens there are in the rows below `row` */
    unsigned columns, rising, falling;  /* attacked in this row, one bit a column */
    unsigned from, to;                  /* columns that the queen of this row may take */
};
struct result {
    unsigned long long ways, tried;
};

/* With the queen of this row in column `at`: the task of the next row. */
static struct task next_row(const struct task* task, unsigned at) {
    const unsigned queen = 1u << at;
    struct task next = *task;
    next.row = task->row + 1;
    next.columns = task->columns | queen;
    next.rising = (task->rising | queen) << 1;
    next.falling = (task->falling | queen) >> 1;
    next.from = 0;
    next.to = task->size;
    return next;
}

static int is_free(const struct task* task, unsigned at) { return ((task->columns | task->rising | task->falling) >> at & 1u) == 0; }

void data_generator(void) {
    const unsigned size = total_tasks();
    for (unsigned i = 0; i < size; ++i) {
        const struct task task = {size, 0, 0, 0, 0, i, i + 1};
        do_task(&task, sizeof task);
    }
}

static void count(const struct task* task, struct result* result) {
    if (task->row == task->size) {
        ++result->ways;
        return;
    }
    for (unsigned at = task->from; at < task->to; ++at) {
        struct task next;
        ++result->tried;
        if (!is_free(task, at)) continue;
        next = next_row(task, at);
        count(&next, result);
    }
}

/* A range of columns in parts; where only one column is left, its queen is put there and the next row is split. */
void split_fn(const void* data, unsigned bytes) {
    const unsigned parts = split_degree();
    struct task task, part;
    (void)bytes;
    memcpy(&task, data, sizeof task);
    if (task.to - task.from == 1 && task.row + 1 < task.size && is_free(&task, task.from)) task = next_row(&task, task.from);
    for (unsigned i = 0; i < parts; ++i) {
        part = task;
        part.from = task.from + (task.to - task.from) * i / parts;
        part.to = task.from + (task.to - task.from) * (i + 1) / parts;
        sub_task(&part, sizeof part);
    }
}

void compute_fn(const void* data, unsigned bytes) {
    struct result result = {0, 0};
    struct task task;
    (void)bytes;
    memcpy(&task, data, sizeof task);
    count(&task, &result);
    return_result(&result, sizeof result);
}

void join_fn(void) {
    struct result whole = {0, 0};
    for (unsigned i = 0; i < sub_results(); ++i) {
        struct result part;
        memcpy(&part, sub_result(i, 0), sizeof part);
        whole.ways += part.ways;
        whole.tried += part.tried;
    }
    return_result(&whole, sizeof whole);
}

void result_receiver(void) {
    const unsigned size = total_tasks();
    unsigned long long ways = 0;
    for (unsigned i = 0; i < size; ++i) {
        struct result result;
        memcpy(&result, get_result(0), sizeof result);
        ways += result.ways;
    }
    printf("%u queens: %llu ways\n", size, ways);
}

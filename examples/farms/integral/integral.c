/* The area under sin(1 / x), by Simpson's rule on pieces that are halved until the rule and its halves agree: near 0 the function turns ever
 * faster, so tasks there take many times longer. A node with children splits a piece for them before it looks at it.
 *
 * The first halvings are made in any case, so that the same pieces come out wherever they are made: the result is the same to the last bit on
 * every tree. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <trek_kernel/trek.h>

enum { halvings_in_any_case = 7, most_halvings = 40 };

struct task {
    double from, to, tolerance;
    int halvings, padding;
};
struct result {
    double area;
    int pieces, deepest;
};

static const double left_end = 0.005, right_end = 1.0;

static double f(double x) { return sin(1 / x); }
static double simpson(double a, double b) { return (b - a) / 6 * (f(a) + 4 * f((a + b) / 2) + f(b)); }

void data_generator(void) {
    const unsigned tasks = total_tasks();
    for (unsigned i = 0; i < tasks; ++i) {
        struct task task;
        memset(&task, 0, sizeof task);
        task.from = left_end + (right_end - left_end) * i / tasks;
        task.to = left_end + (right_end - left_end) * (i + 1) / tasks;
        task.tolerance = 1e-9 / tasks;
        do_task(&task, sizeof task);
    }
}

static struct task half(const struct task* whole, int second) {
    const double middle = (whole->from + whole->to) / 2;
    struct task part = *whole;
    part.from = second ? middle : whole->from;
    part.to = second ? whole->to : middle;
    part.tolerance = whole->tolerance / 2;
    part.halvings = whole->halvings + 1;
    return part;
}

/* Of two pieces that lie side by side. */
static struct result both(struct result a, struct result b) {
    a.area += b.area;
    a.pieces += b.pieces;
    a.deepest = a.deepest > b.deepest ? a.deepest : b.deepest;
    return a;
}

static struct result integral(const struct task* task) {
    const double middle = (task->from + task->to) / 2, whole = simpson(task->from, task->to);
    const double halves = simpson(task->from, middle) + simpson(middle, task->to);
    struct task first, second;
    if (task->halvings >= halvings_in_any_case && (fabs(whole - halves) < 15 * task->tolerance || task->halvings == most_halvings)) {
        const struct result done = {halves, 1, task->halvings};
        return done;
    }
    first = half(task, 0);
    second = half(task, 1);
    return both(integral(&first), integral(&second));
}

void split_fn(const void* data, unsigned bytes) {
    struct task task, part;
    (void)bytes;
    memcpy(&task, data, sizeof task);
    for (unsigned i = 0; i < 2; ++i) {
        part = half(&task, i == 1);
        sub_task(&part, sizeof part);
    }
}

void compute_fn(const void* data, unsigned bytes) {
    struct task task;
    struct result result;
    (void)bytes;
    memcpy(&task, data, sizeof task);
    result = integral(&task);
    return_result(&result, sizeof result);
}

void join_fn(void) {
    struct result first, second, whole;
    memcpy(&first, sub_result(0, 0), sizeof first);
    memcpy(&second, sub_result(1, 0), sizeof second);
    whole = both(first, second);
    return_result(&whole, sizeof whole);
}

enum { most_tasks = 256 };

void result_receiver(void) {
    static struct result all[most_tasks]; /* added up in the order of the tasks: results come in any order */
    const unsigned tasks = total_tasks();
    struct result sum = {0, 0, 0};
    for (unsigned i = 0; i < tasks; ++i) {
        const void* result = get_result(0);
        if (result_task() < most_tasks) memcpy(&all[result_task()], result, sizeof(struct result));
    }
    for (unsigned i = 0; i < tasks && i < most_tasks; ++i) sum = both(sum, all[i]);
    printf("area under sin(1 / x) from %g to %g: %.12f\n%d pieces, halved up to %d times\n", left_end, right_end, sum.area, sum.pieces,
           sum.deepest);
}

/* Divide and conquer: the sum of the numbers below n, in parts. */
#include <stdio.h>

#include <trek_kernel/trek.h>

struct part {
    int from, to;
};
static int splits, joins; /* each process counts its own */
static long total;

void data_generator(void) {
    for (unsigned i = 0; i < total_tasks(); ++i) {
        struct part all = {(int)i * 1000, (int)i * 1000 + 1000};
        do_task(&all, sizeof all);
    }
}
void split_fn(const void* task, unsigned bytes) {
    const struct part* whole = task;
    const int degree = (int)split_degree(), size = (whole->to - whole->from) / degree;
    (void)bytes;
    ++splits;
    for (int i = 0; i < degree; ++i) {
        struct part one = {whole->from + i * size, i + 1 == degree ? whole->to : whole->from + (i + 1) * size};
        sub_task(&one, sizeof one);
    }
    work_us(50);
}
void compute_fn(const void* task, unsigned bytes) {
    const struct part* part = task;
    long sum = 0;
    (void)bytes;
    for (int i = part->from; i < part->to; ++i) sum += i;
    work_operations(TREK_INTEGER_ADD, (unsigned long long)(part->to - part->from));
    work_us(3000);
    return_result(&sum, sizeof sum);
}
void join_fn(void) {
    long sum = 0;
    ++joins;
    for (unsigned i = 0; i < sub_results(); ++i) sum += *(const long*)sub_result(i, 0);
    work_us(20);
    return_result(&sum, sizeof sum);
}
void result_receiver(void) {
    for (unsigned i = 0; i < total_tasks(); ++i) total += *(const long*)get_result(0);
    printf("total %ld, splits seen here %d, joins %d\n", total, splits, joins);
}

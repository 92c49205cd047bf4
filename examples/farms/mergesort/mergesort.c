/* Merge sort. init_master() makes the numbers; each task is a run of them, which the nodes of the tree split until nobody is below them; leaves
 * sort, the others merge. The manager merges the sorted runs and looks whether anything was lost. Messages are as long as what is in them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <trek_kernel/trek.h>

enum { count = 16384 };

static int numbers[count];  /* as made: the generator's and the receiver's own copies */
static int sorted[count], merged[count];

void init_master(void) {
    unsigned state = 2463534242u;
    for (int i = 0; i < count; ++i) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        numbers[i] = (int)(state % 1000000u);
    }
}

void data_generator(void) {
    const int tasks = (int)total_tasks();
    for (int i = 0; i < tasks; ++i) {
        const int begin = (int)((long long)count * i / tasks), end = (int)((long long)count * (i + 1) / tasks);
        do_task(numbers + begin, (unsigned)(end - begin) * sizeof(int));
    }
}

void split_fn(const void* data, unsigned bytes) {
    const int* run = (const int*)data;
    const unsigned all = bytes / sizeof(int), parts = split_degree();
    for (unsigned i = 0; i < parts; ++i) {
        const unsigned begin = all * i / parts, end = all * (i + 1) / parts;
        sub_task(run + begin, (end - begin) * (unsigned)sizeof(int));
    }
}

static int merge(const int* a, int of_a, const int* b, int of_b, int* out) {
    int i = 0, k = 0, n = 0;
    while (i < of_a || k < of_b) out[n++] = k == of_b || (i < of_a && a[i] <= b[k]) ? a[i++] : b[k++];
    return n;
}

static void sort(int* values, int n, int* room) {
    if (n < 2) return;
    sort(values, n / 2, room);
    sort(values + n / 2, n - n / 2, room);
    merge(values, n / 2, values + n / 2, n - n / 2, room);
    memcpy(values, room, (size_t)n * sizeof(int));
}

void compute_fn(const void* data, unsigned bytes) {
    memcpy(sorted, data, bytes);
    sort(sorted, (int)(bytes / sizeof(int)), merged);
    return_result(sorted, bytes);
}

/* Of sorted runs, one after the other. */
static int add_run(const int* run, int length, int n) {
    const int all = merge(sorted, n, run, length, merged);
    memcpy(sorted, merged, (size_t)all * sizeof(int));
    return all;
}

void join_fn(void) {
    int n = 0;
    for (unsigned i = 0; i < sub_results(); ++i) {
        unsigned bytes;
        const int* run = (const int*)sub_result(i, &bytes);
        n = add_run(run, (int)(bytes / sizeof(int)), n);
    }
    return_result(sorted, (unsigned)n * sizeof(int));
}

void result_receiver(void) {
    const unsigned tasks = total_tasks();
    long long before = 0, after = 0;
    int n = 0, wrong = 0;
    for (unsigned i = 0; i < tasks; ++i) {
        unsigned bytes;
        const int* run = (const int*)get_result(&bytes);
        n = add_run(run, (int)(bytes / sizeof(int)), n);
    }
    for (int i = 0; i < count; ++i) before += numbers[i];
    for (int i = 0; i < n; ++i) {
        after += sorted[i];
        wrong += i > 0 && sorted[i - 1] > sorted[i];
    }
    printf("%d numbers, %d out of order, sum %s\nleast %d, median %d, greatest %d\n", n, wrong, before == after ? "unchanged" : "changed", sorted[0],
           sorted[n / 2], sorted[n - 1]);
}

/* A program written as section 6.2 of the thesis prints it: TotalTasks, and get_result() without arguments. */
#include <stdio.h>

#include <trek_kernel/trek.h>

void data_generator(void) {
    for (int i = 0; i < TotalTasks; ++i) do_task(&i, sizeof i);
}
void compute_fn(const void* task, unsigned bytes) {
    const int result = 2 * *(const int*)task;
    (void)bytes;
    work_us(1000);
    return_result(&result, sizeof result);
}
void result_receiver(void) {
    int sum = 0;
    unsigned bytes = 0;
    for (int i = 0; i < TotalTasks - 1; ++i) {
        const int* result = get_result();
        sum += *result;
    }
    sum += *(const int*)get_result(&bytes);
    printf("sum %d, %u bytes\n", sum, bytes);
}

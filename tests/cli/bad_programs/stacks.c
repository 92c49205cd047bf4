/* As bad.c, with two processes of the manager: what one does to the stack of the other, which waits in do_task(). */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <trek_kernel/trek.h>

struct shared {
    char deed[32];
    jmp_buf place;
    char* local;
};
static struct shared* shared;

#define DEED(name) else if (strcmp(shared->deed, #name) == 0)

void init_master(void) {
    char line[600] = "";
    shared = calloc(1, sizeof *shared);
    if (fgets(line, sizeof line, stdin) != 0) sscanf(line, "%31s", shared->deed);
}

__attribute__((noinline)) static void remember_a_dead_variable(void) {
    char text[2000];
    strcpy(text, "first");
    shared->local = text;
}

void data_generator(void) {
    char here[16] = "";
    remember_a_dead_variable();
    if (strncmp(shared->deed, "overwrites_a", 12) == 0) shared->local = here;
    setjmp(shared->place);
    for (unsigned i = 0; i < total_tasks(); ++i) do_task(here, sizeof here);
} /* the end of data_generator */

void compute_fn(const void* task, unsigned bytes) {
    work_us(100);
    return_result(task, bytes);
}

void result_receiver(void) {
    for (unsigned i = 0; i < total_tasks(); ++i) {
        get_result(0);
        if (i != 2) continue;
        DEED(overwrites) memset(shared->local, '.', 2000);
        DEED(overwrites_all) memset(shared->local - 4000, '.', 4000);
        DEED(overwrites_above) memset(shared->local, '.', 400);
        DEED(jumps) longjmp(shared->place, 1);
    }
}

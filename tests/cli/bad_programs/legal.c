/* Each deed is something that a program may do, and prints "done". With the macro, the headers call other functions of the C library. */
#define _GNU_SOURCE
#define _FORTIFY_SOURCE 2
#include <err.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include <trek_kernel/trek.h>

struct task {
    char deed[32], canary[480];
};
static volatile int four = 4;

static void by_list(const char* format, ...) {
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
}

#define DEED(name) else if (strcmp(t.deed, #name) == 0)

void compute_fn(const void* data, unsigned bytes) {
    struct task t;
    char line[16] = "";
    char* text = 0;
    memcpy(&t, data, bytes < sizeof t ? bytes : sizeof t);
    if (t.deed[0] == 0) puts("no deed");
    DEED(prints) printf("%s%c", "done", 6 + four);
    DEED(prints_on_a_stream) fprintf(stderr, "do%s\n", "ne");
    DEED(prints_a_list) by_list("d%cne\n", 'o');
    DEED(prints_by_number) dprintf(2, "%s\n", "done");
    DEED(warns) warnx("do%s", "ne");
    DEED(prints_into_memory) puts(asprintf(&text, "do%s", "ne") == four ? text : "");
    DEED(copies_wide_text) printf("%ls\n", wcsdup(L"done"));
    DEED(allocates_pages) { free(memset(valloc((size_t)four), 1, 4)); puts((unsigned long)pvalloc((size_t)four) % 4096 == 0 ? "done" : ""); }
    DEED(locks_a_stream) { flockfile(stdout); puts(ftrylockfile(stdout) == 0 ? "done" : ""); funlockfile(stdout); }
    DEED(scans_its_input) { int number = 0; puts(scanf(" %479s %d", line, &number) == EOF && feof(stdin) ? "done" : ""); }
    DEED(reads_to_the_end) { while (fgets(line, four + 1, stdin) != 0) continue; puts(fread(line, 1, (size_t)four, stdin) == 0 && read(0, line, (size_t)four) == 0 ? "done" : ""); }
    DEED(copies_backwards) { __asm__ volatile("std"); puts("done"); }
    else puts("no such deed");
    return_result(data, 1);
}

void data_generator(void) {
    struct task t;
    memset(&t, 0, sizeof t);
    char line[600] = "";
    if (fgets(line, sizeof line, stdin) != 0) sscanf(line, "%31s %479s", t.deed, t.canary);
    do_task(&t, sizeof t);
}

void result_receiver(void) {
    get_result(0);
}

/* The farm without a machine: does a program's tasks one after the other on this computer, each process of the farm in a process of its own,
 * so that each has globals of its own. What it gives is what the farm must give; a debugger can run it (thesis, section 4.1, second phase).
 *
 *   PROGRAM TASKS DEGREE DEPTH    runs; DEGREE 1 is the processor farm; ends with 0, or with 1 after a sentence on standard error
 *   PROGRAM --types               prints the size of the types that the specification names: KIND BYTES SOURCE
 *
 * In this order: init_master, data_generator, compute_fn for each task (with split_fn and join_fn around it), result_receiver.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <trek_kernel/trek.h>

#pragma weak init_master
#pragma weak split_fn
#pragma weak join_fn

/* One entry for each type of the specification in each source that has it (farm_programs/src/compilation.cpp). */
enum { task_type, result_type };
struct type_entry {
    unsigned long bytes, kind, source;
};
extern const struct type_entry __start_trek_types[] __attribute__((weak));
extern const struct type_entry __stop_trek_types[] __attribute__((weak));

/* Shared by all processes: where the run is, for the sentence about a crash. */
struct progress {
    const char* function;
    unsigned long tasks, results, taken; /* generated, computed, got */
};
static volatile struct progress* shared;

static unsigned total, degree, depth;
static FILE *task_file, *result_file;

static void fail(const char* format, ...) {
    va_list arguments;
    fflush(stdout);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    fflush(stderr);
    _exit(1);
}

/* ---- Messages: a length and so many bytes ---- */

struct message {
    unsigned char* data;
    unsigned bytes;
    int priority;
};

static void* room(size_t bytes) {
    void* block = malloc(bytes != 0 ? bytes : 1);
    if (block == NULL) fail("this computer has no memory left");
    return block;
}
static struct message copy_of(const void* data, unsigned bytes) {
    struct message made = {room(bytes), bytes, 0};
    if (bytes != 0) memcpy(made.data, data, bytes);
    return made;
}
static void put(FILE* file, const void* data, unsigned bytes) {
    if (fwrite(&bytes, sizeof bytes, 1, file) != 1 || fwrite(data, 1, bytes, file) != bytes) fail("messages cannot be kept; is the disk full?");
}
static int get(FILE* file, struct message* message) {
    if (fread(&message->bytes, sizeof message->bytes, 1, file) != 1) return 0;
    message->data = room(message->bytes);
    return fread(message->data, 1, message->bytes, file) == message->bytes;
}
static void check_size(const char* call, unsigned long kind, unsigned bytes) {
    const struct type_entry* entry = __start_trek_types;
    for (; entry != __stop_trek_types; ++entry) {
        if (entry->kind == kind && entry->bytes != bytes)
            fail("%s() was called with %u bytes, and %s of the specification has %lu", call, bytes, kind == task_type ? "task_type" : "result_type",
                 entry->bytes);
    }
}

/* ---- What a program calls ---- */

void do_task_with_priority(const void* task, unsigned bytes, int priority) {
    (void)priority;
    check_size("do_task", task_type, bytes);
    put(task_file, task, bytes);
    ++shared->tasks;
}
void do_task(const void* task, unsigned bytes) { do_task_with_priority(task, bytes, 0); }
unsigned total_tasks(void) { return total; }

static struct message taken;
const void* get_result(unsigned* bytes) {
    free(taken.data);
    taken.data = NULL;
    if (!get(result_file, &taken))
        fail("result_receiver() asks for result %lu, and data_generator() made %lu tasks; on the farm it would wait for ever", shared->taken + 1,
             shared->tasks);
    ++shared->taken;
    if (bytes != NULL) *bytes = taken.bytes;
    return taken.data;
}
unsigned result_task(void) { return (unsigned)shared->taken - 1; }

static struct message result;
static int results_returned;
void return_result(const void* data, unsigned bytes) {
    check_size("return_result", result_type, bytes);
    if (results_returned++ != 0) fail("%s() called return_result() twice for task %lu", shared->function, shared->results);
    result = copy_of(data, bytes);
}

enum { most_parts = 16 };
static struct message parts[most_parts];
static unsigned part_count;
void sub_task(const void* task, unsigned bytes) {
    check_size("sub_task", task_type, bytes);
    if (part_count == degree) fail("split_fn() made more than %u sub-tasks of task %lu", degree, shared->results);
    parts[part_count++] = copy_of(task, bytes);
}
unsigned split_degree(void) { return degree; }
unsigned sub_results(void) { return part_count; }
const void* sub_result(unsigned index, unsigned* bytes) {
    if (index >= part_count) fail("join_fn() asks for sub-result %u of %u", index, part_count);
    if (bytes != NULL) *bytes = parts[index].bytes;
    return parts[index].data;
}
unsigned trek_node(void) { return 0; }

/* Time is of the modelled machine only. */
void work_us(unsigned long long microseconds) { (void)microseconds; }
void work_cycles(unsigned long long cycles) { (void)cycles; }
void work_operations(enum trek_operation kind, unsigned long long count) {
    (void)kind;
    (void)count;
}

void* trek_allocate(unsigned bytes) { return malloc(bytes); }
void trek_release(void* block) { free(block); }
void trek_print(const char* text) { fputs(text, stdout); }
unsigned trek_read(void* buffer, unsigned bytes) { return (unsigned)fread(buffer, 1, bytes, stdin); }
void trek_save(const char* name, const void* data, unsigned bytes) {
    FILE* file = fopen(name, "wb");
    if (file == NULL || fwrite(data, 1, bytes, file) != bytes || fclose(file) != 0) fail("trek_save() cannot write '%s'", name);
}

/* Calls of the compiler's counters of basic blocks: not needed here. */
void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) {}

/* ---- The tasks ---- */

static struct message joined(struct message task, unsigned level);

static struct message computed(struct message task) {
    shared->function = "compute_fn";
    results_returned = 0;
    compute_fn(task.data, task.bytes);
    if (results_returned == 0) fail("compute_fn() returned no result for task %lu", shared->results);
    return result;
}

/* The task in parts, each done in the same way, put together again. */
static struct message joined(struct message task, unsigned level) {
    struct message mine[most_parts];
    unsigned i;
    if (level == depth || degree < 2) return computed(task);
    shared->function = "split_fn";
    part_count = 0;
    split_fn(task.data, task.bytes);
    if (part_count != degree) fail("split_fn() made %u sub-tasks of task %lu, and the degree is %u", part_count, shared->results, degree);
    memcpy(mine, parts, sizeof mine);
    for (i = 0; i < degree; ++i) {
        const struct message part = mine[i];
        mine[i] = joined(part, level + 1);
        free(part.data);
    }
    memcpy(parts, mine, sizeof parts);
    part_count = degree;
    shared->function = "join_fn";
    results_returned = 0;
    join_fn();
    if (results_returned == 0) fail("join_fn() returned no result for task %lu", shared->results);
    for (i = 0; i < degree; ++i) free(mine[i].data);
    return result;
}

static void work(void) {
    struct message task;
    while (get(task_file, &task)) {
        struct message made = joined(task, 0);
        put(result_file, made.data, made.bytes);
        ++shared->results;
        free(made.data);
        free(task.data);
    }
}

/* ---- The processes ---- */

static pid_t forked(void) {
    const pid_t child = fork();
    if (child < 0) fail("this computer makes no more processes");
    return child;
}

static void ended(void) {
    fflush(NULL);
    _exit(0);
}

/* Waits for the end of a process; a bad one ends this one, too. */
static void wait_for(pid_t child, int works) {
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) {
        const char* why = strsignal(WTERMSIG(status));
        if (works) fail("%s() was stopped at task %lu: %s", shared->function, shared->results, why);
        fail("%s() was stopped: %s", shared->function, why);
    }
    if (WEXITSTATUS(status) != 0) _exit(1);
}

/* The worker begins with the program's own values, so it is made before init_master() runs, and waits until the tasks are there. */
static pid_t waiting_worker(int begin[2]) {
    char go;
    pid_t worker;
    if (pipe(begin) != 0) fail("this computer makes no more pipes");
    worker = forked();
    if (worker != 0) return worker;
    close(begin[1]);
    if (read(begin[0], &go, 1) != 1) _exit(1);
    rewind(task_file);
    work();
    ended();
    return 0;
}

static void whole_farm(void) {
    int begin[2];
    pid_t generator;
    const pid_t worker = waiting_worker(begin);
    shared->function = "init_master";
    if (init_master) init_master();
    fflush(NULL);
    shared->function = "data_generator";
    generator = forked();
    if (generator == 0) {
        data_generator();
        ended();
    }
    wait_for(generator, 0);
    if (shared->tasks != total) fail("data_generator() made %lu tasks, and the specification says %u", shared->tasks, total);
    if (write(begin[1], "", 1) != 1) fail("the worker has gone");
    wait_for(worker, 1);
    rewind(result_file);
    shared->function = "result_receiver";
    result_receiver();
    fflush(NULL);
    if (shared->taken != total)
        fail("result_receiver() took %lu of %u results; on the farm it would end while the others are outstanding", shared->taken, total);
    ended();
}

static int print_types(void) {
    const struct type_entry* entry = __start_trek_types;
    for (; entry != __stop_trek_types; ++entry) printf("%lu %lu %lu\n", entry->kind, entry->bytes, entry->source);
    return 0;
}

static unsigned number(const char* text) { return (unsigned)strtoul(text, NULL, 10); }

int main(int argc, char** argv) {
    pid_t farm;
    if (argc == 2 && strcmp(argv[1], "--types") == 0) return print_types();
    if (argc != 4) {
        fprintf(stderr, "usage: %s TASKS DEGREE DEPTH, or --types\n", argv[0]);
        return 2;
    }
    total = number(argv[1]);
    degree = number(argv[2]);
    depth = number(argv[3]);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    task_file = tmpfile();
    result_file = tmpfile();
    if (shared == MAP_FAILED || task_file == NULL || result_file == NULL) fail("this computer has no room for the messages");
    farm = forked();
    if (farm == 0) whole_farm();
    wait_for(farm, 0);
    return 0;
}

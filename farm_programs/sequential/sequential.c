/* The farm without a machine: does a program's tasks one after the other on this computer, each process of the farm in a process of its own,
 * so that each has globals of its own. What it gives is what the farm must give; a debugger can run it (thesis, section 4.1, second phase).
 *
 *   PROGRAM TASKS DEGREE DEPTH [SECONDS]
 *                                 runs; DEGREE 1 is the processor farm; ends with 0, or with 1 after a sentence on standard error;
 *                                 no call of a function may last longer than SECONDS (0 and none: as long as it likes)
 *
 * In this order: init_master, data_generator, compute_fn for each task (with split_fn and join_fn around it), result_receiver.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <trek_kernel/trek.h>
#undef get_result

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
    unsigned long steps;                 /* calls of functions and of do_task() and the like: what shows that the program moves */
    int works;                           /* the function has a task */
    int done;                            /* the functions of this process have returned: it did not end on its own */
    int told;                            /* the sentence is written */
};
static volatile struct progress* shared;

static unsigned total, degree, depth;
static FILE *task_file, *result_file;

static void fail(const char* format, ...) {
    va_list arguments;
    if (shared != NULL && shared->told) _exit(1); /* one sentence is enough */
    if (shared != NULL) shared->told = 1;
    fflush(stdout);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    fflush(stderr);
    _exit(1);
}

/* Where the program is: "compute_fn() WHAT at task 5; ADVICE". */
static void fail_where(const char* what, const char* advice) {
    if (shared->works) fail("%s() %s at task %lu; %s", shared->function, what, shared->results, advice);
    fail("%s() %s; %s", shared->function, what, advice);
}

static void enters(const char* function, int works) {
    shared->function = function;
    shared->works = works;
    ++shared->steps;
}

/* ---- Messages: a length and so many bytes ---- */

enum { most_message = 64 << 20 };                               /* bytes, as on the modelled machine */
static const unsigned long long most_kept = 1000ULL * 1000 * 1000; /* bytes of all messages in a file */

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
    if ((unsigned long long)ftello(file) + bytes > most_kept)
        fail("the messages of %s() are more than 1 GB together; make fewer or smaller ones", shared->function);
    if (fwrite(&bytes, sizeof bytes, 1, file) != 1 || fwrite(data, 1, bytes, file) != bytes) fail("messages cannot be kept; is the disk full?");
}
static int get(FILE* file, struct message* message) {
    if (fread(&message->bytes, sizeof message->bytes, 1, file) != 1) return 0;
    message->data = room(message->bytes);
    return fread(message->data, 1, message->bytes, file) == message->bytes;
}
static void check_size(const char* call, unsigned long kind, unsigned bytes) {
    const struct type_entry* entry = __start_trek_types;
    ++shared->steps;
    if (bytes > most_message)
        fail("%s() was called with %u bytes, and a message has 64 MB at most; look for a wrong size", call, bytes);
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
    if (shared->tasks >= 100 + 10UL * total)
        fail("data_generator() made %lu tasks and goes on, and the specification says %u; look for a loop that does not end",
             shared->tasks, total);
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
    ++shared->steps;
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

static const char plain_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

/* Control characters would play tricks with a terminal. */
static const char* printable(const char* name) {
    static char shown[101];
    unsigned i;
    for (i = 0; i + 1 < sizeof shown && name[i] != '\0'; ++i) shown[i] = (unsigned char)name[i] < ' ' || name[i] == 127 ? '?' : name[i];
    shown[i] = '\0';
    return shown;
}
void trek_save(const char* name, const void* data, unsigned bytes) {
    FILE* file;
    /* The names that the modelled machine takes (farm_programs/src/call_table.cpp): nothing outside of the folder of this run. */
    if (name == NULL) fail("trek_save() was called without a name (a null pointer); give a plain file name");
    if (name[0] == '\0' || name[0] == '.' || strlen(name) > 100 || name[strspn(name, plain_letters)] != '\0')
        fail("trek_save() was called with the name '%.100s'; give a plain file name: letters, digits, '.', '_' and '-', no folder",
             printable(name));
    if (bytes > most_message) fail("trek_save() was called with %u bytes, and a file has 64 MB at most; look for a wrong size", bytes);
    file = fopen(name, "wb");
    if (file == NULL || fwrite(data, 1, bytes, file) != bytes || fclose(file) != 0) fail("trek_save() cannot write '%s'", name);
}

/* Nobody monitors this run. */
void trek_event(unsigned number, long long value) {
    (void)number;
    (void)value;
}
void trek_monitor(const char* classes, int on) {
    (void)classes;
    (void)on;
}

/* Calls of the compiler's counters of basic blocks: not needed here. */
void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) {}

/* ---- The tasks ---- */

static struct message joined(struct message task, unsigned level);

static struct message computed(struct message task) {
    enters("compute_fn", 1);
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
    enters("split_fn", 1);
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
    enters("join_fn", 1);
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
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child < 0) fail("this computer can start no more processes");
    if (child != 0) return child;
    /* None outlives the one that waits for it, however that ends; it may have ended already. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    return 0;
}

static void ended(void) {
    fflush(NULL);
    shared->done = 1;
    _exit(0);
}

/* A bad end of a process ends this one, too. */
static void judge(int status) {
    if (WIFSIGNALED(status)) {
        const char* why = strsignal(WTERMSIG(status));
        if (WTERMSIG(status) == SIGXFSZ) fail_where("wrote more than a file may hold (1 GB or ulimit -f)", "look for a loop that prints and does not end");
        if (shared->works) fail("%s() was stopped at task %lu: %s", shared->function, shared->results, why);
        fail("%s() was stopped: %s", shared->function, why);
    }
    if (shared->told) _exit(1);
    if (!shared->done) fail_where("ended the program (exit)", "return from the function instead");
    if (WEXITSTATUS(status) != 0) _exit(1);
    shared->done = 0;
}

static void wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    judge(status);
}

/* The same, and watches that the functions return. A function that sleeps is watched as one that computes. */
static void watch(pid_t child, unsigned seconds) {
    static const struct timespec pause = {0, 2000000};
    struct timespec now, moved;
    unsigned long steps = 0;
    int status = 0;
    clock_gettime(CLOCK_MONOTONIC, &moved);
    while (waitpid(child, &status, WNOHANG) != child) {
        nanosleep(&pause, NULL);
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (steps != shared->steps) moved = now;
        steps = shared->steps;
        if (seconds == 0 || now.tv_sec - moved.tv_sec <= (time_t)seconds) continue;
        char what[80];
        kill(child, SIGKILL); /* and with it, its own */
        snprintf(what, sizeof what, "ran longer than %u s", seconds);
        fail_where(what, "look for a loop that does not end, or allow more with farm check --seconds");
    }
    judge(status);
}

/* The worker begins with the program's own values, so it is made before init_master() runs, and waits until the tasks are there. */
static pid_t waiting_worker(int begin[2]) {
    char go;
    pid_t worker;
    if (pipe(begin) != 0) fail("this computer can make no more pipes");
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
    enters("init_master", 0);
    if (init_master) init_master();
    fflush(NULL);
    enters("data_generator", 0);
    generator = forked();
    if (generator == 0) {
        data_generator();
        ended();
    }
    wait_for(generator);
    if (shared->tasks != total) fail("data_generator() made %lu tasks, and the specification says %u", shared->tasks, total);
    enters("compute_fn", 1);
    if (write(begin[1], "", 1) != 1) fail("the worker has gone");
    wait_for(worker);
    rewind(result_file);
    enters("result_receiver", 0);
    result_receiver();
    fflush(NULL);
    if (shared->taken != total)
        fail("result_receiver() took %lu of %u results; on the farm it would end while the others are outstanding", shared->taken, total);
    ended();
}

static unsigned number(const char* text) { return (unsigned)strtoul(text, NULL, 10); }

/* The constructors of global objects ran under a limit of their own (farm_programs/src/sequential.cpp); from here on watch() counts. */
static void unlimited_seconds(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_CPU, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_CPU, &limit);
}

int main(int argc, char** argv) {
    pid_t farm;
    if (argc != 4 && argc != 5) {
        fprintf(stderr, "usage: %s TASKS DEGREE DEPTH [SECONDS]\n", argv[0]);
        return 2;
    }
    total = number(argv[1]);
    degree = number(argv[2]);
    depth = number(argv[3]);
    unlimited_seconds();
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    task_file = tmpfile();
    result_file = tmpfile();
    if (shared == MAP_FAILED || task_file == NULL || result_file == NULL) fail("this computer has no room for the messages");
    farm = forked();
    if (farm == 0) whole_farm();
    watch(farm, argc == 5 ? number(argv[4]) : 0);
    _exit(0); /* not through what the program's sources registered with atexit() */
}

/* What belongs to a process: its end, its random numbers, its clock; and what no node has: threads, signals, an environment. */
#include "program_support_own.h"

#include <assert.h>
#include <errno.h>
#include <link.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { longest_complaint = 512 };
static char complaint[longest_complaint]; /* of a static constructor: there is no table yet */

/* The instruction that no processor has ends a constructor; it is tried where that harms nobody. */
static _Noreturn void complain(const char* what, const char* more) {
    snprintf(complaint, sizeof complaint, "%s%s", what, more);
    __builtin_trap();
}

void program_end(const char* what, const char* advice) {
    if (program_own.common == NULL) complain(what, "");
    program_own.common->end(what, advice);
    __builtin_unreachable();
}

int program_refused(const char* function, const char* advice) {
    if (program_own.common == NULL) {
        char call[128];
        snprintf(call, sizeof call, "calls %s", function);
        complain(call, ", which a node does not have");
    }
    program_own.common->refuse(function, advice);
    errno = ENOSYS;
    return -1;
}
#define refused program_refused
#define no_threads program_no_threads
#define no_sleep program_no_sleep

/* The loader calls this first (link_options.txt), and shall not call the program's static constructors: Magicwire does, where
 * a constructor harms nobody. Destructors are for the end of each process, not of Magicwire. So the loader finds lists of none.
 * Its tables are read-only by now. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern ElfW(Dyn) _DYNAMIC[] __attribute__((visibility("hidden")));
static __thread volatile char one_of_the_thread; /* so that the loader sets the variables of this thread up at once */

static long make_writable(const void* page, unsigned long bytes, long access) {
    register long result __asm__("rax") = SYS_mprotect; /* mprotect() by its name is what host.c refuses */
    __asm__ volatile("syscall" : "+r"(result) : "D"(page), "S"(bytes), "d"(access) : "rcx", "r11", "memory");
    return result;
}

void program_begin(void);
void program_begin(void) {
    const unsigned long page_bytes = 4096;
    one_of_the_thread = 1;
    program_own.complaint = complaint;
    for (ElfW(Dyn)* entry = _DYNAMIC; entry->d_tag != DT_NULL; ++entry) {
        if (entry->d_tag == DT_INIT_ARRAY) program_own.constructors = __ehdr_start + entry->d_un.d_ptr;
        if (entry->d_tag == DT_FINI_ARRAY) program_own.destructors = __ehdr_start + entry->d_un.d_ptr;
        if (entry->d_tag != DT_INIT_ARRAYSZ && entry->d_tag != DT_FINI_ARRAYSZ) continue;
        *(entry->d_tag == DT_INIT_ARRAYSZ ? &program_own.constructor_count : &program_own.destructor_count) =
            entry->d_un.d_val / sizeof(void*);
        const char* page = (const char*)((unsigned long)entry / page_bytes * page_bytes);
        if (make_writable(page, 2 * page_bytes, PROT_READ | PROT_WRITE) != 0) __builtin_trap();
        entry->d_un.d_val = 0;
    }
}

static _Noreturn void end_with(const char* function, int status) {
    char what[64];
    snprintf(what, sizeof what, "calls %s(%d)", function, status);
    program_end(what, NULL);
}
/* A kind of program may have these of its own. */
#pragma weak exit
#pragma weak _exit
#pragma weak _Exit
#pragma weak atexit
#pragma weak on_exit
#pragma weak __cxa_atexit
#pragma weak sleep
#pragma weak usleep
#pragma weak nanosleep
#pragma weak srand
#pragma weak rand
#pragma weak srandom
#pragma weak random
#pragma weak srand48
#pragma weak drand48
#pragma weak lrand48
#pragma weak mrand48
#pragma weak signal
#pragma weak sigaction
#pragma weak strtok
#pragma weak time
#pragma weak clock
#pragma weak getenv
#pragma weak fork
void exit(int status) {
    if (program_own.common == NULL) end_with("exit", status);
    program_own.common->exit(status);
    __builtin_unreachable();
}
void _exit(int status) {
    end_with("_exit", status);
}
void _Exit(int status) {
    end_with("_Exit", status);
}
void quick_exit(int status) {
    end_with("quick_exit", status);
}
void abort(void) {
    program_end("calls abort()", NULL);
}
void __stack_chk_fail(void);
void __stack_chk_fail(void) {
    program_end("has written beyond the end of a local array", "look for an index out of range there");
}
void __assert_fail(const char* condition, const char* file, unsigned line, const char* function) {
    char what[512];
    snprintf(what, sizeof what, "finds its assertion '%s' false in %s() (%s:%u)", condition, function == NULL ? "?" : function,
             file, line);
    program_end(what, NULL);
}
int atexit(void (*function)(void)) {
    (void)function; /* a node's program does not exit */
    return 0;
}
int at_quick_exit(void (*function)(void)) {
    return atexit(function);
}
int on_exit(void (*function)(int, void*), void* argument) {
    (void)function, (void)argument;
    return 0;
}
int __cxa_atexit(void (*function)(void*), void* argument, void* module);
int __cxa_atexit(void (*function)(void*), void* argument, void* module) {
    (void)function, (void)argument, (void)module;
    return 0;
}

int __cxa_thread_atexit(void (*function)(void*), void* argument, void* module);
int __cxa_thread_atexit(void (*function)(void*), void* argument, void* module) {
    return __cxa_atexit(function, argument, module);
}
int __cxa_thread_atexit_impl(void (*function)(void*), void* argument, void* module);
int __cxa_thread_atexit_impl(void (*function)(void*), void* argument, void* module) {
    return __cxa_atexit(function, argument, module);
}

/* The generator of the C standard's example: the same numbers in every run, the process' own. */
static uint64_t random_state = 1;
static uint32_t next_random(void) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33);
}
void srand(unsigned seed) {
    random_state = seed;
}
int rand(void) {
    return (int)(next_random() & RAND_MAX);
}
void srandom(unsigned seed) {
    srand(seed);
}
long random(void) {
    return rand();
}
void srand48(long seed) {
    srand((unsigned)seed);
}
double drand48(void) {
    return next_random() / 2147483648.0;
}
long lrand48(void) {
    return rand();
}
long mrand48(void) {
    return (int)(next_random() << 1);
}

/* What std::random_device asks; the host's answer would differ from run to run. */
uint32_t arc4random(void);
uint32_t arc4random(void) {
    return next_random();
}
int getentropy(void* buffer, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) ((unsigned char*)buffer)[i] = (unsigned char)next_random();
    return 0;
}

ssize_t getrandom(void* buffer, size_t bytes, unsigned flags) {
    (void)flags;
    getentropy(buffer, bytes);
    return (ssize_t)bytes;
}

/* strtok() of the C library remembers its place for all nodes together. */
static char* token_rest;
char* strtok(char* text, const char* separators) {
    return strtok_r(text, separators, &token_rest);
}

/* The node's clock, which starts at 0 when the node does. */
static unsigned long long microseconds(void) {
    return program_own.common == NULL ? 0 : program_own.common->clock_us();
}
time_t time(time_t* result) {
    const time_t now = (time_t)(microseconds() / 1000000);
    if (result != NULL) *result = now;
    return now;
}
clock_t clock(void) {
    return (clock_t)microseconds();
}
int gettimeofday(struct timeval* restrict now, void* restrict zone) {
    const unsigned long long us = microseconds();
    (void)zone;
    now->tv_sec = (time_t)(us / 1000000);
    now->tv_usec = (suseconds_t)(us % 1000000);
    return 0;
}
int clock_gettime(clockid_t which, struct timespec* now) {
    const unsigned long long us = microseconds();
    (void)which;
    now->tv_sec = (time_t)(us / 1000000);
    now->tv_nsec = (long)(us % 1000000 * 1000);
    return 0;
}

int timespec_get(struct timespec* now, int base) {
    clock_gettime(CLOCK_REALTIME, now);
    return base;
}
/* Every node is at Greenwich. */
void tzset(void) {}
struct tm* localtime_r(const time_t* restrict time, struct tm* restrict date) {
    return gmtime_r(time, date);
}
struct tm* localtime(const time_t* time) {
    return gmtime(time);
}
char* ctime_r(const time_t* restrict time, char* restrict text) {
    struct tm date;
    return asctime_r(gmtime_r(time, &date), text);
}
char* ctime(const time_t* time) {
    return asctime(gmtime(time));
}
time_t mktime(struct tm* date) {
    return timegm(date);
}

unsigned sleep(unsigned seconds) {
    (void)seconds;
    refused("sleep()", no_sleep);
    return 0;
}
int usleep(useconds_t time) {
    (void)time;
    return refused("usleep()", no_sleep);
}
int nanosleep(const struct timespec* time, struct timespec* rest) {
    (void)time, (void)rest;
    return refused("nanosleep()", no_sleep);
}
int clock_nanosleep(clockid_t which, int flags, const struct timespec* time, struct timespec* rest) {
    (void)which, (void)flags, (void)time, (void)rest;
    refused("sleeping", no_sleep);
    return ENOSYS;
}
#pragma weak pause
int pause(void) {
    return refused("pause()", no_sleep);
}

int pthread_create(pthread_t* restrict thread, const pthread_attr_t* restrict attributes, void* (*code)(void*),
                   void* restrict argument) {
    (void)thread, (void)attributes, (void)code, (void)argument;
    refused("pthread_create()", no_threads);
    return EAGAIN;
}
void pthread_exit(void* result) {
    (void)result;
    program_end("calls pthread_exit()", NULL);
}
/* The library of C++ wakes with it whoever waits for a future, and waits so itself. */
long syscall(long number, ...) {
    if (number != SYS_futex) return refused("syscall()", program_no_host);
    va_list arguments;
    va_start(arguments, number);
    (void)va_arg(arguments, void*);
    const int operation = va_arg(arguments, int) & FUTEX_CMD_MASK;
    va_end(arguments);
    if (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET)
        program_end("waits for a lock or for another thread, and nothing can ever wake it", no_threads);
    return 0;
}
pid_t fork(void) {
    return refused("fork()", program_no_fork);
}
static const char no_signals[] = "a transputer has no signals; remove the call";
void (*signal(int number, void (*handler)(int)))(int) {
    (void)number, (void)handler;
    refused("signal()", no_signals);
    return SIG_ERR;
}
int sigaction(int number, const struct sigaction* restrict what, struct sigaction* restrict was) {
    (void)number, (void)what, (void)was;
    return refused("sigaction()", no_signals);
}

/* A node has no environment, and Magicwire's is not for a program to change. */
static char* no_environment[] = {NULL};
char** environ = no_environment;
extern char** __environ __attribute__((alias("environ")));
extern char** _environ __attribute__((alias("environ")));

/* What a program may ask, with the same answer on every host. */
char* getenv(const char* name) {
    (void)name;
    return NULL;
}
char* secure_getenv(const char* name) {
    return getenv(name);
}
char* setlocale(int category, const char* locale) {
    (void)category;
    const int known = locale == NULL || strcmp(locale, "") == 0 || strcmp(locale, "C") == 0 || strcmp(locale, "POSIX") == 0;
    return known ? "C" : NULL;
}
int get_nprocs(void) {
    return 1;
}
int get_nprocs_conf(void) {
    return 1;
}
long sysconf(int name) {
    if (name == _SC_PAGESIZE) return 4096;
    if (name == _SC_CLK_TCK) return 100;
    return name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF ? 1 : -1;
}

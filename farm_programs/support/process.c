/* What belongs to a process: its end, its random numbers, its clock; and what no node has: threads, signals, an environment. */
#include "trek_support_own.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define UNREACHABLE __builtin_unreachable()

static _Noreturn void end(const char* what) {
    if (trek_own.table == NULL) __builtin_trap(); /* a static constructor's: it is tried where that harms nobody */
    trek_own.table->end(what);
    UNREACHABLE;
}

void exit(int status) {
    char what[64];
    snprintf(what, sizeof what, "calls exit(%d)", status);
    end(what);
}
void _exit(int status) {
    exit(status);
}
void _Exit(int status) {
    exit(status);
}
void quick_exit(int status) {
    exit(status);
}
void abort(void) {
    end("calls abort(), or throws an exception that nobody catches");
}
void __assert_fail(const char* condition, const char* file, unsigned line, const char* function) {
    char what[512];
    snprintf(what, sizeof what, "finds its assertion '%s' false in %s() (%s:%u)", condition, function == NULL ? "?" : function,
             file, line);
    end(what);
}
int atexit(void (*function)(void)) {
    (void)function; /* a node's program does not exit */
    return 0;
}
int __cxa_atexit(void (*function)(void*), void* argument, void* module);
int __cxa_atexit(void (*function)(void*), void* argument, void* module) {
    (void)function, (void)argument, (void)module;
    return 0;
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

/* What std::random_device asks; the host's answer would differ from run to run. */
uint32_t arc4random(void);
uint32_t arc4random(void) {
    return next_random();
}
int getentropy(void* buffer, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) ((unsigned char*)buffer)[i] = (unsigned char)next_random();
    return 0;
}

/* strtok() of the C library remembers its place for all nodes together. */
static char* token_rest;
char* strtok(char* text, const char* separators) {
    return strtok_r(text, separators, &token_rest);
}

/* The node's clock, which starts at 0 when the node does. */
static unsigned long long microseconds(void) {
    return trek_own.table == NULL ? 0 : trek_own.table->clock_us();
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

static int refused(const char* function, const char* advice) {
    if (trek_own.table != NULL) trek_own.table->refuse(function, advice);
    errno = ENOSYS;
    return -1;
}
static const char no_sleep[] = "a process of the farm waits only for tasks and results; work_us() makes it busy for a time";
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
int pthread_create(pthread_t* restrict thread, const pthread_attr_t* restrict attributes, void* (*code)(void*),
                   void* restrict argument) {
    (void)thread, (void)attributes, (void)code, (void)argument;
    refused("starting a thread", "the farm's processes are the program's threads; make tasks instead");
    return EAGAIN;
}
pid_t fork(void) {
    return refused("fork()", "the farm's processes are the program's; make tasks instead");
}
static const char no_signals[] = "a transputer has no signals; take the call out";
void (*signal(int number, void (*handler)(int)))(int) {
    (void)number, (void)handler;
    refused("signal()", no_signals);
    return SIG_ERR;
}
int sigaction(int number, const struct sigaction* restrict what, struct sigaction* restrict was) {
    (void)number, (void)what, (void)was;
    return refused("sigaction()", no_signals);
}
char* getenv(const char* name) {
    (void)name; /* the host's would make runs differ */
    return NULL;
}

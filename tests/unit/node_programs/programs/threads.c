/* Threads in C. The first word names the part. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <node_programs/trollius.h>

static int shared, order[64], orders;
static __thread int own = 5;
static volatile int flag;

static void note(int what) {
    order[orders++] = what;
}
static int tell(int event, int word) {
    struct kmsg message = {.k_event = event, .k_type = 1, .k_length = sizeof word, .k_msg = (char*)&word};
    return ksend(&message);
}
static int hear(int event) {
    int word = -1;
    struct kmsg message = {.k_event = event, .k_type = 1, .k_length = sizeof word, .k_msg = (char*)&word};
    return krecv(&message) == 0 ? word : -2;
}

static void adds(void* argument) {
    const int which = *(int*)argument; /* on the stack of main(), which waits */
    own += which;
    for (int i = 0; i < 3; ++i) {
        ++shared;
        work_us(100);
        note(which);
    }
    errno = 40 + which;
    int* block = malloc(sizeof *block);
    *block = own * 100 + (kgetpid() != 0);
    tell(70, *block);
    free(block);
    tell(71, errno == 40 + which);
}

/* Two of medium weight and one heavy, which share globals and take turns. */
static int do_share(void) {
    int which[3] = {1, 2, 3};
    const int one = kpar_Na(adds, 0, which), two = kpar_Na(adds, 4096, which + 1), heavy = kpar_Fe(adds, 0, which + 2);
    int sum = 0, kept = 0;
    for (int i = 0; i < 3; ++i) sum += hear(70);
    for (int i = 0; i < 3; ++i) kept += hear(71);
    printf("%d threads, shared %d, own %d, sum %d, errno kept %d times, ids differ: %d\n", 3, shared, own, sum, kept,
           one > 0 && two > 0 && heavy > 0 && one != two && two != heavy && one != kgetpid());
    return orders;
}

static void spins(void* argument) {
    for (int i = 0; i < 20; ++i) work_us(1000);
    flag = *(const int*)argument;
}
/* A light thread computes beside main(), on the one processor. */
static int do_light(void) {
    int seven = 7;
    const int result = kpar_He(spins, 1024, &seven);
    while (flag == 0) work_us(500);
    printf("kpar_He: %d, flag %d\n", result, flag);
    return 0;
}

static void prints(void* argument) {
    (void)argument;
    tell(70, 1); /* here: light */
    printf("never\n");
}
static int do_light_calls(void) {
    kpar_He(prints, 0, NULL);
    kdelay(10000);
    printf("main goes on\n");
    return 3;
}
static void exits(void* argument) {
    (void)argument;
    exit(9); /* here: exit */
}
static void farewell(void) {
    printf("main ends\n");
}
static int do_exit(void) {
    atexit(farewell);
    kpar_Na(exits, 0, NULL);
    kdelay(10000);
    return 4;
}

static void waits(void* argument) {
    (void)argument;
    hear(99);
    printf("never\n");
}
/* Threads end with their process, and what they had comes back: this is run many times. */
static int do_left(void) {
    for (int i = 0; i < 5; ++i) kpar_Na(waits, 8192, malloc(100));
    kpar_Fe(waits, 8192, NULL);
    return 0;
}
static int do_many(void) {
    int made = 0;
    while (made < 100 && kpar_Na(waits, 64, NULL) > 0) ++made;
    printf("%d threads, then %d\n", made, errno == ENOPDESCRIPTORS);
    errno = 0;
    const int large = kpar_Fe(waits, 60 << 20, NULL);
    printf("large: %d %d\n", large, errno == ENOPDESCRIPTORS);
    return 0;
}

static int handled;
static void count(int signal) {
    handled += signal;
}
static void sleeps(void* argument) {
    (void)argument;
    kpause();
    tell(70, handled);
}
/* A signal to the process comes to its thread, too, which runs the handler on its own stack. */
static int do_signals(void) {
    ksignal(SIGA, count);
    kpar_Na(sleeps, 0, NULL);
    kdelay(1000);
    kdoom(kgetpid(), SIGA);
    const int seen = hear(70);
    printf("handled %d, thread saw %d\n", handled, seen);
    return 0;
}
static void kills(void* argument) {
    kdoom(*(int*)argument, SIGUDIE);
    printf("never\n");
}
/* Ends a neighbour, whose creator is told. */
static int do_victim(void) {
    hear(99);
    return 1;
}
static int do_killer(void) {
    int pid = 0, node = -1, status = 0;
    char *words[] = {"threads", "victim", NULL};
    rploadgo(LOCAL, LOCAL, "threads", RTF_WAIT, words, &pid, NULL);
    kdoom(pid, SIGUDIE);
    const int ended = rpwait(&node, &pid, &status);
    printf("rpwait: %d, status %d\n", ended, status);
    return 0;
}
static int do_killed(void) {
    int me = kgetpid();
    kpar_Na(kills, 0, &me);
    kdelay(1000000);
    printf("never\n");
    return 0;
}
/* `state` shows the heavy one only. */
static int do_listed(void) {
    struct pstate table[64];
    const int before = rpstate(LOCAL, table, 64);
    kpar_Na(waits, 0, NULL);
    const int heavy = kpar_Fe(waits, 0, NULL);
    kdelay(1000);
    const int after = rpstate(LOCAL, table, 64);
    int seen = 0;
    for (int i = 0; i < after; ++i) {
        if (table[i].ps_pid == heavy) seen = table[i].ps_state == 2 && table[i].ps_event == 99 && strcmp(table[i].ps_name, "threads") == 0;
    }
    printf("%d more, seen %d\n", after - before, seen);
    return 0;
}
static void falls(void* argument) {
    *(volatile int*)argument = 1; /* here: fall */
}
static int do_fall(void) {
    kpar_Na(falls, 0, NULL);
    kdelay(1000000);
    return 0;
}
static void nested(void* argument) {
    int depth = *(int*)argument - 1;
    if (depth > 0) kpar_Na(nested, 0, &depth);
    if (depth > 0) hear(80 + depth);
    ++shared;
    tell(81 + depth, depth);
}
static int do_nested(void) {
    int depth = 5;
    kpar_Na(nested, 0, &depth);
    const int last = hear(85);
    printf("shared %d, last %d\n", shared, last);
    return 0;
}

int main(int words, char** word) {
    const char* part = words > 1 ? word[1] : "";
    if (strcmp(part, "share") == 0) return do_share();
    if (strcmp(part, "light") == 0) return do_light();
    if (strcmp(part, "light_calls") == 0) return do_light_calls();
    if (strcmp(part, "exit") == 0) return do_exit();
    if (strcmp(part, "left") == 0) return do_left();
    if (strcmp(part, "many") == 0) return do_many();
    if (strcmp(part, "signals") == 0) return do_signals();
    if (strcmp(part, "killed") == 0) return do_killed();
    if (strcmp(part, "victim") == 0) return do_victim();
    if (strcmp(part, "killer") == 0) return do_killer();
    if (strcmp(part, "listed") == 0) return do_listed();
    if (strcmp(part, "fall") == 0) return do_fall();
    if (strcmp(part, "nested") == 0) return do_nested();
    return 99;
}

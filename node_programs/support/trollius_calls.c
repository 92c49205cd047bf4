/* The functions of trollius.h, and the way into main(). */
#include "trollius_calls.h"

#include <stddef.h>
#include <unistd.h>

#include <program_support_own.h>

const char program_no_files[] = "a node has no files; print with printf(), read with fgets(stdin)";
const char program_no_network[] = "a node has links to its neighbours; use nsend() and its relatives";
const char program_no_threads[] = "start another process with rploadgo()";
const char program_no_fork[] = "start another process with rploadgo()";
const char program_no_sleep[] = "a process waits for messages; work_us() makes it busy for a time";
const char program_catch_it[] = "catch it, or prevent it; its process ends here";

static const struct trollius_calls* calls(void) {
    return program_own.calls;
}

static int with_errno(int result) {
    if (result >= 0) return result;
    errno = -result;
    return -1;
}

int ksend(struct kmsg* message) {
    NOTE_FRAME;
    return with_errno(calls()->kernel(TROLLIUS_KSEND, message, NULL));
}
int krecv(struct kmsg* message) {
    NOTE_FRAME;
    return with_errno(calls()->kernel(TROLLIUS_KRECV, NULL, message));
}
int ksr(struct kmsg* out, struct kmsg* in) {
    NOTE_FRAME;
    return with_errno(calls()->kernel(TROLLIUS_KSR, out, in));
}

#define MESSAGE_CALL(name, which, flags)                            \
    int name(struct nmsg* message) {                                \
        NOTE_FRAME;                                                 \
        return with_errno(calls()->message(which, message, flags)); \
    }
MESSAGE_CALL(dsend, TROLLIUS_DSEND, 0)
MESSAGE_CALL(drecv, TROLLIUS_DRECV, 0)
MESSAGE_CALL(dtry_send, TROLLIUS_DSEND, KTRY)
MESSAGE_CALL(dtry_recv, TROLLIUS_DRECV, KTRY)
MESSAGE_CALL(nsend, TROLLIUS_NSEND, 0)
MESSAGE_CALL(nrecv, TROLLIUS_NRECV, 0)
MESSAGE_CALL(ntry_send, TROLLIUS_NSEND, KTRY)
MESSAGE_CALL(ntry_recv, TROLLIUS_NRECV, KTRY)
MESSAGE_CALL(tsend, TROLLIUS_TSEND, 0)
MESSAGE_CALL(trecv, TROLLIUS_TRECV, 0)
MESSAGE_CALL(nprobe, TROLLIUS_NPROBE, 0)
MESSAGE_CALL(getroute, TROLLIUS_GETROUTE, 0)

int kinit(int priority) {
    (void)priority;
    return 0;
}
int kgetpid(void) {
    return calls()->pid();
}
pid_t getpid(void) {
    return calls()->pid();
}
int getnodeid(void) {
    return (int)program_own.common->node();
}
int getorigin(void) {
    return calls()->host();
}
int getncomp(void) {
    return calls()->host(); /* the host is numbered after the last node */
}
int getnall(void) {
    return calls()->host() + 1;
}
double ttime(void) {
    return (double)program_own.common->clock_us() / 1e6;
}
void kyield(void) {
    calls()->yield();
}

int rploadgo(int source, int dest, const char* file, int rtf, char** argv, int* pid, int* index) {
    (void)source;
    const int result = with_errno(calls()->loadgo(dest, file, rtf, argv, pid));
    if (result == 0 && index != NULL) *index = 0;
    return result;
}
int rpwait(int* node, int* pid, int* status) {
    return with_errno(calls()->wait(node, pid, status));
}
int rpdoom(int node, int selection, int value, int signal) {
    return with_errno(calls()->doom(node, selection, value, signal));
}
int rpstate(int node, struct pstate* table, int most) {
    return with_errno(calls()->processes(node, table, most));
}
int rbfstate(int node, struct bfstate* table, int most) {
    return with_errno(calls()->buffers(node, table, most));
}
int rbfsweep(int node) {
    return with_errno(calls()->sweep(node, 0, 0));
}
int rbfsweep1(int node, int event) {
    return with_errno(calls()->sweep(node, event, 1));
}
int recho(int node, const char* out, char* in, int length) {
    NOTE_FRAME;
    return with_errno(calls()->echo(node, out, in, length));
}

int rcast(const int* nodes, int count) {
    return with_errno(calls()->cast(nodes, count));
}
int rcask(int cast, int* nodes, int most) {
    return with_errno(calls()->cask(cast, nodes, most));
}
int ncombine(int cast, int operation, int kind, void* words, int count) {
    return with_errno(calls()->combine(cast, operation, kind, words, count));
}
#define CIRCUIT_CALL(name, which)                            \
    int name(struct nmsg* message) {                         \
        NOTE_FRAME;                                          \
        return with_errno(calls()->circuit(which, message)); \
    }
CIRCUIT_CALL(psendopen, TROLLIUS_PSENDOPEN)
CIRCUIT_CALL(psend, TROLLIUS_PSEND)
CIRCUIT_CALL(psendclose, TROLLIUS_PSENDCLOSE)
CIRCUIT_CALL(precvopen, TROLLIUS_PRECVOPEN)
CIRCUIT_CALL(precv, TROLLIUS_PRECV)
CIRCUIT_CALL(precvclose, TROLLIUS_PRECVCLOSE)

/* The end of the process */
static struct {
    void (*function)(void*);
    void* argument;
} at_exit[32];
static unsigned at_exits;

int atkexit(void (*function)(void*), void* argument) {
    if (at_exits == sizeof at_exit / sizeof at_exit[0]) return with_errno(-ENOEXDESCRIPTORS);
    at_exit[at_exits].function = function;
    at_exit[at_exits++].argument = argument;
    return 0;
}

static int after_exits(int status) {
    while (at_exits > 0) {
        --at_exits;
        at_exit[at_exits].function(at_exit[at_exits].argument);
    }
    return status;
}

void kexit(int status) {
    if (program_own.common == NULL) program_end("calls exit()", NULL);
    program_own.common->exit(after_exits(status));
    __builtin_unreachable();
}
void exit(int status) {
    kexit(status);
}

/* Magicwire calls this. */
int trollius_start(int (*code)(int, char**), int count, char** words);
int trollius_start(int (*code)(int, char**), int count, char** words) {
    return after_exits(code(count, words));
}

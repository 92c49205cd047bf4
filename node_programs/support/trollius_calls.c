/* The functions of trollius.h, and the way into main(). */
#include <program_support_own.h> /* first: it asks for everything that the C library declares */

#include <stddef.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "trollius_calls.h"

const char program_no_files[] = "files are the host's; use open(), fopen(), rfopen() and their relatives";
const char program_no_network[] = "a node has links to its neighbours; use nsend() and its relatives";
const char program_no_threads[] = "start a thread with kpar_Na(), or another process with rploadgo()";
const char program_no_fork[] = "start another process with rploadgo()";
const char program_no_sleep[] = "use kdelay(), sleep(), usleep() or nanosleep(); work_us() makes a process busy for a time";
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

int kpar_He(void (*function)(void*), int stack, void* argument) {
    return with_errno(calls()->kpar(TROLLIUS_HE, function, stack, argument));
}
int kpar_Na(void (*function)(void*), int stack, void* argument) {
    return with_errno(calls()->kpar(TROLLIUS_NA, function, stack, argument));
}
int kpar_Fe(void (*function)(void*), int stack, void* argument) {
    return with_errno(calls()->kpar(TROLLIUS_FE, function, stack, argument));
}

int kinit(int priority) {
    (void)priority;
    return 0;
}
int kgetpid(void) {
    return calls()->pid();
}
/* For libraries of programs: hands a record to Magicwire, which takes no modelled time. */
void program_note(int what, const void* record, int bytes);
void program_note(int what, const void* record, int bytes) {
    calls()->note(what, record, bytes);
}
/* 1: the range can be read without a fault. */
int program_can_read(const void* data, unsigned long bytes);
int program_can_read(const void* data, unsigned long bytes) {
    return calls()->can_read(data, bytes);
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
int getnall(void) {
    return calls()->host() + 1; /* the host is numbered after the last node */
}
double ttime(void) {
    return (double)program_own.common->clock_us() / 1e6;
}
void kyield(void) {
    calls()->yield();
}

int rploadgo(int source, int dest, const char* file, int rtf, char** argv, int* pid, int* index) {
    (void)source;
    return with_errno(calls()->loadgo(dest, file, rtf, argv, pid, index));
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

/* Signals */
ksighandler ksignal(int signal, ksighandler handler) {
    ksighandler old = SIGUDFL;
    return with_errno(calls()->handle(signal, handler, &old)) == 0 ? old : SIGUERR;
}
int ksigblock(int mask) {
    return calls()->signal_mask(TROLLIUS_SIGBLOCK, mask);
}
int ksigsetmask(int mask) {
    return calls()->signal_mask(TROLLIUS_SIGSETMASK, mask);
}
int ksigretry(int mask) {
    return calls()->signal_mask(TROLLIUS_SIGRETRY, mask);
}
int ksigsetretry(int mask) {
    return calls()->signal_mask(TROLLIUS_SIGSETRETRY, mask);
}
int kpause(void) {
    return with_errno(calls()->pause());
}
int kdoom(int pid, int signal) {
    return with_errno(calls()->signal_process(pid, signal));
}
int kstate(int pid, struct kstatus* status) {
    return with_errno(calls()->kernel_state(pid, status));
}

/* Router, mallocd and traced */
int getnodes(int* array, int most, int type, int mask) {
    NOTE_FRAME;
    return with_errno(calls()->nodes_of_type(type, mask, array, most));
}
int getntype(int type, int mask) {
    return with_errno(calls()->nodes_of_type(type, mask, NULL, 0));
}
#define NODES_OF(count, list, type, mask)        \
    int count(void) {                            \
        return getntype(type, mask);             \
    }                                            \
    int list(int* array, int most) {             \
        NOTE_FRAME;                              \
        return getnodes(array, most, type, mask); \
    }
NODES_OF(getncomp, getcomps, NT_ITB, NT_ITB | NT_WASTE)
NODES_OF(getnitb, getitbs, NT_ITB, NT_ITB)
NODES_OF(getnotb, getotbs, 0, NT_ITB)
NODES_OF(getnjones, getjones, NT_JONES, NT_JONES)
int getall(int* array, int most) {
    NOTE_FRAME;
    return getnodes(array, most, 0, 0);
}
int getrent(int node, struct rent* entry) {
    NOTE_FRAME;
    const int type = with_errno(calls()->route_entry(node, entry));
    return type < 0 ? type : 0;
}
int getrtype(int node) {
    return with_errno(calls()->route_entry(node, NULL));
}
int getnodetype(void) {
    return getrtype(LOCAL);
}
int getsmart(void) {
    return with_errno(calls()->router_order(TROLLIUS_GETSMART, LOCAL, NULL, 0));
}
int rrsetrents(int at, const struct rent* entries, int count) {
    NOTE_FRAME;
    return with_errno(calls()->router_order(TROLLIUS_RRSETRENTS, at, entries, count));
}
int rremrent(int at, int node) {
    return with_errno(calls()->router_order(TROLLIUS_RREMRENT, at, NULL, node));
}
int rrsetsmart(int at, int smart) {
    return with_errno(calls()->router_order(TROLLIUS_RRSETSMART, at, NULL, smart));
}

int rmalloc(int node, int bytes, unsigned* address) {
    NOTE_FRAME;
    return with_errno(calls()->memory(TROLLIUS_RMALLOC, node, 0, address, bytes));
}
int rfree(int node, unsigned address) {
    return with_errno(calls()->memory(TROLLIUS_RFREE, node, address, NULL, 0));
}
int rmread(int node, unsigned address, char* to, int bytes) {
    NOTE_FRAME;
    return with_errno(calls()->memory(TROLLIUS_RMREAD, node, address, to, bytes));
}
int rmwrite(int node, unsigned address, const char* from, int bytes) {
    NOTE_FRAME;
    return with_errno(calls()->memory(TROLLIUS_RMWRITE, node, address, (char*)from, bytes));
}
int rtrstore(int node, int list, const char* buffer, int length) {
    NOTE_FRAME;
    return with_errno(calls()->traces(TROLLIUS_RTRSTORE, node, list, 0, (char*)buffer, length));
}
int rtrget(int node, int list, char* buffer, int length) {
    NOTE_FRAME;
    return with_errno(calls()->traces(TROLLIUS_RTRGET, node, list, 0, buffer, length));
}
int rtrforget(int node, int list) {
    return with_errno(calls()->traces(TROLLIUS_RTRFORGET, node, list, 0, NULL, 0));
}
int rtrsweep(int node) {
    return with_errno(calls()->traces(TROLLIUS_RTRSWEEP, node, 0, 0, NULL, 0));
}
int rtrudie(int node, int owner_node, int owner_pid) {
    return with_errno(calls()->traces(TROLLIUS_RTRUDIE, node, owner_node, owner_pid, NULL, 0));
}
int rtrwipe(int node, int list) {
    return with_errno(calls()->traces(TROLLIUS_RTRWIPE, node, list, 0, NULL, 0));
}


/* Casts and circuits */
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

/* Time */
void kdelay(unsigned long long microseconds) {
    calls()->sleep(microseconds);
}
#pragma weak pause
#pragma weak sleep
#pragma weak usleep
#pragma weak nanosleep
int pause(void) {
    return kpause();
}
unsigned sleep(unsigned seconds) {
    kdelay(seconds * 1000000ull);
    return 0;
}
int usleep(useconds_t time) {
    kdelay(time);
    return 0;
}
int nanosleep(const struct timespec* time, struct timespec* rest) {
    kdelay((unsigned long long)time->tv_sec * 1000000 + (unsigned long long)(time->tv_nsec + 999) / 1000);
    if (rest != NULL) rest->tv_sec = rest->tv_nsec = 0;
    return 0;
}

void terror(const char* text) {
    const int error = errno;
    char meaning[128];
    calls()->text_of_error(error, meaning, sizeof meaning);
    fprintf(stderr, "%s: %s\n", text, meaning);
    errno = error;
}

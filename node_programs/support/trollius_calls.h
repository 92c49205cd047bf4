/* The calls of trollius.h that go to Magicwire: program_support::calls of a program with a main(). See program_support.h. Each
 * returns what the library's function returns, or minus the number of the error. */
#ifndef NODE_PROGRAMS_TROLLIUS_CALLS_H
#define NODE_PROGRAMS_TROLLIUS_CALLS_H

#include <node_programs/trollius.h>

/* Which of the calls of the kernel, and of those with one nmsg. */
/* NOLINTBEGIN(readability-identifier-naming) */
enum trollius_kernel_call { TROLLIUS_KSEND, TROLLIUS_KRECV, TROLLIUS_KSR };
enum trollius_message_call {
    TROLLIUS_DSEND,
    TROLLIUS_DRECV,
    TROLLIUS_NSEND,
    TROLLIUS_NRECV,
    TROLLIUS_TSEND,
    TROLLIUS_TRECV,
    TROLLIUS_NPROBE,
    TROLLIUS_GETROUTE
};
/* Which of the calls of router, mallocd and traced. */
enum trollius_router_call { TROLLIUS_GETSMART, TROLLIUS_RRSETRENTS, TROLLIUS_RREMRENT, TROLLIUS_RRSETSMART };
enum trollius_memory_call { TROLLIUS_RMALLOC, TROLLIUS_RFREE, TROLLIUS_RMREAD, TROLLIUS_RMWRITE };
enum trollius_trace_call {
    TROLLIUS_RTRSTORE,
    TROLLIUS_RTRGET,
    TROLLIUS_RTRFORGET,
    TROLLIUS_RTRSWEEP,
    TROLLIUS_RTRUDIE,
    TROLLIUS_RTRWIPE
};

struct trollius_calls {
    int (*kernel)(int which, struct kmsg* out, struct kmsg* in); /* without `out` or `in` for the first two */
    int (*message)(int which, struct nmsg* message, int flags);
    int (*pid)(void);
    int (*host)(void);
    void (*yield)(void);
    int (*loadgo)(int dest, const char* file, int rtf, char** argv, int* pid);
    int (*wait)(int* node, int* pid, int* status);
    int (*doom)(int node, int selection, int value, int signal);
    int (*processes)(int node, struct pstate* table, int most);
    int (*buffers)(int node, struct bfstate* table, int most);
    int (*sweep)(int node, int event, int only);
    int (*echo)(int node, const char* out, char* in, int length);
    int (*nodes_of_type)(int type, int mask, int* nodes, int most);
    int (*route_entry)(int node, struct rent* entry); /* returns the type */
    int (*router_order)(int which, int at, const struct rent* entries, int value);
    int (*memory)(int which, int node, unsigned address, void* body, int length);
    int (*traces)(int which, int node, int list, int pid, void* body, int length);
};
/* NOLINTEND(readability-identifier-naming) */

#endif

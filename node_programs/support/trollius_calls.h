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

enum trollius_weight { TROLLIUS_HE, TROLLIUS_NA, TROLLIUS_FE }; /* as trollius_os::Calls::Weight */
enum trollius_circuit_call {
    TROLLIUS_PSENDOPEN,
    TROLLIUS_PSEND,
    TROLLIUS_PSENDCLOSE,
    TROLLIUS_PRECVOPEN,
    TROLLIUS_PRECV,
    TROLLIUS_PRECVCLOSE
};
enum trollius_mask_call { TROLLIUS_SIGBLOCK, TROLLIUS_SIGSETMASK, TROLLIUS_SIGRETRY, TROLLIUS_SIGSETRETRY };
enum trollius_file_call {
    TROLLIUS_RFOPEN, /* by name */
    TROLLIUS_RFACCESS,
    TROLLIUS_RFMKDIR,
    TROLLIUS_RFRMDIR,
    TROLLIUS_RFUNLINK,
    TROLLIUS_RFCHDIR,
    TROLLIUS_RFTRUNCATE,
    TROLLIUS_RFRENAME,
    TROLLIUS_RFSYSTEM,
    TROLLIUS_RFCLOSE, /* by descriptor */
    TROLLIUS_RFLSEEK,
    TROLLIUS_RFDUP,
    TROLLIUS_RFDUP2,
    TROLLIUS_RFFTRUNCATE,
    TROLLIUS_RFREAD, /* transfers */
    TROLLIUS_RFWRITE,
    TROLLIUS_RFRMFD, /* of the service */
    TROLLIUS_RFINCR
};

struct trollius_facts {
    int kind, mode, bytes; /* 1 file, 2 folder, 3 console; nine permission bits */
};

struct trollius_calls {
    int (*kernel)(int which, struct kmsg* out, struct kmsg* in); /* without `out` or `in` for the first two */
    int (*message)(int which, struct nmsg* message, int flags);
    int (*pid)(void);
    int (*host)(void);
    void (*yield)(void);
    int (*loadgo)(int dest, const char* file, int rtf, char** argv, int* pid, int* index);
    int (*wait)(int* node, int* pid, int* status);
    int (*doom)(int node, int selection, int value, int signal);
    int (*processes)(int node, struct pstate* table, int most);
    int (*buffers)(int node, struct bfstate* table, int most);
    int (*sweep)(int node, int event, int only);
    int (*echo)(int node, const char* out, char* in, int length);
    int (*handle)(int signal, ksighandler handler, ksighandler* old);
    int (*signal_mask)(int which, int mask); /* the old mask */
    int (*pause)(void);
    int (*signal_process)(int pid, int signal);
    int (*kernel_state)(int pid, struct kstatus* status);
    int (*sleep)(unsigned long long microseconds);
    int (*file_by_name)(int which, const char* name, const char* other, int number, int mode);
    int (*file_by_descriptor)(int which, int descriptor, int number, int other);
    int (*transfer)(int which, int descriptor, void* data, int bytes);
    int (*look_at_file)(const char* name, int descriptor, struct trollius_facts* facts); /* without a name: by descriptor */
    int (*working_folder)(char* room, int bytes);
    int (*descriptors_of)(int node, struct fstate* table, int most);
    int (*change_descriptor)(int which, int node, int descriptor, int by);
    int (*text_of_error)(int number, char* room, int bytes);
    int (*cast)(const int* nodes, int count);
    int (*cask)(int cast, int* nodes, int most);
    int (*combine)(int cast, int operation, int kind, void* words, int count);
    int (*circuit)(int which, struct nmsg* message);
    int (*nodes_of_type)(int type, int mask, int* nodes, int most);
    int (*route_entry)(int node, struct rent* entry); /* returns the type */
    int (*router_order)(int which, int at, const struct rent* entries, int value);
    int (*memory)(int which, int node, unsigned address, void* body, int length);
    int (*traces)(int which, int node, int list, int pid, void* body, int length);
    int (*kpar)(int weight, void (*function)(void*), int stack, void* argument);
    int (*is_thread)(void);
    void (*note)(int what, const void* record, int bytes); /* program_note() */
    int (*can_read)(const void* data, unsigned long bytes); /* program_can_read() */
};
/* NOLINTEND(readability-identifier-naming) */

#endif

/* Shared by the files of the MPI library, which is linked into each MPI program: all of a rank's state lies in its node's memory.
 * Each header comment names the file that defines what follows it. Names of the library begin with lam_; a program may use all
 * others.
 *
 * Errors: a function of the standard checks its arguments first and calls lam_fail(). Functions below return an error class, or 0
 * (MPI_SUCCESS), unless they say otherwise. */
#ifndef LAM_SUPPORT_LAM_H
#define LAM_SUPPORT_LAM_H

#include <mpi.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lam_start.h>

#include "lam_port.h"
#include "lam_watches.h"

/* The call of the program that the library works for. Messages about it, and about what it makes, have its line. */
extern struct lam_called lam_called;

/* Defines a function of the standard under its PMPI_ name, and under its own one where a program or a tool has none. Both begin
 * by noting who calls, and go on in lam_api_NAME(), which the library itself calls. */
#ifdef __x86_64__
#define LAM_NOTES_CALL(name)                                                                                              \
    __asm__(".pushsection .rodata.lam_names,\"aMS\",@progbits,1\n.Llam_name_" #name ":\t.string \"MPI_" #name                \
            "\"\n.popsection\n.pushsection .text\n.p2align 4\n.globl PMPI_" #name "\n.type PMPI_" #name                    \
            ",@function\nPMPI_" #name ":\n.cfi_startproc\n\tendbr64\n\tmovq (%rsp), %r11\n\tmovq %r11, lam_called(%rip)\n"  \
            "\tleaq .Llam_name_" #name "(%rip), %r11\n\tmovq %r11, 8+lam_called(%rip)\n\tjmp lam_api_" #name               \
            "\n.cfi_endproc\n.size PMPI_" #name ", .-PMPI_" #name "\n.weak MPI_" #name "\n.set MPI_" #name ", PMPI_" #name   \
            "\n.popsection")
#else
#define LAM_NOTES_CALL(name)                                                                                              \
    __asm__(".globl PMPI_" #name "\n.set PMPI_" #name ", lam_api_" #name "\n.weak MPI_" #name "\n.set MPI_" #name            \
            ", lam_api_" #name)
#endif
#define LAM_API(type, name, arguments)                               \
    type lam_api_##name arguments __attribute__((visibility("hidden"))); \
    LAM_NOTES_CALL(name);                                            \
    type lam_api_##name arguments

/* ---- handles.c: numbers for objects ---- */

enum lam_kind { LAM_COMM = 1, LAM_GROUP, LAM_TYPE, LAM_OP, LAM_REQUEST, LAM_ERRHANDLER, LAM_INFO, LAM_MESSAGE, LAM_KINDS };
/* A new handle, above those that mpi.h names; the null handle of the kind without memory. */
int lam_handle_new(enum lam_kind kind, void* object);
/* The object under this handle, which mpi.h names. */
void lam_handle_set(enum lam_kind kind, int handle, void* object);
void* lam_object(enum lam_kind kind, int handle); /* NULL: no such handle, or one of another kind */
void lam_handle_free(enum lam_kind kind, int handle);
int lam_null_handle(enum lam_kind kind);
/* The call that made the object; NULL: mpi.h names it, or it is not the program's to free. */
const struct lam_called* lam_made_by(enum lam_kind kind, int handle);
void lam_handle_hide(enum lam_kind kind, int handle); /* the library made it for itself */
/* Why this is no handle of such an object, as the rest of a sentence: "is MPI_COMM_NULL", "was freed at" and the line. The next
 * lam_fail() knows the line. */
const char* lam_why_not(enum lam_kind kind, int handle);
extern const void* lam_freed_by; /* that call, for lam_fail() */
/* Calls `visit` for each object in the order of handles. */
void lam_each_object(enum lam_kind kind, void (*visit)(int handle, void* object, void* context), void* context);

/* ---- errors.c ---- */

struct lam_errhandler {
    int references;
    MPI_Comm_errhandler_function* function; /* NULL: fatal or return, by its handle */
};
/* Tells the communicator's error handler, and returns the class if that returns. MPI_COMM_NULL and wrong ones: that of
 * MPI_COMM_WORLD. The text says what is wrong with which values: "dest is 7, and the communicator has 4 ranks". */
int lam_fail(MPI_Comm comm, int error_class, const char* function, const char* format, ...)
    __attribute__((format(printf, 4, 5)));
/* As lam_fail(), for a finding of this kind. `other`: see struct lam_finding. */
int lam_fail_as(enum lam_finding_kind kind, const void* other, MPI_Comm comm, int error_class, const char* function,
                const char* format, ...) __attribute__((format(printf, 6, 7)));
enum lam_finding_kind lam_kind_of_class(int error_class);
const char* lam_class_name(int error_class); /* "MPI_ERR_RANK" */
int lam_error_class(int code); /* of a code that MPI_Add_error_code() made, too */

/* ---- findings.c: mistakes that do not end the program ---- */

/* `call`: where it is told; NULL: the present one. */
void lam_found(enum lam_finding_kind kind, bool is_likely, const struct lam_called* call, const void* other, const char* format,
               ...) __attribute__((format(printf, 5, 6)));
/* Fills the parts that all have. */
void lam_finding_of(struct lam_finding* finding, enum lam_finding_kind kind, const struct lam_called* call);
void lam_tell_leaks(void); /* at MPI_Finalize() */

/* ---- types.c, type_makers.c, pack.c ---- */

/* Numbers of the basic types: those of mpi.h's handles from MPI_CHAR (1). */
enum { LAM_BASIC_TYPES = 0x3d }; /* a mark has six bits for one */
struct lam_block { /* of basic elements without a gap */
    ptrdiff_t at;
    size_t bytes;
    int basic;
};
struct lam_attribute; /* attributes.c */
struct lam_type {
    int references; /* of handles, of types made from it, of operations under way */
    int handle;
    bool predefined, committed;
    size_t size, elements; /* bytes of data and number of basic elements; a pair such as MPI_2INT counts as two */
    ptrdiff_t lb, ub, true_lb, true_ub;
    bool gapless; /* the data of n elements are n * size bytes from `true_lb` == `lb` */
    int uniform;  /* basic type of all elements; 0: several */
    uint32_t mark; /* of the sequence of basic types, for those with several */
    struct lam_block* blocks; /* in the order of the type map, neighbours of one basic type joined */
    size_t block_count;
    int combiner; /* MPI_COMBINER_, and what MPI_Type_get_contents() gives */
    int* integers;
    MPI_Aint* addresses;
    struct lam_type** parts;
    int integer_count, address_count, part_count;
    struct lam_attribute* attributes;
    char name[MPI_MAX_OBJECT_NAME];
};
void lam_types_begin(void);
struct lam_type* lam_type(MPI_Datatype handle); /* NULL: none */
void lam_type_hold(struct lam_type* type);
void lam_type_drop(struct lam_type* type);
/* 0, or the error class with `*why`: no such type, or not committed. For operations that move data. */
int lam_type_for_data(MPI_Datatype handle, struct lam_type** type, const char** why);
/* The data of `count` elements, one after another. lam_unpack() takes `bytes` of them, at most all. */
void lam_pack(const void* from, size_t count, const struct lam_type* type, void* to);
void lam_unpack(const void* from, size_t bytes, void* to, size_t count, const struct lam_type* type);
/* A word that two types with equal sequences of basic elements share; 0: fits all (MPI_BYTE, MPI_PACKED, no elements). Receives
 * may be longer than sends, so of uniform ones it is the basic type, whatever the count. */
uint32_t lam_signature(size_t count, const struct lam_type* type);
const char* lam_basic_name(int number);
bool lam_signatures_fit(uint32_t sent, uint32_t received);

/* ---- operations.c ---- */

struct lam_op {
    int references;
    int predefined; /* number of its handle; 0: a user's */
    bool commutative;
    MPI_User_function* function; /* of a user */
};
void lam_operations_begin(void);
struct lam_op* lam_op(MPI_Op handle);
bool lam_op_allows(const struct lam_op* op, const struct lam_type* type);
/* inout = in OP inout, element by element. */
void lam_reduce(const void* in, void* inout, int count, MPI_Datatype datatype, const struct lam_op* op);

/* ---- groups.c, communicators.c, intercommunicators.c, topologies.c ---- */

struct lam_group {
    int references, handle;
    int size, rank; /* own rank, or MPI_UNDEFINED */
    int* world;     /* rank in MPI_COMM_WORLD of each member */
    int* inverse;   /* rank in the group of each rank of the world, or MPI_UNDEFINED */
    uint64_t mark;  /* of the list of members; not 0 */
};
/* Takes the list over. NULL: no memory. Without a handle until lam_group_handle(). */
struct lam_group* lam_group_new(int size, int* world);
void lam_group_hold(struct lam_group* group);
void lam_group_drop(struct lam_group* group);

/* Contexts of a communicator: messages of the program, of collective operations, of those that do not block, of the library. */
enum { LAM_POINT, LAM_COLLECTIVE, LAM_NONBLOCKING, LAM_PRIVATE, LAM_CONTEXTS };
struct lam_topology;
struct lam_comm {
    int references; /* the handle, and operations under way */
    int handle;
    uint32_t context;          /* the first of LAM_CONTEXTS; the same on all members */
    struct lam_group* local;   /* own side */
    struct lam_group* remote;  /* other side of an inter-communicator; else equal to `local` */
    bool inter;
    int rank; /* in `local` */
    uint32_t collectives; /* operations so far; all members have the same order, also of those that do not block */
    MPI_Errhandler errhandler;
    struct lam_attribute* attributes;
    struct lam_topology* topology; /* NULL: none */
    MPI_Info info;
    char name[MPI_MAX_OBJECT_NAME];
    struct lam_comm* own_side; /* of an inter-communicator: a private intra-communicator of `local` */
};
extern struct lam_comm* lam_world;
void lam_communicators_begin(int rank, int size);
struct lam_comm* lam_comm(MPI_Comm handle); /* NULL: none */
void lam_comm_hold(struct lam_comm* comm);
void lam_comm_drop(struct lam_comm* comm);
void lam_topology_drop(struct lam_topology* topology);

/* ---- attributes.c ---- */

/* Those of communicators: the last that was set first. Each returns what a callback returned. */
int lam_attributes_copy(int object, const struct lam_attribute* from, struct lam_attribute** to, enum lam_kind kind);
int lam_attributes_delete(int object, struct lam_attribute** all, enum lam_kind kind);

/* ---- requests.c, matching.c, transfer.c: point to point ---- */

enum lam_mode { LAM_STANDARD, LAM_BUFFERED, LAM_SYNCHRONOUS, LAM_READY };
enum lam_request_kind { LAM_SEND, LAM_RECEIVE, LAM_SCHEDULE, LAM_GENERAL };
struct lam_schedule;
struct lam_general; /* grequests.c */
struct run; /* races.c */
struct lam_use;
struct lam_request {
    enum lam_request_kind kind;
    int handle; /* 0: of the library alone */
    bool persistent, active, complete, freed;
    bool started, asked;      /* once at least: it was begun; the program waited for it or tested it */
    struct lam_called begun; /* the call that began it, or made it */
    bool cancelled;
    enum lam_mode mode;
    const void* send_from; /* or `receive_to` */
    void* receive_to;
    int count;
    struct lam_type* type;
    int peer; /* rank in the communicator as the program named it */
    int peer_world, tag;
    uint32_t context;
    struct lam_comm* comm; /* NULL for the library's */
    MPI_Status status;     /* MPI_SOURCE is a rank of `comm` */
    /* transfer.c */
    void* packed; /* data that are on their way */
    bool packed_is_own, attached;
    size_t packed_bytes, moved;
    int32_t number; /* by which the other side answers; 0: it waits for no packet */
    struct lam_request *next, *previous; /* in the queue of posted receives */
    bool queued;
    struct lam_schedule* schedule;
    struct lam_general* general;
    bool types_differ; /* a collective operation tells it */
    uint32_t flow, operation; /* lam_logs.h */
    int32_t mark, came_mark; /* of a collective operation: own, and that of the message */
    /* lam_delivery.h */
    uint32_t receive; /* its number among the receives of the program; 0: of the library, or nobody counts */
    bool wild;        /* it names no source */
    bool forced;      /* a script names it */
    bool holds;       /* messages of others wait until it has its own */
    uint32_t* stamp;  /* of the match, until the program knows of the end; NULL: none */
    uint32_t* posted; /* of its beginning, if it waits for a message */
    uint32_t below;   /* receives before this one had ended when it began */
    struct lam_match* match; /* matches.c */
    struct run* run;
    struct lam_watch watch; /* of a program's request that is active */
    struct lam_use* uses;   /* of a collective operation: its buffers */
};
/* Begin at once. `to` and `from` are ranks of the world; `from` may be MPI_ANY_SOURCE, `tag` MPI_ANY_TAG. NULL: no memory. Each
 * request is given back by lam_request_release() when it is complete. */
struct lam_request* lam_send(const void* data, int count, struct lam_type* type, int to, int tag, uint32_t context,
                             enum lam_mode mode);
struct lam_request* lam_receive(void* data, int count, struct lam_type* type, int from, int tag, uint32_t context);
/* Moves everything under way as far as it goes. `wait`: not before something has come, or has moved. */
void lam_progress(bool wait);
void lam_wait_for(struct lam_request* request); /* until it is complete */
void lam_request_release(struct lam_request* request);
/* A request with a handle, of this kind, not begun; the caller fills it in. NULL: no memory. */
struct lam_request* lam_request_new(enum lam_request_kind kind, struct lam_comm* comm);
void lam_request_complete(struct lam_request* request, int error_class);
/* grequests.c: the program's functions of a generalized request. The first fills in the status of a complete one. */
void lam_general_query(struct lam_request* request);
void lam_general_free(struct lam_request* request);
int lam_general_cancel(struct lam_request* request);

/* Sends or receives of the library among the members of a communicator, in its LAM_PRIVATE context; both wait. `rank` is one of
 * comm->remote. */
int lam_private_send(const void* data, size_t bytes, int rank, int tag, struct lam_comm* comm);
int lam_private_receive(void* data, size_t bytes, int rank, int tag, struct lam_comm* comm);
/* The greatest `value` of all members of an intra-communicator. */
int lam_private_maximum(uint32_t* value, struct lam_comm* comm);
/* `all` gets `bytes` of each member, in the order of ranks. */
int lam_private_gather(const void* own, size_t bytes, void* all, struct lam_comm* comm);

/* ---- schedule.c: collective operations as rounds of sends, receives and local steps ---- */

struct lam_schedule* lam_schedule_new(struct lam_comm* comm, bool blocking); /* counts as the communicator's next operation */
/* Steps of the present round. `rank` is one of comm->remote; `own`: of comm->local instead. Buffers must live until the end. */
void lam_step_send(struct lam_schedule* plan, const void* data, int count, struct lam_type* type, int rank);
void lam_step_receive(struct lam_schedule* plan, void* data, int count, struct lam_type* type, int rank);
void lam_step_reduce(struct lam_schedule* plan, const void* in, void* inout, int count, struct lam_type* type,
                     struct lam_op* op);
void lam_step_copy(struct lam_schedule* plan, const void* from, int from_count, struct lam_type* from_type, void* to,
                   int to_count, struct lam_type* to_type);
void lam_step_call(struct lam_schedule* plan, int (*action)(void* context), void* context); /* returns an error class */
/* Memory that lives as long as the operation. */
void* lam_schedule_room(struct lam_schedule* plan, size_t bytes);
void lam_next_round(struct lam_schedule* plan); /* the steps so far end before those that follow begin */
/* Begins. Without `request` it waits for the end and returns the error class. */
int lam_schedule_run(struct lam_schedule* plan, MPI_Request* request);
bool lam_schedule_progress(struct lam_schedule* plan); /* true: it has moved. Called by lam_progress() */
void lam_schedule_free(struct lam_schedule* plan);

/* ---- uses.c: buffers of collective operations that do not block ---- */

void lam_uses_check(void); /* before the library may write results that are not whole: has the program? */
void lam_uses_note(void);  /* before the program goes on */
void lam_uses_whole(struct lam_use* uses);             /* the operation is over */
void lam_uses_end(struct lam_use* uses, bool checks); /* the buffers are the program's again. Frees the list */

/* ---- start.c ---- */

extern bool lam_initialized, lam_finalized;
/* 0, or the class after lam_fail(): not between MPI_Init() and MPI_Finalize(). */
int lam_require_running(const char* function);

#endif

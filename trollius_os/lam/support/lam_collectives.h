/* Shared by schedule.c and the files of collective operations. */
#ifndef LAM_SUPPORT_LAM_COLLECTIVES_H
#define LAM_SUPPORT_LAM_COLLECTIVES_H

#include "lam.h"

/* Numbers of the operations; schedule.c has their names. LAM_OTHER: MPI_Comm_idup(), which names none. */
enum lam_collective {
    LAM_OTHER,
    LAM_BARRIER,
    LAM_BCAST,
    LAM_GATHER,
    LAM_GATHERV,
    LAM_SCATTER,
    LAM_SCATTERV,
    LAM_ALLGATHER,
    LAM_ALLGATHERV,
    LAM_ALLTOALL,
    LAM_ALLTOALLV,
    LAM_ALLTOALLW,
    LAM_REDUCE,
    LAM_ALLREDUCE,
    LAM_REDUCE_SCATTER,
    LAM_REDUCE_SCATTER_BLOCK,
    LAM_SCAN,
    LAM_EXSCAN,
    LAM_NEIGHBOR_ALLGATHER,
    LAM_NEIGHBOR_ALLGATHERV,
    LAM_NEIGHBOR_ALLTOALL,
    LAM_NEIGHBOR_ALLTOALLV,
    LAM_NEIGHBOR_ALLTOALLW,
    LAM_COLLECTIVES
};

/* ---- schedule.c ---- */

enum { LAM_NO_ROOT = -9 };
/* Its messages carry operation and root, so that ranks which are in different ones notice. `root` as the program gave it. */
void lam_schedule_name(struct lam_schedule* plan, enum lam_collective operation, int root);
/* lam_signature() of the rank's data, where all ranks must give equal ones. */
void lam_schedule_data(struct lam_schedule* plan, uint32_t signature);
/* Sends and receives from here on are among comm->local, or with comm->remote again: both inside an inter-communicator. */
void lam_schedule_inside(struct lam_schedule* plan, bool inside);
void lam_schedule_hold_op(struct lam_schedule* plan, struct lam_op* op);

/* ---- collective_calls.c: one call of an operation, and the checks of its arguments ---- */

struct lam_call {
    const char* function; /* "MPI_Ibcast" */
    bool blocking;
    MPI_Request* request; /* of one that does not block */
    MPI_Comm handle;
    enum lam_collective operation;
    int root; /* LAM_NO_ROOT: the operation has none */
    struct lam_comm* comm;
    int rank, size;  /* own one, and ranks of comm->local */
    int others;      /* ranks of comm->remote: of those that data go to and come from */
    bool is_root;    /* of an intra-communicator; or MPI_ROOT */
    bool is_outside; /* MPI_PROC_NULL of an inter-communicator: takes no part */
    int error;       /* of the first check that failed */
    uint32_t signature; /* of its data; 0: fits all */
    struct lam_schedule* plan;
};
/* The two forms of each operation. */
static inline struct lam_call lam_now(const char* function, MPI_Comm comm) {
    return (struct lam_call){.function = function, .blocking = true, .handle = comm, .root = LAM_NO_ROOT};
}
static inline struct lam_call lam_later(const char* function, MPI_Comm comm, MPI_Request* request) {
    return (struct lam_call){.function = function, .request = request, .handle = comm, .root = LAM_NO_ROOT};
}

/* Data of one side of the operation: `count` elements of `type`. */
struct lam_data {
    char* at; /* NULL also where the program gave MPI_IN_PLACE */
    int count;
    struct lam_type* type;
    bool in_place;
    const int *counts, *places; /* of the v-functions; places[i] in extents of the type */
    const MPI_Datatype* types;  /* of MPI_Alltoallw(), whose places are in bytes */
    const MPI_Aint* addresses;  /* of MPI_Neighbor_alltoallw(), in place of `places` */
};

/* Each returns call->error; nothing is checked any more after the first error. */
int lam_call_begin(struct lam_call* call, enum lam_collective operation, int root);
int lam_call_data(struct lam_call* call, const char* name, const void* at, int count, MPI_Datatype datatype,
                  struct lam_data* data);
/* A buffer with a count for each of call->others. */
int lam_call_rows(struct lam_call* call, const char* name, const void* at, const int* counts, const int* displs,
                  MPI_Datatype datatype, struct lam_data* data);
int lam_call_typed_rows(struct lam_call* call, const char* name, const void* at, const int* counts, const int* displs,
                        const MPI_Datatype* types, struct lam_data* data);
int lam_call_counts(struct lam_call* call, const int* counts, int* sum); /* of MPI_Reduce_scatter() */
/* MPI_IN_PLACE where the function has no such meaning for this buffer. */
int lam_call_not_in_place(struct lam_call* call, const char* name, const struct lam_data* data);
/* Both buffers begin at one address. */
int lam_call_not_same(struct lam_call* call, const struct lam_data* sent, const struct lam_data* received);
/* The rank's own data are its block of `rows`, where MPI_IN_PLACE should be. */
int lam_call_not_own_block(struct lam_call* call, const struct lam_data* rows, const struct lam_data* other);
int lam_call_op(struct lam_call* call, MPI_Op handle, const struct lam_data* data, struct lam_op** op);
int lam_call_memory(struct lam_call* call, const char* name, const struct lam_data* data); /* no null pointer */

/* Block `rank` of a buffer that has one for each rank. */
struct lam_part {
    char* at;
    int count;
    struct lam_type* type;
};
/* Between lam_call_plan() and lam_call_end(): so many blocks are read or written by the operation. */
void lam_call_uses(struct lam_call* call, const struct lam_data* data, int blocks, bool writes);
void lam_call_use(struct lam_call* call, struct lam_part part, bool writes); /* one block */

/* Makes the schedule once all checks have passed. False: call->error is set. */
bool lam_call_plan(struct lam_call* call);
int lam_call_end(struct lam_call* call); /* runs it */

struct lam_part lam_part(const struct lam_data* data, int rank);
static inline size_t lam_bytes_of(size_t count, const struct lam_type* type) {
    return count * type->size;
}
/* Room of the operation for `count` elements; the address is that of the first element as a program would give it. */
char* lam_room_for(struct lam_schedule* plan, int count, const struct lam_type* type);

/* Arguments of a reduction. */
struct lam_reduction {
    struct lam_call* call;
    const char* own; /* data of this rank */
    char* to;
    int count, written; /* elements of the operation, and of its result at this rank */
    struct lam_type* type;
    struct lam_op* op;
};
/* `gives`, `gets`: the rank has data, or receives a result; with neither nothing is checked. */
int lam_call_reduction(struct lam_call* call, struct lam_reduction* its, bool gives, bool gets, const void* sendbuf,
                       void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op);
bool lam_call_plan_reduction(struct lam_reduction* its); /* as lam_call_plan() */
/* higher = lower op higher */
void lam_combine(const struct lam_reduction* its, const char* lower, char* higher);
char* lam_reduction_room(const struct lam_reduction* its);

/* ---- Parts of operations, among the `size` ranks that plain sends and receives of the schedule name ---- */

/* Each begins with a round of its own. */
void lam_plan_barrier(struct lam_schedule* plan, int rank, int size);
void lam_plan_bcast(struct lam_schedule* plan, void* data, int count, struct lam_type* type, int root, int rank, int size);

#endif

/* Collective operations: what each orders. All: every end is behind every beginning. From a root: every end is behind the root's
 * beginning. To a root: the root's end is behind every beginning. Prefix: an end is behind the beginnings of lower ranks. An MPI library
 * may order more; nothing that holds by the standard alone is made of that. */
#include "recorder.h"

static void put(const struct comm* comm, uint8_t kind, enum real_shape shape, int root_in_world, uint32_t number) {
    struct real_record* its = real_put();
    its->number = number;
    its->peer = root_in_world;
    its->tag = (int32_t)shape;
    its->comm = comm->number;
    real_done(its, kind);
}
static int in_world(const struct comm* comm, int root) {
    return root >= 0 && root < comm->size ? comm->world[root] : -1;
}

uint32_t real_collective(MPI_Comm handle, enum real_shape shape, int root) {
    struct comm* comm = real_on ? real_comm(handle) : NULL;
    if (comm == NULL) return 0;
    if (comm->inter) {
        real_unseen(REAL_INTERCOMMUNICATORS);
        return 0;
    }
    put(comm, REAL_COLLECTIVE, shape, in_world(comm, root), ++comm->collectives);
    return comm->collectives;
}
void real_collective_end(const struct comm* comm, enum real_shape shape, int root_in_world, uint32_t number) {
    put(comm, REAL_COLLECTIVE_END, shape, root_in_world, number);
}
void real_collective_over(MPI_Comm handle, enum real_shape shape, int root, uint32_t number) {
    const struct comm* comm = number > 0 ? real_comm(handle) : NULL;
    if (comm != NULL) real_collective_end(comm, shape, in_world(comm, root), number);
}
void real_collective_begun(MPI_Comm handle, enum real_shape shape, int root, uint32_t number, MPI_Request request) {
    struct comm* comm = number > 0 ? real_comm(handle) : NULL;
    if (comm == NULL || request == MPI_REQUEST_NULL) return;
    struct request* its = real_request_add(request, OF_COLLECTIVE);
    its->comm = comm;
    ++comm->uses;
    its->number = number;
    its->shape = (uint8_t)shape;
    its->peer = in_world(comm, root);
}

#define BLOCKS(name, its_shape, its_root, parameters, arguments)                                              \
    API int MPI_##name parameters {                                                                           \
        const uint32_t number = real_collective(comm, its_shape, its_root);                                   \
        const int error = PMPI_##name arguments;                                                              \
        if (error == MPI_SUCCESS) real_collective_over(comm, its_shape, its_root, number);                    \
        return error;                                                                                         \
    }
#define BEGINS(name, its_shape, its_root, parameters, arguments)                                              \
    API int MPI_##name parameters {                                                                           \
        const uint32_t number = real_collective(comm, its_shape, its_root);                                   \
        const int error = PMPI_##name arguments;                                                              \
        if (error == MPI_SUCCESS) real_collective_begun(comm, its_shape, its_root, number, *request);         \
        return error;                                                                                         \
    }

BLOCKS(Barrier, REAL_ALL, -1, (MPI_Comm comm), (comm))
BEGINS(Ibarrier, REAL_ALL, -1, (MPI_Comm comm, MPI_Request* request), (comm, request))
BLOCKS(Bcast, REAL_FROM_ROOT, root, (void* data, int count, MPI_Datatype type, int root, MPI_Comm comm), (data, count, type,
       root, comm))
BEGINS(Ibcast, REAL_FROM_ROOT, root, (void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request),
       (data, count, type, root, comm, request))
BLOCKS(Gather, REAL_TO_ROOT, root, (const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
       MPI_Datatype to_type, int root, MPI_Comm comm), (from, from_count, from_type, to, to_count, to_type, root, comm))
BEGINS(Igather, REAL_TO_ROOT, root, (const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
       MPI_Datatype to_type, int root, MPI_Comm comm, MPI_Request* request), (from, from_count, from_type, to, to_count,
       to_type, root, comm, request))
BLOCKS(Gatherv, REAL_TO_ROOT, root, (const void* from, int from_count, MPI_Datatype from_type, void* to, const int to_counts[],
       const int places[], MPI_Datatype to_type, int root, MPI_Comm comm), (from, from_count, from_type, to, to_counts, places,
       to_type, root, comm))
BEGINS(Igatherv, REAL_TO_ROOT, root, (const void* from, int from_count, MPI_Datatype from_type, void* to, const int to_counts[],
       const int places[], MPI_Datatype to_type, int root, MPI_Comm comm, MPI_Request* request), (from, from_count, from_type,
       to, to_counts, places, to_type, root, comm, request))
BLOCKS(Scatter, REAL_FROM_ROOT, root, (const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
       MPI_Datatype to_type, int root, MPI_Comm comm), (from, from_count, from_type, to, to_count, to_type, root, comm))
BEGINS(Iscatter, REAL_FROM_ROOT, root, (const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
       MPI_Datatype to_type, int root, MPI_Comm comm, MPI_Request* request), (from, from_count, from_type, to, to_count,
       to_type, root, comm, request))
BLOCKS(Scatterv, REAL_FROM_ROOT, root, (const void* from, const int from_counts[], const int places[], MPI_Datatype from_type,
       void* to, int to_count, MPI_Datatype to_type, int root, MPI_Comm comm), (from, from_counts, places, from_type, to,
       to_count, to_type, root, comm))
BEGINS(Iscatterv, REAL_FROM_ROOT, root, (const void* from, const int from_counts[], const int places[], MPI_Datatype from_type,
       void* to, int to_count, MPI_Datatype to_type, int root, MPI_Comm comm, MPI_Request* request), (from, from_counts, places,
       from_type, to, to_count, to_type, root, comm, request))
BLOCKS(Allgather, REAL_ALL, -1, (const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count, MPI_Datatype
       to_type, MPI_Comm comm), (from, from_count, from_type, to, to_count, to_type, comm))
BEGINS(Iallgather, REAL_ALL, -1, (const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count, MPI_Datatype
       to_type, MPI_Comm comm, MPI_Request* request), (from, from_count, from_type, to, to_count, to_type, comm, request))
BLOCKS(Allgatherv, REAL_ALL, -1, (const void* from, int from_count, MPI_Datatype from_type, void* to, const int to_counts[],
       const int places[], MPI_Datatype to_type, MPI_Comm comm), (from, from_count, from_type, to, to_counts, places, to_type,
       comm))
BEGINS(Iallgatherv, REAL_ALL, -1, (const void* from, int from_count, MPI_Datatype from_type, void* to, const int to_counts[],
       const int places[], MPI_Datatype to_type, MPI_Comm comm, MPI_Request* request), (from, from_count, from_type, to,
       to_counts, places, to_type, comm, request))
BLOCKS(Alltoall, REAL_ALL, -1, (const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count, MPI_Datatype
       to_type, MPI_Comm comm), (from, from_count, from_type, to, to_count, to_type, comm))
BEGINS(Ialltoall, REAL_ALL, -1, (const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count, MPI_Datatype
       to_type, MPI_Comm comm, MPI_Request* request), (from, from_count, from_type, to, to_count, to_type, comm, request))
BLOCKS(Alltoallv, REAL_ALL, -1, (const void* from, const int from_counts[], const int from_places[], MPI_Datatype from_type,
       void* to, const int to_counts[], const int to_places[], MPI_Datatype to_type, MPI_Comm comm), (from, from_counts,
       from_places, from_type, to, to_counts, to_places, to_type, comm))
BEGINS(Ialltoallv, REAL_ALL, -1, (const void* from, const int from_counts[], const int from_places[], MPI_Datatype from_type,
       void* to, const int to_counts[], const int to_places[], MPI_Datatype to_type, MPI_Comm comm, MPI_Request* request),
       (from, from_counts, from_places, from_type, to, to_counts, to_places, to_type, comm, request))
BLOCKS(Alltoallw, REAL_ALL, -1, (const void* from, const int from_counts[], const int from_places[], const MPI_Datatype
       from_types[], void* to, const int to_counts[], const int to_places[], const MPI_Datatype to_types[], MPI_Comm comm),
       (from, from_counts, from_places, from_types, to, to_counts, to_places, to_types, comm))
BEGINS(Ialltoallw, REAL_ALL, -1, (const void* from, const int from_counts[], const int from_places[], const MPI_Datatype
       from_types[], void* to, const int to_counts[], const int to_places[], const MPI_Datatype to_types[], MPI_Comm comm,
       MPI_Request* request), (from, from_counts, from_places, from_types, to, to_counts, to_places, to_types, comm, request))
BLOCKS(Reduce, REAL_TO_ROOT, root, (const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm
       comm), (from, to, count, type, op, root, comm))
BEGINS(Ireduce, REAL_TO_ROOT, root, (const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm
       comm, MPI_Request* request), (from, to, count, type, op, root, comm, request))
BLOCKS(Allreduce, REAL_ALL, -1, (const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm), (from, to,
       count, type, op, comm))
BEGINS(Iallreduce, REAL_ALL, -1, (const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
       MPI_Request* request), (from, to, count, type, op, comm, request))
BLOCKS(Reduce_scatter, REAL_ALL, -1, (const void* from, void* to, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm
       comm), (from, to, counts, type, op, comm))
BEGINS(Ireduce_scatter, REAL_ALL, -1, (const void* from, void* to, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm
       comm, MPI_Request* request), (from, to, counts, type, op, comm, request))
BLOCKS(Reduce_scatter_block, REAL_ALL, -1, (const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
       (from, to, count, type, op, comm))
BEGINS(Ireduce_scatter_block, REAL_ALL, -1, (const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
       MPI_Request* request), (from, to, count, type, op, comm, request))
BLOCKS(Scan, REAL_PREFIX, -1, (const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm), (from, to,
       count, type, op, comm))
BEGINS(Iscan, REAL_PREFIX, -1, (const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request*
       request), (from, to, count, type, op, comm, request))
BLOCKS(Exscan, REAL_PREFIX, -1, (const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm), (from, to,
       count, type, op, comm))
BEGINS(Iexscan, REAL_PREFIX, -1, (const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
       MPI_Request* request), (from, to, count, type, op, comm, request))

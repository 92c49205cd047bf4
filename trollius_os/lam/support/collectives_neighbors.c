/* Collective operations among the neighbours of a topology: one round of sends and receives. */
#include <stdlib.h>

#include "lam_collectives.h"
#include "lam_communicators.h"

/* A call, and its neighbours. The list goes when the plan is made. */
struct exchange {
    struct lam_call call;
    struct lam_neighbors near;
    struct lam_data sent, received;
};
static void begin(struct exchange* its, enum lam_collective operation) {
    its->near = (struct lam_neighbors){0};
    lam_call_begin(&its->call, operation, LAM_NO_ROOT);
    if (its->call.error == MPI_SUCCESS) its->call.error = lam_find_neighbors(its->call.comm, its->call.function, &its->near);
}
/* The checks of `call` count as many blocks as there are neighbours. */
static struct lam_call* sends(struct exchange* its) {
    its->call.others = its->near.to_count;
    return &its->call;
}
static struct lam_call* receives(struct exchange* its) {
    its->call.others = its->near.from_count;
    return &its->call;
}

static struct lam_part part_of(const struct lam_data* data, int index, bool one_for_all) {
    return one_for_all ? (struct lam_part){data->at, data->count, data->type} : lam_part(data, index);
}
/* A pair may have several edges. Messages of one pair keep their order, so of a ring of two the block that was sent to the left
 * would come in from the left; receives of a grid are therefore posted the other way around in each dimension. */
static int turned(const struct lam_comm* comm, int index) {
    return comm->topology->kind == MPI_CART ? index ^ 1 : index;
}

/* `one_for_all`: all neighbours get the same data. */
static int run(struct exchange* its, bool one_for_all) {
    struct lam_call* call = &its->call;
    lam_call_not_in_place(call, "sendbuf", &its->sent);
    lam_call_not_in_place(call, "recvbuf", &its->received);
    lam_call_memory(sends(its), "sendbuf", &its->sent);
    lam_call_memory(receives(its), "recvbuf", &its->received);
    call->signature = 0; /* each pair has types of its own */
    if (!lam_call_plan(call)) {
        free(its->near.from);
        return call->error;
    }
    for (int i = 0; i < its->near.from_count; ++i) {
        const int index = turned(call->comm, i);
        if (its->near.from[index] == MPI_PROC_NULL) continue;
        const struct lam_part part = lam_part(&its->received, index);
        lam_call_use(call, part, true);
        lam_step_receive(call->plan, part.at, part.count, part.type, its->near.from[index]);
    }
    for (int i = 0; i < its->near.to_count; ++i) {
        if (its->near.to[i] == MPI_PROC_NULL) continue;
        const struct lam_part part = part_of(&its->sent, i, one_for_all);
        lam_call_use(call, part, false);
        lam_step_send(call->plan, part.at, part.count, part.type, its->near.to[i]);
    }
    free(its->near.from);
    return lam_call_end(call);
}

static int allgather(struct lam_call call, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                     int recvcount, MPI_Datatype recvtype) {
    struct exchange its = {.call = call};
    begin(&its, LAM_NEIGHBOR_ALLGATHER);
    lam_call_data(sends(&its), "send", sendbuf, sendcount, sendtype, &its.sent);
    lam_call_data(receives(&its), "recv", recvbuf, recvcount, recvtype, &its.received);
    return run(&its, true);
}
static int allgatherv(struct lam_call call, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                      const int recvcounts[], const int displs[], MPI_Datatype recvtype) {
    struct exchange its = {.call = call};
    begin(&its, LAM_NEIGHBOR_ALLGATHERV);
    lam_call_data(sends(&its), "send", sendbuf, sendcount, sendtype, &its.sent);
    lam_call_rows(receives(&its), "recv", recvbuf, recvcounts, displs, recvtype, &its.received);
    return run(&its, true);
}
static int alltoall(struct lam_call call, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    int recvcount, MPI_Datatype recvtype) {
    struct exchange its = {.call = call};
    begin(&its, LAM_NEIGHBOR_ALLTOALL);
    lam_call_data(sends(&its), "send", sendbuf, sendcount, sendtype, &its.sent);
    lam_call_data(receives(&its), "recv", recvbuf, recvcount, recvtype, &its.received);
    return run(&its, false);
}
static int alltoallv(struct lam_call call, const void* sendbuf, const int sendcounts[], const int sdispls[],
                     MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype) {
    struct exchange its = {.call = call};
    begin(&its, LAM_NEIGHBOR_ALLTOALLV);
    lam_call_rows(sends(&its), "send", sendbuf, sendcounts, sdispls, sendtype, &its.sent);
    lam_call_rows(receives(&its), "recv", recvbuf, recvcounts, rdispls, recvtype, &its.received);
    return run(&its, false);
}
/* Displacements are addresses, so they have a check of their own. */
static void take_addresses(struct lam_call* call, struct lam_data* data, const MPI_Aint* displs, const char* name) {
    static const int none;
    bool some = false;
    if (call->error != MPI_SUCCESS || data->in_place) return;
    for (int i = 0; i < call->others; ++i) some = some || data->counts[i] > 0;
    data->addresses = displs;
    if (some && displs == NULL)
        call->error = lam_fail(call->handle, MPI_ERR_ARG, call->function, "the displacements of %sbuf are a null pointer", name);
    data->places = &none;
}
static int alltoallw(struct lam_call call, const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                     const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const MPI_Aint rdispls[],
                     const MPI_Datatype recvtypes[]) {
    static const int somewhere;
    struct exchange its = {.call = call};
    begin(&its, LAM_NEIGHBOR_ALLTOALLW);
    lam_call_typed_rows(sends(&its), "send", sendbuf, sendcounts, &somewhere, sendtypes, &its.sent);
    take_addresses(&its.call, &its.sent, sdispls, "send");
    lam_call_typed_rows(receives(&its), "recv", recvbuf, recvcounts, &somewhere, recvtypes, &its.received);
    take_addresses(&its.call, &its.received, rdispls, "recv");
    return run(&its, false);
}

LAM_API(int, Neighbor_allgather,
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
         MPI_Comm comm)) {
    return allgather(lam_now("MPI_Neighbor_allgather", comm), sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
}
LAM_API(int, Ineighbor_allgather,
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
         MPI_Comm comm, MPI_Request* request)) {
    return allgather(lam_later("MPI_Ineighbor_allgather", comm, request), sendbuf, sendcount, sendtype, recvbuf, recvcount,
                     recvtype);
}
LAM_API(int, Neighbor_allgatherv,
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[],
         MPI_Datatype recvtype, MPI_Comm comm)) {
    return allgatherv(lam_now("MPI_Neighbor_allgatherv", comm), sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                      recvtype);
}
LAM_API(int, Ineighbor_allgatherv,
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[],
         MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)) {
    return allgatherv(lam_later("MPI_Ineighbor_allgatherv", comm, request), sendbuf, sendcount, sendtype, recvbuf, recvcounts,
                      displs, recvtype);
}
LAM_API(int, Neighbor_alltoall,
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
         MPI_Comm comm)) {
    return alltoall(lam_now("MPI_Neighbor_alltoall", comm), sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
}
LAM_API(int, Ineighbor_alltoall,
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
         MPI_Comm comm, MPI_Request* request)) {
    return alltoall(lam_later("MPI_Ineighbor_alltoall", comm, request), sendbuf, sendcount, sendtype, recvbuf, recvcount,
                    recvtype);
}
LAM_API(int, Neighbor_alltoallv,
        (const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
         const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm)) {
    return alltoallv(lam_now("MPI_Neighbor_alltoallv", comm), sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                     rdispls, recvtype);
}
LAM_API(int, Ineighbor_alltoallv,
        (const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
         const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)) {
    return alltoallv(lam_later("MPI_Ineighbor_alltoallv", comm, request), sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                     recvcounts, rdispls, recvtype);
}
LAM_API(int, Neighbor_alltoallw,
        (const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
         const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)) {
    return alltoallw(lam_now("MPI_Neighbor_alltoallw", comm), sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                     rdispls, recvtypes);
}
LAM_API(int, Ineighbor_alltoallw,
        (const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
         const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request* request)) {
    return alltoallw(lam_later("MPI_Ineighbor_alltoallw", comm, request), sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                     recvcounts, rdispls, recvtypes);
}

/* MPI_Allgather(), MPI_Allgatherv(), MPI_Alltoall(), MPI_Alltoallv(), MPI_Alltoallw() and their forms that do not block. */
#include "lam_collectives.h"

enum { doubling_bytes = 32768 }; /* longer results of MPI_Allgather() go around the ring, which loads each link once */

static void send_part(struct lam_call* call, struct lam_part part, int rank) {
    lam_step_send(call->plan, part.at, part.count, part.type, rank);
}
static void receive_part(struct lam_call* call, struct lam_part part, int rank) {
    lam_step_receive(call->plan, part.at, part.count, part.type, rank);
}
static void copy_part(struct lam_call* call, struct lam_part from, struct lam_part to) {
    lam_step_copy(call->plan, from.at, from.count, from.type, to.at, to.count, to.type);
}

/* Each rank hands on what came from its left neighbour in the round before. */
static void gather_around(struct lam_call* call, const struct lam_data* received) {
    const int size = call->size, left = (call->rank - 1 + size) % size, right = (call->rank + 1) % size;
    for (int round = 0; round < size - 1; ++round) {
        lam_next_round(call->plan);
        receive_part(call, lam_part(received, (call->rank - round - 1 + size) % size), left);
        send_part(call, lam_part(received, (call->rank - round + size) % size), right);
    }
}
/* For powers of two: pairs exchange all that they have, so it doubles each round. */
static void gather_doubling(struct lam_call* call, const struct lam_data* received) {
    for (int have = 1; have < call->size; have *= 2) {
        const int partner = call->rank ^ have;
        const struct lam_part own = lam_part(received, call->rank & ~(have - 1)),
                              its = lam_part(received, partner & ~(have - 1));
        lam_next_round(call->plan);
        lam_step_receive(call->plan, its.at, have * its.count, its.type, partner);
        lam_step_send(call->plan, own.at, have * own.count, own.type, partner);
    }
}

/* All send to rank 0 of the other group, which passes the row on in its own group. */
static void gather_across(struct lam_call* call, const struct lam_data* sent, const struct lam_data* received) {
    struct lam_type* byte = lam_type(MPI_BYTE);
    int bytes = 0, at = 0;
    for (int i = 0; i < call->others; ++i) {
        const struct lam_part part = lam_part(received, i);
        bytes += (int)lam_bytes_of((size_t)part.count, part.type);
        if (call->rank == 0) receive_part(call, part, i);
    }
    lam_step_send(call->plan, sent->at, sent->count, sent->type, 0);
    char* row = lam_schedule_room(call->plan, (size_t)bytes);
    if (row == NULL) return;
    lam_next_round(call->plan);
    for (int i = 0; i < call->others && call->rank == 0; ++i) {
        const struct lam_part part = lam_part(received, i);
        const int its = (int)lam_bytes_of((size_t)part.count, part.type);
        copy_part(call, part, (struct lam_part){row + at, its, byte});
        at += its;
    }
    lam_schedule_inside(call->plan, true);
    lam_plan_bcast(call->plan, row, bytes, byte, 0, call->rank, call->size);
    lam_schedule_inside(call->plan, false);
    for (int i = 0; i < call->others && call->rank != 0; ++i) {
        const struct lam_part part = lam_part(received, i);
        const int its = (int)lam_bytes_of((size_t)part.count, part.type);
        copy_part(call, (struct lam_part){row + at, its, byte}, part);
        at += its;
    }
}

/* Checks the buffers once they are read; then plans. */
static int all_gather(struct lam_call* call, const struct lam_data* sent, const struct lam_data* received) {
    lam_call_not_in_place(call, "recvbuf", received);
    if (call->error == MPI_SUCCESS && call->comm->inter) lam_call_not_in_place(call, "sendbuf", sent);
    lam_call_memory(call, "sendbuf", sent);
    lam_call_memory(call, "recvbuf", received);
    if (call->error == MPI_SUCCESS && !call->comm->inter) {
        lam_call_not_same(call, sent, received);
        lam_call_not_own_block(call, received, sent);
    }
    if (!lam_call_plan(call)) return call->error;
    lam_call_uses(call, sent, 1, false);
    lam_call_uses(call, received, call->others, true);
    if (call->comm->inter) {
        gather_across(call, sent, received);
        return lam_call_end(call);
    }
    if (!sent->in_place) copy_part(call, (struct lam_part){sent->at, sent->count, sent->type}, lam_part(received, call->rank));
    const bool is_power = (call->size & (call->size - 1)) == 0;
    if (is_power && received->counts == NULL &&
        lam_bytes_of((size_t)call->size * (size_t)received->count, received->type) <= doubling_bytes) {
        gather_doubling(call, received);
    } else {
        gather_around(call, received);
    }
    return lam_call_end(call);
}

static int allgather(struct lam_call call, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                     int recvcount, MPI_Datatype recvtype) {
    struct lam_data sent, received;
    lam_call_begin(&call, LAM_ALLGATHER, LAM_NO_ROOT);
    lam_call_data(&call, "send", sendbuf, sendcount, sendtype, &sent);
    lam_call_data(&call, "recv", recvbuf, recvcount, recvtype, &received);
    return all_gather(&call, &sent, &received);
}
static int allgatherv(struct lam_call call, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                      const int recvcounts[], const int displs[], MPI_Datatype recvtype) {
    struct lam_data sent, received;
    lam_call_begin(&call, LAM_ALLGATHERV, LAM_NO_ROOT);
    lam_call_data(&call, "send", sendbuf, sendcount, sendtype, &sent);
    lam_call_rows(&call, "recv", recvbuf, recvcounts, displs, recvtype, &received);
    return all_gather(&call, &sent, &received);
}

/* Pairwise: in round k each rank sends to the k-th after it and receives from the k-th before it. */
static void exchange(struct lam_call* call, const struct lam_data* sent, const struct lam_data* received) {
    const bool inter = call->comm->inter;
    const int rounds = call->size > call->others ? call->size : call->others;
    if (!inter) copy_part(call, lam_part(sent, call->rank), lam_part(received, call->rank));
    for (int round = inter ? 0 : 1; round < rounds; ++round) {
        const int to = (call->rank + round) % rounds, from = (call->rank - round + rounds) % rounds;
        lam_next_round(call->plan);
        if (from < call->others) receive_part(call, lam_part(received, from), from);
        if (to < call->others) send_part(call, lam_part(sent, to), to);
    }
}
/* MPI_IN_PLACE: each pair swaps its blocks, through a room for one of them. In round k the sum of both ranks is k. */
static void swap_in_place(struct lam_call* call, const struct lam_data* received) {
    size_t longest = 0;
    for (int i = 0; i < call->size; ++i) {
        const struct lam_part part = lam_part(received, i);
        const size_t bytes = lam_bytes_of((size_t)part.count, part.type);
        if (bytes > longest) longest = bytes;
    }
    char* room = lam_schedule_room(call->plan, longest);
    for (int round = 0; round < call->size && room != NULL; ++round) {
        const int partner = (round - call->rank + call->size) % call->size;
        if (partner == call->rank) continue;
        const struct lam_part part = lam_part(received, partner);
        const struct lam_part packed = {room, (int)lam_bytes_of((size_t)part.count, part.type), lam_type(MPI_BYTE)};
        lam_next_round(call->plan);
        copy_part(call, part, packed);
        receive_part(call, part, partner);
        send_part(call, packed, partner);
    }
}

static int all_to_all(struct lam_call* call, const struct lam_data* sent, const struct lam_data* received) {
    lam_call_not_in_place(call, "recvbuf", received);
    if (call->error == MPI_SUCCESS && call->comm->inter) lam_call_not_in_place(call, "sendbuf", sent);
    lam_call_memory(call, "sendbuf", sent);
    lam_call_memory(call, "recvbuf", received);
    if (call->error == MPI_SUCCESS && !call->comm->inter) lam_call_not_same(call, sent, received);
    if (!lam_call_plan(call)) return call->error;
    lam_call_uses(call, sent, call->others, false);
    lam_call_uses(call, received, call->others, true);
    if (sent->in_place) {
        swap_in_place(call, received);
    } else {
        exchange(call, sent, received);
    }
    return lam_call_end(call);
}

static int alltoall(struct lam_call call, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    int recvcount, MPI_Datatype recvtype) {
    struct lam_data sent, received;
    lam_call_begin(&call, LAM_ALLTOALL, LAM_NO_ROOT);
    lam_call_data(&call, "send", sendbuf, sendcount, sendtype, &sent);
    lam_call_data(&call, "recv", recvbuf, recvcount, recvtype, &received);
    return all_to_all(&call, &sent, &received);
}
static int alltoallv(struct lam_call call, const void* sendbuf, const int sendcounts[], const int sdispls[],
                     MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype) {
    struct lam_data sent, received;
    lam_call_begin(&call, LAM_ALLTOALLV, LAM_NO_ROOT);
    lam_call_rows(&call, "send", sendbuf, sendcounts, sdispls, sendtype, &sent);
    lam_call_rows(&call, "recv", recvbuf, recvcounts, rdispls, recvtype, &received);
    return all_to_all(&call, &sent, &received);
}
static int alltoallw(struct lam_call call, const void* sendbuf, const int sendcounts[], const int sdispls[],
                     const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
                     const MPI_Datatype recvtypes[]) {
    struct lam_data sent, received;
    lam_call_begin(&call, LAM_ALLTOALLW, LAM_NO_ROOT);
    lam_call_typed_rows(&call, "send", sendbuf, sendcounts, sdispls, sendtypes, &sent);
    lam_call_typed_rows(&call, "recv", recvbuf, recvcounts, rdispls, recvtypes, &received);
    return all_to_all(&call, &sent, &received);
}

LAM_API(int, Allgather,
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
         MPI_Comm comm)) {
    return allgather(lam_now("MPI_Allgather", comm), sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
}
LAM_API(int, Iallgather,
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
         MPI_Comm comm, MPI_Request* request)) {
    return allgather(lam_later("MPI_Iallgather", comm, request), sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
}
LAM_API(int, Allgatherv,
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[],
         MPI_Datatype recvtype, MPI_Comm comm)) {
    return allgatherv(lam_now("MPI_Allgatherv", comm), sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype);
}
LAM_API(int, Iallgatherv,
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[],
         MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)) {
    return allgatherv(lam_later("MPI_Iallgatherv", comm, request), sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                      recvtype);
}
LAM_API(int, Alltoall,
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
         MPI_Comm comm)) {
    return alltoall(lam_now("MPI_Alltoall", comm), sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
}
LAM_API(int, Ialltoall,
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
         MPI_Comm comm, MPI_Request* request)) {
    return alltoall(lam_later("MPI_Ialltoall", comm, request), sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
}
LAM_API(int, Alltoallv,
        (const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
         const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm)) {
    return alltoallv(lam_now("MPI_Alltoallv", comm), sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                     recvtype);
}
LAM_API(int, Ialltoallv,
        (const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
         const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)) {
    return alltoallv(lam_later("MPI_Ialltoallv", comm, request), sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                     rdispls, recvtype);
}
LAM_API(int, Alltoallw,
        (const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
         const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)) {
    return alltoallw(lam_now("MPI_Alltoallw", comm), sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                     recvtypes);
}
LAM_API(int, Ialltoallw,
        (const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
         const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request* request)) {
    return alltoallw(lam_later("MPI_Ialltoallw", comm, request), sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                     rdispls, recvtypes);
}

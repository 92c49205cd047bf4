/* MPI_Gather(), MPI_Gatherv(), MPI_Scatter(), MPI_Scatterv() and their forms that do not block. */
#include "lam_collectives.h"

/* Place of a rank in the binomial tree of its root. The ranks below it follow it, so their blocks are neighbours. */
struct place {
    int distance; /* from the root, upwards and around */
    int low;      /* distance to the parent; of the root: the first power of two that reaches all */
    int parent;
};
static struct place place_of(const struct lam_call* call) {
    struct place its = {.distance = (call->rank - call->root + call->size) % call->size, .low = 1};
    while (its.low < call->size && (its.distance & its.low) == 0) its.low *= 2;
    its.parent = (call->rank - its.low + 2 * call->size) % call->size;
    return its;
}
/* Ranks in the part of the tree that begins at this distance and is at most `low` long. */
static int ranks_below(int distance, int low, int size) {
    return size - distance < low ? size - distance : low;
}

/* Blocks `first` to `first + ranks - 1`, around the end, between the root's buffer and a row of bytes. */
static void copy_around(struct lam_call* call, const struct lam_data* data, int first, int ranks, char* row, bool to_row) {
    const int bytes = (int)lam_bytes_of((size_t)data->count, data->type);
    const int before_end = call->size - first;
    const struct lam_part parts[2] = {lam_part(data, first), lam_part(data, 0)};
    const int counts[2] = {before_end, ranks - before_end};
    struct lam_type* byte = lam_type(MPI_BYTE);
    for (int i = 0; i < 2; ++i) {
        const int elements = counts[i] * data->count, length = counts[i] * bytes;
        if (to_row) {
            lam_step_copy(call->plan, parts[i].at, elements, data->type, row, length, byte);
        } else {
            lam_step_copy(call->plan, row, length, byte, parts[i].at, elements, data->type);
        }
        row += length;
    }
}

static void gather_at_root(struct lam_call* call, const struct lam_data* sent, const struct lam_data* received) {
    const int bytes = (int)lam_bytes_of((size_t)received->count, received->type);
    const struct lam_part own = lam_part(received, call->rank);
    char* row = NULL;
    int row_first = 0, row_ranks = 0;
    if (!sent->in_place) lam_step_copy(call->plan, sent->at, sent->count, sent->type, own.at, own.count, own.type);
    for (int low = 1; low < call->size; low *= 2) {
        const int first = (call->rank + low) % call->size, ranks = ranks_below(low, low, call->size);
        if (first + ranks <= call->size) {
            const struct lam_part part = lam_part(received, first);
            lam_step_receive(call->plan, part.at, ranks * part.count, part.type, first);
        } else { /* of one child at most */
            row = lam_schedule_room(call->plan, (size_t)(ranks * bytes));
            row_first = first;
            row_ranks = ranks;
            lam_step_receive(call->plan, row, ranks * bytes, lam_type(MPI_BYTE), first);
        }
    }
    lam_next_round(call->plan);
    if (row != NULL) copy_around(call, received, row_first, row_ranks, row, false);
}
static void gather_below(struct lam_call* call, const struct lam_data* sent) {
    const struct place its = place_of(call);
    const int bytes = (int)lam_bytes_of((size_t)sent->count, sent->type);
    const int ranks = ranks_below(its.distance, its.low, call->size);
    struct lam_type* byte = lam_type(MPI_BYTE);
    if (ranks == 1) return lam_step_send(call->plan, sent->at, sent->count, sent->type, its.parent);
    char* row = lam_schedule_room(call->plan, (size_t)(ranks * bytes));
    if (row == NULL) return;
    lam_step_copy(call->plan, sent->at, sent->count, sent->type, row, bytes, byte);
    for (int low = 1; low < ranks; low *= 2)
        lam_step_receive(call->plan, row + low * bytes, ranks_below(its.distance + low, low, call->size) * bytes, byte,
                         (call->rank + low) % call->size);
    lam_next_round(call->plan);
    lam_step_send(call->plan, row, ranks * bytes, byte, its.parent);
}

static void scatter_at_root(struct lam_call* call, const struct lam_data* sent, const struct lam_data* received) {
    const int bytes = (int)lam_bytes_of((size_t)sent->count, sent->type);
    int low = 1;
    while (low < call->size) low *= 2;
    for (low /= 2; low > 0; low /= 2) {
        const int first = (call->rank + low) % call->size, ranks = ranks_below(low, low, call->size);
        if (first + ranks <= call->size) {
            const struct lam_part part = lam_part(sent, first);
            lam_step_send(call->plan, part.at, ranks * part.count, part.type, first);
        } else {
            char* row = lam_schedule_room(call->plan, (size_t)(ranks * bytes));
            if (row == NULL) return;
            copy_around(call, sent, first, ranks, row, true);
            lam_step_send(call->plan, row, ranks * bytes, lam_type(MPI_BYTE), first);
        }
    }
    const struct lam_part own = lam_part(sent, call->rank);
    if (!received->in_place)
        lam_step_copy(call->plan, own.at, own.count, own.type, received->at, received->count, received->type);
}
static void scatter_below(struct lam_call* call, const struct lam_data* received) {
    const struct place its = place_of(call);
    const int bytes = (int)lam_bytes_of((size_t)received->count, received->type);
    const int ranks = ranks_below(its.distance, its.low, call->size);
    struct lam_type* byte = lam_type(MPI_BYTE);
    if (ranks == 1) return lam_step_receive(call->plan, received->at, received->count, received->type, its.parent);
    char* row = lam_schedule_room(call->plan, (size_t)(ranks * bytes));
    if (row == NULL) return;
    lam_step_receive(call->plan, row, ranks * bytes, byte, its.parent);
    lam_next_round(call->plan);
    for (int low = its.low / 2; low > 0; low /= 2) {
        if (low >= ranks) continue;
        lam_step_send(call->plan, row + low * bytes, ranks_below(its.distance + low, low, call->size) * bytes, byte,
                      (call->rank + low) % call->size);
    }
    lam_step_copy(call->plan, row, bytes, byte, received->at, received->count, received->type);
}

/* Each rank by itself: only the root knows the counts of a v-function. */
static void gather_each(struct lam_call* call, const struct lam_data* sent, const struct lam_data* received) {
    if (!call->is_root) return lam_step_send(call->plan, sent->at, sent->count, sent->type, call->root);
    for (int i = 0; i < call->others; ++i) {
        const struct lam_part part = lam_part(received, i);
        if (call->comm->inter || i != call->rank) {
            lam_step_receive(call->plan, part.at, part.count, part.type, i);
        } else if (!sent->in_place) {
            lam_step_copy(call->plan, sent->at, sent->count, sent->type, part.at, part.count, part.type);
        }
    }
}
static void scatter_each(struct lam_call* call, const struct lam_data* sent, const struct lam_data* received) {
    if (!call->is_root) return lam_step_receive(call->plan, received->at, received->count, received->type, call->root);
    for (int i = 0; i < call->others; ++i) {
        const struct lam_part part = lam_part(sent, i);
        if (call->comm->inter || i != call->rank) {
            lam_step_send(call->plan, part.at, part.count, part.type, i);
        } else if (!received->in_place) {
            lam_step_copy(call->plan, part.at, part.count, part.type, received->at, received->count, received->type);
        }
    }
}

/* The buffer of the root that all share has been read; the one of each rank's own is checked here. */
static void check_own(struct lam_call* call, const char* name, const char* buffer, struct lam_data* own, const void* at,
                      int count, MPI_Datatype datatype) {
    if (call->error != MPI_SUCCESS || call->is_outside || (call->comm->inter && call->is_root)) return;
    lam_call_data(call, name, at, count, datatype, own);
    if (!call->is_root) lam_call_not_in_place(call, buffer, own);
    lam_call_memory(call, buffer, own);
}

static int gather(struct lam_call call, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                  MPI_Datatype recvtype, int root) {
    struct lam_data sent = {.at = NULL}, received = {.at = NULL};
    lam_call_begin(&call, LAM_GATHER, root);
    check_own(&call, "send", "sendbuf", &sent, sendbuf, sendcount, sendtype);
    if (call.error == MPI_SUCCESS && call.is_root) {
        lam_call_data(&call, "recv", recvbuf, recvcount, recvtype, &received);
        lam_call_not_in_place(&call, "recvbuf", &received);
        lam_call_memory(&call, "recvbuf", &received);
        if (!call.comm->inter) {
            lam_call_not_same(&call, &sent, &received);
            lam_call_not_own_block(&call, &received, &sent);
        }
    }
    if (!lam_call_plan(&call)) return call.error;
    lam_call_uses(&call, &sent, 1, false);
    lam_call_uses(&call, &received, call.others, true);
    if (call.comm->inter) {
        if (!call.is_outside) gather_each(&call, &sent, &received);
    } else if (call.is_root) {
        gather_at_root(&call, &sent, &received);
    } else {
        gather_below(&call, &sent);
    }
    return lam_call_end(&call);
}

static int gatherv(struct lam_call call, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                   const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root) {
    struct lam_data sent = {.at = NULL}, received = {.at = NULL};
    lam_call_begin(&call, LAM_GATHERV, root);
    check_own(&call, "send", "sendbuf", &sent, sendbuf, sendcount, sendtype);
    if (call.error == MPI_SUCCESS && call.is_root) {
        lam_call_rows(&call, "recv", recvbuf, recvcounts, displs, recvtype, &received);
        lam_call_not_in_place(&call, "recvbuf", &received);
        lam_call_memory(&call, "recvbuf", &received);
        if (!call.comm->inter) {
            lam_call_not_same(&call, &sent, &received);
            lam_call_not_own_block(&call, &received, &sent);
        }
    }
    if (!lam_call_plan(&call)) return call.error;
    lam_call_uses(&call, &sent, 1, false);
    lam_call_uses(&call, &received, call.others, true);
    if (!call.is_outside) gather_each(&call, &sent, &received);
    return lam_call_end(&call);
}

static int scatter(struct lam_call call, const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                   int recvcount, MPI_Datatype recvtype, int root) {
    struct lam_data sent = {.at = NULL}, received = {.at = NULL};
    lam_call_begin(&call, LAM_SCATTER, root);
    check_own(&call, "recv", "recvbuf", &received, recvbuf, recvcount, recvtype);
    if (call.error == MPI_SUCCESS && call.is_root) {
        lam_call_data(&call, "send", sendbuf, sendcount, sendtype, &sent);
        lam_call_not_in_place(&call, "sendbuf", &sent);
        lam_call_memory(&call, "sendbuf", &sent);
        if (!call.comm->inter) {
            lam_call_not_same(&call, &sent, &received);
            lam_call_not_own_block(&call, &sent, &received);
        }
    }
    if (!lam_call_plan(&call)) return call.error;
    lam_call_uses(&call, &sent, call.others, false);
    lam_call_uses(&call, &received, 1, true);
    if (call.comm->inter) {
        if (!call.is_outside) scatter_each(&call, &sent, &received);
    } else if (call.is_root) {
        scatter_at_root(&call, &sent, &received);
    } else {
        scatter_below(&call, &received);
    }
    return lam_call_end(&call);
}

static int scatterv(struct lam_call call, const void* sendbuf, const int sendcounts[], const int displs[],
                    MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root) {
    struct lam_data sent = {.at = NULL}, received = {.at = NULL};
    lam_call_begin(&call, LAM_SCATTERV, root);
    check_own(&call, "recv", "recvbuf", &received, recvbuf, recvcount, recvtype);
    if (call.error == MPI_SUCCESS && call.is_root) {
        lam_call_rows(&call, "send", sendbuf, sendcounts, displs, sendtype, &sent);
        lam_call_not_in_place(&call, "sendbuf", &sent);
        lam_call_memory(&call, "sendbuf", &sent);
        if (!call.comm->inter) {
            lam_call_not_same(&call, &sent, &received);
            lam_call_not_own_block(&call, &sent, &received);
        }
    }
    if (!lam_call_plan(&call)) return call.error;
    lam_call_uses(&call, &sent, call.others, false);
    lam_call_uses(&call, &received, 1, true);
    if (!call.is_outside) scatter_each(&call, &sent, &received);
    return lam_call_end(&call);
}

LAM_API(int, Gather,
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
         int root, MPI_Comm comm)) {
    return gather(lam_now("MPI_Gather", comm), sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root);
}
LAM_API(int, Igather,
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
         int root, MPI_Comm comm, MPI_Request* request)) {
    return gather(lam_later("MPI_Igather", comm, request), sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root);
}
LAM_API(int, Gatherv,
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[],
         MPI_Datatype recvtype, int root, MPI_Comm comm)) {
    return gatherv(lam_now("MPI_Gatherv", comm), sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root);
}
LAM_API(int, Igatherv,
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[],
         MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request)) {
    return gatherv(lam_later("MPI_Igatherv", comm, request), sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                   recvtype, root);
}
LAM_API(int, Scatter,
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
         int root, MPI_Comm comm)) {
    return scatter(lam_now("MPI_Scatter", comm), sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root);
}
LAM_API(int, Iscatter,
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
         int root, MPI_Comm comm, MPI_Request* request)) {
    return scatter(lam_later("MPI_Iscatter", comm, request), sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root);
}
LAM_API(int, Scatterv,
        (const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void* recvbuf, int recvcount,
         MPI_Datatype recvtype, int root, MPI_Comm comm)) {
    return scatterv(lam_now("MPI_Scatterv", comm), sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root);
}
LAM_API(int, Iscatterv,
        (const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void* recvbuf, int recvcount,
         MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request)) {
    return scatterv(lam_later("MPI_Iscatterv", comm, request), sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount,
                    recvtype, root);
}

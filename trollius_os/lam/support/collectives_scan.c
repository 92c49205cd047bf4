/* MPI_Scan(), MPI_Exscan() and their forms that do not block. */
#include "lam_collectives.h"

/* One rank after another: for operations that do not commute, whose order of brackets the program can see. */
static void scan_in_chain(const struct lam_reduction* its, bool exclusive) {
    struct lam_call* call = its->call;
    char* sum = exclusive ? lam_reduction_room(its) : its->to;
    if (its->own != sum) lam_step_copy(call->plan, its->own, its->count, its->type, sum, its->count, its->type);
    if (call->rank > 0) {
        char* before = lam_reduction_room(its);
        lam_step_receive(call->plan, before, its->count, its->type, call->rank - 1);
        lam_next_round(call->plan);
        lam_combine(its, before, sum);
        if (exclusive) lam_step_copy(call->plan, before, its->count, its->type, its->to, its->count, its->type);
    }
    if (call->rank + 1 < call->size) lam_step_send(call->plan, sum, its->count, its->type, call->rank + 1);
}

/* Doubling: `block` is the sum of the ranks that exchanged so far, `to` that of those among them before this one. */
static void scan_doubling(const struct lam_reduction* its, bool exclusive) {
    struct lam_call* call = its->call;
    char *block = lam_reduction_room(its), *came = lam_reduction_room(its);
    bool has_result = !exclusive;
    lam_step_copy(call->plan, its->own, its->count, its->type, block, its->count, its->type);
    if (!exclusive && its->own != its->to)
        lam_step_copy(call->plan, its->own, its->count, its->type, its->to, its->count, its->type);
    for (int low = 1; low < call->size; low *= 2) {
        const int partner = call->rank ^ low;
        if (partner >= call->size) continue;
        lam_step_receive(call->plan, came, its->count, its->type, partner);
        lam_step_send(call->plan, block, its->count, its->type, partner);
        lam_next_round(call->plan);
        if (partner > call->rank) {
            lam_combine(its, block, came);
            char* const sum = came;
            came = block;
            block = sum;
            continue;
        }
        if (has_result) {
            lam_combine(its, came, its->to);
        } else {
            lam_step_copy(call->plan, came, its->count, its->type, its->to, its->count, its->type);
        }
        has_result = true;
        lam_combine(its, came, block);
    }
}

static int scan(struct lam_call call, bool exclusive, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                MPI_Op op) {
    struct lam_reduction its;
    lam_call_begin(&call, exclusive ? LAM_EXSCAN : LAM_SCAN, LAM_NO_ROOT);
    if (call.error == MPI_SUCCESS && call.comm->inter)
        call.error = lam_fail(call.handle, MPI_ERR_COMM, call.function,
                              "comm is an inter-communicator, which has no order of all ranks");
    /* The first rank of MPI_Exscan() has no result. Its recvbuf counts in place alone, where it gives. */
    const bool gets = !exclusive || call.rank != 0 || sendbuf == MPI_IN_PLACE;
    lam_call_reduction(&call, &its, true, gets, sendbuf, recvbuf, count, datatype, op);
    if (!gets && call.error == MPI_SUCCESS) { /* a buffer that is both is refused on all ranks, as in MPICH */
        const struct lam_data from = {.at = (char*)(uintptr_t)its.own, .count = its.count, .type = its.type};
        const struct lam_data to = {.at = recvbuf, .count = its.count, .type = its.type};
        lam_call_not_same(&call, &from, &to);
    }
    if (!lam_call_plan_reduction(&its)) return call.error;
    if (its.op->commutative) {
        scan_doubling(&its, exclusive);
    } else {
        scan_in_chain(&its, exclusive);
    }
    return lam_call_end(&call);
}

LAM_API(int, Scan, (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)) {
    return scan(lam_now("MPI_Scan", comm), false, sendbuf, recvbuf, count, datatype, op);
}
LAM_API(int, Iscan,
        (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
         MPI_Request* request)) {
    return scan(lam_later("MPI_Iscan", comm, request), false, sendbuf, recvbuf, count, datatype, op);
}
LAM_API(int, Exscan, (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)) {
    return scan(lam_now("MPI_Exscan", comm), true, sendbuf, recvbuf, count, datatype, op);
}
LAM_API(int, Iexscan,
        (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
         MPI_Request* request)) {
    return scan(lam_later("MPI_Iexscan", comm, request), true, sendbuf, recvbuf, count, datatype, op);
}

/* MPI_Reduce(), MPI_Allreduce(), MPI_Reduce_scatter(), MPI_Reduce_scatter_block() and their forms that do not block.
 *
 * Results are the same in each run, whichever rank is the root. Operations of the program that do not commute are done one rank
 * after another, ((a0 op a1) op a2) and so on. Others are done by a binomial tree, each time with the lower ranks at the left.
 */
#include "lam_collectives.h"

/* In whichever order these are combined, the result is the same to the last bit. */
static bool is_exact(const struct lam_reduction* its) {
    switch (its->type->handle) {
        case MPI_FLOAT:
        case MPI_DOUBLE:
        case MPI_LONG_DOUBLE:
        case MPI_C_FLOAT_COMPLEX:
        case MPI_C_DOUBLE_COMPLEX:
        case MPI_C_LONG_DOUBLE_COMPLEX:
        case MPI_CXX_FLOAT_COMPLEX:
        case MPI_CXX_DOUBLE_COMPLEX:
        case MPI_CXX_LONG_DOUBLE_COMPLEX:
        case MPI_FLOAT_INT:
        case MPI_DOUBLE_INT:
        case MPI_LONG_DOUBLE_INT:
            return false;
        default:
            return its->op->predefined != 0;
    }
}
void lam_combine(const struct lam_reduction* its, const char* lower, char* higher) {
    if (its->count > 0) lam_step_reduce(its->call->plan, lower, higher, its->count, its->type, its->op);
}
char* lam_reduction_room(const struct lam_reduction* its) {
    return lam_room_for(its->call->plan, its->count, its->type);
}

static const char* reduce_in_chain(const struct lam_reduction* its, int rank, int size) {
    struct lam_schedule* plan = its->call->plan;
    const char* result = its->own;
    if (rank > 0) {
        char *lower = lam_reduction_room(its), *own = lam_reduction_room(its);
        lam_step_receive(plan, lower, its->count, its->type, rank - 1);
        lam_step_copy(plan, its->own, its->count, its->type, own, its->count, its->type);
        lam_next_round(plan);
        lam_combine(its, lower, own);
        result = own;
    }
    if (rank + 1 < size) lam_step_send(plan, result, its->count, its->type, rank + 1);
    lam_next_round(plan);
    return result;
}
/* Two rooms are enough: each result lies where the higher ranks' data came. */
static const char* reduce_in_tree(const struct lam_reduction* its, int root, int rank, int size) {
    struct lam_schedule* plan = its->call->plan;
    const int distance = (rank - root + size) % size;
    const char* result = its->own;
    char *free_room = NULL, *other_room = NULL;
    for (int low = 1; low < size; low *= 2) {
        if ((distance & low) != 0) {
            lam_step_send(plan, result, its->count, its->type, (rank - low + size) % size);
            break;
        }
        if (distance + low >= size) continue;
        char* higher = free_room != NULL ? free_room : lam_reduction_room(its);
        lam_step_receive(plan, higher, its->count, its->type, (rank + low) % size);
        lam_next_round(plan);
        lam_combine(its, result, higher);
        free_room = other_room;
        other_room = higher;
        result = higher;
    }
    lam_next_round(plan);
    return result;
}

/* The rank that has the result of a group of this size, when `root` is where it would suit best. */
static int holder_of(const struct lam_reduction* its, int root, int size) {
    if (!its->op->commutative) return size - 1;
    return is_exact(its) ? root : 0;
}
/* Combines the data of comm->local; the result is at the place that it returns on the holder, for reading. */
static const char* reduce_inside(const struct lam_reduction* its, int holder) {
    const int rank = its->call->rank, size = its->call->size;
    lam_schedule_inside(its->call->plan, true);
    const char* result = its->op->commutative ? reduce_in_tree(its, holder, rank, size) : reduce_in_chain(its, rank, size);
    lam_schedule_inside(its->call->plan, false);
    return result;
}

static void plan_reduce(const struct lam_reduction* its) {
    char* const to = its->to;
    struct lam_call* call = its->call;
    if (call->comm->inter) {
        if (call->is_root) {
            lam_step_receive(call->plan, to, its->count, its->type, holder_of(its, 0, call->others));
        } else if (!call->is_outside) {
            const int holder = holder_of(its, 0, call->size);
            const char* result = reduce_inside(its, holder);
            if (call->rank == holder) lam_step_send(call->plan, result, its->count, its->type, call->root);
        }
        return;
    }
    const int holder = holder_of(its, call->root, call->size);
    const char* result = reduce_inside(its, holder);
    if (call->rank == holder && call->is_root) {
        if (result != to) lam_step_copy(call->plan, result, its->count, its->type, to, its->count, its->type);
    } else if (call->rank == holder) {
        lam_step_send(call->plan, result, its->count, its->type, call->root);
    } else if (call->is_root) {
        lam_step_receive(call->plan, to, its->count, its->type, holder);
    }
}

/* For powers of two: pairs exchange what they have and combine it, so that each rank builds the tree for itself. */
static void reduce_doubling(const struct lam_reduction* its) {
    char* const to = its->to;
    struct lam_call* call = its->call;
    char *own = to, *other = lam_reduction_room(its);
    if (its->own != to) lam_step_copy(call->plan, its->own, its->count, its->type, to, its->count, its->type);
    for (int low = 1; low < call->size; low *= 2) {
        const int partner = call->rank ^ low;
        lam_step_receive(call->plan, other, its->count, its->type, partner);
        lam_step_send(call->plan, own, its->count, its->type, partner);
        lam_next_round(call->plan);
        if (partner > call->rank) {
            lam_combine(its, own, other);
            char* const result = other;
            other = own;
            own = result;
        } else {
            lam_combine(its, other, own);
        }
    }
    if (own != to) lam_step_copy(call->plan, own, its->count, its->type, to, its->count, its->type);
}
static void plan_allreduce(const struct lam_reduction* its) {
    char* const to = its->to;
    struct lam_call* call = its->call;
    const bool is_power = (call->size & (call->size - 1)) == 0;
    if (!call->comm->inter && its->op->commutative && is_power) return reduce_doubling(its);
    const int holder = holder_of(its, 0, call->size);
    const char* result = reduce_inside(its, holder);
    if (call->rank == holder && call->comm->inter) {
        const int other = holder_of(its, 0, call->others);
        lam_step_receive(call->plan, to, its->count, its->type, other);
        lam_step_send(call->plan, result, its->count, its->type, other);
    } else if (call->rank == holder && result != to) {
        lam_step_copy(call->plan, result, its->count, its->type, to, its->count, its->type);
    }
    lam_schedule_inside(call->plan, true);
    lam_plan_bcast(call->plan, to, its->count, its->type, holder, call->rank, call->size);
}

/* `counts` NULL: `count` for each rank. */
static void plan_reduce_scatter(const struct lam_reduction* its, const int* counts, int count) {
    char* const to = its->to;
    struct lam_call* call = its->call;
    const int holder = holder_of(its, 0, call->size);
    const ptrdiff_t extent = its->type->ub - its->type->lb;
    const char* result = reduce_inside(its, holder);
    if (call->comm->inter && call->rank == holder) {
        const int other = holder_of(its, 0, call->others);
        char* others = lam_reduction_room(its);
        lam_step_receive(call->plan, others, its->count, its->type, other);
        lam_step_send(call->plan, result, its->count, its->type, other);
        lam_next_round(call->plan);
        result = others;
    }
    lam_schedule_inside(call->plan, true);
    const int own = counts == NULL ? count : counts[call->rank];
    if (call->rank != holder) return lam_step_receive(call->plan, to, own, its->type, holder);
    ptrdiff_t at = 0, own_at = 0;
    for (int i = 0; i < call->size; ++i) {
        const int blocks = counts == NULL ? count : counts[i];
        if (i != holder) lam_step_send(call->plan, result + at * extent, blocks, its->type, i);
        if (i == holder) own_at = at;
        at += blocks;
    }
    if (result + own_at * extent != to) lam_step_copy(call->plan, result + own_at * extent, own, its->type, to, own, its->type);
}

int lam_call_reduction(struct lam_call* call, struct lam_reduction* its, bool gives, bool gets, const void* sendbuf,
                       void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op) {
    struct lam_data from, to;
    *its = (struct lam_reduction){.call = call};
    if (call->error != MPI_SUCCESS || !(gives || gets)) return call->error;
    lam_call_data(call, "", NULL, count, datatype, &to);
    lam_call_op(call, op, &to, &its->op);
    from = to;
    from.in_place = gives && sendbuf == MPI_IN_PLACE;
    from.at = gives && !from.in_place ? (char*)sendbuf : NULL;
    to.in_place = gets && recvbuf == MPI_IN_PLACE;
    to.at = gets && !to.in_place ? recvbuf : NULL;
    if (!gets || call->comm->inter) lam_call_not_in_place(call, "sendbuf", &from);
    lam_call_not_in_place(call, "recvbuf", &to);
    if (gives) lam_call_memory(call, "sendbuf", &from);
    if (gets) lam_call_memory(call, "recvbuf", &to);
    if (!call->comm->inter) lam_call_not_same(call, &from, &to);
    its->own = from.in_place ? to.at : from.at;
    its->to = to.at;
    its->count = its->written = count;
    its->type = to.type;
    return call->error;
}
bool lam_call_plan_reduction(struct lam_reduction* its) {
    if (!lam_call_plan(its->call)) return false;
    if (its->op == NULL) return true;
    lam_schedule_hold_op(its->call->plan, its->op);
    const struct lam_data from = {.at = (char*)(uintptr_t)its->own, .count = its->count, .type = its->type};
    const struct lam_data to = {.at = its->to, .count = its->written, .type = its->type};
    if (its->own != its->to && its->own != NULL) lam_call_uses(its->call, &from, 1, false);
    if (its->to != NULL) lam_call_uses(its->call, &to, 1, true);
    return true;
}

static int reduce(struct lam_call call, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                  int root) {
    struct lam_reduction its;
    lam_call_begin(&call, LAM_REDUCE, root);
    const bool inter = call.error == MPI_SUCCESS && call.comm->inter;
    lam_call_reduction(&call, &its, !inter || !(call.is_root || call.is_outside), call.is_root, sendbuf, recvbuf, count,
                       datatype, op);
    if (!lam_call_plan_reduction(&its)) return call.error;
    plan_reduce(&its);
    return lam_call_end(&call);
}
static int allreduce(struct lam_call call, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op) {
    struct lam_reduction its;
    lam_call_begin(&call, LAM_ALLREDUCE, LAM_NO_ROOT);
    lam_call_reduction(&call, &its, true, true, sendbuf, recvbuf, count, datatype, op);
    if (!lam_call_plan_reduction(&its)) return call.error;
    plan_allreduce(&its);
    return lam_call_end(&call);
}
static int reduce_scatter(struct lam_call call, const void* sendbuf, void* recvbuf, const int recvcounts[],
                          MPI_Datatype datatype, MPI_Op op) {
    struct lam_reduction its;
    int count = 0;
    lam_call_begin(&call, LAM_REDUCE_SCATTER, LAM_NO_ROOT);
    lam_call_counts(&call, recvcounts, &count);
    lam_call_reduction(&call, &its, true, true, sendbuf, recvbuf, count, datatype, op);
    if (call.error == MPI_SUCCESS && sendbuf != MPI_IN_PLACE) its.written = recvcounts[call.rank];
    if (!lam_call_plan_reduction(&its)) return call.error;
    plan_reduce_scatter(&its, recvcounts, 0);
    return lam_call_end(&call);
}
static int reduce_scatter_block(struct lam_call call, const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype,
                                MPI_Op op) {
    struct lam_reduction its;
    lam_call_begin(&call, LAM_REDUCE_SCATTER_BLOCK, LAM_NO_ROOT);
    if (call.error == MPI_SUCCESS && recvcount < 0)
        call.error = lam_fail(call.handle, MPI_ERR_COUNT, call.function, "recvcount is %d", recvcount);
    lam_call_reduction(&call, &its, true, true, sendbuf, recvbuf, recvcount * call.size, datatype, op);
    if (call.error == MPI_SUCCESS && sendbuf != MPI_IN_PLACE) its.written = recvcount;
    if (!lam_call_plan_reduction(&its)) return call.error;
    plan_reduce_scatter(&its, NULL, recvcount);
    return lam_call_end(&call);
}

LAM_API(int, Reduce,
        (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm)) {
    return reduce(lam_now("MPI_Reduce", comm), sendbuf, recvbuf, count, datatype, op, root);
}
LAM_API(int, Ireduce,
        (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
         MPI_Request* request)) {
    return reduce(lam_later("MPI_Ireduce", comm, request), sendbuf, recvbuf, count, datatype, op, root);
}
LAM_API(int, Allreduce, (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)) {
    return allreduce(lam_now("MPI_Allreduce", comm), sendbuf, recvbuf, count, datatype, op);
}
LAM_API(int, Iallreduce,
        (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
         MPI_Request* request)) {
    return allreduce(lam_later("MPI_Iallreduce", comm, request), sendbuf, recvbuf, count, datatype, op);
}
LAM_API(int, Reduce_scatter,
        (const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)) {
    return reduce_scatter(lam_now("MPI_Reduce_scatter", comm), sendbuf, recvbuf, recvcounts, datatype, op);
}
LAM_API(int, Ireduce_scatter,
        (const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
         MPI_Request* request)) {
    return reduce_scatter(lam_later("MPI_Ireduce_scatter", comm, request), sendbuf, recvbuf, recvcounts, datatype, op);
}
LAM_API(int, Reduce_scatter_block,
        (const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)) {
    return reduce_scatter_block(lam_now("MPI_Reduce_scatter_block", comm), sendbuf, recvbuf, recvcount, datatype, op);
}
LAM_API(int, Ireduce_scatter_block,
        (const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
         MPI_Request* request)) {
    return reduce_scatter_block(lam_later("MPI_Ireduce_scatter_block", comm, request), sendbuf, recvbuf, recvcount, datatype,
                                op);
}

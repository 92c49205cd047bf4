/* MPI_Barrier(), MPI_Bcast() and their forms that do not block. */
#include "lam_collectives.h"

/* Dissemination: after round k each rank has heard of the 2^k ranks before it. */
void lam_plan_barrier(struct lam_schedule* plan, int rank, int size) {
    struct lam_type* byte = lam_type(MPI_BYTE);
    for (int distance = 1; distance < size; distance *= 2) {
        lam_next_round(plan);
        lam_step_receive(plan, NULL, 0, byte, (rank - distance + size) % size);
        lam_step_send(plan, NULL, 0, byte, (rank + distance) % size);
    }
}

/* Binomial tree: the farthest child, with the deepest tree below it, is served first. */
void lam_plan_bcast(struct lam_schedule* plan, void* data, int count, struct lam_type* type, int root, int rank, int size) {
    const int distance = (rank - root + size) % size;
    int mask = 1;
    while (mask < size && (distance & mask) == 0) mask *= 2;
    if (mask < size) {
        lam_next_round(plan);
        lam_step_receive(plan, data, count, type, (rank - mask + size) % size);
    }
    lam_next_round(plan);
    for (mask /= 2; mask > 0; mask /= 2)
        if (distance + mask < size) lam_step_send(plan, data, count, type, (rank + mask) % size);
}

static int barrier(struct lam_call call) {
    lam_call_begin(&call, LAM_BARRIER, LAM_NO_ROOT);
    if (!lam_call_plan(&call)) return call.error;
    lam_schedule_inside(call.plan, true);
    lam_plan_barrier(call.plan, call.rank, call.size);
    if (call.comm->inter) {
        struct lam_type* byte = lam_type(MPI_BYTE);
        lam_next_round(call.plan);
        lam_schedule_inside(call.plan, false);
        if (call.rank == 0) {
            lam_step_receive(call.plan, NULL, 0, byte, 0);
            lam_step_send(call.plan, NULL, 0, byte, 0);
        }
        lam_schedule_inside(call.plan, true);
        lam_plan_bcast(call.plan, NULL, 0, byte, 0, call.rank, call.size);
    }
    return lam_call_end(&call);
}

static int bcast(struct lam_call call, void* buffer, int count, MPI_Datatype datatype, int root) {
    struct lam_data data = {.at = NULL};
    lam_call_begin(&call, LAM_BCAST, root);
    if (call.error == MPI_SUCCESS && !call.is_outside) {
        lam_call_data(&call, "", buffer, count, datatype, &data);
        lam_call_not_in_place(&call, "buffer", &data);
        lam_call_memory(&call, "buffer", &data);
    }
    if (!lam_call_plan(&call)) return call.error;
    lam_call_uses(&call, &data, 1, !call.is_root);
    if (!call.comm->inter) {
        lam_plan_bcast(call.plan, data.at, data.count, data.type, root, call.rank, call.size);
    } else if (call.is_root) {
        lam_step_send(call.plan, data.at, data.count, data.type, 0);
    } else if (!call.is_outside) {
        if (call.rank == 0) lam_step_receive(call.plan, data.at, data.count, data.type, root);
        lam_schedule_inside(call.plan, true);
        lam_plan_bcast(call.plan, data.at, data.count, data.type, 0, call.rank, call.size);
    }
    return lam_call_end(&call);
}

LAM_API(int, Barrier, (MPI_Comm comm)) {
    return barrier(lam_now("MPI_Barrier", comm));
}
LAM_API(int, Ibarrier, (MPI_Comm comm, MPI_Request* request)) {
    return barrier(lam_later("MPI_Ibarrier", comm, request));
}
LAM_API(int, Bcast, (void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)) {
    return bcast(lam_now("MPI_Bcast", comm), buffer, count, datatype, root);
}
LAM_API(int, Ibcast, (void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request* request)) {
    return bcast(lam_later("MPI_Ibcast", comm, request), buffer, count, datatype, root);
}

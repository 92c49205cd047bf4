/* Copies of communicators, those that do not block among them. */
#include <stdlib.h>
#include <string.h>

#include "lam_collectives.h"
#include "lam_communicators.h"

/* All of the copy but its context. `info` is MPI_INFO_NULL, or that of the copy. */
static int make_twin(const struct lam_comm* comm, MPI_Info info, const char* function, MPI_Comm* handle) {
    lam_group_hold(comm->local);
    if (comm->inter) lam_group_hold(comm->remote);
    struct lam_comm* twin = lam_comm_new(comm->local, comm->inter ? comm->remote : NULL, UINT32_MAX - LAM_CONTEXTS, comm);
    int error = twin == NULL ? MPI_ERR_NO_MEM : lam_info_copy(info, &twin->info);
    if (error == MPI_SUCCESS && comm->topology != NULL) {
        twin->topology = lam_topology_copy(comm->topology);
        if (twin->topology == NULL) error = MPI_ERR_NO_MEM;
    }
    if (error != MPI_SUCCESS) {
        lam_comm_drop(twin);
        return lam_fail_memory(comm->handle, function);
    }
    lam_handle_hide(LAM_INFO, twin->info);
    error = lam_comm_publish(twin, comm, function, handle);
    if (error != MPI_SUCCESS) return error;
    error = lam_attributes_copy(comm->handle, comm->attributes, &twin->attributes, LAM_COMM);
    if (error == MPI_SUCCESS) return MPI_SUCCESS;
    lam_attributes_delete(*handle, &twin->attributes, LAM_COMM);
    lam_handle_free(LAM_COMM, *handle);
    *handle = MPI_COMM_NULL;
    lam_comm_drop(twin);
    return lam_fail(comm->handle, error, function, "the function that copies an attribute returned %d", error);
}

static void give_context(struct lam_comm* twin, uint32_t context) {
    twin->context = context;
    if (twin->inter) twin->own_side->context = context + LAM_CONTEXTS;
}

/* The members agree before the callbacks run: one that fails must not keep the others waiting. */
static int duplicate(struct lam_comm* comm, MPI_Info info, const char* function, MPI_Comm* newcomm) {
    if (newcomm == NULL) return lam_fail_null(comm->handle, function, "newcomm");
    MPI_Comm made = MPI_COMM_NULL;
    uint32_t context = 0;
    *newcomm = MPI_COMM_NULL;
    int error = lam_agree_on_context(comm, &context);
    if (error != MPI_SUCCESS) return lam_fail_agreement(comm, error, function);
    error = make_twin(comm, info, function, &made);
    if (error != MPI_SUCCESS) return error;
    give_context(lam_comm(made), context);
    *newcomm = made;
    return MPI_SUCCESS;
}
LAM_API(int, Comm_dup, (MPI_Comm handle, MPI_Comm* newcomm)) {
    struct lam_comm* comm = NULL;
    const int error = lam_find_comm(handle, "MPI_Comm_dup", LAM_ANY_SORT, &comm);
    return error != MPI_SUCCESS ? error : duplicate(comm, comm->info, "MPI_Comm_dup", newcomm);
}
LAM_API(int, Comm_dup_with_info, (MPI_Comm handle, MPI_Info info, MPI_Comm* newcomm)) {
    const char* const function = "MPI_Comm_dup_with_info";
    struct lam_comm* comm = NULL;
    const int error = lam_find_comm(handle, function, LAM_ANY_SORT, &comm);
    if (error != MPI_SUCCESS) return error;
    if (info != MPI_INFO_NULL && !lam_is_info(info))
        return lam_fail(handle, MPI_ERR_INFO, function, "info %s", lam_why_not(LAM_INFO, info));
    return duplicate(comm, info, function, newcomm);
}

/* A copy that does not block cannot take part in a maximum: other communicators may be made meanwhile. One rank names a context
 * that no other rank ever names. These contexts have the highest bit, and the maxima never reach it. */
static uint32_t own_context(void) {
    static uint32_t count;
    const uint32_t number = count++ * (uint32_t)lam_world_size + (uint32_t)lam_world->rank;
    return 0x80000000u + number * 2 * LAM_CONTEXTS;
}
struct later {
    struct lam_comm* twin;
    uint32_t context;
};
static int end_twin(void* context) {
    struct later* later = context;
    give_context(later->twin, later->context);
    lam_comm_drop(later->twin);
    return MPI_SUCCESS;
}

/* Rank 0 names the context; of two sides the one with the lower first rank. The other side's rank 0 tells the rest. */
static void tell_context(struct lam_schedule* plan, const struct lam_comm* comm, uint32_t* context) {
    struct lam_type* type = lam_type(MPI_UINT32_T);
    const bool names = !comm->inter || comm->local->world[0] < comm->remote->world[0];
    if (names && comm->rank == 0) {
        *context = own_context();
        for (int rank = comm->inter ? 0 : 1; rank < comm->remote->size; ++rank) lam_step_send(plan, context, 1, type, rank);
    } else {
        lam_step_receive(plan, context, 1, type, 0);
    }
    lam_next_round(plan);
    if (!names && comm->rank == 0)
        for (int rank = 1; rank < comm->remote->size; ++rank) lam_step_send(plan, context, 1, type, rank);
    lam_next_round(plan);
}

LAM_API(int, Comm_idup, (MPI_Comm handle, MPI_Comm* newcomm, MPI_Request* request)) {
    const char* const function = "MPI_Comm_idup";
    struct lam_comm* comm = NULL;
    int error = lam_find_comm(handle, function, LAM_ANY_SORT, &comm);
    if (error != MPI_SUCCESS) return error;
    if (newcomm == NULL) return lam_fail_null(handle, function, "newcomm");
    if (request == NULL) return lam_fail_null(handle, function, "request");
    *newcomm = MPI_COMM_NULL;
    struct lam_schedule* plan = lam_schedule_new(comm, false);
    struct later* later = plan == NULL ? NULL : lam_schedule_room(plan, sizeof *later);
    if (later == NULL) {
        if (plan != NULL) lam_schedule_free(plan);
        return lam_fail_memory(handle, function);
    }
    MPI_Comm made = MPI_COMM_NULL;
    error = make_twin(comm, comm->info, function, &made);
    if (error != MPI_SUCCESS) {
        lam_schedule_free(plan);
        return error;
    }
    *newcomm = made;
    later->twin = lam_comm(made);
    lam_comm_hold(later->twin);
    tell_context(plan, comm, &later->context);
    lam_step_call(plan, end_twin, later);
    error = lam_schedule_run(plan, request);
    return error == MPI_SUCCESS ? error : lam_fail_agreement(comm, error, function);
}

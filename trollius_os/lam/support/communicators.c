/* Communicators: their life, how members agree on a context, and the makers that keep or shrink a communicator. */
#include <stdlib.h>
#include <string.h>

#include "lam_communicators.h"

struct lam_comm* lam_world;
uint32_t lam_next_context;

struct lam_comm* lam_comm(MPI_Comm handle) {
    return lam_object(LAM_COMM, handle);
}
void lam_comm_hold(struct lam_comm* comm) {
    ++comm->references;
}
void lam_comm_drop(struct lam_comm* comm) {
    if (comm == NULL || --comm->references > 0) return;
    lam_group_drop(comm->local);
    lam_group_drop(comm->remote);
    lam_comm_drop(comm->own_side);
    lam_errhandler_drop(comm->errhandler);
    lam_topology_drop(comm->topology);
    lam_info_drop(comm->info);
    free(comm);
}

struct lam_comm* lam_comm_new(struct lam_group* local, struct lam_group* remote, uint32_t context,
                              const struct lam_comm* parent) {
    struct lam_comm* comm = local == NULL ? NULL : calloc(1, sizeof *comm);
    if (comm == NULL) {
        lam_group_drop(local);
        lam_group_drop(remote);
        return NULL;
    }
    comm->references = 1;
    comm->handle = MPI_COMM_NULL;
    comm->context = context;
    comm->local = local;
    comm->rank = local->rank;
    comm->inter = remote != NULL;
    comm->remote = remote == NULL ? local : remote;
    comm->errhandler = parent == NULL ? MPI_ERRORS_ARE_FATAL : parent->errhandler;
    comm->info = MPI_INFO_NULL;
    lam_errhandler_hold(comm->errhandler);
    lam_group_hold(local); /* for `remote`, or for `own_side` */
    if (remote == NULL) return comm;
    comm->own_side = lam_comm_new(local, NULL, context + LAM_CONTEXTS, parent);
    if (comm->own_side != NULL) return comm;
    lam_comm_drop(comm);
    return NULL;
}

int lam_comm_publish(struct lam_comm* comm, const struct lam_comm* parent, const char* function, MPI_Comm* handle) {
    *handle = MPI_COMM_NULL;
    if (comm != NULL) *handle = comm->handle = lam_handle_new(LAM_COMM, comm);
    if (*handle != MPI_COMM_NULL) return MPI_SUCCESS;
    lam_comm_drop(comm);
    return lam_fail_memory(parent->handle, function);
}

static struct lam_comm* begin_with(int first, int count, MPI_Comm handle, const char* name) {
    int* world = malloc((size_t)count * sizeof *world);
    for (int i = 0; i < count && world != NULL; ++i) world[i] = first + i;
    struct lam_group* group = world == NULL ? NULL : lam_group_new(count, world);
    struct lam_comm* comm = lam_comm_new(group, NULL, lam_take_context(lam_next_context, 1), NULL);
    if (comm == NULL) lam_port_abort(MPI_ERR_NO_MEM);
    comm->handle = handle;
    strcpy(comm->name, name);
    lam_handle_set(LAM_COMM, handle, comm);
    return comm;
}
void lam_communicators_begin(int rank, int size) {
    lam_groups_begin(rank, size);
    lam_errhandlers_begin();
    lam_info_begin(size);
    lam_world = begin_with(0, size, MPI_COMM_WORLD, "MPI_COMM_WORLD");
    begin_with(rank, 1, MPI_COMM_SELF, "MPI_COMM_SELF");
}

int lam_find_comm(MPI_Comm handle, const char* function, enum lam_sort sort, struct lam_comm** comm) {
    const int error = lam_require_running(function);
    if (error != MPI_SUCCESS) return error;
    *comm = lam_comm(handle);
    if (*comm == NULL)
        return lam_fail(handle, MPI_ERR_COMM, function,
                        "comm %s", lam_why_not(LAM_COMM, handle));
    if (sort == LAM_INTRA && (*comm)->inter)
        return lam_fail(handle, MPI_ERR_COMM, function, "comm is an inter-communicator, and the function wants one group");
    if (sort == LAM_INTER && !(*comm)->inter) return lam_fail(handle, MPI_ERR_COMM, function, "comm is no inter-communicator");
    return MPI_SUCCESS;
}

/* ---- Contexts ---- */

uint32_t lam_take_context(uint32_t wanted, int communicators) {
    lam_next_context = wanted + (uint32_t)communicators * LAM_CONTEXTS;
    return wanted;
}

int lam_agree_on_context(struct lam_comm* comm, uint32_t* context) {
    uint32_t highest = lam_next_context, other = 0;
    int error = lam_private_maximum(&highest, comm->inter ? comm->own_side : comm);
    if (error == MPI_SUCCESS && comm->inter) error = lam_swap_sides(comm, &highest, sizeof highest, &other, sizeof other);
    if (error != MPI_SUCCESS) return error;
    *context = lam_take_context(other > highest ? other : highest, comm->inter ? 2 : 1);
    return MPI_SUCCESS;
}

int lam_fail_agreement(const struct lam_comm* comm, int error, const char* function) {
    return lam_fail(comm->handle, error, function, "the members could not agree on the new communicator");
}

/* ---- Subsets ---- */

static int check_members(const struct lam_comm* comm, const struct lam_group* group, const char* function) {
    for (int i = 0; i < group->size; ++i)
        if (comm->local->inverse[group->world[i]] == MPI_UNDEFINED)
            return lam_fail(comm->handle, MPI_ERR_GROUP, function,
                            "rank %d of the group is rank %d of MPI_COMM_WORLD, which is not in comm", i, group->world[i]);
    return MPI_SUCCESS;
}

/* All members of a side name the same group, if any; so each tells its own place in it. Fills in the list. */
static int gather_members(const int32_t* places, const struct lam_group* side, int* world) {
    int count = 0;
    for (int i = 0; i < side->size; ++i) {
        if (places[i] < 0 || places[i] >= side->size) continue;
        world[places[i]] = side->world[i];
        ++count;
    }
    return count;
}

static int create_inter(struct lam_comm* comm, const struct lam_group* group, const char* function, MPI_Comm* newcomm) {
    const int sizes[2] = {comm->local->size, comm->remote->size};
    int32_t* places[2] = {NULL, NULL};
    int* world[2] = {NULL, NULL};
    struct lam_group* made[2] = {NULL, NULL};
    bool has_memory = true;
    for (int side = 0; side < 2; ++side) {
        places[side] = malloc((size_t)sizes[side] * sizeof **places);
        world[side] = malloc((size_t)sizes[side] * sizeof **world);
        has_memory = has_memory && places[side] != NULL && world[side] != NULL;
    }
    const int32_t own = group->rank == MPI_UNDEFINED ? -1 : group->rank;
    uint32_t context = 0;
    int error = has_memory ? lam_agree_on_context(comm, &context) : MPI_ERR_NO_MEM;
    if (error == MPI_SUCCESS) error = lam_private_gather(&own, sizeof own, places[0], comm->own_side);
    if (error == MPI_SUCCESS)
        error =
            lam_swap_sides(comm, places[0], (size_t)sizes[0] * sizeof **places, places[1], (size_t)sizes[1] * sizeof **places);
    int counts[2] = {0, 0};
    if (error == MPI_SUCCESS) {
        counts[0] = gather_members(places[0], comm->local, world[0]);
        counts[1] = gather_members(places[1], comm->remote, world[1]);
    }
    const bool is_member = error == MPI_SUCCESS && own >= 0 && counts[1] > 0;
    for (int side = 0; side < 2; ++side) {
        if (is_member)
            made[side] = lam_group_new(counts[side], world[side]);
        else
            free(world[side]);
        free(places[side]);
    }
    if (error != MPI_SUCCESS) return lam_fail_agreement(comm, error, function);
    if (!is_member) return MPI_SUCCESS;
    if (made[0] == NULL || made[1] == NULL) {
        lam_group_drop(made[0]);
        lam_group_drop(made[1]);
        return lam_fail_memory(comm->handle, function);
    }
    return lam_comm_publish(lam_comm_new(made[0], made[1], context, comm), comm, function, newcomm);
}

LAM_API(int, Comm_create, (MPI_Comm handle, MPI_Group group_handle, MPI_Comm* newcomm)) {
    const char* const function = "MPI_Comm_create";
    struct lam_comm* comm = NULL;
    struct lam_group* group = NULL;
    int error = lam_find_comm(handle, function, LAM_ANY_SORT, &comm);
    if (error == MPI_SUCCESS) error = lam_find_group(group_handle, function, "group", handle, &group);
    if (error == MPI_SUCCESS) error = check_members(comm, group, function);
    if (error != MPI_SUCCESS) return error;
    if (newcomm == NULL) return lam_fail_null(handle, function, "newcomm");
    *newcomm = MPI_COMM_NULL;
    if (comm->inter) return create_inter(comm, group, function, newcomm);
    uint32_t context = 0;
    error = lam_agree_on_context(comm, &context);
    if (error != MPI_SUCCESS) return lam_fail_agreement(comm, error, function);
    if (group->rank == MPI_UNDEFINED) return MPI_SUCCESS;
    return lam_comm_publish(lam_comm_new(lam_group_copy(group), NULL, context, comm), comm, function, newcomm);
}

/* Only the members of the group take part; its rank 0 collects. */
static int agree_in_group(struct lam_comm* comm, const struct lam_group* group, int tag, uint32_t* context) {
    uint32_t highest = lam_next_context, other = 0;
    int error = MPI_SUCCESS;
    const int* among = comm->local->inverse;
    if (group->rank != 0) {
        error = lam_private_send(&highest, sizeof highest, among[group->world[0]], tag, comm);
        if (error == MPI_SUCCESS) error = lam_private_receive(&highest, sizeof highest, among[group->world[0]], tag, comm);
    } else {
        for (int i = 1; i < group->size && error == MPI_SUCCESS; ++i) {
            error = lam_private_receive(&other, sizeof other, among[group->world[i]], tag, comm);
            if (other > highest) highest = other;
        }
        for (int i = 1; i < group->size && error == MPI_SUCCESS; ++i)
            error = lam_private_send(&highest, sizeof highest, among[group->world[i]], tag, comm);
    }
    if (error == MPI_SUCCESS) *context = lam_take_context(highest, 1);
    return error;
}

LAM_API(int, Comm_create_group, (MPI_Comm handle, MPI_Group group_handle, int tag, MPI_Comm* newcomm)) {
    const char* const function = "MPI_Comm_create_group";
    struct lam_comm* comm = NULL;
    struct lam_group* group = NULL;
    int error = lam_find_comm(handle, function, LAM_INTRA, &comm);
    if (error == MPI_SUCCESS) error = lam_find_group(group_handle, function, "group", handle, &group);
    if (error == MPI_SUCCESS) error = check_members(comm, group, function);
    if (error != MPI_SUCCESS) return error;
    if (tag < 0 || tag > LAM_HIGHEST_TAG) return lam_fail(handle, MPI_ERR_TAG, function, "tag is %d", tag);
    if (newcomm == NULL) return lam_fail_null(handle, function, "newcomm");
    *newcomm = MPI_COMM_NULL;
    if (group->rank == MPI_UNDEFINED) return MPI_SUCCESS;
    uint32_t context = 0;
    error = agree_in_group(comm, group, tag, &context);
    if (error != MPI_SUCCESS) return lam_fail_agreement(comm, error, function);
    return lam_comm_publish(lam_comm_new(lam_group_copy(group), NULL, context, comm), comm, function, newcomm);
}

/* ---- The end ---- */

static int end_comm(MPI_Comm* handle, const char* function, bool waits) {
    struct lam_comm* comm = NULL;
    if (handle == NULL) return lam_fail_null(MPI_COMM_WORLD, function, "comm");
    int error = lam_find_comm(*handle, function, LAM_ANY_SORT, &comm);
    if (error != MPI_SUCCESS) return error;
    if (*handle == MPI_COMM_WORLD || *handle == MPI_COMM_SELF)
        return lam_fail(*handle, MPI_ERR_COMM, function, "comm is %s, which lives until the end", comm->name);
    if (waits) lam_comm_wait(comm);
    error = lam_attributes_delete(*handle, &comm->attributes, LAM_COMM);
    if (error != MPI_SUCCESS)
        return lam_fail(*handle, error, function, "the function that deletes an attribute returned %d", error);
    lam_handle_free(LAM_COMM, *handle);
    *handle = MPI_COMM_NULL;
    lam_comm_drop(comm);
    return MPI_SUCCESS;
}
LAM_API(int, Comm_free, (MPI_Comm * comm)) {
    return end_comm(comm, "MPI_Comm_free", false);
}
LAM_API(int, Comm_disconnect, (MPI_Comm * comm)) {
    return end_comm(comm, "MPI_Comm_disconnect", true);
}

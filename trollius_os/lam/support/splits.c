/* MPI_Comm_split() and its relatives: members with one colour are together, ordered by key. */
#include <stdlib.h>
#include <string.h>

#include "lam_communicators.h"

struct chosen {
    int key, rank;
};
static int by_key(const void* first, const void* second) {
    const struct chosen *one = first, *other = second;
    if (one->key != other->key) return one->key < other->key ? -1 : 1;
    return one->rank < other->rank ? -1 : one->rank > other->rank;
}

/* Those of `side` with the colour; NULL: no memory. */
static struct lam_group* group_of(const struct lam_split* rows, const struct lam_group* side, int color) {
    struct chosen* chosen = malloc((size_t)side->size * sizeof *chosen);
    int* world = malloc((size_t)side->size * sizeof *world);
    int count = 0;
    for (int i = 0; i < side->size && chosen != NULL; ++i)
        if (rows[i].color == color) chosen[count++] = (struct chosen){rows[i].key, i};
    if (chosen != NULL && world != NULL) {
        qsort(chosen, (size_t)count, sizeof *chosen, by_key);
        for (int i = 0; i < count; ++i) world[i] = side->world[chosen[i].rank];
    }
    free(chosen);
    return chosen == NULL || world == NULL ? (free(world), NULL) : lam_group_new(count, world);
}

static uint32_t highest_of(const struct lam_split* rows, int count, uint32_t highest) {
    for (int i = 0; i < count; ++i)
        if (rows[i].next_context > highest) highest = rows[i].next_context;
    return highest;
}

/* Rows of all members; of an inter-communicator those of the other side follow. */
static int gather_rows(struct lam_comm* comm, const struct lam_split* own, struct lam_split* rows) {
    if (!comm->inter) return lam_private_gather(own, sizeof *own, rows, comm);
    const size_t local = (size_t)comm->local->size, remote = (size_t)comm->remote->size;
    const int error = lam_private_gather(own, sizeof *own, rows, comm->own_side);
    if (error != MPI_SUCCESS) return error;
    return lam_swap_sides(comm, rows, local * sizeof *rows, rows + local, remote * sizeof *rows);
}

int lam_comm_split(struct lam_comm* comm, int color, int key, const char* function, MPI_Comm* newcomm) {
    const int local = comm->local->size, remote = comm->inter ? comm->remote->size : 0;
    const struct lam_split own = {color, key, lam_next_context};
    *newcomm = MPI_COMM_NULL;
    struct lam_split* rows = malloc((size_t)(local + remote) * sizeof *rows);
    if (rows == NULL) return lam_fail_memory(comm->handle, function);
    const int error = gather_rows(comm, &own, rows);
    if (error != MPI_SUCCESS) {
        free(rows);
        return lam_fail_agreement(comm, error, function);
    }
    /* One context serves all colours, since no rank has two of them. */
    const uint32_t context = lam_take_context(highest_of(rows, local + remote, 0), comm->inter ? 2 : 1);
    if (color == MPI_UNDEFINED) {
        free(rows);
        return MPI_SUCCESS;
    }
    struct lam_group* own_group = group_of(rows, comm->local, color);
    struct lam_group* other_group = comm->inter ? group_of(rows + local, comm->remote, color) : NULL;
    free(rows);
    if (own_group == NULL || (comm->inter && other_group == NULL)) {
        lam_group_drop(own_group);
        lam_group_drop(other_group);
        return lam_fail_memory(comm->handle, function);
    }
    if (comm->inter && other_group->size == 0) { /* the other side has no such colour */
        lam_group_drop(own_group);
        lam_group_drop(other_group);
        return MPI_SUCCESS;
    }
    return lam_comm_publish(lam_comm_new(own_group, other_group, context, comm), comm, function, newcomm);
}

LAM_API(int, Comm_split, (MPI_Comm handle, int color, int key, MPI_Comm* newcomm)) {
    struct lam_comm* comm = NULL;
    const int error = lam_find_comm(handle, "MPI_Comm_split", LAM_ANY_SORT, &comm);
    if (error != MPI_SUCCESS) return error;
    if (color < 0 && color != MPI_UNDEFINED)
        return lam_fail(handle, MPI_ERR_ARG, "MPI_Comm_split", "color is %d; a colour is 0 or more, or MPI_UNDEFINED", color);
    if (newcomm == NULL) return lam_fail_null(handle, "MPI_Comm_split", "newcomm");
    return lam_comm_split(comm, color, key, "MPI_Comm_split", newcomm);
}

/* The first rank whose node has the same name. */
static int node_color(struct lam_comm* comm, int* color) {
    char own[MPI_MAX_PROCESSOR_NAME] = "";
    char* names = malloc((size_t)comm->local->size * sizeof own);
    if (names == NULL) return MPI_ERR_NO_MEM;
    lam_port_name(own, sizeof own);
    own[sizeof own - 1] = '\0';
    const int error = lam_private_gather(own, sizeof own, names, comm);
    *color = comm->rank;
    for (int i = comm->rank - 1; i >= 0 && error == MPI_SUCCESS; --i)
        if (strcmp(names + (size_t)i * sizeof own, own) == 0) *color = i;
    free(names);
    return error;
}

LAM_API(int, Comm_split_type, (MPI_Comm handle, int split_type, int key, MPI_Info info, MPI_Comm* newcomm)) {
    const char* const function = "MPI_Comm_split_type";
    struct lam_comm* comm = NULL;
    int error = lam_find_comm(handle, function, LAM_INTRA, &comm);
    if (error != MPI_SUCCESS) return error;
    if (split_type != MPI_COMM_TYPE_SHARED && split_type != MPI_UNDEFINED)
        return lam_fail(handle, MPI_ERR_ARG, function, "split_type is %d; it is MPI_COMM_TYPE_SHARED or MPI_UNDEFINED",
                        split_type);
    if (info != MPI_INFO_NULL && !lam_is_info(info))
        return lam_fail(handle, MPI_ERR_INFO, function, "info %s", lam_why_not(LAM_INFO, info));
    if (newcomm == NULL) return lam_fail_null(handle, function, "newcomm");
    *newcomm = MPI_COMM_NULL;
    int color = MPI_UNDEFINED;
    error = node_color(comm, &color);
    if (error != MPI_SUCCESS) return lam_fail_agreement(comm, error, function);
    return lam_comm_split(comm, split_type == MPI_UNDEFINED ? MPI_UNDEFINED : color, key, function, newcomm);
}

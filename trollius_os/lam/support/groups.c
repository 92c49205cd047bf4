/* Groups: ordered sets of ranks of the world. */
#include <stdlib.h>
#include <string.h>

#include "lam_communicators.h"

int lam_world_size;
static struct lam_group* empty;
static int own_world_rank;

struct lam_group* lam_group_new(int size, int* world) {
    struct lam_group* group = calloc(1, sizeof *group);
    int* inverse = malloc((size_t)lam_world_size * sizeof *inverse);
    if (group == NULL || inverse == NULL) {
        free(group);
        free(inverse);
        free(world);
        return NULL;
    }
    group->references = 1;
    group->handle = MPI_GROUP_NULL;
    group->size = size;
    group->world = world;
    group->inverse = inverse;
    for (int i = 0; i < lam_world_size; ++i) inverse[i] = MPI_UNDEFINED;
    group->mark = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < size; ++i) {
        inverse[world[i]] = i;
        group->mark = (group->mark ^ (uint64_t)world[i]) * UINT64_C(0x100000001b3) | 1;
    }
    group->rank = inverse[own_world_rank];
    return group;
}
struct lam_group* lam_group_copy(const struct lam_group* group) {
    int* world = malloc((size_t)group->size * sizeof *world + 1);
    if (world == NULL) return NULL;
    memcpy(world, group->world, (size_t)group->size * sizeof *world);
    return lam_group_new(group->size, world);
}
void lam_group_hold(struct lam_group* group) {
    ++group->references;
}
void lam_group_drop(struct lam_group* group) {
    if (group == NULL || --group->references > 0) return;
    free(group->world);
    free(group->inverse);
    free(group);
}

void lam_groups_begin(int rank, int size) {
    lam_world_size = size;
    own_world_rank = rank;
    empty = lam_group_new(0, NULL);
    if (empty == NULL) lam_port_abort(MPI_ERR_NO_MEM);
    empty->handle = MPI_GROUP_EMPTY;
    lam_handle_set(LAM_GROUP, MPI_GROUP_EMPTY, empty);
}

int lam_group_handle(struct lam_group* group, MPI_Group* handle) {
    if (group == NULL) return MPI_ERR_NO_MEM;
    if (group->size == 0) {
        lam_group_drop(group);
        *handle = MPI_GROUP_EMPTY;
        return MPI_SUCCESS;
    }
    group->handle = *handle = lam_handle_new(LAM_GROUP, group);
    if (*handle != MPI_GROUP_NULL) return MPI_SUCCESS;
    lam_group_drop(group);
    return MPI_ERR_NO_MEM;
}

int lam_find_group(MPI_Group handle, const char* function, const char* argument, MPI_Comm comm, struct lam_group** group) {
    const int error = lam_require_running(function);
    if (error != MPI_SUCCESS) return error;
    *group = lam_object(LAM_GROUP, handle);
    if (*group != NULL) return MPI_SUCCESS;
    return lam_fail(comm, MPI_ERR_GROUP, function, "%s %s", argument, lam_why_not(LAM_GROUP, handle));
}
static int find(MPI_Group handle, const char* function, const char* argument, struct lam_group** group) {
    return lam_find_group(handle, function, argument, MPI_COMM_WORLD, group);
}

LAM_API(int, Group_size, (MPI_Group group, int* size)) {
    struct lam_group* its = NULL;
    const int error = find(group, "MPI_Group_size", "group", &its);
    if (error != MPI_SUCCESS) return error;
    if (size == NULL) return lam_fail_null(MPI_COMM_WORLD, "MPI_Group_size", "size");
    *size = its->size;
    return MPI_SUCCESS;
}
LAM_API(int, Group_rank, (MPI_Group group, int* rank)) {
    struct lam_group* its = NULL;
    const int error = find(group, "MPI_Group_rank", "group", &its);
    if (error != MPI_SUCCESS) return error;
    if (rank == NULL) return lam_fail_null(MPI_COMM_WORLD, "MPI_Group_rank", "rank");
    *rank = its->rank;
    return MPI_SUCCESS;
}

LAM_API(int, Group_translate_ranks, (MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[])) {
    const char* const function = "MPI_Group_translate_ranks";
    struct lam_group *from = NULL, *to = NULL;
    int error = find(group1, function, "group1", &from);
    if (error == MPI_SUCCESS) error = find(group2, function, "group2", &to);
    if (error != MPI_SUCCESS) return error;
    if (n < 0) return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, function, "n is %d", n);
    if (n > 0 && (ranks1 == NULL || ranks2 == NULL))
        return lam_fail_null(MPI_COMM_WORLD, function, ranks1 == NULL ? "ranks1" : "ranks2");
    for (int i = 0; i < n; ++i)
        if (ranks1[i] != MPI_PROC_NULL && (ranks1[i] < 0 || ranks1[i] >= from->size))
            return lam_fail(MPI_COMM_WORLD, MPI_ERR_RANK, function, "ranks1[%d] is %d, and group1 has %d ranks", i, ranks1[i],
                            from->size);
    for (int i = 0; i < n; ++i) ranks2[i] = ranks1[i] == MPI_PROC_NULL ? MPI_PROC_NULL : to->inverse[from->world[ranks1[i]]];
    return MPI_SUCCESS;
}

int lam_groups_compare(const struct lam_group* first, const struct lam_group* second) {
    if (first->size != second->size) return MPI_UNEQUAL;
    int result = MPI_IDENT;
    for (int i = 0; i < first->size; ++i) {
        const int other = second->inverse[first->world[i]];
        if (other == MPI_UNDEFINED) return MPI_UNEQUAL;
        if (other != i) result = MPI_SIMILAR;
    }
    return result;
}
LAM_API(int, Group_compare, (MPI_Group group1, MPI_Group group2, int* result)) {
    const char* const function = "MPI_Group_compare";
    struct lam_group *first = NULL, *second = NULL;
    int error = find(group1, function, "group1", &first);
    if (error == MPI_SUCCESS) error = find(group2, function, "group2", &second);
    if (error != MPI_SUCCESS) return error;
    if (result == NULL) return lam_fail_null(MPI_COMM_WORLD, function, "result");
    *result = lam_groups_compare(first, second);
    return MPI_SUCCESS;
}

LAM_API(int, Group_free, (MPI_Group * group)) {
    struct lam_group* its = NULL;
    if (group == NULL) return lam_fail_null(MPI_COMM_WORLD, "MPI_Group_free", "group");
    const int error = find(*group, "MPI_Group_free", "group", &its);
    if (error != MPI_SUCCESS) return error;
    if (*group != MPI_GROUP_EMPTY) {
        lam_handle_free(LAM_GROUP, *group);
        lam_group_drop(its);
    }
    *group = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}

/* Functions that make groups of groups. */
#include <stdlib.h>

#include "lam_communicators.h"

/* Takes the list over; NULL: there was no memory for it. */
static int give(int size, int* world, const char* function, MPI_Group* newgroup) {
    const int error = world == NULL ? MPI_ERR_NO_MEM : lam_group_handle(lam_group_new(size, world), newgroup);
    return error == MPI_SUCCESS ? error : lam_fail_memory(MPI_COMM_WORLD, function);
}

enum set { set_union, set_intersection, set_difference };
static int combine(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup, enum set set, const char* function) {
    struct lam_group *first = NULL, *second = NULL;
    int error = lam_find_group(group1, function, "group1", MPI_COMM_WORLD, &first);
    if (error == MPI_SUCCESS) error = lam_find_group(group2, function, "group2", MPI_COMM_WORLD, &second);
    if (error != MPI_SUCCESS) return error;
    if (newgroup == NULL) return lam_fail_null(MPI_COMM_WORLD, function, "newgroup");
    int* world = malloc((size_t)(first->size + second->size + 1) * sizeof *world);
    if (world == NULL) return lam_fail_memory(MPI_COMM_WORLD, function);
    int size = 0;
    for (int i = 0; i < first->size; ++i) {
        const bool in_both = second->inverse[first->world[i]] != MPI_UNDEFINED;
        if (set == set_union || in_both == (set == set_intersection)) world[size++] = first->world[i];
    }
    for (int i = 0; set == set_union && i < second->size; ++i)
        if (first->inverse[second->world[i]] == MPI_UNDEFINED) world[size++] = second->world[i];
    return give(size, world, function, newgroup);
}
LAM_API(int, Group_union, (MPI_Group group1, MPI_Group group2, MPI_Group* newgroup)) {
    return combine(group1, group2, newgroup, set_union, "MPI_Group_union");
}
LAM_API(int, Group_intersection, (MPI_Group group1, MPI_Group group2, MPI_Group* newgroup)) {
    return combine(group1, group2, newgroup, set_intersection, "MPI_Group_intersection");
}
LAM_API(int, Group_difference, (MPI_Group group1, MPI_Group group2, MPI_Group* newgroup)) {
    return combine(group1, group2, newgroup, set_difference, "MPI_Group_difference");
}

/* The ranks that the program lists, checked: each is in the group, none comes twice. */
struct choice {
    const char* function;
    const struct lam_group* group;
    bool* chosen; /* of each rank of the group */
    int* world;   /* members in the order of the list */
    int size;
};

static int begin_choice(MPI_Group handle, int n, const void* list, const char* argument, const MPI_Group* newgroup,
                        struct choice* choice) {
    struct lam_group* group = NULL;
    const char* const function = choice->function;
    const int error = lam_find_group(handle, function, "group", MPI_COMM_WORLD, &group);
    if (error != MPI_SUCCESS) return error;
    if (n < 0) return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, function, "n is %d", n);
    if (n > 0 && list == NULL) return lam_fail_null(MPI_COMM_WORLD, function, argument);
    if (newgroup == NULL) return lam_fail_null(MPI_COMM_WORLD, function, "newgroup");
    choice->group = group;
    choice->size = 0;
    choice->chosen = calloc((size_t)group->size + 1, sizeof *choice->chosen);
    choice->world = malloc(((size_t)group->size + 1) * sizeof *choice->world);
    if (choice->chosen != NULL && choice->world != NULL) return MPI_SUCCESS;
    free(choice->chosen);
    free(choice->world);
    return lam_fail_memory(MPI_COMM_WORLD, function);
}

static int choose(struct choice* choice, int rank, int error_class, const char* argument, int at) {
    if (rank < 0 || rank >= choice->group->size)
        return lam_fail(MPI_COMM_WORLD, error_class, choice->function, "%s[%d] names rank %d, and the group has %d ranks",
                        argument, at, rank, choice->group->size);
    if (choice->chosen[rank])
        return lam_fail(MPI_COMM_WORLD, error_class, choice->function, "%s[%d] names rank %d a second time", argument, at,
                        rank);
    choice->chosen[rank] = true;
    choice->world[choice->size++] = choice->group->world[rank];
    return MPI_SUCCESS;
}

/* The list itself, or all others in the order of the group. */
static int end_choice(struct choice* choice, int error, bool others, MPI_Group* newgroup) {
    if (error == MPI_SUCCESS && others) {
        choice->size = 0;
        for (int i = 0; i < choice->group->size; ++i)
            if (!choice->chosen[i]) choice->world[choice->size++] = choice->group->world[i];
    }
    free(choice->chosen);
    if (error == MPI_SUCCESS) return give(choice->size, choice->world, choice->function, newgroup);
    free(choice->world);
    return error;
}

static int by_ranks(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup, bool others, const char* function) {
    struct choice choice = {.function = function};
    int error = begin_choice(group, n, ranks, "ranks", newgroup, &choice);
    if (error != MPI_SUCCESS) return error;
    for (int i = 0; i < n && error == MPI_SUCCESS; ++i) error = choose(&choice, ranks[i], MPI_ERR_RANK, "ranks", i);
    return end_choice(&choice, error, others, newgroup);
}
LAM_API(int, Group_incl, (MPI_Group group, int n, const int ranks[], MPI_Group* newgroup)) {
    return by_ranks(group, n, ranks, newgroup, false, "MPI_Group_incl");
}
LAM_API(int, Group_excl, (MPI_Group group, int n, const int ranks[], MPI_Group* newgroup)) {
    return by_ranks(group, n, ranks, newgroup, true, "MPI_Group_excl");
}

static int choose_range(struct choice* choice, const int range[3], int at) {
    const int first = range[0], last = range[1], stride = range[2];
    if (stride == 0) return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, choice->function, "ranges[%d] has stride 0", at);
    if (first < 0 || first >= choice->group->size)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, choice->function,
                        "ranges[%d] begins at rank %d, and the group has %d ranks", at, first, choice->group->size);
    if ((stride > 0 && last < first) || (stride < 0 && last > first))
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, choice->function, "ranges[%d] goes from %d to %d with stride %d", at,
                        first, last, stride);
    int error = MPI_SUCCESS;
    for (long long rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride) {
        error = choose(choice, (int)rank, MPI_ERR_ARG, "ranges", at);
        if (error != MPI_SUCCESS) break;
    }
    return error;
}
static int by_ranges(MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup, bool others, const char* function) {
    struct choice choice = {.function = function};
    int error = begin_choice(group, n, ranges, "ranges", newgroup, &choice);
    if (error != MPI_SUCCESS) return error;
    for (int i = 0; i < n && error == MPI_SUCCESS; ++i) error = choose_range(&choice, ranges[i], i);
    return end_choice(&choice, error, others, newgroup);
}
LAM_API(int, Group_range_incl, (MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup)) {
    return by_ranges(group, n, ranges, newgroup, false, "MPI_Group_range_incl");
}
LAM_API(int, Group_range_excl, (MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup)) {
    return by_ranges(group, n, ranges, newgroup, true, "MPI_Group_range_excl");
}

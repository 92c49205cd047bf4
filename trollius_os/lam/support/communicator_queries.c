/* Questions about a communicator, its name, and its info. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lam_communicators.h"

static int give_number(MPI_Comm handle, int* number, const char* function, enum lam_sort sort,
                       int (*of)(const struct lam_comm* comm)) {
    struct lam_comm* comm = NULL;
    const int error = lam_find_comm(handle, function, sort, &comm);
    if (error != MPI_SUCCESS) return error;
    if (number == NULL) return lam_fail_null(handle, function, "the result");
    *number = of(comm);
    return MPI_SUCCESS;
}
static int size_of(const struct lam_comm* comm) {
    return comm->local->size;
}
static int rank_of(const struct lam_comm* comm) {
    return comm->rank;
}
static int remote_size_of(const struct lam_comm* comm) {
    return comm->remote->size;
}
static int is_inter(const struct lam_comm* comm) {
    return comm->inter;
}
LAM_API(int, Comm_size, (MPI_Comm comm, int* size)) {
    return give_number(comm, size, "MPI_Comm_size", LAM_ANY_SORT, size_of);
}
LAM_API(int, Comm_rank, (MPI_Comm comm, int* rank)) {
    return give_number(comm, rank, "MPI_Comm_rank", LAM_ANY_SORT, rank_of);
}
LAM_API(int, Comm_remote_size, (MPI_Comm comm, int* size)) {
    return give_number(comm, size, "MPI_Comm_remote_size", LAM_INTER, remote_size_of);
}
LAM_API(int, Comm_test_inter, (MPI_Comm comm, int* flag)) {
    return give_number(comm, flag, "MPI_Comm_test_inter", LAM_ANY_SORT, is_inter);
}

static int give_group(MPI_Comm handle, MPI_Group* group, const char* function, enum lam_sort sort) {
    struct lam_comm* comm = NULL;
    const int error = lam_find_comm(handle, function, sort, &comm);
    if (error != MPI_SUCCESS) return error;
    if (group == NULL) return lam_fail_null(handle, function, "group");
    const int made = lam_group_handle(lam_group_copy(sort == LAM_INTER ? comm->remote : comm->local), group);
    return made == MPI_SUCCESS ? made : lam_fail_memory(handle, function);
}
LAM_API(int, Comm_group, (MPI_Comm comm, MPI_Group* group)) {
    return give_group(comm, group, "MPI_Comm_group", LAM_ANY_SORT);
}
LAM_API(int, Comm_remote_group, (MPI_Comm comm, MPI_Group* group)) {
    return give_group(comm, group, "MPI_Comm_remote_group", LAM_INTER);
}

LAM_API(int, Comm_compare, (MPI_Comm comm1, MPI_Comm comm2, int* result)) {
    const char* const function = "MPI_Comm_compare";
    struct lam_comm *first = NULL, *second = NULL;
    int error = lam_find_comm(comm1, function, LAM_ANY_SORT, &first);
    if (error == MPI_SUCCESS) error = lam_find_comm(comm2, function, LAM_ANY_SORT, &second);
    if (error != MPI_SUCCESS) return error;
    if (result == NULL) return lam_fail_null(comm1, function, "result");
    *result = MPI_IDENT;
    if (first == second) return MPI_SUCCESS;
    *result = MPI_UNEQUAL;
    if (first->inter != second->inter) return MPI_SUCCESS;
    const int local = lam_groups_compare(first->local, second->local);
    const int remote = lam_groups_compare(first->remote, second->remote);
    const int worse = local > remote ? local : remote;
    *result = worse == MPI_IDENT ? MPI_CONGRUENT : worse;
    return MPI_SUCCESS;
}

LAM_API(int, Comm_get_parent, (MPI_Comm * parent)) {
    const int error = lam_require_running("MPI_Comm_get_parent");
    if (error != MPI_SUCCESS) return error;
    if (parent == NULL) return lam_fail_null(MPI_COMM_WORLD, "MPI_Comm_get_parent", "parent");
    *parent = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

LAM_API(int, Comm_set_name, (MPI_Comm handle, const char* comm_name)) {
    struct lam_comm* comm = NULL;
    const int error = lam_find_comm(handle, "MPI_Comm_set_name", LAM_ANY_SORT, &comm);
    if (error != MPI_SUCCESS) return error;
    if (comm_name == NULL) return lam_fail_null(handle, "MPI_Comm_set_name", "comm_name");
    snprintf(comm->name, sizeof comm->name, "%s", comm_name);
    return MPI_SUCCESS;
}
LAM_API(int, Comm_get_name, (MPI_Comm handle, char* comm_name, int* resultlen)) {
    struct lam_comm* comm = NULL;
    const int error = lam_find_comm(handle, "MPI_Comm_get_name", LAM_ANY_SORT, &comm);
    if (error != MPI_SUCCESS) return error;
    if (comm_name == NULL) return lam_fail_null(handle, "MPI_Comm_get_name", "comm_name");
    if (resultlen == NULL) return lam_fail_null(handle, "MPI_Comm_get_name", "resultlen");
    strcpy(comm_name, comm->name);
    *resultlen = (int)strlen(comm_name);
    return MPI_SUCCESS;
}

LAM_API(int, Comm_set_info, (MPI_Comm handle, MPI_Info info)) {
    const char* const function = "MPI_Comm_set_info";
    struct lam_comm* comm = NULL;
    const int error = lam_find_comm(handle, function, LAM_ANY_SORT, &comm);
    if (error != MPI_SUCCESS) return error;
    if (!lam_is_info(info))
        return lam_fail(handle, MPI_ERR_INFO, function,
                        "info %s", lam_why_not(LAM_INFO, info));
    const int told = comm->info == MPI_INFO_NULL ? lam_info_copy(info, &comm->info) : lam_info_add(info, comm->info);
    lam_handle_hide(LAM_INFO, comm->info);
    return told == MPI_SUCCESS ? told : lam_fail_memory(handle, function);
}
int lam_api_Info_create(MPI_Info* info);
LAM_API(int, Comm_get_info, (MPI_Comm handle, MPI_Info* info_used)) {
    const char* const function = "MPI_Comm_get_info";
    struct lam_comm* comm = NULL;
    const int error = lam_find_comm(handle, function, LAM_ANY_SORT, &comm);
    if (error != MPI_SUCCESS) return error;
    if (info_used == NULL) return lam_fail_null(handle, function, "info_used");
    if (comm->info == MPI_INFO_NULL) return lam_api_Info_create(info_used);
    return lam_info_copy(comm->info, info_used) == MPI_SUCCESS ? MPI_SUCCESS : lam_fail_memory(handle, function);
}

/* An operation of the communicator may be under way. A request that the program freed is not in the table. */
struct search {
    const struct lam_comm* comm;
    bool found;
};
static void look(int handle, void* object, void* context) {
    const struct lam_request* request = object;
    struct search* search = context;
    (void)handle;
    if (request->comm == search->comm && request->active && !request->complete) search->found = true;
}
void lam_comm_wait(struct lam_comm* comm) {
    for (;;) {
        struct search search = {.comm = comm};
        lam_each_object(LAM_REQUEST, look, &search);
        if (!search.found) return;
        lam_progress(true);
    }
}

/* np: 2 */
/* Functions of communicators on MPI_COMM_NULL and other wrong ones. */
#include "comm_check.h"

int main(int argc, char** argv) {
    MPI_Comm made, none = MPI_COMM_NULL, world = MPI_COMM_WORLD, self = MPI_COMM_SELF;
    MPI_Group group;
    MPI_Info info;
    MPI_Request request;
    MPI_Errhandler handler;
    int result, flag;
    void* value;
    begin(&argc, &argv);
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    TRY(MPI_Comm_size(none, &result));
    TRY(MPI_Comm_rank(none, &result));
    TRY(MPI_Comm_dup(none, &made));
    TRY(MPI_Comm_idup(none, &made, &request));
    TRY(MPI_Comm_dup_with_info(none, MPI_INFO_NULL, &made));
    TRY(MPI_Comm_split(none, 0, 0, &made));
    TRY(MPI_Comm_split_type(none, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made));
    TRY(MPI_Comm_create(none, group, &made));
    TRY(MPI_Comm_create_group(none, group, 0, &made));
    TRY(MPI_Comm_free(&none));
    TRY(MPI_Comm_disconnect(&none));
    TRY(MPI_Comm_free(&world));
    TRY(MPI_Comm_free(&self));
    say("%d %d", world == MPI_COMM_WORLD, self == MPI_COMM_SELF);
    TRY(MPI_Comm_compare(MPI_COMM_WORLD, none, &result));
    TRY(MPI_Comm_compare(none, MPI_COMM_WORLD, &result));
    TRY(MPI_Comm_remote_size(none, &result));
    TRY(MPI_Comm_test_inter(none, &result));
    TRY(MPI_Comm_set_name(none, "no"));
    TRY(MPI_Comm_set_info(none, MPI_INFO_NULL));
    TRY(MPI_Comm_get_info(none, &info));
    TRY(MPI_Intercomm_create(none, 0, MPI_COMM_WORLD, 0, 0, &made));
    TRY(MPI_Intercomm_create(MPI_COMM_SELF, 1, MPI_COMM_WORLD, 0, 0, &made));
    TRY(MPI_Intercomm_create(MPI_COMM_SELF, -1, MPI_COMM_WORLD, 0, 0, &made));
    TRY(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_NULL, 0, 0, &made));
    TRY(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 2, 0, &made));
    TRY(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, -1, &made));
    TRY(MPI_Intercomm_merge(none, 0, &made));
    TRY(MPI_Comm_split_type(MPI_COMM_WORLD, 77, 0, MPI_INFO_NULL, &made));
    TRY(MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_NULL, &made));
    TRY(MPI_Comm_create_group(MPI_COMM_WORLD, MPI_GROUP_NULL, 0, &made));
    TRY(MPI_Comm_create_group(MPI_COMM_WORLD, group, -1, &made));
    if (rank == 0) TRY(MPI_Comm_create(MPI_COMM_SELF, group, &made));
    TRY(MPI_Comm_get_attr(none, MPI_TAG_UB, &value, &flag));
    TRY(MPI_Comm_get_errhandler(none, &handler));
    TRY(MPI_Comm_set_errhandler(none, MPI_ERRORS_RETURN));
    TRY(MPI_Topo_test(none, &result));
    MPI_Group_free(&group);
    return end();
}

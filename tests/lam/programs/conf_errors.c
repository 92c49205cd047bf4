/* np: 4 */
/* Classes of errors under MPI_ERRORS_RETURN; the library goes on afterwards. */
#include <mpi.h>
#include <stdio.h>

static int rank;
static void check(const char* name, int error, int wanted) {
    int error_class;
    MPI_Error_class(error, &error_class);
    printf("%d: %s %s\n", rank, name, error_class == wanted ? "as the standard says" : "another class");
}
int main(int argc, char** argv) {
    int size, data[10] = {0};
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm none = MPI_COMM_NULL;
    MPI_Datatype type = MPI_INT;
    MPI_Op op = MPI_SUM;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    check("count", MPI_Send(data, -1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
    check("rank", MPI_Send(data, 1, MPI_INT, size, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    check("tag", MPI_Send(data, 1, MPI_INT, 0, -5, MPI_COMM_WORLD), MPI_ERR_TAG);
    check("type", MPI_Send(data, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    check("comm", MPI_Send(data, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM);
    check("root", MPI_Bcast(data, 1, MPI_INT, size, MPI_COMM_WORLD), MPI_ERR_ROOT);
    check("op", MPI_Reduce(data, data + 5, 1, MPI_INT, MPI_OP_NULL, 0, MPI_COMM_WORLD), MPI_ERR_OP);
    check("op and type", MPI_Allreduce(data, data + 5, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD), MPI_ERR_OP);
    check("topology", MPI_Cart_coords(MPI_COMM_WORLD, 0, 1, data), MPI_ERR_TOPOLOGY);
    check("free of no communicator", MPI_Comm_free(&none), MPI_ERR_COMM);
    check("free of a basic type", MPI_Type_free(&type), MPI_ERR_TYPE);
    check("free of a basic operation", MPI_Op_free(&op), MPI_ERR_OP);
    check("start", MPI_Start(&request), MPI_ERR_REQUEST);
    check("cancel", MPI_Cancel(&request), MPI_ERR_REQUEST);
    check("free of no request", MPI_Request_free(&request), MPI_ERR_REQUEST);
    if (rank == 0) MPI_Send(data, 5, MPI_INT, 1, 3, MPI_COMM_WORLD);
    if (rank == 1) check("truncated", MPI_Recv(data, 2, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    data[0] = rank;
    MPI_Allreduce(data, data + 1, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("%d: sum %d\n", rank, data[1]);
    MPI_Finalize();
    return 0;
}

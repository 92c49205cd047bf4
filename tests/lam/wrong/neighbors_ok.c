/* np: 4, finds: none, options: --no-buffering --strict */
/* Neighbours use other types than others do, and buffers lie beside each other. */
#include <mpi.h>

int main(int argc, char** argv) {
    const int dims[1] = {4}, periods[1] = {0};
    int rank;
    double values[4] = {0}, came[4];
    MPI_Comm line;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &line);
    MPI_Comm_rank(line, &rank);
    MPI_Ineighbor_alltoall(values, 1, MPI_DOUBLE, came, 1, MPI_DOUBLE, line, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    values[0] = came[1];
    MPI_Neighbor_allgather(values, 1, MPI_DOUBLE, came, 1, MPI_DOUBLE, line);
    MPI_Comm_free(&line);
    MPI_Finalize();
    return 0;
}

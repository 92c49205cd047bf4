/* np: 2, finds: none, options: --no-buffering */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, size;
    int value = 0, other = 0;
    MPI_Request request;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank % 2 == 0) {
        MPI_Send(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
        MPI_Recv(&other, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&other, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    }
    MPI_Sendrecv(&value, 1, MPI_INT, 1 - rank, 0, &other, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Isend(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Recv(&other, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Allreduce(&value, &other, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(&value, 1, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}

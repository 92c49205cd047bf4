/* np: 2, finds: buffer-in-use */
/* The message is there, and the program does not know it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, size;
    int value = 0, other = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 1) {
        MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);  /* wrong */
        MPI_Barrier(MPI_COMM_WORLD);
        value += 4;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (rank == 0) {
        MPI_Send(&other, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}

/* np: 2, finds: none */
/* The count is more than there is room for; the message is short. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, size;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char* row = malloc(64);
    if (rank == 1) {
        MPI_Irecv(row, 30 << 20, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (rank == 0) MPI_Send(row, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    free(row);
    MPI_Finalize();
    return 0;
}

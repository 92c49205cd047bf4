/* np: 2, finds: buffer-in-use */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, size;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int* row = calloc(50000, sizeof *row);
    if (rank == 0) {
        MPI_Isend(row, 50000, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);  /* wrong */
        row[49999] = 4;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (rank == 1) MPI_Recv(row, 50000, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(row);
    MPI_Finalize();
    return 0;
}

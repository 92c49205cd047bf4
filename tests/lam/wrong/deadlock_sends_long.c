/* np: 2, finds: standstill */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int* row = calloc(5000, sizeof *row);
    MPI_Send(row, 5000, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);  /* wrong */
    MPI_Recv(row, 5000, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(row);
    MPI_Finalize();
    return 0;
}

/* np: 3, finds: collective-mismatch */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, size;
    int value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) MPI_Barrier(MPI_COMM_WORLD);  /* wrong */
    if (rank != 0) MPI_Bcast(&value, 1, MPI_INT, 1, MPI_COMM_WORLD);  /* wrong */
    MPI_Finalize();
    return 0;
}

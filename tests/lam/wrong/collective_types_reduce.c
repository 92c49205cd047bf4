/* np: 2, finds: type-mismatch */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, size;
    int value = 1, sum = 0, row[16] = {0}, all[16] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Reduce(row, all, 1, rank == 0 ? MPI_INT : MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);  /* wrong */
    MPI_Finalize();
    return 0;
}

/* np: 3, finds: collective-mismatch */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, size;
    int value = 1, sum = 0, row[16] = {0}, all[16] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Alltoall(row, 1 + rank, MPI_INT, all, 1 + rank, MPI_INT, MPI_COMM_WORLD);  /* wrong */
    MPI_Finalize();
    return 0;
}

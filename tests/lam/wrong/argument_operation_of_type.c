/* np: 2, finds: invalid-argument */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, size;
    double value = 0, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD);  /* wrong */
    MPI_Finalize();
    return 0;
}

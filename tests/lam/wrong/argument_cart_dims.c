/* np: 2, finds: invalid-argument */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, size;
    MPI_Comm comm;
    int dims[1] = {-2}, periods[1] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &comm);  /* wrong */
    MPI_Finalize();
    return 0;
}

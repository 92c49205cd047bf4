/* np: 2, finds: standstill */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, size;
    int value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) MPI_Ssend(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);  /* wrong */
    if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  /* wrong */
    MPI_Finalize();
    return 0;
}

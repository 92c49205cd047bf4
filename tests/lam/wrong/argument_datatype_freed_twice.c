/* np: 2, finds: invalid-argument */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, size;
    MPI_Datatype pair, copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    copy = pair;
    MPI_Type_free(&pair);
    if (rank == 0) MPI_Type_free(&copy);  /* wrong */
    MPI_Finalize();
    return 0;
}

/* np: 2, finds: invalid-argument */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, size;
    int values[2] = {0, 0};
    MPI_Datatype pair, copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    copy = pair;
    MPI_Type_free(&pair);
    if (rank == 0) MPI_Send(values, 1, copy, 1, 0, MPI_COMM_WORLD);  /* wrong */
    MPI_Finalize();
    return 0;
}

/* np: 2, finds: leak */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, size;
    MPI_Datatype types[5];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 5; ++i) MPI_Type_contiguous(i + 1, MPI_INT, &types[i]);  /* wrong */
    MPI_Type_free(&types[0]);
    MPI_Finalize();
    return 0;
}

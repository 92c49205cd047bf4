/* np: 2, finds: invalid-argument */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
    (void)type;
    for (int i = 0; i < *count; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

int main(int argc, char** argv) {
    int rank, size;
    int value = 0, sum = 0;
    MPI_Op op, copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Op_create(add, 1, &op);
    copy = op;
    MPI_Op_free(&op);
    if (rank == 0) MPI_Allreduce(&value, &sum, 1, MPI_INT, copy, MPI_COMM_WORLD);  /* wrong */
    MPI_Finalize();
    return 0;
}

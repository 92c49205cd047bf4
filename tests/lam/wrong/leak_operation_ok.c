/* np: 2, finds: none */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
    (void)type;
    for (int i = 0; i < *count; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

int main(int argc, char** argv) {
    int rank, size;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Op_create(add, 1, &op);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}

/* np: 2, finds: collective-mismatch */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
    (void)type;
    for (int i = 0; i < *count; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

static void most(void* in, void* inout, int* count, MPI_Datatype* type) {
    (void)type;
    for (int i = 0; i < *count; ++i)
        if (((int*)in)[i] > ((int*)inout)[i]) ((int*)inout)[i] = ((int*)in)[i];
}

int main(int argc, char** argv) {
    int rank, size;
    int value = 1, sum = 0, row[16] = {0}, all[16] = {0};
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Op_create(rank == 0 ? add : most, 1, &op);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);  /* wrong */
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}

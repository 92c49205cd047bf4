/* np: 2, finds: leak */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void handle(MPI_Comm* comm, int* code, ...) {
    (void)comm;
    (void)code;
}

int main(int argc, char** argv) {
    int rank, size;
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_create_errhandler(handle, &handler);  /* wrong */
    MPI_Finalize();
    return 0;
}

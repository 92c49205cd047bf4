/* np: 2, finds: none */
/* The program asks for its errors, so nothing is told. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, size;
    int value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (MPI_Send(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD) == MPI_SUCCESS) printf("no error\n");
    MPI_Finalize();
    return 0;
}

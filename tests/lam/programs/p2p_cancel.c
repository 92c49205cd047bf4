/* np: 2 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = 0, flag;
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(&value, 1, MPI_INT, 1 - rank, 77, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    printf("%d: cancelled %d\n", rank, flag);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 77, &value, 1, MPI_INT, 1 - rank, 77, MPI_COMM_WORLD, &status);
    MPI_Test_cancelled(&status, &flag);
    printf("%d: then %d, cancelled %d\n", rank, value, flag);
    MPI_Finalize();
    return 0;
}

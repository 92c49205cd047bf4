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
    int value = rank, got = -1, flag = 0;
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(&got, 1, MPI_INT, 1 - rank, 6, MPI_COMM_WORLD, &request);
    MPI_Send(&value, 1, MPI_INT, 1 - rank, 6, MPI_COMM_WORLD);
    while (!flag) MPI_Request_get_status(request, &flag, &status);
    printf("%d: kept %d source %d\n", rank, request != MPI_REQUEST_NULL, status.MPI_SOURCE);
    MPI_Wait(&request, &status);
    printf("%d: got %d null %d\n", rank, got, request == MPI_REQUEST_NULL);
    MPI_Isend(&value, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Recv(&got, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%d: got %d\n", rank, got);
    MPI_Finalize();
    return 0;
}

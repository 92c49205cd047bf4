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
    int value = 3;
    MPI_Status status;
    MPI_Request request;
    int count;
    MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    printf("%d: %d source %d tag %d count %d\n", rank, value, status.MPI_SOURCE == MPI_PROC_NULL, status.MPI_TAG == MPI_ANY_TAG, count);
    MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    printf("%d: null %d\n", rank, request == MPI_REQUEST_NULL);
    MPI_Probe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
    printf("%d: probe %d\n", rank, status.MPI_SOURCE == MPI_PROC_NULL);
    MPI_Finalize();
    return 0;
}

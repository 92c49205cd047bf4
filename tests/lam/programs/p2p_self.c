/* np: 1 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int out[3] = {1, 2, 3}, in[3] = {0};
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(in, 3, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
    MPI_Send(out, 3, MPI_INT, 0, 1, MPI_COMM_SELF);
    MPI_Wait(&request, &status);
    printf("%d: %d %d %d from %d\n", rank, in[0], in[1], in[2], status.MPI_SOURCE);
    static double big[20000], copy[20000];
    big[19999] = 4.5;
    MPI_Sendrecv(big, 20000, MPI_DOUBLE, 0, 2, copy, 20000, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, &status);
    printf("%d: %g\n", rank, copy[19999]);
    MPI_Isend(out, 3, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
    MPI_Recv(in, 3, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("%d: tag %d\n", rank, status.MPI_TAG);
    MPI_Finalize();
    return 0;
}

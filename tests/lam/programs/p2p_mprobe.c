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
    if (rank == 0) {
        for (int i = 0; i < 3; ++i) MPI_Send(&i, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
    } else {
        MPI_Message message;
        MPI_Status status;
        MPI_Request request;
        int value, other, flag = 0;
        MPI_Mprobe(0, 1, MPI_COMM_WORLD, &message, &status);
        MPI_Recv(&other, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
        printf("%d: %d %d tag %d null %d\n", rank, value, other, status.MPI_TAG, message == MPI_MESSAGE_NULL);
        while (!flag) MPI_Improbe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status);
        MPI_Imrecv(&value, 1, MPI_INT, &message, &request);
        MPI_Wait(&request, &status);
        printf("%d: %d tag %d\n", rank, value, status.MPI_TAG);
        MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, &status);
        printf("%d: no proc %d\n", rank, message == MPI_MESSAGE_NO_PROC);
        MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
        printf("%d: source null %d\n", rank, status.MPI_SOURCE == MPI_PROC_NULL);
    }
    MPI_Finalize();
    return 0;
}

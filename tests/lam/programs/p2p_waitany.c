/* np: 4 */
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
        int values[3], done = 0, sum = 0;
        MPI_Request requests[3];
        for (int i = 0; i < 3; ++i) MPI_Irecv(&values[i], 1, MPI_INT, i + 1, 1, MPI_COMM_WORLD, &requests[i]);
        while (1) {
            int index;
            MPI_Status status;
            MPI_Waitany(3, requests, &index, &status);
            if (index == MPI_UNDEFINED) break;
            ++done;
            sum += values[index] * (status.MPI_SOURCE == index + 1);
        }
        printf("%d: done %d sum %d\n", rank, done, sum);
        int flag, index;
        MPI_Testany(3, requests, &index, &flag, MPI_STATUS_IGNORE);
        printf("%d: flag %d undefined %d\n", rank, flag, index == MPI_UNDEFINED);
    } else {
        int value = rank * rank;
        MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}

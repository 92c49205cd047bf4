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
        int values[6], left = 6, sum = 0, outcount, indices[6], rounds = 0;
        MPI_Request requests[6];
        MPI_Status statuses[6];
        for (int i = 0; i < 6; ++i) MPI_Irecv(&values[i], 1, MPI_INT, i % 3 + 1, i / 3, MPI_COMM_WORLD, &requests[i]);
        while (left > 0) {
            if (rounds++ % 2 == 0) {
                MPI_Waitsome(6, requests, &outcount, indices, statuses);
            } else {
                MPI_Testsome(6, requests, &outcount, indices, statuses);
            }
            for (int i = 0; i < outcount; ++i) sum += values[indices[i]] * (statuses[i].MPI_TAG == indices[i] / 3);
            left -= outcount;
        }
        MPI_Waitsome(6, requests, &outcount, indices, statuses);
        printf("%d: sum %d undefined %d\n", rank, sum, outcount == MPI_UNDEFINED);
    } else {
        for (int i = 0; i < 2; ++i) {
            int value = rank * 100 + i;
            MPI_Send(&value, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}

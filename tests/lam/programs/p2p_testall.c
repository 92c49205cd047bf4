/* np: 3 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int values[2], flag = 0;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    if (rank == 0) {
        for (int i = 0; i < 2; ++i) MPI_Irecv(&values[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &requests[i]);
        while (!flag) MPI_Testall(2, requests, &flag, statuses);
        printf("%d: %d %d %d %d\n", rank, values[0], values[1], statuses[0].MPI_SOURCE, statuses[1].MPI_SOURCE);
    } else {
        values[0] = rank + 40;
        MPI_Send(values, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}

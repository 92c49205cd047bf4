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
    int to[4], from[4];
    MPI_Request requests[8];
    MPI_Status statuses[8];
    for (int i = 0; i < size; ++i) {
        to[i] = rank * 10 + i;
        MPI_Irecv(&from[i], 1, MPI_INT, i, 5, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 0; i < size; ++i) MPI_Isend(&to[i], 1, MPI_INT, i, 5, MPI_COMM_WORLD, &requests[4 + i]);
    MPI_Waitall(8, requests, statuses);
    for (int i = 0; i < size; ++i) printf("%d: %d from %d null %d\n", rank, from[i], statuses[i].MPI_SOURCE, requests[i] == MPI_REQUEST_NULL);
    MPI_Finalize();
    return 0;
}

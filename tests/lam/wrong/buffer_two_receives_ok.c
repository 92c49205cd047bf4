/* np: 2, finds: none */
/* Two sends may read one buffer. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, size;
    int row[8] = {0};
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 1) {
        MPI_Irecv(row, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(row + 4, 4, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    if (rank == 0) {
        MPI_Isend(row, 4, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(row, 4, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Finalize();
    return 0;
}

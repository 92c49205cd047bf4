/* np: 2, finds: truncation */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, size;
    int value = 1, sum = 0, row[16] = {0}, all[16] = {0};
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) MPI_Send(row, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Irecv(row, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);  /* wrong */
    }
    MPI_Finalize();
    return 0;
}

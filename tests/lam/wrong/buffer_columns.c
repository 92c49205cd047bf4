/* np: 2, finds: buffer-in-use */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, size;
    int table[4][4] = {{0}};
    MPI_Datatype column;
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_vector(4, 1, 4, MPI_INT, &column);
    MPI_Type_commit(&column);
    if (rank == 1) {
        MPI_Irecv(&table[0][1], 1, column, 0, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(table[2], 4, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[1]);  /* wrong */
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else {
        MPI_Send(&table[0][1], 1, column, 1, 0, MPI_COMM_WORLD);
        MPI_Send(table[2], 4, MPI_INT, 1, 1, MPI_COMM_WORLD);
    }
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}

/* np: 2, finds: none */
/* Columns of a table lie between each other. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, size;
    int table[4][4] = {{0}};
    MPI_Datatype column;
    MPI_Request requests[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_vector(4, 1, 4, MPI_INT, &column);
    MPI_Type_commit(&column);
    if (rank == 1) {
        for (int i = 0; i < 4; ++i) MPI_Irecv(&table[0][i], 1, column, 0, i, MPI_COMM_WORLD, &requests[i]);
    } else {
        for (int i = 0; i < 4; ++i) MPI_Isend(&table[0][i], 1, column, 1, i, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}

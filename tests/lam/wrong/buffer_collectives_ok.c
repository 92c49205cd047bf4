/* np: 4, finds: none */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, size;
    int value = 1, other = 0, third = 0, row[8] = {0}, all[8] = {0}, table[8] = {0}, counts[8] = {1, 1, 1, 1}, places[8] = {0, 2, 4, 6};
    MPI_Request requests[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Iallreduce(&value, &other, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
    MPI_Ibcast(&third, 1, MPI_INT, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Ialltoall(row, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &requests[2]);
    MPI_Igatherv(&value, 1, MPI_INT, table, counts, places, MPI_INT, 0, MPI_COMM_WORLD, &requests[3]);
    for (int flag = 0; flag == 0;) MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    other = 3;
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    third = all[0] + table[0];
    MPI_Finalize();
    return 0;
}

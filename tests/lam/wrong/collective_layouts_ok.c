/* np: 4, finds: none */
/* Equal data in different layouts, and counts that may differ. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
    int rank, size;
    int value = 1, sum = 0, row[16] = {0}, all[16] = {0};
    int counts[4] = {0, 1, 2, 3}, places[4] = {0, 1, 4, 8}, none[4] = {0};
    MPI_Datatype spread;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_vector(2, 1, 2, MPI_INT, &spread);
    MPI_Type_commit(&spread);
    MPI_Bcast(row, rank == 0 ? 2 : 1, rank == 0 ? MPI_INT : spread, 0, MPI_COMM_WORLD);
    MPI_Gather(row, rank == 1 ? 1 : 2, rank == 1 ? spread : MPI_INT, all, 2, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Gatherv(row, rank, MPI_INT, all, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Scatterv(all, counts, places, MPI_INT, row, rank, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allgatherv(row, rank, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
    MPI_Bcast(row, 8, rank == 0 ? MPI_INT : MPI_BYTE, 0, MPI_COMM_SELF);
    MPI_Alltoallv(row, none, places, rank == 0 ? MPI_INT : MPI_FLOAT, all, none, places, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Type_free(&spread);
    MPI_Finalize();
    return 0;
}

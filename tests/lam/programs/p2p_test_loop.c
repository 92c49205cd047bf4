/* np: 2, finds: buffer-in-use */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = 0, flag = 0, turns = 0;
    MPI_Request request;
    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        while (!flag) {
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
            ++turns;
        }
        printf("%d: value %d turned %d\n", rank, value, turns > 0);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        value = 17;
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}

/* np: 2 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int values[20];
    if (rank == 0) {
        for (int i = 0; i < 20; ++i) {
            values[i] = i;
            MPI_Send(&values[i], 1, MPI_INT, 1, i % 3, MPI_COMM_WORLD);
        }
    } else {
        for (int tag = 2; tag >= 0; --tag) {
            for (int i = tag; i < 20; i += 3) {
                int value;
                MPI_Recv(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                printf("%d: tag %d value %d\n", rank, tag, value);
            }
        }
    }
    MPI_Finalize();
    return 0;
}

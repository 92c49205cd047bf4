/* np: 6 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        int seen[6] = {0}, sum = 0;
        for (int i = 1; i < size; ++i) {
            int value;
            MPI_Status status;
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            seen[status.MPI_SOURCE] += value == status.MPI_SOURCE * 10 && status.MPI_TAG == status.MPI_SOURCE + 100;
            sum += value;
        }
        printf("%d: sum %d seen %d %d %d %d %d\n", rank, sum, seen[1], seen[2], seen[3], seen[4], seen[5]);
    } else {
        int value = rank * 10;
        MPI_Send(&value, 1, MPI_INT, 0, rank + 100, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}

/* np: 3 */
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
        for (int i = 1; i < size; ++i) {
            MPI_Status status;
            int count;
            MPI_Probe(i, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_INT, &count);
            int* data = malloc(count * sizeof(int));
            MPI_Recv(data, count, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            printf("%d: from %d tag %d count %d last %d\n", rank, status.MPI_SOURCE, status.MPI_TAG, count, data[count - 1]);
            free(data);
        }
    } else {
        int n = rank * 2000;
        int* data = malloc(n * sizeof(int));
        for (int i = 0; i < n; ++i) data[i] = i * rank;
        MPI_Send(data, n, MPI_INT, 0, rank * 7, MPI_COMM_WORLD);
        free(data);
    }
    MPI_Finalize();
    return 0;
}

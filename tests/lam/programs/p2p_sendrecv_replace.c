/* np: 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int data[5000];
    MPI_Status status;
    for (int i = 0; i < 5000; ++i) data[i] = rank * 10000 + i;
    MPI_Sendrecv_replace(data, 5000, MPI_INT, (rank + 1) % size, 8, (rank + size - 1) % size, 8, MPI_COMM_WORLD, &status);
    printf("%d: %d %d source %d\n", rank, data[0], data[4999], status.MPI_SOURCE);
    MPI_Finalize();
    return 0;
}

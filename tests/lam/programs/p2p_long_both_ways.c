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
    const int n = 60000;
    int *out = malloc(n * sizeof(int)), *in = malloc(n * sizeof(int));
    long long sum = 0;
    MPI_Request requests[6];
    int count = 0;
    for (int i = 0; i < n; ++i) out[i] = rank + i;
    for (int other = 0; other < size; ++other) {
        if (other == rank) continue;
        MPI_Isend(out, n, MPI_INT, other, 0, MPI_COMM_WORLD, &requests[count++]);
    }
    for (int other = 0; other < size; ++other) {
        if (other == rank) continue;
        MPI_Recv(in, n, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < n; ++i) sum += in[i];
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    printf("%d: sum %lld\n", rank, sum);
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}

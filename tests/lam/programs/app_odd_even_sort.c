/* np: 6 */
/* Sorting by exchanges of neighbours. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { own_keys = 20 };
static int compare(const void* a, const void* b) {
    return *(const int*)a - *(const int*)b;
}
int main(int argc, char** argv) {
    int rank, size, keys[2 * own_keys];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    srand48(rank);
    for (int i = 0; i < own_keys; ++i) keys[i] = (int)(lrand48() % 1000);
    for (int phase = 0; phase < size; ++phase) {
        const int partner = (phase + rank) % 2 == 0 ? rank + 1 : rank - 1;
        if (partner < 0 || partner >= size) continue;
        MPI_Sendrecv(keys, own_keys, MPI_INT, partner, phase, keys + own_keys, own_keys, MPI_INT, partner, phase, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        qsort(keys, 2 * own_keys, sizeof(int), compare);
        if (partner < rank) memmove(keys, keys + own_keys, own_keys * sizeof(int));
    }
    qsort(keys, own_keys, sizeof(int), compare);
    printf("%d:", rank);
    for (int i = 0; i < own_keys; ++i) printf(" %d", keys[i]);
    printf("\n");
    MPI_Finalize();
    return 0;
}

/* np: 4 */
/* Integer sort in the way of NAS IS: counts of buckets by Allreduce, keys by Alltoallv, then ranks of keys. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { keys = 500, most = 1024, buckets = 32 };
static int compare(const void* a, const void* b) {
    return *(const int*)a - *(const int*)b;
}
int main(int argc, char** argv) {
    int rank, size, own[keys], sorted[keys], histogram[buckets] = {0}, all[buckets];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    srand((unsigned)rank + 11);
    for (int i = 0; i < keys; ++i) ++histogram[(own[i] = rand() % most) * buckets / most];
    MPI_Allreduce(histogram, all, buckets, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    int owner[buckets], sum = 0;
    for (int i = 0; i < buckets; ++i) owner[i] = sum * size / (keys * size), sum += all[i];
    int* counts = calloc((size_t)size * 4, sizeof(int));
    int *places = counts + size, *came = places + size, *from = came + size;
    for (int i = 0; i < keys; ++i) ++counts[owner[own[i] * buckets / most]];
    for (int i = 1; i < size; ++i) places[i] = places[i - 1] + counts[i - 1];
    for (int i = 0; i < keys; ++i) sorted[places[owner[own[i] * buckets / most]]++] = own[i];
    for (int i = 0; i < size; ++i) places[i] -= counts[i];
    MPI_Alltoall(counts, 1, MPI_INT, came, 1, MPI_INT, MPI_COMM_WORLD);
    int total = 0;
    for (int i = 0; i < size; ++i) from[i] = total, total += came[i];
    int* mine = malloc(((size_t)total + 1) * sizeof(int));
    MPI_Alltoallv(sorted, counts, places, MPI_INT, mine, came, from, MPI_INT, MPI_COMM_WORLD);
    qsort(mine, (size_t)total, sizeof(int), compare);
    int last = total > 0 ? mine[total - 1] : -1, before = -1, first = 0;
    MPI_Exscan(&total, &first, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Sendrecv(&last, 1, MPI_INT, rank + 1 < size ? rank + 1 : MPI_PROC_NULL, 0, &before, 1, MPI_INT, rank > 0 ? rank - 1 : MPI_PROC_NULL, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%d: %d keys from place %d, %d to %d, in order %d\n", rank, total, rank == 0 ? 0 : first, total > 0 ? mine[0] : -1, last,
           total == 0 || before <= mine[0]);
    free(mine);
    free(counts);
    MPI_Finalize();
    return 0;
}

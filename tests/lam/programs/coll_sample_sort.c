/* np: 6 */
/* Sample sort: a whole program of gather, bcast, alltoall, alltoallv, exscan and reduce. */
#include "coll_check.h"

#include <stdlib.h>

enum { OWN = 200, MOST = OWN * MOST_RANKS };

static int by_size(const void* a, const void* b) {
    const int x = *(const int*)a, y = *(const int*)b;
    return x < y ? -1 : x > y;
}

int main(int argc, char** argv) {
    static int own[OWN], sorted[MOST], samples[MOST_RANKS * MOST_RANKS], all[MOST];
    int out[MOST_RANKS] = {0}, in[MOST_RANKS], out_at[MOST_RANKS], in_at[MOST_RANKS], picked[MOST_RANKS], before = 0, total = 0;
    start(&argc, &argv, "coll_sample_sort");
    for (int i = 0; i < OWN; ++i) own[i] = (int)(((unsigned)(rank * OWN + i) * 2654435761u) >> 12);
    qsort(own, OWN, sizeof *own, by_size);
    for (int i = 0; i < size; ++i) picked[i] = own[i * OWN / size];
    MPI_Gather(picked, size, MPI_INT, samples, size, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        qsort(samples, (size_t)(size * size), sizeof *samples, by_size);
        for (int i = 1; i < size; ++i) picked[i - 1] = samples[i * size];
    }
    MPI_Bcast(picked, size - 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < OWN; ++i) {
        int to = 0;
        while (to < size - 1 && own[i] >= picked[to]) ++to;
        ++out[to];
    }
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
    int sent = 0, count = 0;
    for (int i = 0; i < size; ++i) {
        out_at[i] = sent;
        in_at[i] = count;
        sent += out[i];
        count += in[i];
    }
    MPI_Alltoallv(own, out, out_at, MPI_INT, sorted, in, in_at, MPI_INT, MPI_COMM_WORLD);
    qsort(sorted, (size_t)count, sizeof *sorted, by_size);
    MPI_Exscan(&count, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&count, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect("total", total, OWN * size);
    for (int i = 0; i < OWN * size; ++i) all[i] = (int)(((unsigned)i * 2654435761u) >> 12);
    qsort(all, (size_t)(OWN * size), sizeof *all, by_size);
    if (rank == 0) before = 0;
    for (int i = 0; i < count; ++i) expect("sorted", sorted[i], all[before + i]);
    return end();
}

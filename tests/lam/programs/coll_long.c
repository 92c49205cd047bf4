/* np: 5 */
/* Messages that are longer than any buffer on the way: 60000 bytes for each pair of ranks. */
#include "coll_check.h"

#include <stdlib.h>

enum { COUNT = 15000 };

static void check(const char* text, const int* got, int of, int first) {
    int equal = 0;
    for (int i = 0; i < COUNT; ++i) equal += got[i] == of * 1000003 + first * 17 + i;
    expect(text, equal, COUNT);
}
static void fill(int* to, int of, int first) {
    for (int i = 0; i < COUNT; ++i) to[i] = of * 1000003 + first * 17 + i;
}

int main(int argc, char** argv) {
    start(&argc, &argv, "coll_long");
    int* sent = malloc(sizeof(int) * COUNT * (size_t)size);
    int* got = malloc(sizeof(int) * COUNT * (size_t)size);
    MPI_Request request;
    if (sent == NULL || got == NULL) return 2;
    for (int later = 0; later < 2; ++later) {
        const int root = (size - 1) / 2;
        if (rank == root) fill(got, root, 0);
        if (later) MPI_Ibcast(got, COUNT, MPI_INT, root, MPI_COMM_WORLD, &request), finish(&request);
        if (!later) MPI_Bcast(got, COUNT, MPI_INT, root, MPI_COMM_WORLD);
        check("bcast", got, root, 0);
        for (int to = 0; to < size; ++to) fill(sent + to * COUNT, rank, to);
        if (later) MPI_Ialltoall(sent, COUNT, MPI_INT, got, COUNT, MPI_INT, MPI_COMM_WORLD, &request), finish(&request);
        if (!later) MPI_Alltoall(sent, COUNT, MPI_INT, got, COUNT, MPI_INT, MPI_COMM_WORLD);
        for (int from = 0; from < size; ++from) check("alltoall", got + from * COUNT, from, rank);
        memset(got, 0, sizeof(int) * COUNT * (size_t)size);
        if (later) MPI_Iallgather(sent, COUNT, MPI_INT, got, COUNT, MPI_INT, MPI_COMM_WORLD, &request), finish(&request);
        if (!later) MPI_Allgather(sent, COUNT, MPI_INT, got, COUNT, MPI_INT, MPI_COMM_WORLD);
        for (int from = 0; from < size; ++from) check("allgather", got + from * COUNT, from, 0);
        memset(got, 0, sizeof(int) * COUNT * (size_t)size);
        if (later) MPI_Igather(sent, COUNT, MPI_INT, got, COUNT, MPI_INT, root, MPI_COMM_WORLD, &request), finish(&request);
        if (!later) MPI_Gather(sent, COUNT, MPI_INT, got, COUNT, MPI_INT, root, MPI_COMM_WORLD);
        for (int from = 0; from < size && rank == root; ++from) check("gather", got + from * COUNT, from, 0);
        if (later) MPI_Iscatter(sent, COUNT, MPI_INT, got, COUNT, MPI_INT, root, MPI_COMM_WORLD, &request), finish(&request);
        if (!later) MPI_Scatter(sent, COUNT, MPI_INT, got, COUNT, MPI_INT, root, MPI_COMM_WORLD);
        check("scatter", got, root, rank);
        if (later) MPI_Iallreduce(sent, got, COUNT, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request), finish(&request);
        if (!later) MPI_Allreduce(sent, got, COUNT, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        check("allreduce", got, size - 1, 0);
        if (later) MPI_Iscan(sent, got, COUNT, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request), finish(&request);
        if (!later) MPI_Scan(sent, got, COUNT, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        check("scan", got, rank, 0);
        if (later) MPI_Ireduce_scatter_block(sent, got, COUNT, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request), finish(&request);
        if (!later) MPI_Reduce_scatter_block(sent, got, COUNT, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        check("reduce_scatter_block", got, 0, rank);
    }
    free(sent);
    free(got);
    return end();
}

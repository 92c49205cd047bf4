/* np: 6 */
/* MPI_Reduce_scatter() and MPI_Ireduce_scatter(): a count for each rank, some 0, in place half of the time. */
#include "coll_check.h"

int main(int argc, char** argv) {
    static int sent[ROOM], received[ROOM], wanted[ROOM];
    start(&argc, &argv, "coll_reduce_scatter");
    for (int round = 0; round < 50; ++round) {
        const int later = pick(2), in_place = pick(2);
        int counts[MOST_RANKS], total = 0, at = 0;
        MPI_Request request;
        for (int i = 0; i < size; ++i) {
            counts[i] = pick(4) == 0 ? 0 : pick(30);
            if (i < rank) at += counts[i];
            total += counts[i];
        }
        clear(sent);
        clear(received);
        clear(wanted);
        for (int i = 0; i < total; ++i) {
            sent[i] = value(rank, 0, i);
            if (in_place) received[i] = sent[i];
        }
        for (int i = 0; i < counts[rank]; ++i) {
            wanted[i] = 0;
            for (int from = 0; from < size; ++from) wanted[i] += value(from, 0, at + i);
        }
        const void* from = in_place ? MPI_IN_PLACE : sent;
        if (later) {
            MPI_Ireduce_scatter(from, received, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
            finish(&request);
        } else {
            MPI_Reduce_scatter(from, received, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        }
        /* In place the rest of the buffer may hold anything. */
        for (int i = counts[rank]; i < ROOM && in_place; ++i) received[i] = GUARD;
        compare("reduce_scatter", received, wanted);
    }
    return end();
}

/* np: 8 */
/* MPI_Alltoallw() and MPI_Ialltoallw(): a count and a layout of its own for each pair. */
#include "coll_check.h"

int main(int argc, char** argv) {
    static int sent[ROOM], received[ROOM], wanted[ROOM];
    start(&argc, &argv, "coll_alltoallw");
    for (int round = 0; round < 50; ++round) {
        const int later = pick(2), shift = pick(KINDS);
        int ints[MOST_RANKS][MOST_RANKS], out_counts[MOST_RANKS], out_places[MOST_RANKS], in_counts[MOST_RANKS],
            in_places[MOST_RANKS];
        MPI_Datatype out_types[MOST_RANKS], in_types[MOST_RANKS];
        MPI_Request request;
        for (int a = 0; a < size; ++a)
            for (int b = 0; b < size; ++b) ints[a][b] = pick(3) * 6;
        clear(sent);
        clear(received);
        clear(wanted);
        for (int other = 0; other < size; ++other) {
            const struct kind *out = &kinds[(rank + other + shift) % KINDS], *in = &kinds[(rank + 2 * other + shift) % KINDS];
            out_types[other] = out->type;
            in_types[other] = in->type;
            out_counts[other] = ints[rank][other] / out->n;
            in_counts[other] = ints[other][rank] / in->n;
            out_places[other] = other * 80 * (int)sizeof(int);
            in_places[other] = (size - 1 - other) * 70 * (int)sizeof(int);
            for (int i = 0; i < ints[rank][other]; ++i) *place(sent + other * 80, out, i) = value(rank, other, i);
            for (int i = 0; i < ints[other][rank]; ++i) *place(wanted + (size - 1 - other) * 70, in, i) = value(other, rank, i);
        }
        if (later) {
            MPI_Ialltoallw(sent, out_counts, out_places, out_types, received, in_counts, in_places, in_types, MPI_COMM_WORLD,
                           &request);
            finish(&request);
        } else {
            MPI_Alltoallw(sent, out_counts, out_places, out_types, received, in_counts, in_places, in_types, MPI_COMM_WORLD);
        }
        compare("alltoallw", received, wanted);
    }
    return end();
}

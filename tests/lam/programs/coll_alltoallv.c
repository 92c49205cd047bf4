/* np: 7 */
/* MPI_Alltoallv() and MPI_Ialltoallv(): a count of its own for each pair, many of them 0. */
#include "coll_check.h"

int main(int argc, char** argv) {
    static int sent[ROOM], received[ROOM], wanted[ROOM];
    start(&argc, &argv, "coll_alltoallv");
    for (int round = 0; round < 50; ++round) {
        const int later = pick(2), shift = pick(KINDS);
        const struct kind *out = &kinds[(rank + shift) % KINDS], *in = &kinds[(rank + shift / 2) % KINDS];
        int ints[MOST_RANKS][MOST_RANKS], out_counts[MOST_RANKS], out_places[MOST_RANKS], in_counts[MOST_RANKS],
            in_places[MOST_RANKS], out_at = 0, in_at = 0;
        MPI_Request request;
        for (int a = 0; a < size; ++a)
            for (int b = 0; b < size; ++b) ints[a][b] = pick(2) * 6 * pick(5);
        clear(sent);
        clear(received);
        clear(wanted);
        for (int other = size - 1; other >= 0; --other) {
            out_counts[other] = ints[rank][other] / out->n;
            in_counts[other] = ints[other][rank] / in->n;
            out_places[other] = out_at;
            in_places[other] = in_at;
            out_at += out_counts[other] + 1;
            in_at += in_counts[other] + 2;
            for (int i = 0; i < ints[rank][other]; ++i)
                *place(sent, out, out_places[other] * out->n + i) = value(rank, other, i);
            for (int i = 0; i < ints[other][rank]; ++i)
                *place(wanted, in, in_places[other] * in->n + i) = value(other, rank, i);
        }
        if (later) {
            MPI_Ialltoallv(sent, out_counts, out_places, out->type, received, in_counts, in_places, in->type, MPI_COMM_WORLD,
                           &request);
            finish(&request);
        } else {
            MPI_Alltoallv(sent, out_counts, out_places, out->type, received, in_counts, in_places, in->type, MPI_COMM_WORLD);
        }
        compare("alltoallv", received, wanted);
    }
    return end();
}

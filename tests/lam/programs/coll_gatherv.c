/* np: 6 */
/* MPI_Gatherv() and MPI_Igatherv(): counts of each rank, blocks in reverse order with gaps, sometimes in place. */
#include "coll_check.h"

int main(int argc, char** argv) {
    static int sent[ROOM], received[ROOM], wanted[ROOM];
    start(&argc, &argv, "coll_gatherv");
    for (int round = 0; round < 50; ++round) {
        const int root = pick(size), later = pick(2), in_place = pick(2), shift = pick(KINDS);
        const struct kind *out = &kinds[(rank + shift) % KINDS], *in = &kinds[pick(KINDS)];
        int ints[MOST_RANKS], counts[MOST_RANKS], places[MOST_RANKS], at = 0;
        MPI_Request request;
        for (int i = size - 1; i >= 0; --i) {
            ints[i] = 6 * pick(6);
            counts[i] = ints[i] / in->n;
            places[i] = at;
            at += counts[i] + pick(3);
        }
        clear(sent);
        clear(received);
        clear(wanted);
        for (int i = 0; i < ints[rank]; ++i) *place(sent, out, i) = value(rank, root, i);
        for (int from = 0; from < size && rank == root; ++from)
            for (int i = 0; i < ints[from]; ++i) {
                *place(wanted, in, places[from] * in->n + i) = value(from, root, i);
                if (from == root && in_place) *place(received, in, places[from] * in->n + i) = value(from, root, i);
            }
        const void* from = in_place && rank == root ? MPI_IN_PLACE : sent;
        const int count = ints[rank] / out->n;
        if (later) {
            MPI_Igatherv(from, count, out->type, received, rank == root ? counts : NULL, rank == root ? places : NULL, in->type,
                         root, MPI_COMM_WORLD, &request);
            finish(&request);
        } else {
            MPI_Gatherv(from, count, out->type, received, rank == root ? counts : NULL, rank == root ? places : NULL, in->type,
                        root, MPI_COMM_WORLD);
        }
        compare("gatherv", received, wanted);
    }
    return end();
}

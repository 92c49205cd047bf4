/* np: 9 */
/* MPI_Scatterv() and MPI_Iscatterv(): counts of each rank, blocks in reverse order with gaps, sometimes in place. */
#include "coll_check.h"

int main(int argc, char** argv) {
    static int sent[ROOM], received[ROOM], wanted[ROOM];
    start(&argc, &argv, "coll_scatterv");
    for (int round = 0; round < 50; ++round) {
        const int root = pick(size), later = pick(2), in_place = pick(2), shift = pick(KINDS);
        const struct kind *in = &kinds[(rank + shift) % KINDS], *out = &kinds[pick(KINDS)];
        int ints[MOST_RANKS], counts[MOST_RANKS], places[MOST_RANKS], at = 0;
        MPI_Request request;
        for (int i = size - 1; i >= 0; --i) {
            ints[i] = 6 * pick(6);
            counts[i] = ints[i] / out->n;
            places[i] = at;
            at += counts[i] + pick(3);
        }
        clear(sent);
        clear(received);
        clear(wanted);
        for (int to = 0; to < size && rank == root; ++to)
            for (int i = 0; i < ints[to]; ++i) *place(sent, out, places[to] * out->n + i) = value(root, to, i);
        for (int i = 0; i < ints[rank] && !(in_place && rank == root); ++i) *place(wanted, in, i) = value(root, rank, i);
        void* to = in_place && rank == root ? MPI_IN_PLACE : received;
        const int count = ints[rank] / in->n;
        if (later) {
            MPI_Iscatterv(sent, rank == root ? counts : NULL, rank == root ? places : NULL, out->type, to, count, in->type,
                          root, MPI_COMM_WORLD, &request);
            finish(&request);
        } else {
            MPI_Scatterv(sent, rank == root ? counts : NULL, rank == root ? places : NULL, out->type, to, count, in->type, root,
                         MPI_COMM_WORLD);
        }
        compare("scatterv", received, wanted);
    }
    return end();
}

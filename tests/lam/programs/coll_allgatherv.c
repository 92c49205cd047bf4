/* np: 5 */
/* MPI_Allgatherv() and MPI_Iallgatherv(): counts of each rank, gaps between blocks, sometimes in place. */
#include "coll_check.h"

int main(int argc, char** argv) {
    static int sent[ROOM], received[ROOM], wanted[ROOM];
    start(&argc, &argv, "coll_allgatherv");
    for (int round = 0; round < 50; ++round) {
        const int later = pick(2), in_place = pick(2), shift = pick(KINDS);
        const struct kind *out = &kinds[(rank + shift) % KINDS], *in = &kinds[(rank + shift / 2) % KINDS];
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
        for (int i = 0; i < ints[rank]; ++i) *place(sent, out, i) = value(rank, 0, i);
        for (int from = 0; from < size; ++from)
            for (int i = 0; i < ints[from]; ++i) {
                *place(wanted, in, places[from] * in->n + i) = value(from, 0, i);
                if (from == rank && in_place) *place(received, in, places[from] * in->n + i) = value(from, 0, i);
            }
        const void* from = in_place ? MPI_IN_PLACE : sent;
        const int count = ints[rank] / out->n;
        if (later) {
            MPI_Iallgatherv(from, count, out->type, received, counts, places, in->type, MPI_COMM_WORLD, &request);
            finish(&request);
        } else {
            MPI_Allgatherv(from, count, out->type, received, counts, places, in->type, MPI_COMM_WORLD);
        }
        compare("allgatherv", received, wanted);
    }
    return end();
}

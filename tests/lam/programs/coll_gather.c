/* np: 5 */
/* MPI_Gather() and MPI_Igather(): each rank sends from another layout. */
#include "coll_check.h"

int main(int argc, char** argv) {
    static int sent[ROOM], received[ROOM], wanted[ROOM];
    start(&argc, &argv, "coll_gather");
    for (int round = 0; round < 50; ++round) {
        const int root = pick(size), ints = 6 * pick(6), later = pick(2), in_place = 0, shift = pick(KINDS);
        const struct kind *out = &kinds[(rank + shift) % KINDS], *in = &kinds[pick(KINDS)];
        MPI_Request request;
        clear(sent);
        clear(received);
        clear(wanted);
        for (int i = 0; i < ints; ++i) *place(sent, out, i) = value(rank, root, i);
        for (int from = 0; from < size && rank == root; ++from)
            for (int i = 0; i < ints; ++i) {
                *place(wanted, in, from * ints + i) = value(from, root, i);
                if (from == root && in_place) *place(received, in, from * ints + i) = value(from, root, i);
            }
        const void* from = in_place && rank == root ? MPI_IN_PLACE : sent;
        if (later) {
            MPI_Igather(from, ints / out->n, out->type, received, ints / in->n, in->type, root, MPI_COMM_WORLD, &request);
            finish(&request);
        } else {
            MPI_Gather(from, ints / out->n, out->type, received, ints / in->n, in->type, root, MPI_COMM_WORLD);
        }
        compare("gather", received, wanted);
    }
    return end();
}

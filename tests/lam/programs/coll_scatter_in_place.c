/* np: 2 */
/* MPI_Scatter() and MPI_Iscatter() where the root's own block stays in place. */
#include "coll_check.h"

int main(int argc, char** argv) {
    static int sent[ROOM], received[ROOM], wanted[ROOM];
    start(&argc, &argv, "coll_scatter_in_place");
    for (int round = 0; round < 50; ++round) {
        const int root = pick(size), ints = 6 * pick(6), later = pick(2), in_place = 1, shift = pick(KINDS);
        const struct kind *in = &kinds[(rank + shift) % KINDS], *out = &kinds[pick(KINDS)];
        MPI_Request request;
        clear(sent);
        clear(received);
        clear(wanted);
        for (int to = 0; to < size && rank == root; ++to)
            for (int i = 0; i < ints; ++i) *place(sent, out, to * ints + i) = value(root, to, i);
        for (int i = 0; i < ints && !(in_place && rank == root); ++i) *place(wanted, in, i) = value(root, rank, i);
        void* to = in_place && rank == root ? MPI_IN_PLACE : received;
        if (later) {
            MPI_Iscatter(sent, ints / out->n, out->type, to, ints / in->n, in->type, root, MPI_COMM_WORLD, &request);
            finish(&request);
        } else {
            MPI_Scatter(sent, ints / out->n, out->type, to, ints / in->n, in->type, root, MPI_COMM_WORLD);
        }
        compare("scatter", received, wanted);
    }
    return end();
}

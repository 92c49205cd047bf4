/* np: 4 */
/* MPI_Allgather() and MPI_Iallgather(): several layouts, sometimes in place. */
#include "coll_check.h"

int main(int argc, char** argv) {
    static int sent[ROOM], received[ROOM], wanted[ROOM];
    start(&argc, &argv, "coll_allgather");
    for (int round = 0; round < 50; ++round) {
        const int ints = 6 * pick(6), later = pick(2), in_place = pick(2), shift = pick(KINDS);
        const struct kind *out = &kinds[(rank + shift) % KINDS], *in = &kinds[(rank + shift / 2) % KINDS];
        MPI_Request request;
        clear(sent);
        clear(received);
        clear(wanted);
        for (int i = 0; i < ints; ++i) *place(sent, out, i) = value(rank, 0, i);
        for (int from = 0; from < size; ++from)
            for (int i = 0; i < ints; ++i) {
                *place(wanted, in, from * ints + i) = value(from, 0, i);
                if (from == rank && in_place) *place(received, in, from * ints + i) = value(from, 0, i);
            }
        const void* from = in_place ? MPI_IN_PLACE : sent;
        if (later) {
            MPI_Iallgather(from, ints / out->n, out->type, received, ints / in->n, in->type, MPI_COMM_WORLD, &request);
            finish(&request);
        } else {
            MPI_Allgather(from, ints / out->n, out->type, received, ints / in->n, in->type, MPI_COMM_WORLD);
        }
        compare("allgather", received, wanted);
    }
    return end();
}

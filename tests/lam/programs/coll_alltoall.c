/* np: 3 */
/* MPI_Alltoall() and MPI_Ialltoall(): several layouts. */
#include "coll_check.h"

int main(int argc, char** argv) {
    static int sent[ROOM], received[ROOM], wanted[ROOM];
    start(&argc, &argv, "coll_alltoall");
    for (int round = 0; round < 50; ++round) {
        const int ints = 6 * pick(6), later = pick(2), shift = pick(KINDS);
        const struct kind *out = &kinds[(rank + shift) % KINDS], *in = &kinds[(rank + shift / 2) % KINDS];
        MPI_Request request;
        clear(sent);
        clear(received);
        clear(wanted);
        for (int other = 0; other < size; ++other)
            for (int i = 0; i < ints; ++i) {
                *place(sent, out, other * ints + i) = value(rank, other, i);
                *place(wanted, in, other * ints + i) = value(other, rank, i);
            }
        if (later) {
            MPI_Ialltoall(sent, ints / out->n, out->type, received, ints / in->n, in->type, MPI_COMM_WORLD, &request);
            finish(&request);
        } else {
            MPI_Alltoall(sent, ints / out->n, out->type, received, ints / in->n, in->type, MPI_COMM_WORLD);
        }
        compare("alltoall", received, wanted);
    }
    return end();
}

/* np: 4 */
/* MPI_Bcast(): each rank has another layout for the same sequence of ints. */
#include "coll_check.h"

int main(int argc, char** argv) {
    static int buffer[ROOM], wanted[ROOM];
    start(&argc, &argv, "coll_bcast_layouts");
    for (int round = 0; round < 40; ++round) {
        const int root = pick(size), ints = 6 * pick(20), later = pick(2), shift = pick(KINDS);
        const struct kind* its = &kinds[(rank + shift) % KINDS];
        clear(buffer);
        clear(wanted);
        for (int i = 0; i < ints; ++i) {
            *place(wanted, its, i) = value(root, 1, i);
            if (rank == root) *place(buffer, its, i) = value(root, 1, i);
        }
        if (later) {
            MPI_Request request;
            MPI_Ibcast(buffer, ints / its->n, its->type, root, MPI_COMM_WORLD, &request);
            finish(&request);
        } else {
            MPI_Bcast(buffer, ints / its->n, its->type, root, MPI_COMM_WORLD);
        }
        compare("bcast", buffer, wanted);
    }
    return end();
}

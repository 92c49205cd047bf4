/* np: 9 */
/* MPI_Bcast() and MPI_Ibcast(): random roots, counts and layouts, the same on all ranks. */
#include "coll_check.h"

int main(int argc, char** argv) {
    static int buffer[ROOM], wanted[ROOM];
    start(&argc, &argv, "coll_bcast");
    for (int round = 0; round < 60; ++round) {
        const struct kind* its = &kinds[pick(KINDS)];
        const int root = pick(size), count = pick(40), later = pick(2);
        clear(buffer);
        clear(wanted);
        for (int i = 0; i < count * its->n; ++i) {
            *place(wanted, its, i) = value(root, 0, i);
            if (rank == root) *place(buffer, its, i) = value(root, 0, i);
        }
        if (later) {
            MPI_Request request;
            MPI_Ibcast(buffer, count, its->type, root, MPI_COMM_WORLD, &request);
            finish(&request);
        } else {
            MPI_Bcast(buffer, count, its->type, root, MPI_COMM_WORLD);
        }
        compare("bcast", buffer, wanted);
    }
    return end();
}

/* np: 7 */
/* MPI_Reduce() and MPI_Ireduce(): random roots and counts, in place at the root half of the time. */
#include "coll_check.h"

int main(int argc, char** argv) {
    static int sent[ROOM], received[ROOM], wanted[ROOM];
    start(&argc, &argv, "coll_reduce");
    for (int round = 0; round < 60; ++round) {
        const int root = pick(size), count = pick(200), later = pick(2), in_place = pick(2), max = pick(2);
        const MPI_Op op = max ? MPI_MAX : MPI_SUM;
        MPI_Request request;
        clear(sent);
        clear(received);
        clear(wanted);
        for (int i = 0; i < count; ++i) {
            sent[i] = value(rank, 0, i) * (i % 3 - 1);
            if (rank != root) continue;
            if (in_place) received[i] = sent[i];
            wanted[i] = value(0, 0, i) * (i % 3 - 1);
            for (int from = 1; from < size; ++from) {
                const int its = value(from, 0, i) * (i % 3 - 1);
                wanted[i] = !max ? wanted[i] + its : its > wanted[i] ? its : wanted[i];
            }
        }
        const void* from = in_place && rank == root ? MPI_IN_PLACE : sent;
        void* to = rank == root ? received : NULL;
        if (later) {
            MPI_Ireduce(from, to, count, MPI_INT, op, root, MPI_COMM_WORLD, &request);
            finish(&request);
        } else {
            MPI_Reduce(from, to, count, MPI_INT, op, root, MPI_COMM_WORLD);
        }
        compare("reduce", received, wanted);
    }
    return end();
}

/* np: 2 */
/* Nobody leaves a barrier before all have come: a chain of messages tells how far each rank was. */
#include "coll_check.h"

int main(int argc, char** argv) {
    start(&argc, &argv, "coll_barrier");
    for (int round = 0; round < 20; ++round) {
        /* Whoever comes last has waited for a message of each rank, sent before the barrier. */
        const int last = pick(size);
        int token = round;
        if (rank == last) {
            for (int from = 0; from < size; ++from) {
                if (from == rank) continue;
                MPI_Recv(&token, 1, MPI_INT, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                expect("token", token, from * 100 + round);
            }
        } else {
            token = rank * 100 + round;
            MPI_Send(&token, 1, MPI_INT, last, 5, MPI_COMM_WORLD);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return end();
}

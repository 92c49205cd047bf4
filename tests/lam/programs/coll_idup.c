/* np: 5 */
/* MPI_Comm_idup() among other operations that do not block: all are matched in the order in which they begin. */
#include "coll_check.h"

int main(int argc, char** argv) {
    start(&argc, &argv, "coll_idup");
    for (int round = 0; round < 5; ++round) {
        MPI_Comm twins[2];
        MPI_Request requests[4];
        int total = 0, told = rank == 0 ? 31 + round : 0, relation = -1, most = 0;
        MPI_Iallreduce(&rank, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
        MPI_Comm_idup(MPI_COMM_WORLD, &twins[0], &requests[1]);
        MPI_Ibcast(&told, 1, MPI_INT, 0, MPI_COMM_WORLD, &requests[2]);
        MPI_Comm_idup(MPI_COMM_WORLD, &twins[1], &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        expect("total", total, size * (size - 1) / 2);
        expect("told", told, 31 + round);
        for (int i = 0; i < 2; ++i) {
            MPI_Comm_compare(MPI_COMM_WORLD, twins[i], &relation);
            expect("congruent", relation == MPI_CONGRUENT, 1);
            MPI_Allreduce(&rank, &most, 1, MPI_INT, MPI_MAX, twins[i]);
            expect("most", most, size - 1);
            MPI_Comm_free(&twins[i]);
        }
    }
    return end();
}

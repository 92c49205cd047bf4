/* np: 6 */
/* MPI_Intercomm_merge(): which side comes first. */
#include "comm_check.h"

int main(int argc, char** argv) {
    MPI_Comm half, inter, merged, again;
    begin(&argc, &argv);
    for (int turn = 0; turn < 2; ++turn) {
        const int side = rank % 2;
        MPI_Comm_split(MPI_COMM_WORLD, side, turn ? -rank : rank, &half);
        const int leader = turn ? (side ? 4 : 5) : !side;
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, leader, 3, &inter);
        MPI_Intercomm_merge(inter, side, &merged);
        show_comm("even ones first", merged);
        say("sum %d", sum_of(merged));
        MPI_Comm_free(&merged);
        MPI_Intercomm_merge(inter, !side, &merged);
        show_comm("odd ones first", merged);
        MPI_Comm_dup(merged, &again);
        say("sum %d", sum_of(again));
        MPI_Comm_free(&again);
        MPI_Comm_free(&merged);
        MPI_Intercomm_merge(inter, 17 * side, &merged);
        show_comm("17 is high", merged);
        MPI_Comm_free(&merged);
        /* Both alike: the order of the sides is free, but one for all. */
        int own, count, sum = -1;
        MPI_Intercomm_merge(inter, 1, &merged);
        MPI_Comm_rank(merged, &own);
        MPI_Comm_size(merged, &count);
        MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, merged);
        say("of %d, sum of ranks %d", count, sum);
        MPI_Comm_free(&merged);
        MPI_Comm_free(&inter);
        MPI_Comm_free(&half);
    }
    return end();
}

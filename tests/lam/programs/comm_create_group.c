/* np: 8 */
/* MPI_Comm_create_group(): only the members call it, and groups with a common member go by tag. */
#include "comm_check.h"

int main(int argc, char** argv) {
    MPI_Group world, group;
    MPI_Comm made, first, second;
    begin(&argc, &argv);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    if (rank % 2 == 0) {
        MPI_Group_range_incl(world, 1, (int[][3]){{6, 0, -2}}, &group);
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &made);
        show_comm("even", made);
        say("sum %d", sum_of(made));
        MPI_Comm_free(&made);
        MPI_Group_free(&group);
    } else if (rank > 1) {
        MPI_Group_range_incl(world, 1, (int[][3]){{3, 7, 2}}, &group);
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &made);
        show_comm("3 5 7", made);
        say("sum %d", sum_of(made));
        MPI_Comm_free(&made);
        MPI_Group_free(&group);
    }
    /* A ring of pairs: each rank is in two. The lower one of a pair makes it first, but rank 0 begins with its upper one. */
    MPI_Comm pairs[2] = {MPI_COMM_NULL, MPI_COMM_NULL};
    for (int turn = 0; turn < 2; ++turn) {
        const int low = (turn + rank) % 2 == 0 ? rank : (rank + size - 1) % size;
        MPI_Group_incl(world, 2, (int[]){low, (low + 1) % size}, &group);
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 40 + turn, &pairs[turn]);
        MPI_Group_free(&group);
        show_comm("pair", pairs[turn]);
    }
    say("sums %d %d", sum_of(pairs[0]), sum_of(pairs[1]));
    MPI_Comm_free(&pairs[0]);
    MPI_Comm_free(&pairs[1]);
    /* Two over the same members. */
    if (rank < 3) {
        MPI_Group_range_incl(world, 1, (int[][3]){{0, 2, 1}}, &group);
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 1, &first);
        MPI_Comm_create_group(first, group, 1, &second);
        const int sent[2] = {10 + rank, 20 + rank};
        int got[2];
        MPI_Send(&sent[0], 1, MPI_INT, (rank + 1) % 3, 0, first);
        MPI_Send(&sent[1], 1, MPI_INT, (rank + 1) % 3, 0, second);
        MPI_Recv(&got[1], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, second, MPI_STATUS_IGNORE);
        MPI_Recv(&got[0], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, first, MPI_STATUS_IGNORE);
        say("%d %d", got[0], got[1]);
        MPI_Comm_free(&first);
        MPI_Comm_free(&second);
        MPI_Group_free(&group);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    say("sum %d", sum_of(made));
    MPI_Comm_free(&made);
    MPI_Group_free(&world);
    return end();
}

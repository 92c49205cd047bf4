/* np: 7 */
/* MPI_Comm_create(): one group, none, and several that are disjoint. */
#include "comm_check.h"

int main(int argc, char** argv) {
    MPI_Group world, group, part;
    MPI_Comm made, again;
    int list[] = {5, 2, 6, 0};
    begin(&argc, &argv);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 4, list, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &made);
    show_comm("5 2 6 0", made);
    if (made != MPI_COMM_NULL) {
        say("sum %d", sum_of(made));
        MPI_Group_incl(group, 2, (int[]){3, 1}, &part);
        MPI_Comm_create(made, part, &again);
        show_comm("0 2", again);
        if (again != MPI_COMM_NULL) {
            say("sum %d", sum_of(again));
            MPI_Comm_free(&again);
        }
        MPI_Group_free(&part);
        MPI_Comm_free(&made);
    }
    MPI_Group_free(&group);
    MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, &made);
    show_comm("empty", made);
    /* Each third of the ranks names its own group. */
    int third[7], count = 0;
    for (int i = size - 1; i >= 0; --i)
        if (i % 3 == rank % 3) third[count++] = i;
    MPI_Group_incl(world, count, third, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &made);
    show_comm("third", made);
    say("sum %d", sum_of(made));
    MPI_Comm_free(&made);
    MPI_Comm_create(MPI_COMM_WORLD, rank % 3 == 1 ? MPI_GROUP_EMPTY : group, &made);
    show_comm("two thirds", made);
    if (made != MPI_COMM_NULL) {
        say("sum %d", sum_of(made));
        MPI_Comm_free(&made);
    }
    MPI_Group_free(&group);
    MPI_Comm_create(MPI_COMM_WORLD, world, &made);
    show_comm("all", made);
    MPI_Comm_free(&made);
    MPI_Group_free(&world);
    return end();
}

/* np: 7 */
/* MPI_Comm_create() of an inter-communicator: a subset of each side. */
#include "comm_check.h"

int main(int argc, char** argv) {
    MPI_Comm half, inter, made, merged;
    MPI_Group world, local, part;
    begin(&argc, &argv);
    const int side = rank % 2;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_split(MPI_COMM_WORLD, side, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, !side, 0, &inter);
    MPI_Comm_group(inter, &local);
    show_group("local", local);
    MPI_Comm_remote_group(inter, &part);
    show_group("remote", part);
    MPI_Group_free(&part);
    MPI_Group_incl(local, 2, (int[]){2, 0}, &part);
    MPI_Comm_create(inter, part, &made);
    show_comm("two of each", made);
    if (made != MPI_COMM_NULL) {
        MPI_Intercomm_merge(made, !side, &merged);
        show_comm("merged", merged);
        say("sum %d", sum_of(merged));
        MPI_Comm_free(&merged);
        MPI_Comm_free(&made);
    }
    MPI_Group_free(&part);
    MPI_Group_incl(local, side ? 3 : 1, (int[]){1, 2, 0}, &part);
    MPI_Comm_create(inter, part, &made);
    show_comm("one and three", made);
    if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
    MPI_Comm_create(inter, local, &made);
    show_comm("all", made);
    MPI_Comm_free(&made);
    MPI_Group_free(&part);
    MPI_Group_free(&local);
    MPI_Group_free(&world);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    return end();
}

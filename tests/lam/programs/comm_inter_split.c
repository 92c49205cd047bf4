/* np: 8 */
/* MPI_Comm_split() of an inter-communicator: colours of both sides meet. */
#include "comm_check.h"

static void across(MPI_Comm inter) {
    int own, others, sum = 0, number;
    MPI_Comm_rank(inter, &own);
    MPI_Comm_remote_size(inter, &others);
    for (int i = 0; i < others; ++i) MPI_Send(&rank, 1, MPI_INT, i, 0, inter);
    for (int i = 0; i < others; ++i) {
        MPI_Recv(&number, 1, MPI_INT, i, 0, inter, MPI_STATUS_IGNORE);
        sum += number;
    }
    say("  sum of the others %d", sum);
}

int main(int argc, char** argv) {
    MPI_Comm half, inter, made, again;
    begin(&argc, &argv);
    MPI_Comm_split(MPI_COMM_WORLD, rank < 3, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 3 ? 3 : 0, 0, &inter);
    MPI_Comm_split(inter, rank % 2, -rank, &made);
    show_comm("odd and even", made);
    across(made);
    MPI_Comm_free(&made);
    MPI_Comm_split(inter, rank < 3 ? 5 : rank % 3 + 4, rank, &made);
    show_comm("colour 5", made);
    if (made != MPI_COMM_NULL) {
        across(made);
        MPI_Comm_split(made, rank == 4 ? MPI_UNDEFINED : 0, 0, &again);
        show_comm("without 4", again);
        if (again != MPI_COMM_NULL) {
            across(again);
            MPI_Comm_free(&again);
        }
        MPI_Comm_free(&made);
    }
    for (int round = 0; round < 20; ++round) {
        int colors[8], keys[8];
        for (int i = 0; i < size; ++i) {
            colors[i] = pick(3) - (pick(4) == 0 ? 5 : 0);
            keys[i] = pick(3) - 1;
        }
        MPI_Comm_split(inter, colors[rank] < 0 ? MPI_UNDEFINED : colors[rank], keys[rank], &made);
        show_comm("random", made);
        if (made == MPI_COMM_NULL) continue;
        across(made);
        MPI_Comm_free(&made);
    }
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    return end();
}

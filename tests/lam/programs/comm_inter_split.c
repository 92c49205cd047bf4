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
    MPI_Comm half, inter, made;
    begin(&argc, &argv);
    MPI_Comm_split(MPI_COMM_WORLD, rank < 3, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 3 ? 3 : 0, 0, &inter);
    MPI_Comm_split(inter, rank % 2, -rank, &made);
    show_comm("odd and even", made);
    across(made);
    MPI_Comm_free(&made);
    MPI_Comm_split(inter, rank % 3 == 1 ? MPI_UNDEFINED : 5, rank, &made);
    show_comm("two thirds", made);
    if (made != MPI_COMM_NULL) {
        across(made);
        MPI_Comm_free(&made);
    }
    for (int round = 0; round < 20; ++round) {
        int colors[8], keys[8];
        for (int i = 0; i < size; ++i) {
            colors[i] = i < 2 || (i >= 3 && i < 5) ? (i + round) % 2 : pick(3) - 1;
            keys[i] = pick(3) - 1;
        }
        MPI_Comm_split(inter, colors[rank] < 0 ? MPI_UNDEFINED : colors[rank], keys[rank], &made);
        show_comm("random", made);
        if (made == MPI_COMM_NULL) continue;
        across(made);
        MPI_Comm_free(&made);
    }
    /* A colour that one side lacks, and a split of a split: MPICH 4.0.2 waits for ever. */
    int wrong = 0;
#ifdef LAM_MPI
    MPI_Comm again;
    MPI_Comm_split(inter, rank < 3 ? 5 : rank % 3 + 4, 0, &made);
    wrong = (made == MPI_COMM_NULL) != (rank >= 3 && rank % 3 != 1);
    if (made != MPI_COMM_NULL) {
        int its_size, others;
        MPI_Comm_split(made, rank == 0 ? MPI_UNDEFINED : 0, 0, &again);
        wrong += (again == MPI_COMM_NULL) != (rank == 0);
        if (again != MPI_COMM_NULL) {
            MPI_Comm_size(again, &its_size);
            MPI_Comm_remote_size(again, &others);
            wrong += its_size != 2 || others != 2;
            for (int i = 0; i < others; ++i) MPI_Send(&rank, 1, MPI_INT, i, 0, again);
            for (int i = 0; i < others; ++i) {
                int number;
                MPI_Recv(&number, 1, MPI_INT, i, 0, again, MPI_STATUS_IGNORE);
                wrong += number != (rank < 3 ? 4 + 3 * i : 1 + i);
            }
            MPI_Comm_free(&again);
        }
        MPI_Comm_free(&made);
    }
#endif
    say("%d wrong", wrong);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    return end();
}

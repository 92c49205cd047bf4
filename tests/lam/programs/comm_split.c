/* np: 8 */
/* MPI_Comm_split(): colours, keys, ties, and ranks without a colour. */
#include "comm_check.h"

int main(int argc, char** argv) {
    MPI_Comm made, again;
    begin(&argc, &argv);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 3, 0, &made);
    show_comm("colour rank % 3", made);
    say("sum %d", sum_of(made));
    MPI_Comm_free(&made);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 4, -rank, &made);
    show_comm("turned halves", made);
    say("sum %d", sum_of(made));
    MPI_Comm_split(made, 0, rank % 2, &again);
    show_comm("of a half, odd ones last", again);
    say("sum %d", sum_of(again));
    MPI_Comm_free(&again);
    MPI_Comm_free(&made);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 3 ? MPI_UNDEFINED : 1, 5 - (rank > 4), &made);
    show_comm("all but 3", made);
    if (made != MPI_COMM_NULL) {
        say("sum %d", sum_of(made));
        MPI_Comm_free(&made);
    }
    MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, &made);
    show_comm("nobody", made);
    MPI_Comm_split(MPI_COMM_WORLD, rank * 1000000, 0, &made);
    show_comm("alone", made);
    MPI_Comm_free(&made);
    /* Random ones, in depth. */
    for (int round = 0; round < 30; ++round) {
        int colors[8], keys[8];
        for (int i = 0; i < size; ++i) {
            colors[i] = pick(4) - 1;
            keys[i] = pick(5) - 2;
        }
        MPI_Comm_split(MPI_COMM_WORLD, colors[rank] < 0 ? MPI_UNDEFINED : colors[rank], keys[rank], &made);
        show_comm("random", made);
        if (made == MPI_COMM_NULL) continue;
        MPI_Comm_split(made, keys[rank] + 2, rank, &again);
        show_comm("and again", again);
        say("sums %d %d", sum_of(made), sum_of(again));
        MPI_Comm_free(&made);
        say("sum %d", sum_of(again));
        MPI_Comm_free(&again);
    }
    return end();
}

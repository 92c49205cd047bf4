/* np: 5 */
/* Copies that do not block: several at once, others made meanwhile, ranks in another order. */
#include "comm_check.h"

int main(int argc, char** argv) {
    MPI_Comm copies[4], blocking, half, later;
    MPI_Request requests[4], one;
    int flag = 0, number;
    begin(&argc, &argv);
    for (int i = 0; i < 4; ++i) MPI_Comm_idup(MPI_COMM_WORLD, &copies[i], &requests[i]);
    MPI_Comm_dup(MPI_COMM_WORLD, &blocking);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Comm all[6] = {copies[0], copies[1], copies[2], copies[3], blocking, half};
    for (int i = 0; i < 6; ++i) show_comm("made", all[i]);
    for (int i = 0; i < 6; ++i) {
        const int value = 10 * rank + i;
        int own, count;
        MPI_Comm_rank(all[i], &own);
        MPI_Comm_size(all[i], &count);
        MPI_Send(&value, 1, MPI_INT, (own + 1) % count, 0, all[i]);
    }
    for (int i = 5; i >= 0; --i) {
        MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, all[i], MPI_STATUS_IGNORE);
        say("on %d came %d", i, number);
    }
    /* Rank 0 comes late: nobody waits for it in MPI_Comm_idup(). */
    if (rank == 0)
        for (int i = 1; i < size; ++i) MPI_Recv(&number, 1, MPI_INT, i, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_idup(blocking, &later, &one);
    if (rank != 0) MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    while (!flag) MPI_Test(&one, &flag, MPI_STATUS_IGNORE);
    say("sum %d", sum_of(later));
    MPI_Comm_free(&later);
    MPI_Comm_idup(half, &later, &one);
    MPI_Wait(&one, MPI_STATUS_IGNORE);
    show_comm("of a half", later);
    say("sum %d", sum_of(later));
    MPI_Comm_free(&later);
    MPI_Comm_idup(MPI_COMM_SELF, &later, &one);
    MPI_Wait(&one, MPI_STATUS_IGNORE);
    show_comm("of self", later);
    MPI_Comm_free(&later);
    for (int i = 0; i < 6; ++i) MPI_Comm_free(&all[i]);
    return end();
}

/* np: 3 */
/* Operations under way go on after their communicator has been freed. */
#include "comm_check.h"

int main(int argc, char** argv) {
    MPI_Comm made;
    MPI_Request requests[4];
    MPI_Status statuses[4];
    static int big[20000], from[20000];
    int small = -1, sum = 0;
    begin(&argc, &argv);
    for (int round = 0; round < 3; ++round) {
        MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &made);
        int own;
        MPI_Comm_rank(made, &own);
        for (int i = 0; i < 20000; ++i) big[i] = own + i + round;
        MPI_Irecv(&small, 1, MPI_INT, (own + 1) % size, 1, made, &requests[0]);
        MPI_Irecv(from, 20000, MPI_INT, MPI_ANY_SOURCE, 2, made, &requests[1]);
        MPI_Isend(big, 20000, MPI_INT, (own + 1) % size, 2, made, &requests[2]);
        MPI_Ibarrier(made, &requests[3]);
        const int value = 100 * own;
        MPI_Send(&value, 1, MPI_INT, (own + 2) % size, 1, made);
        MPI_Comm_free(&made);
        say("freed %d", made == MPI_COMM_NULL);
        MPI_Waitall(4, requests, statuses);
        say("%d from %d, %d from %d", small, statuses[0].MPI_SOURCE, from[19999], statuses[1].MPI_SOURCE);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, made, &requests[0]);
    MPI_Comm_free(&made);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    say("sum %d", sum);
    return end();
}

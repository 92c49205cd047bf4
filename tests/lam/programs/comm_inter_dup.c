/* np: 5 */
/* Copies of an inter-communicator, with and without waiting. */
#include "comm_check.h"

int main(int argc, char** argv) {
    MPI_Comm half, inter, copies[4], merged;
    MPI_Request requests[2];
    int result;
    begin(&argc, &argv);
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 0, &inter);
    MPI_Comm_dup(inter, &copies[0]);
    MPI_Comm_idup(inter, &copies[1], &requests[0]);
    MPI_Comm_idup(inter, &copies[2], &requests[1]);
    MPI_Comm_dup(copies[0], &copies[3]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Comm_free(&inter);
    for (int i = 0; i < 4; ++i) {
        int own, others;
        show_comm("copy", copies[i]);
        MPI_Comm_compare(copies[0], copies[i], &result);
        say("%s", result_name(result));
        MPI_Comm_rank(copies[i], &own);
        MPI_Comm_remote_size(copies[i], &others);
        const int value = 10 * rank + i;
        for (int j = 0; j < others; ++j) MPI_Send(&value, 1, MPI_INT, j, 0, copies[i]);
    }
    for (int i = 3; i >= 0; --i) {
        int others, number, sum = 0;
        MPI_Comm_remote_size(copies[i], &others);
        for (int j = 0; j < others; ++j) {
            MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, copies[i], MPI_STATUS_IGNORE);
            sum += number;
        }
        say("sum %d", sum);
        MPI_Intercomm_merge(copies[i], rank < 2, &merged);
        show_comm("merged", merged);
        say("sum %d", sum_of(merged));
        MPI_Comm_free(&merged);
        MPI_Comm_free(&copies[i]);
    }
    MPI_Comm_free(&half);
    return end();
}

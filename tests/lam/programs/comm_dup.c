/* np: 4 */
/* A copy has messages of its own, and its group. */
#include "comm_check.h"

int main(int argc, char** argv) {
    MPI_Comm copies[6], even;
    int result, values[6];
    begin(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &copies[0]);
    for (int i = 1; i < 6; ++i) MPI_Comm_dup(copies[i - 1], &copies[i]);
    for (int i = 0; i < 6; ++i) show_comm("copy", copies[i]);
    /* The receives are in another order than the sends. */
    MPI_Request requests[6];
    for (int i = 0; i < 6; ++i) {
        const int value = 100 * rank + i;
        MPI_Bsend_init(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, copies[i], &requests[i]);
        MPI_Request_free(&requests[i]);
        MPI_Send(&value, 1, MPI_INT, (rank + 1) % size, 3, copies[i]);
    }
    for (int i = 5; i >= 0; --i) {
        MPI_Recv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, copies[i], MPI_STATUS_IGNORE);
        say("on copy %d: %d", i, values[i]);
    }
    MPI_Comm_compare(copies[0], copies[5], &result);
    say("%s", result_name(result));
    MPI_Comm_compare(copies[0], copies[0], &result);
    say("%s", result_name(result));
    MPI_Comm_split(copies[2], rank % 2, -rank, &even);
    for (int i = 0; i < 6; ++i) MPI_Comm_free(&copies[i]);
    MPI_Comm_dup(even, &copies[0]);
    show_comm("copy of a half", copies[0]);
    say("sum %d", sum_of(copies[0]));
    MPI_Comm_free(&copies[0]);
    say("sum %d", sum_of(even));
    MPI_Comm_dup(MPI_COMM_SELF, &copies[1]);
    show_comm("copy of self", copies[1]);
    MPI_Comm_free(&copies[1]);
    MPI_Comm_free(&even);
    return end();
}

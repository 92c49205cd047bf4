/* np: 3 */
/* MPI_Finalize() deletes the attributes of MPI_COMM_SELF, the last first, while MPI still runs. */
#include "comm_check.h"

static int del(MPI_Comm comm, int keyval, void* value, void* extra) {
    int finalized, sum = -1;
    (void)keyval, (void)extra;
    MPI_Finalized(&finalized);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    say("delete %ld: self %d, finalized %d, sum %d", (long)value, comm == MPI_COMM_SELF, finalized, sum);
    return MPI_SUCCESS;
}

int main(int argc, char** argv) {
    int keys[4];
    begin(&argc, &argv);
    for (int i = 0; i < 4; ++i) {
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, del, &keys[i], NULL);
        MPI_Comm_set_attr(MPI_COMM_SELF, keys[i], (void*)(long)(10 + i));
    }
    MPI_Comm_set_attr(MPI_COMM_SELF, keys[1], (void*)21L);
    MPI_Comm_delete_attr(MPI_COMM_SELF, keys[2]);
    for (int i = 0; i < 4; ++i) MPI_Comm_free_keyval(&keys[i]);
    return end();
}

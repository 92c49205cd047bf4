/* np: 3 */
/* MPI_Comm_disconnect() waits for the messages of the communicator. */
#include "comm_check.h"

static int del(MPI_Comm comm, int keyval, void* value, void* extra) {
    (void)comm, (void)keyval, (void)extra;
    say("delete %ld", (long)value);
    return MPI_SUCCESS;
}

int main(int argc, char** argv) {
    MPI_Comm made;
    MPI_Request requests[2];
    static int big[30000], from[30000];
    int key;
    begin(&argc, &argv);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, del, &key, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    MPI_Comm_set_attr(made, key, (void*)77L);
    for (int i = 0; i < 30000; ++i) big[i] = rank * 2 + i;
    MPI_Irecv(from, 30000, MPI_INT, (rank + 1) % size, 2, made, &requests[0]);
    MPI_Isend(big, 30000, MPI_INT, (rank + 2) % size, 2, made, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Comm_disconnect(&made);
    say("%d %d", made == MPI_COMM_NULL, from[29999]);
    MPI_Comm_free_keyval(&key);
    MPI_Comm_dup(MPI_COMM_SELF, &made);
    MPI_Comm_disconnect(&made);
    say("%d", made == MPI_COMM_NULL);
    return end();
}

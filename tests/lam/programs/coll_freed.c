/* np: 5 */
/* The program frees types, operations and communicators while operations with them are under way. */
#include "coll_check.h"

static void add(void* in, void* inout, int* length, MPI_Datatype* type) {
    const int* a = in;
    int* b = inout;
    (void)type;
    for (int i = 0; i < *length; ++i) b[i] += a[i];
}

int main(int argc, char** argv) {
    start(&argc, &argv, "coll_freed");
    for (int round = 0; round < 10; ++round) {
        int own[6], got[6], told[6], all[6 * MOST_RANKS];
        MPI_Request requests[3];
        MPI_Comm twin;
        MPI_Datatype type;
        MPI_Op op;
        MPI_Comm_dup(MPI_COMM_WORLD, &twin);
        MPI_Op_create(add, 1, &op);
        MPI_Type_vector(3, 1, 2, MPI_INT, &type);
        MPI_Type_commit(&type);
        for (int i = 0; i < 6; ++i) {
            own[i] = rank * 10 + i;
            told[i] = rank == 1 % size ? 50 + i : -1;
        }
        MPI_Iallreduce(own, got, 6, MPI_INT, op, twin, &requests[0]);
        MPI_Ibcast(told, 1, type, 1 % size, twin, &requests[1]);
        MPI_Iallgather(own, 6, MPI_INT, all, 6, MPI_INT, twin, &requests[2]);
        MPI_Op_free(&op);
        MPI_Type_free(&type);
        MPI_Comm_free(&twin);
        expect("null communicator", twin == MPI_COMM_NULL, 1);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 6; ++i) {
            expect("allreduce", got[i], size * (size - 1) / 2 * 10 + size * i);
            expect("bcast", told[i], rank == 1 % size || (i % 2 == 0 && i < 5) ? 50 + i : -1);
        }
        for (int i = 0; i < 6 * size; ++i) expect("allgather", all[i], i / 6 * 10 + i % 6);
    }
    return end();
}

/* np: 2, finds: none, built: -fsanitize=thread */
/* Reads of buffers that are sent, of gaps between received blocks, and of results after the end; an operation of the program. */
#include <mpi.h>

static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
    (void)type;
    for (int i = 0; i < *count; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

int main(int argc, char** argv) {
    int rank, sent = 3, came[6] = {1, 2, 3, 4, 5, 6}, seen = 0, sum[2] = {0}, part[2] = {1, 2};
    MPI_Request requests[2], request;
    MPI_Datatype column;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(3, 1, 2, MPI_INT, &column);
    MPI_Type_commit(&column);
    MPI_Op_create(add, 1, &op);
    int row[3] = {rank, 1, 2};
    MPI_Irecv(came, 1, column, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(row, 3, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
    seen = sent + row[1] + came[1] + came[3];
    came[5] = seen;
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Iallreduce(part, sum, 2, MPI_INT, op, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (came[0] + sum[1] + came[5] < 0) MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Op_free(&op);
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}

/* np: 3 */
/* Wrong arguments give the error class of the standard, and the communicator works on. */
#include "coll_check.h"

static int a[64], b[64];

static void want(const char* text, int code, int wanted) {
    int class = -1;
    MPI_Error_class(code, &class);
    expect(text, class, wanted);
}

int main(int argc, char** argv) {
    int counts[MOST_RANKS], negative[MOST_RANKS], places[MOST_RANKS], total = 0;
    MPI_Datatype loose, types[MOST_RANKS];
    MPI_Request request;
    const MPI_Comm comm = MPI_COMM_WORLD;
    start(&argc, &argv, "coll_errors");
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Type_contiguous(2, MPI_INT, &loose);
    for (int i = 0; i < size; ++i) {
        counts[i] = 2;
        negative[i] = i == size - 1 ? -1 : 1;
        places[i] = 0;
        types[i] = MPI_INT;
    }
    want("no communicator", MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM);
    want("root too high", MPI_Bcast(a, 1, MPI_INT, size, comm), MPI_ERR_ROOT);
    want("root below 0", MPI_Bcast(a, 1, MPI_INT, -7, comm), MPI_ERR_ROOT);
    want("root null", MPI_Bcast(a, 1, MPI_INT, MPI_PROC_NULL, comm), MPI_ERR_ROOT);
    want("MPI_ROOT", MPI_Reduce(a, b, 1, MPI_INT, MPI_SUM, MPI_ROOT, comm), MPI_ERR_ROOT);
    want("ibcast root", MPI_Ibcast(a, 1, MPI_INT, size, comm, &request), MPI_ERR_ROOT);
    want("count", MPI_Bcast(a, -1, MPI_INT, 0, comm), MPI_ERR_COUNT);
    want("sendcount", MPI_Allgather(a, -1, MPI_INT, b, 1, MPI_INT, comm), MPI_ERR_COUNT);
    want("recvcount", MPI_Allgather(a, 1, MPI_INT, b, -1, MPI_INT, comm), MPI_ERR_COUNT);
    want("recvcounts", MPI_Allgatherv(a, 1, MPI_INT, b, negative, places, MPI_INT, comm), MPI_ERR_COUNT);
    want("null type", MPI_Bcast(a, 1, MPI_DATATYPE_NULL, 0, comm), MPI_ERR_TYPE);
    want("uncommitted type", MPI_Bcast(a, 1, loose, 0, comm), MPI_ERR_TYPE);
    want("uncommitted recvtype", MPI_Alltoall(a, 2, MPI_INT, b, 1, loose, comm), MPI_ERR_TYPE);
    want("null buffer", MPI_Bcast(NULL, 1, MPI_INT, 0, comm), MPI_ERR_BUFFER);
    want("null op", MPI_Allreduce(a, b, 1, MPI_INT, MPI_OP_NULL, comm), MPI_ERR_OP);
    want("op of one-sided", MPI_Allreduce(a, b, 1, MPI_INT, MPI_REPLACE, comm), MPI_ERR_OP);
    want("bits of doubles", MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_BAND, comm), MPI_ERR_OP);
    want("sum of bytes", MPI_Scan(a, b, 1, MPI_BYTE, MPI_SUM, comm), MPI_ERR_OP);
    want("place of ints", MPI_Allreduce(a, b, 1, MPI_INT, MPI_MAXLOC, comm), MPI_ERR_OP);
    want("aliased allreduce", MPI_Allreduce(a, a, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
    want("aliased iallreduce", MPI_Iallreduce(a, a, 1, MPI_INT, MPI_SUM, comm, &request), MPI_ERR_BUFFER);
    want("aliased scan", MPI_Scan(a, a, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
    want("aliased exscan", MPI_Exscan(a, a, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
    want("aliased allgather", MPI_Allgather(a + 2 * rank, 2, MPI_INT, a, 2, MPI_INT, comm), MPI_ERR_BUFFER);
    want("aliased alltoall", MPI_Alltoall(a, 2, MPI_INT, a, 2, MPI_INT, comm), MPI_ERR_BUFFER);
    want("aliased alltoallv", MPI_Alltoallv(a, counts, places, MPI_INT, a, counts, places, MPI_INT, comm), MPI_ERR_BUFFER);
    want("aliased alltoallw", MPI_Alltoallw(a, counts, places, types, a, counts, places, types, comm), MPI_ERR_BUFFER);
    want("aliased reduce_scatter", MPI_Reduce_scatter(a, a, counts, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
    want("recvbuf in place", MPI_Allreduce(a, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
    want("recvbuf in place", MPI_Alltoall(a, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, comm), MPI_ERR_BUFFER);
    /* MPICH 4.0.2 does not look at MPI_IN_PLACE of other ranks than the root. */
    if (rank == 0) {
        want("aliased gather", MPI_Gather(a, 1, MPI_INT, a, 1, MPI_INT, 0, comm), MPI_ERR_BUFFER);
        want("aliased reduce", MPI_Reduce(a, a, 1, MPI_INT, MPI_SUM, 0, comm), MPI_ERR_BUFFER);
        want("gatherv counts", MPI_Gatherv(a, 1, MPI_INT, b, negative, places, MPI_INT, 0, comm), MPI_ERR_COUNT);
        want("scatter from place", MPI_Scatter(MPI_IN_PLACE, 1, MPI_INT, b, 1, MPI_INT, 0, comm), MPI_ERR_BUFFER);
    }
    want("no request", MPI_Ibarrier(comm, NULL), MPI_ERR_ARG);
    want("allreduce works", MPI_Allreduce(&rank, &total, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
    expect("total", total, size * (size - 1) / 2);
    MPI_Type_free(&loose);
    return end();
}

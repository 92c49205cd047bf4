/* np: 5 */
/* Counts of 0 and types without data, with null pointers where the standard allows them. */
#include "coll_check.h"

int main(int argc, char** argv) {
    static int zeros[MOST_RANKS], zeros_too[MOST_RANKS];
    MPI_Datatype nothing, types[MOST_RANKS];
    MPI_Request request;
    int guard = 5, other = 6;
    start(&argc, &argv, "coll_empty");
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_commit(&nothing);
    for (int i = 0; i < size; ++i) types[i] = MPI_INT;
    for (int root = 0; root < size; ++root) {
        expect("bcast", MPI_Bcast(NULL, 0, MPI_INT, root, MPI_COMM_WORLD), MPI_SUCCESS);
        expect("bcast of nothing", MPI_Bcast(&guard, 4, nothing, root, MPI_COMM_WORLD), MPI_SUCCESS);
        expect("gather", MPI_Gather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, root, MPI_COMM_WORLD), MPI_SUCCESS);
        expect("scatter", MPI_Scatter(NULL, 0, MPI_INT, NULL, 0, MPI_INT, root, MPI_COMM_WORLD), MPI_SUCCESS);
        expect("gatherv", MPI_Gatherv(NULL, 0, MPI_INT, NULL, zeros, zeros, MPI_INT, root, MPI_COMM_WORLD), MPI_SUCCESS);
        expect("scatterv", MPI_Scatterv(NULL, zeros, zeros, MPI_INT, NULL, 0, MPI_INT, root, MPI_COMM_WORLD), MPI_SUCCESS);
        expect("reduce", MPI_Reduce(NULL, NULL, 0, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD), MPI_SUCCESS);
    }
    expect("allgather", MPI_Allgather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, MPI_COMM_WORLD), MPI_SUCCESS);
    expect("allgatherv", MPI_Allgatherv(NULL, 0, MPI_INT, NULL, zeros_too, zeros, MPI_INT, MPI_COMM_WORLD), MPI_SUCCESS);
    expect("alltoall", MPI_Alltoall(NULL, 0, MPI_INT, NULL, 0, MPI_INT, MPI_COMM_WORLD), MPI_SUCCESS);
    expect("alltoallv", MPI_Alltoallv(NULL, zeros, zeros, MPI_INT, NULL, zeros_too, zeros, MPI_INT, MPI_COMM_WORLD),
           MPI_SUCCESS);
    expect("alltoallw", MPI_Alltoallw(NULL, zeros, zeros, types, NULL, zeros_too, zeros, types, MPI_COMM_WORLD), MPI_SUCCESS);
    expect("allreduce", MPI_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    expect("reduce_scatter", MPI_Reduce_scatter(NULL, NULL, zeros, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    expect("scan", MPI_Scan(NULL, NULL, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    expect("exscan", MPI_Exscan(NULL, NULL, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    MPI_Iallreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    finish(&request);
    MPI_Ialltoall(&guard, 3, nothing, &other, 3, nothing, MPI_COMM_WORLD, &request);
    finish(&request);
    expect("guard", guard, 5);
    expect("other", other, 6);
    MPI_Type_free(&nothing);
    return end();
}

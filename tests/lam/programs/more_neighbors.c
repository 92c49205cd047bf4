/* np: 4 */
/* Distributed graphs, and collective operations among the neighbours of grids and graphs. */
#include "comm_check.h"

enum { most = 8, step = 3 };
static int sent[64], received[64], counts[most], places[most];
static MPI_Aint addresses[most];
static MPI_Datatype types[most];

static void tell_rows(const char* what, const char* function, int degree) {
    char line[600] = "";
    int at = 0;
    for (int i = 0; i < step * degree; ++i) at += sprintf(line + at, " %d", received[i]);
    say("%s, %s:%s", what, function, line);
    for (int i = 0; i < 64; ++i) received[i] = -1;
}
static void exchange(const char* what, MPI_Comm comm, int degree) {
    MPI_Request request;
    for (int i = 0; i < 64; ++i) sent[i] = rank * 100 + i, received[i] = -1;
    for (int i = 0; i < most; ++i) counts[i] = 2, places[i] = step * i, addresses[i] = step * 4 * i, types[i] = MPI_INT;
    MPI_Neighbor_allgather(sent, 2, MPI_INT, received, 2, MPI_INT, comm);
    tell_rows(what, "allgather", degree);
    MPI_Neighbor_allgatherv(sent, 2, MPI_INT, received, counts, places, MPI_INT, comm);
    tell_rows(what, "allgatherv", degree);
    MPI_Neighbor_alltoall(sent, 2, MPI_INT, received, 2, MPI_INT, comm);
    tell_rows(what, "alltoall", degree);
    MPI_Neighbor_alltoallv(sent, counts, places, MPI_INT, received, counts, places, MPI_INT, comm);
    tell_rows(what, "alltoallv", degree);
    MPI_Neighbor_alltoallw(sent, counts, addresses, types, received, counts, addresses, types, comm);
    tell_rows(what, "alltoallw", degree);
    MPI_Ineighbor_allgather(sent, 2, MPI_INT, received, 2, MPI_INT, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    tell_rows(what, "iallgather", degree);
    MPI_Ineighbor_allgatherv(sent, 2, MPI_INT, received, counts, places, MPI_INT, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    tell_rows(what, "iallgatherv", degree);
    MPI_Ineighbor_alltoall(sent, 2, MPI_INT, received, 2, MPI_INT, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    tell_rows(what, "ialltoall", degree);
    MPI_Ineighbor_alltoallv(sent, counts, places, MPI_INT, received, counts, places, MPI_INT, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    tell_rows(what, "ialltoallv", degree);
    MPI_Ineighbor_alltoallw(sent, counts, addresses, types, received, counts, addresses, types, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    tell_rows(what, "ialltoallw", degree);
    MPI_Comm_free(&comm);
}

static void grids(void) {
    const int dims[2] = {4, 1}, periods[2] = {1, 0}, pair[1] = {2}, both[1] = {1}, open[1] = {0};
    MPI_Comm comm;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
    exchange("ring", comm, 4);
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, open, 0, &comm);
    exchange("line", comm, 2);
    /* Both ways lead to the same rank. */
    MPI_Cart_create(MPI_COMM_WORLD, 1, pair, both, 0, &comm);
    if (comm == MPI_COMM_NULL) return;
    for (int i = 0; i < 64; ++i) sent[i] = rank * 100 + i;
    MPI_Neighbor_alltoall(sent, 2, MPI_INT, received, 2, MPI_INT, comm);
    tell_rows("pair", "alltoall", 1);
    MPI_Comm_free(&comm);
}

static void graphs(void) {
    const int index[] = {1, 3, 5, 6}, edges[] = {1, 0, 2, 1, 3, 2};
    const int from[2] = {(rank + 3) % 4, (rank + 2) % 4}, to[2] = {(rank + 1) % 4, (rank + 2) % 4};
    const int from_weights[2] = {5 + rank, 6}, to_weights[2] = {7, 8 + rank}, degree[1] = {2}, own[1] = {rank};
    int in, out, weighted, a[2], a_weights[2], b[2], b_weights[2], kind;
    MPI_Comm comm, twin;
    MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &comm);
    exchange("graph", comm, rank == 0 || rank == 3 ? 1 : 2);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, from, from_weights, 2, to, to_weights, MPI_INFO_NULL, 0, &comm);
    MPI_Dist_graph_neighbors(comm, 2, a, a_weights, 2, b, b_weights);
    MPI_Topo_test(comm, &kind);
    say("%d/%d %d/%d, %d/%d %d/%d, %d", a[0], a_weights[0], a[1], a_weights[1], b[0], b_weights[0], b[1], b_weights[1],
        kind == MPI_DIST_GRAPH);
    MPI_Comm_dup(comm, &twin);
    MPI_Dist_graph_neighbors_count(twin, &in, &out, &weighted);
    say("twin: %d %d %d", in, out, weighted != 0);
    MPI_Comm_free(&twin);
    exchange("adjacent", comm, 2);
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, own, degree, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    MPI_Dist_graph_neighbors(comm, 2, a, MPI_UNWEIGHTED, 2, b, MPI_UNWEIGHTED);
    say("%d %d %d: from %d, to %d %d", in, out, weighted != 0, a[0] + a[1], b[0], b[1]);
    MPI_Comm_free(&comm);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_WEIGHTS_EMPTY, 0, NULL, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &comm);
    exchange("none", comm, 0);
}

int main(int argc, char** argv) {
    begin(&argc, &argv);
    grids();
    graphs();
    return end();
}

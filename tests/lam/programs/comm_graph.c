/* np: 6 */
/* Graphs: neighbours of each rank, surplus ranks, copies, and messages along the edges. */
#include "comm_check.h"

int main(int argc, char** argv) {
    MPI_Comm graph, twin;
    /* A star around 0 of 5 ranks, 1 and 2 joined, 3 with itself. */
    const int index[] = {4, 6, 8, 10, 11}, edges[] = {1, 2, 3, 4, 0, 2, 0, 1, 0, 3, 0};
    int map, kind, nodes, edge_count, own, count, its_index[6], its_edges[12], neighbors[6], sum = 0;
    begin(&argc, &argv);
    MPI_Graph_map(MPI_COMM_WORLD, 5, index, edges, &map);
    say("map %d", map == MPI_UNDEFINED ? -1 : map);
    MPI_Graph_create(MPI_COMM_WORLD, 5, index, edges, 0, &graph);
    show_comm("graph", graph);
    if (graph != MPI_COMM_NULL) {
        MPI_Comm_dup(graph, &twin);
        MPI_Comm_free(&graph);
        MPI_Topo_test(twin, &kind);
        MPI_Graphdims_get(twin, &nodes, &edge_count);
        say("%d: %d nodes, %d edges", kind == MPI_GRAPH, nodes, edge_count);
        MPI_Graph_get(twin, 6, 12, its_index, its_edges);
        say("%d %d", memcmp(index, its_index, sizeof index), memcmp(edges, its_edges, sizeof edges));
        MPI_Comm_rank(twin, &own);
        for (int i = 0; i < nodes; ++i) {
            MPI_Graph_neighbors_count(twin, i, &count);
            MPI_Graph_neighbors(twin, i, 6, neighbors);
            for (int j = 0; j < count; ++j) say("%d has %d", i, neighbors[j]);
        }
        MPI_Graph_neighbors_count(twin, own, &count);
        MPI_Graph_neighbors(twin, own, count, neighbors);
        for (int i = 0; i < count; ++i) {
            int value = 1 << own, got;
            MPI_Sendrecv(&value, 1, MPI_INT, neighbors[i], 0, &got, 1, MPI_INT, neighbors[i], 0, twin, MPI_STATUS_IGNORE);
            sum += got;
        }
        say("neighbours %d", sum);
        MPI_Comm_free(&twin);
    }
    MPI_Graph_create(MPI_COMM_WORLD, 3, (int[]){0, 0, 0}, edges, 0, &graph);
    if (graph != MPI_COMM_NULL) {
        MPI_Graphdims_get(graph, &nodes, &edge_count);
        say("%d nodes, %d edges", nodes, edge_count);
        MPI_Graph_neighbors_count(graph, 2, &count);
        say("%d neighbours", count);
        MPI_Comm_free(&graph);
    }
    return end();
}

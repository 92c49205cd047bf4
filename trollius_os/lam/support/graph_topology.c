/* Graph topologies: each rank has a list of neighbours. */
#include <stdlib.h>
#include <string.h>

#include "lam_communicators.h"

static int check_graph(const struct lam_comm* comm, int nnodes, const int index[], const int edges[], const char* function) {
    const MPI_Comm handle = comm->handle;
    if (nnodes < 0) return lam_fail(handle, MPI_ERR_ARG, function, "nnodes is %d", nnodes);
    if (nnodes > comm->local->size)
        return lam_fail(handle, MPI_ERR_ARG, function, "nnodes is %d, and comm has %d ranks", nnodes, comm->local->size);
    if (nnodes > 0 && index == NULL) return lam_fail_null(handle, function, "index");
    for (int i = 0; i < nnodes; ++i)
        if (index[i] < (i == 0 ? 0 : index[i - 1]))
            return lam_fail(handle, MPI_ERR_ARG, function, "index[%d] is %d, which is less than before", i, index[i]);
    const int edge_count = nnodes > 0 ? index[nnodes - 1] : 0;
    if (edge_count > 0 && edges == NULL) return lam_fail_null(handle, function, "edges");
    for (int i = 0; i < edge_count; ++i)
        if (edges[i] < 0 || edges[i] >= nnodes)
            return lam_fail(handle, MPI_ERR_ARG, function, "edges[%d] is %d, and the graph has %d nodes", i, edges[i], nnodes);
    return MPI_SUCCESS;
}

LAM_API(int, Graph_create,
        (MPI_Comm handle, int nnodes, const int index[], const int edges[], int reorder, MPI_Comm* newcomm)) {
    const char* const function = "MPI_Graph_create";
    struct lam_comm* comm = NULL;
    (void)reorder;
    int error = lam_find_comm(handle, function, LAM_INTRA, &comm);
    if (error == MPI_SUCCESS) error = check_graph(comm, nnodes, index, edges, function);
    if (error != MPI_SUCCESS) return error;
    if (newcomm == NULL) return lam_fail_null(handle, function, "newcomm");
    *newcomm = MPI_COMM_NULL;
    if (nnodes == 0) return MPI_SUCCESS;
    struct lam_topology* graph = lam_topology_new(MPI_GRAPH, nnodes, index[nnodes - 1]);
    if (graph == NULL) return lam_fail_memory(handle, function);
    memcpy(graph->index, index, (size_t)nnodes * sizeof *index);
    if (graph->edge_count > 0) memcpy(graph->edges, edges, (size_t)graph->edge_count * sizeof *edges);
    return lam_comm_with_topology(comm, nnodes, graph, function, newcomm);
}

LAM_API(int, Graph_map, (MPI_Comm handle, int nnodes, const int index[], const int edges[], int* newrank)) {
    const char* const function = "MPI_Graph_map";
    struct lam_comm* comm = NULL;
    int error = lam_find_comm(handle, function, LAM_INTRA, &comm);
    if (error == MPI_SUCCESS) error = check_graph(comm, nnodes, index, edges, function);
    if (error != MPI_SUCCESS) return error;
    if (newrank == NULL) return lam_fail_null(handle, function, "newrank");
    *newrank = comm->rank < nnodes ? comm->rank : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

LAM_API(int, Graphdims_get, (MPI_Comm handle, int* nnodes, int* nedges)) {
    struct lam_comm* comm = NULL;
    const int error = lam_find_topology(handle, "MPI_Graphdims_get", MPI_GRAPH, &comm);
    if (error != MPI_SUCCESS) return error;
    if (nnodes == NULL || nedges == NULL)
        return lam_fail_null(handle, "MPI_Graphdims_get", nnodes == NULL ? "nnodes" : "nedges");
    *nnodes = comm->topology->size;
    *nedges = comm->topology->edge_count;
    return MPI_SUCCESS;
}

LAM_API(int, Graph_get, (MPI_Comm handle, int maxindex, int maxedges, int index[], int edges[])) {
    const char* const function = "MPI_Graph_get";
    struct lam_comm* comm = NULL;
    const int error = lam_find_topology(handle, function, MPI_GRAPH, &comm);
    if (error != MPI_SUCCESS) return error;
    const struct lam_topology* graph = comm->topology;
    if (maxindex < graph->size)
        return lam_fail(handle, MPI_ERR_ARG, function, "maxindex is %d, and the graph has %d nodes", maxindex, graph->size);
    if (maxedges < graph->edge_count)
        return lam_fail(handle, MPI_ERR_ARG, function, "maxedges is %d, and the graph has %d edges", maxedges,
                        graph->edge_count);
    if (index == NULL) return lam_fail_null(handle, function, "index");
    if (graph->edge_count > 0 && edges == NULL) return lam_fail_null(handle, function, "edges");
    memcpy(index, graph->index, (size_t)graph->size * sizeof *index);
    if (graph->edge_count > 0) memcpy(edges, graph->edges, (size_t)graph->edge_count * sizeof *edges);
    return MPI_SUCCESS;
}

/* Finds a rank's part of the list of edges. */
static int find_part(MPI_Comm handle, int rank, const char* function, const int** first, int* count) {
    struct lam_comm* comm = NULL;
    const int error = lam_find_topology(handle, function, MPI_GRAPH, &comm);
    if (error != MPI_SUCCESS) return error;
    const struct lam_topology* graph = comm->topology;
    if (rank < 0 || rank >= graph->size)
        return lam_fail(handle, MPI_ERR_RANK, function, "rank is %d, and the graph has %d nodes", rank, graph->size);
    const int begin = rank == 0 ? 0 : graph->index[rank - 1];
    *first = graph->edges + begin;
    *count = graph->index[rank] - begin;
    return MPI_SUCCESS;
}
LAM_API(int, Graph_neighbors_count, (MPI_Comm handle, int rank, int* nneighbors)) {
    const int* first = NULL;
    int count = 0;
    const int error = find_part(handle, rank, "MPI_Graph_neighbors_count", &first, &count);
    if (error != MPI_SUCCESS) return error;
    if (nneighbors == NULL) return lam_fail_null(handle, "MPI_Graph_neighbors_count", "nneighbors");
    *nneighbors = count;
    return MPI_SUCCESS;
}
LAM_API(int, Graph_neighbors, (MPI_Comm handle, int rank, int maxneighbors, int neighbors[])) {
    const char* const function = "MPI_Graph_neighbors";
    const int* first = NULL;
    int count = 0;
    const int error = find_part(handle, rank, function, &first, &count);
    if (error != MPI_SUCCESS) return error;
    if (maxneighbors < count)
        return lam_fail(handle, MPI_ERR_ARG, function, "maxneighbors is %d, and rank %d has %d neighbours", maxneighbors, rank,
                        count);
    if (count > 0 && neighbors == NULL) return lam_fail_null(handle, function, "neighbors");
    if (count > 0) memcpy(neighbors, first, (size_t)count * sizeof *neighbors);
    return MPI_SUCCESS;
}

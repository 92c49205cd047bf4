/* Distributed graphs: each rank knows its own sources and destinations. */
#include <stdlib.h>
#include <string.h>

#include "lam_communicators.h"

static int check_list(const struct lam_comm* comm, const char* function, const char* name, int count, const int* ranks) {
    const MPI_Comm handle = comm->handle;
    if (count < 0) return lam_fail(handle, MPI_ERR_ARG, function, "the number of %s is %d", name, count);
    if (count > 0 && ranks == NULL) return lam_fail_null(handle, function, name);
    for (int i = 0; i < count; ++i)
        if (ranks[i] != MPI_PROC_NULL && (ranks[i] < 0 || ranks[i] >= comm->local->size))
            return lam_fail(handle, MPI_ERR_RANK, function, "%s[%d] is %d, and comm has the ranks 0 to %d", name, i, ranks[i],
                            comm->local->size - 1);
    return MPI_SUCCESS;
}
static bool has_weights(const int* weights) {
    return weights != MPI_UNWEIGHTED;
}
static int check_weights(const struct lam_comm* comm, const char* function, const char* name, int count, const int* weights) {
    if (count == 0 || weights == MPI_UNWEIGHTED) return MPI_SUCCESS;
    if (weights == NULL || weights == MPI_WEIGHTS_EMPTY) return lam_fail_null(comm->handle, function, name);
    for (int i = 0; i < count; ++i)
        if (weights[i] < 0) return lam_fail(comm->handle, MPI_ERR_ARG, function, "%s[%d] is %d", name, i, weights[i]);
    return MPI_SUCCESS;
}
static void fill(int* to, const int* from, int count, int other) {
    for (int i = 0; i < count; ++i) to[i] = from == NULL ? other : from[i];
}

LAM_API(int, Dist_graph_create_adjacent,
        (MPI_Comm handle, int indegree, const int sources[], const int sourceweights[], int outdegree,
         const int destinations[], const int destweights[], MPI_Info info, int reorder, MPI_Comm* newcomm)) {
    static const char name[] = "MPI_Dist_graph_create_adjacent";
    struct lam_comm* comm = NULL;
    (void)reorder;
    int error = lam_find_comm(handle, name, LAM_INTRA, &comm);
    if (error == MPI_SUCCESS) error = check_list(comm, name, "sources", indegree, sources);
    if (error == MPI_SUCCESS) error = check_list(comm, name, "destinations", outdegree, destinations);
    if (error == MPI_SUCCESS) error = check_weights(comm, name, "sourceweights", indegree, sourceweights);
    if (error == MPI_SUCCESS) error = check_weights(comm, name, "destweights", outdegree, destweights);
    if (error != MPI_SUCCESS) return error;
    if (info != MPI_INFO_NULL && !lam_is_info(info)) return lam_fail(handle, MPI_ERR_INFO, name, "info is none");
    if (newcomm == NULL) return lam_fail_null(handle, name, "newcomm");
    if (has_weights(sourceweights) != has_weights(destweights))
        return lam_fail(handle, MPI_ERR_ARG, name, "only one of both lists of weights is MPI_UNWEIGHTED");
    struct lam_topology* graph = lam_topology_new(MPI_DIST_GRAPH, indegree, outdegree);
    if (graph == NULL) return lam_fail_memory(handle, name);
    graph->weighted = has_weights(sourceweights);
    fill(graph->sources, sources, indegree, 0);
    fill(graph->destinations, destinations, outdegree, 0);
    fill(graph->source_weights, graph->weighted ? sourceweights : NULL, indegree, 1);
    fill(graph->destination_weights, graph->weighted ? destweights : NULL, outdegree, 1);
    return lam_comm_with_topology(comm, comm->local->size, graph, name, newcomm);
}

/* ---- Edges that any rank may name ---- */

struct edge {
    int32_t from, to, weight;
};
/* All edges, in the order of the ranks that name them. Returns an error class. */
static int share_edges(struct lam_comm* comm, const struct edge* own, int own_count, struct edge** all, int* count) {
    const int size = comm->local->size;
    int32_t* counts = calloc((size_t)size, sizeof *counts);
    const int32_t its_count = own_count;
    int most = 0;
    int error = counts == NULL ? MPI_ERR_NO_MEM : lam_private_gather(&its_count, sizeof its_count, counts, comm);
    for (int i = 0; error == MPI_SUCCESS && i < size; ++i)
        if (counts[i] > most) most = counts[i];
    const size_t row = ((size_t)most + 1) * sizeof(struct edge);
    struct edge* rows = error == MPI_SUCCESS ? calloc((size_t)size, row) : NULL;
    struct edge* mine = error == MPI_SUCCESS ? calloc(1, row) : NULL;
    if (error == MPI_SUCCESS && (rows == NULL || mine == NULL)) error = MPI_ERR_NO_MEM;
    if (error == MPI_SUCCESS) {
        if (own_count > 0) memcpy(mine, own, (size_t)own_count * sizeof *own);
        error = lam_private_gather(mine, row, rows, comm);
    }
    *count = 0;
    for (int i = 0; error == MPI_SUCCESS && i < size; ++i)
        for (int k = 0; k < counts[i]; ++k) rows[(*count)++] = rows[(size_t)i * ((size_t)most + 1) + (size_t)k];
    free(mine);
    free(counts);
    *all = rows;
    return error;
}
static struct lam_topology* graph_of(int rank, const struct edge* all, int count, bool weighted) {
    int in = 0, out = 0;
    for (int i = 0; i < count; ++i) {
        in += all[i].to == rank;
        out += all[i].from == rank;
    }
    struct lam_topology* graph = lam_topology_new(MPI_DIST_GRAPH, in, out);
    if (graph == NULL) return NULL;
    graph->weighted = weighted;
    in = out = 0;
    for (int i = 0; i < count; ++i) {
        if (all[i].to == rank) {
            graph->sources[in] = all[i].from;
            graph->source_weights[in++] = all[i].weight;
        }
        if (all[i].from == rank) {
            graph->destinations[out] = all[i].to;
            graph->destination_weights[out++] = all[i].weight;
        }
    }
    return graph;
}

static int check_edges(const struct lam_comm* comm, const char* function, int n, const int sources[], const int degrees[],
                       const int destinations[], const int weights[], int* count) {
    *count = 0;
    int error = check_list(comm, function, "sources", n, sources);
    if (error != MPI_SUCCESS) return error;
    if (n > 0 && degrees == NULL) return lam_fail_null(comm->handle, function, "degrees");
    for (int i = 0; i < n; ++i) {
        if (degrees[i] < 0) return lam_fail(comm->handle, MPI_ERR_ARG, function, "degrees[%d] is %d", i, degrees[i]);
        *count += degrees[i];
    }
    error = check_list(comm, function, "destinations", *count, destinations);
    return error != MPI_SUCCESS ? error : check_weights(comm, function, "weights", *count, weights);
}

LAM_API(int, Dist_graph_create,
        (MPI_Comm handle, int n, const int sources[], const int degrees[], const int destinations[], const int weights[],
         MPI_Info info, int reorder, MPI_Comm* newcomm)) {
    static const char name[] = "MPI_Dist_graph_create";
    struct lam_comm* comm = NULL;
    int own_count = 0, count = 0;
    (void)reorder;
    int error = lam_find_comm(handle, name, LAM_INTRA, &comm);
    if (error == MPI_SUCCESS) error = check_edges(comm, name, n, sources, degrees, destinations, weights, &own_count);
    if (error != MPI_SUCCESS) return error;
    if (info != MPI_INFO_NULL && !lam_is_info(info)) return lam_fail(handle, MPI_ERR_INFO, name, "info is none");
    if (newcomm == NULL) return lam_fail_null(handle, name, "newcomm");
    struct edge *own = calloc((size_t)own_count + 1, sizeof *own), *all = NULL;
    if (own == NULL) return lam_fail_memory(handle, name);
    for (int i = 0, at = 0; i < n; ++i)
        for (int k = 0; k < degrees[i]; ++k, ++at)
            own[at] = (struct edge){sources[i], destinations[at], has_weights(weights) ? weights[at] : 1};
    error = share_edges(comm, own, own_count, &all, &count);
    struct lam_topology* graph = error == MPI_SUCCESS ? graph_of(comm->rank, all, count, has_weights(weights)) : NULL;
    free(own);
    free(all);
    if (error != MPI_SUCCESS) return lam_fail_agreement(comm, error, name);
    if (graph == NULL) return lam_fail_memory(handle, name);
    return lam_comm_with_topology(comm, comm->local->size, graph, name, newcomm);
}

/* ---- Questions ---- */

LAM_API(int, Dist_graph_neighbors_count, (MPI_Comm handle, int* indegree, int* outdegree, int* weighted)) {
    static const char name[] = "MPI_Dist_graph_neighbors_count";
    struct lam_comm* comm = NULL;
    const int error = lam_find_topology(handle, name, MPI_DIST_GRAPH, &comm);
    if (error != MPI_SUCCESS) return error;
    if (indegree == NULL || outdegree == NULL || weighted == NULL) return lam_fail_null(handle, name, "an answer");
    *indegree = comm->topology->size;
    *outdegree = comm->topology->edge_count;
    *weighted = comm->topology->weighted;
    return MPI_SUCCESS;
}
static void give(const int* ranks, const int* weights, int count, bool weighted, int to[], int to_weights[]) {
    if (count == 0) return;
    memcpy(to, ranks, (size_t)count * sizeof *to);
    if (weighted && to_weights != NULL && to_weights != MPI_UNWEIGHTED && to_weights != MPI_WEIGHTS_EMPTY)
        memcpy(to_weights, weights, (size_t)count * sizeof *to);
}
LAM_API(int, Dist_graph_neighbors,
        (MPI_Comm handle, int maxindegree, int sources[], int sourceweights[], int maxoutdegree, int destinations[],
         int destweights[])) {
    static const char name[] = "MPI_Dist_graph_neighbors";
    struct lam_comm* comm = NULL;
    const int error = lam_find_topology(handle, name, MPI_DIST_GRAPH, &comm);
    if (error != MPI_SUCCESS) return error;
    const struct lam_topology* graph = comm->topology;
    if (maxindegree < 0 || maxoutdegree < 0)
        return lam_fail(handle, MPI_ERR_ARG, name, "a list has room for %d ranks", maxindegree < 0 ? maxindegree : maxoutdegree);
    const int in = maxindegree < graph->size ? maxindegree : graph->size;
    const int out = maxoutdegree < graph->edge_count ? maxoutdegree : graph->edge_count;
    if ((in > 0 && sources == NULL) || (out > 0 && destinations == NULL)) return lam_fail_null(handle, name, "a list of ranks");
    give(graph->sources, graph->source_weights, in, graph->weighted, sources, sourceweights);
    give(graph->destinations, graph->destination_weights, out, graph->weighted, destinations, destweights);
    return MPI_SUCCESS;
}

/* Cartesian topologies: ranks as places of a grid, in the order of rows. And what all topologies share. */
#include <stdlib.h>
#include <string.h>

#include "lam_communicators.h"
#include "lam_logs.h"

/* ---- All kinds ---- */

static int entries_of(int kind, int size, int edge_count) {
    return kind == MPI_CART ? 3 * size : kind == MPI_GRAPH ? size + edge_count : 2 * (size + edge_count);
}
struct lam_topology* lam_topology_new(int kind, int size, int edge_count) {
    struct lam_topology* its = calloc(1, sizeof *its);
    int* lists = calloc((size_t)entries_of(kind, size, edge_count) + 1, sizeof *lists);
    if (its == NULL || lists == NULL) {
        free(its);
        free(lists);
        return NULL;
    }
    *its = (struct lam_topology){.kind = kind, .size = size, .lists = lists, .edge_count = edge_count};
    if (kind == MPI_CART) {
        its->dims = lists;
        its->periods = lists + size;
        its->coords = lists + 2 * size;
    } else if (kind == MPI_GRAPH) {
        its->index = lists;
        its->edges = lists + size;
    } else {
        its->sources = lists;
        its->source_weights = lists + size;
        its->destinations = lists + 2 * size;
        its->destination_weights = lists + 2 * size + edge_count;
    }
    return its;
}
struct lam_topology* lam_topology_copy(const struct lam_topology* topology) {
    struct lam_topology* its = lam_topology_new(topology->kind, topology->size, topology->edge_count);
    if (its == NULL) return NULL;
    const int room = entries_of(topology->kind, topology->size, topology->edge_count);
    memcpy(its->lists, topology->lists, (size_t)room * sizeof *its->lists);
    its->weighted = topology->weighted;
    return its;
}
void lam_topology_drop(struct lam_topology* topology) {
    if (topology == NULL) return;
    free(topology->lists);
    free(topology);
}

static int publish(struct lam_comm* made, struct lam_topology* topology, const struct lam_comm* parent, const char* function,
                   MPI_Comm* newcomm) {
    if (made == NULL)
        lam_topology_drop(topology);
    else
        made->topology = topology;
    return lam_comm_publish(made, parent, function, newcomm);
}

int lam_comm_with_topology(struct lam_comm* comm, int count, struct lam_topology* topology, const char* function,
                           MPI_Comm* newcomm) {
    uint32_t context = 0;
    const int error = lam_agree_on_context(comm, &context);
    if (error != MPI_SUCCESS || comm->rank >= count) {
        lam_topology_drop(topology);
        return error == MPI_SUCCESS ? error : lam_fail_agreement(comm, error, function);
    }
    int* world = malloc((size_t)count * sizeof *world);
    if (world != NULL) memcpy(world, comm->local->world, (size_t)count * sizeof *world);
    struct lam_group* group = world == NULL ? NULL : lam_group_new(count, world);
    return publish(lam_comm_new(group, NULL, context, comm), topology, comm, function, newcomm);
}

int lam_find_topology(MPI_Comm handle, const char* function, int kind, struct lam_comm** comm) {
    const int error = lam_find_comm(handle, function, LAM_ANY_SORT, comm);
    if (error != MPI_SUCCESS) return error;
    if ((*comm)->topology != NULL && (*comm)->topology->kind == kind) return MPI_SUCCESS;
    return lam_fail(handle, MPI_ERR_TOPOLOGY, function, "comm has no %s topology",
                    kind == MPI_CART ? "Cartesian" : kind == MPI_GRAPH ? "graph" : "distributed graph");
}

LAM_API(int, Topo_test, (MPI_Comm handle, int* status)) {
    struct lam_comm* comm = NULL;
    const int error = lam_find_comm(handle, "MPI_Topo_test", LAM_ANY_SORT, &comm);
    if (error != MPI_SUCCESS) return error;
    if (status == NULL) return lam_fail_null(handle, "MPI_Topo_test", "status");
    *status = comm->topology == NULL ? MPI_UNDEFINED : comm->topology->kind;
    return MPI_SUCCESS;
}

/* ---- Grids ---- */

static void coords_of(const struct lam_topology* grid, int rank, int* coords) {
    for (int i = grid->size - 1; i >= 0; --i) {
        coords[i] = rank % grid->dims[i];
        rank /= grid->dims[i];
    }
}
static int rank_of(const struct lam_topology* grid, const int* coords) {
    int rank = 0;
    for (int i = 0; i < grid->size; ++i) rank = rank * grid->dims[i] + coords[i];
    return rank;
}
static int modulo(long long value, int size) {
    const int rest = (int)(value % size);
    return rest < 0 ? rest + size : rest;
}

/* Checks the arguments of a grid and counts its places. `too_large`: class of the error, which MPICH has twice. */
static int check_grid(const struct lam_comm* comm, int ndims, const int dims[], const int periods[], const char* function,
                      int too_large, int* count) {
    const MPI_Comm handle = comm->handle;
    if (ndims < 0) return lam_fail(handle, MPI_ERR_ARG, function, "ndims is %d", ndims);
    if (ndims > 0 && (dims == NULL || periods == NULL))
        return lam_fail_null(handle, function, dims == NULL ? "dims" : "periods");
    long long places = 1;
    for (int i = 0; i < ndims; ++i) {
        if (dims[i] <= 0) return lam_fail(handle, MPI_ERR_ARG, function, "dims[%d] is %d", i, dims[i]);
        places *= dims[i];
        if (places > comm->local->size)
            return lam_fail(handle, too_large, function, "the grid has more places than the %d ranks of comm",
                            comm->local->size);
    }
    *count = (int)places;
    return MPI_SUCCESS;
}

LAM_API(int, Cart_create, (MPI_Comm handle, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm* newcomm)) {
    const char* const function = "MPI_Cart_create";
    struct lam_comm* comm = NULL;
    int count = 0;
    (void)reorder;
    int error = lam_find_comm(handle, function, LAM_INTRA, &comm);
    if (error == MPI_SUCCESS) error = check_grid(comm, ndims, dims, periods, function, MPI_ERR_ARG, &count);
    if (error != MPI_SUCCESS) return error;
    if (newcomm == NULL) return lam_fail_null(handle, function, "newcomm");
    *newcomm = MPI_COMM_NULL;
    struct lam_topology* grid = lam_topology_new(MPI_CART, ndims, 0);
    if (grid == NULL) return lam_fail_memory(handle, function);
    for (int i = 0; i < ndims; ++i) {
        grid->dims[i] = dims[i];
        grid->periods[i] = periods[i] != 0;
    }
    coords_of(grid, comm->rank, grid->coords);
    return lam_comm_with_topology(comm, count, grid, function, newcomm);
}

LAM_API(int, Cart_map, (MPI_Comm handle, int ndims, const int dims[], const int periods[], int* newrank)) {
    const char* const function = "MPI_Cart_map";
    struct lam_comm* comm = NULL;
    int count = 0;
    int error = lam_find_comm(handle, function, LAM_INTRA, &comm);
    if (error == MPI_SUCCESS) error = check_grid(comm, ndims, dims, periods, function, MPI_ERR_DIMS, &count);
    if (error != MPI_SUCCESS) return error;
    if (newrank == NULL) return lam_fail_null(handle, function, "newrank");
    *newrank = comm->rank < count ? comm->rank : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

LAM_API(int, Cartdim_get, (MPI_Comm handle, int* ndims)) {
    struct lam_comm* comm = NULL;
    const int error = lam_find_topology(handle, "MPI_Cartdim_get", MPI_CART, &comm);
    if (error != MPI_SUCCESS) return error;
    if (ndims == NULL) return lam_fail_null(handle, "MPI_Cartdim_get", "ndims");
    *ndims = comm->topology->size;
    return MPI_SUCCESS;
}

LAM_API(int, Cart_get, (MPI_Comm handle, int maxdims, int dims[], int periods[], int coords[])) {
    const char* const function = "MPI_Cart_get";
    struct lam_comm* comm = NULL;
    const int error = lam_find_topology(handle, function, MPI_CART, &comm);
    if (error != MPI_SUCCESS) return error;
    const struct lam_topology* grid = comm->topology;
    if (maxdims < grid->size)
        return lam_fail(handle, MPI_ERR_ARG, function, "maxdims is %d, and the grid has %d dimensions", maxdims, grid->size);
    if (grid->size > 0 && (dims == NULL || periods == NULL || coords == NULL))
        return lam_fail_null(handle, function, dims == NULL ? "dims" : periods == NULL ? "periods" : "coords");
    for (int i = 0; i < grid->size; ++i) {
        dims[i] = grid->dims[i];
        periods[i] = grid->periods[i];
        coords[i] = grid->coords[i];
    }
    const size_t bytes = (size_t)grid->size * sizeof *dims;
    lam_log_wrote(dims, bytes);
    lam_log_wrote(periods, bytes);
    lam_log_wrote(coords, bytes);
    return MPI_SUCCESS;
}

LAM_API(int, Cart_coords, (MPI_Comm handle, int rank, int maxdims, int coords[])) {
    const char* const function = "MPI_Cart_coords";
    struct lam_comm* comm = NULL;
    const int error = lam_find_topology(handle, function, MPI_CART, &comm);
    if (error != MPI_SUCCESS) return error;
    const struct lam_topology* grid = comm->topology;
    if (rank < 0 || rank >= comm->local->size)
        return lam_fail(handle, MPI_ERR_RANK, function, "rank is %d, and the communicator has %d ranks", rank,
                        comm->local->size);
    if (maxdims < grid->size)
        return lam_fail(handle, MPI_ERR_ARG, function, "maxdims is %d, and the grid has %d dimensions", maxdims, grid->size);
    if (grid->size > 0 && coords == NULL) return lam_fail_null(handle, function, "coords");
    coords_of(grid, rank, coords);
    lam_log_wrote(coords, (size_t)grid->size * sizeof *coords);
    return MPI_SUCCESS;
}

LAM_API(int, Cart_rank, (MPI_Comm handle, const int coords[], int* rank)) {
    const char* const function = "MPI_Cart_rank";
    struct lam_comm* comm = NULL;
    const int error = lam_find_topology(handle, function, MPI_CART, &comm);
    if (error != MPI_SUCCESS) return error;
    const struct lam_topology* grid = comm->topology;
    if (rank == NULL) return lam_fail_null(handle, function, "rank");
    if (grid->size > 0 && coords == NULL) return lam_fail_null(handle, function, "coords");
    lam_log_read(coords, (size_t)grid->size * sizeof *coords);
    int result = 0;
    for (int i = 0; i < grid->size; ++i) {
        const int size = grid->dims[i];
        if (!grid->periods[i] && (coords[i] < 0 || coords[i] >= size))
            return lam_fail(handle, MPI_ERR_ARG, function, "coords[%d] is %d, and the dimension has %d places without a period",
                            i, coords[i], size);
        result = result * size + modulo(coords[i], size);
    }
    *rank = result;
    return MPI_SUCCESS;
}

/* The rank so many places on; MPI_PROC_NULL: the grid ends before. */
static int rank_at(const struct lam_topology* grid, const struct lam_comm* comm, int direction, long long distance) {
    const int size = grid->dims[direction];
    const long long place = grid->coords[direction] + distance;
    if (!grid->periods[direction] && (place < 0 || place >= size)) return MPI_PROC_NULL;
    int stride = 1;
    for (int i = direction + 1; i < grid->size; ++i) stride *= grid->dims[i];
    return comm->rank + (modulo(place, size) - grid->coords[direction]) * stride;
}
LAM_API(int, Cart_shift, (MPI_Comm handle, int direction, int displacement, int* source, int* dest)) {
    const char* const function = "MPI_Cart_shift";
    struct lam_comm* comm = NULL;
    const int error = lam_find_topology(handle, function, MPI_CART, &comm);
    if (error != MPI_SUCCESS) return error;
    const struct lam_topology* grid = comm->topology;
    if (direction < 0 || direction >= grid->size)
        return lam_fail(handle, MPI_ERR_ARG, function, "direction is %d, and the grid has %d dimensions", direction,
                        grid->size);
    if (source == NULL || dest == NULL) return lam_fail_null(handle, function, source == NULL ? "source" : "dest");
    *source = rank_at(grid, comm, direction, -(long long)displacement);
    *dest = rank_at(grid, comm, direction, displacement);
    return MPI_SUCCESS;
}

/* Both ways of each dimension, the lower first. */
static void find_neighbors(const struct lam_comm* comm, int* list) {
    const struct lam_topology* grid = comm->topology;
    for (int i = 0; i < grid->size; ++i) {
        list[2 * i] = rank_at(grid, comm, i, -1);
        list[2 * i + 1] = rank_at(grid, comm, i, 1);
    }
}
int lam_find_neighbors(const struct lam_comm* comm, const char* function, struct lam_neighbors* its) {
    const struct lam_topology* topology = comm->topology;
    if (topology == NULL) return lam_fail(comm->handle, MPI_ERR_TOPOLOGY, function, "comm has no topology");
    const int before = topology->kind == MPI_GRAPH && comm->rank > 0 ? topology->index[comm->rank - 1] : 0;
    int in = topology->size, out = topology->edge_count;
    if (topology->kind == MPI_CART) in = out = 2 * topology->size;
    if (topology->kind == MPI_GRAPH) in = out = topology->index[comm->rank] - before;
    int* list = malloc(((size_t)in + (size_t)out + 1) * sizeof *list);
    if (list == NULL) return lam_fail_memory(comm->handle, function);
    *its = (struct lam_neighbors){list, list + in, in, out};
    if (topology->kind == MPI_CART) find_neighbors(comm, list);
    if (topology->kind == MPI_GRAPH && in > 0) memcpy(list, topology->edges + before, (size_t)in * sizeof *list);
    if (topology->kind == MPI_DIST_GRAPH) {
        if (in > 0) memcpy(its->from, topology->sources, (size_t)in * sizeof *list);
        if (out > 0) memcpy(its->to, topology->destinations, (size_t)out * sizeof *list);
    } else if (in > 0) {
        memcpy(its->to, its->from, (size_t)in * sizeof *list);
    }
    return MPI_SUCCESS;
}

LAM_API(int, Cart_sub, (MPI_Comm handle, const int remain_dims[], MPI_Comm* newcomm)) {
    const char* const function = "MPI_Cart_sub";
    struct lam_comm* comm = NULL;
    int error = lam_find_topology(handle, function, MPI_CART, &comm);
    if (error != MPI_SUCCESS) return error;
    const struct lam_topology* grid = comm->topology;
    if (grid->size > 0 && remain_dims == NULL) return lam_fail_null(handle, function, "remain_dims");
    if (newcomm == NULL) return lam_fail_null(handle, function, "newcomm");
    int kept = 0, color = 0;
    lam_log_read(remain_dims, (size_t)grid->size * sizeof *remain_dims);
    for (int i = 0; i < grid->size; ++i) {
        if (remain_dims[i] != 0)
            ++kept;
        else
            color = color * grid->dims[i] + grid->coords[i];
    }
    struct lam_topology* part = lam_topology_new(MPI_CART, kept, 0);
    if (part == NULL) return lam_fail_memory(handle, function);
    for (int i = 0, at = 0; i < grid->size; ++i) {
        if (remain_dims[i] == 0) continue;
        part->dims[at] = grid->dims[i];
        part->periods[at] = grid->periods[i];
        part->coords[at++] = grid->coords[i];
    }
    error = lam_comm_split(comm, color, rank_of(part, part->coords), function, newcomm);
    if (error != MPI_SUCCESS)
        lam_topology_drop(part);
    else
        lam_comm(*newcomm)->topology = part;
    return error;
}

/* Datatypes for a part of an array of several dimensions: a smaller array in it, or one rank's share of a distributed one. */
#include <stdlib.h>

#include "lam_types.h"

/* In one dimension: blocks of `block` elements, the first at `first`, each `step` after the one before; `count` elements at
 * most, and none from `size` on. */
struct share {
    long long size, first, block, step;
    ptrdiff_t stride; /* bytes from one element to the next */
};

static long long least(long long a, long long b) {
    return a < b ? a : b;
}

/* From the slowest dimension to the fastest, so the elements come in the order of memory. */
static void add_share(struct lam_build* build, const struct lam_type* part, const struct share* its, int dimensions,
                      ptrdiff_t at) {
    for (long long begin = its->first; begin < its->size && !build->failed; begin += its->step) {
        const long long length = least(its->block, its->size - begin);
        if (dimensions == 1) {
            lam_build_add(build, part, at + begin * its->stride, (size_t)length);
            continue;
        }
        for (long long i = begin; i < begin + length && !build->failed; ++i)
            add_share(build, part, its + 1, dimensions - 1, at + i * its->stride);
    }
}

static int dimension_at(int i, int dimensions, int order) {
    return order == MPI_ORDER_C ? i : dimensions - 1 - i;
}

/* `shares` are in the order of dimensions. `sizes` are those of the whole array, which is the extent. */
static void add_array(struct lam_build* build, struct lam_type* part, const struct share* shares, const int* sizes,
                      int dimensions, int order) {
    struct share* sorted = calloc((size_t)dimensions + 1, sizeof *sorted);
    if (sorted == NULL) build->failed = true;
    lam_build_part(build, 0, part);
    if (build->failed) {
        free(sorted);
        return;
    }
    ptrdiff_t stride = lam_extent(part);
    bool is_empty = false;
    for (int i = dimensions - 1; i >= 0; --i) {
        const int dimension = dimension_at(i, dimensions, order);
        sorted[i] = shares[dimension];
        sorted[i].stride = stride;
        stride *= sizes[dimension];
        is_empty = is_empty || sorted[i].first >= sorted[i].size || sorted[i].block <= 0;
    }
    if (!is_empty) add_share(build, part, sorted, dimensions, 0);
    lam_build_bounds(build, 0, stride);
    free(sorted);
}

static void note(struct lam_build* build, int* at, const int* list, int count) {
    for (int i = 0; i < count && !build->failed; ++i) build->own->type.integers[(*at)++] = list[i];
}

static int check_shape(const char* name, int dimensions, int order) {
    const int error = lam_require_running(name);
    if (error != MPI_SUCCESS) return error;
    if (dimensions <= 0) return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, name, "ndims is %d", dimensions);
    if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, name, "order is %d, not MPI_ORDER_C or MPI_ORDER_FORTRAN", order);
    return MPI_SUCCESS;
}

static int check_subarray(const char* name, int i, int size, int subsize, int start) {
    if (size < 1) return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, name, "array_of_sizes[%d] is %d", i, size);
    if (subsize < 1 || subsize > size)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, name, "array_of_subsizes[%d] is %d, and array_of_sizes[%d] is %d", i,
                        subsize, i, size);
    if (start < 0 || start > size - subsize)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, name,
                        "array_of_starts[%d] is %d; with a size of %d and a subsize of %d, it goes to %d", i, start, size,
                        subsize, size - subsize);
    return MPI_SUCCESS;
}

LAM_API(int, Type_create_subarray,
        (int ndims, const int sizes[], const int subsizes[], const int starts[], int order, MPI_Datatype oldtype,
         MPI_Datatype* newtype)) {
    static const char name[] = "MPI_Type_create_subarray";
    struct lam_type* part = NULL;
    int error = check_shape(name, ndims, order);
    if (error == MPI_SUCCESS) error = lam_check_list(name, "array_of_sizes", ndims, sizes);
    if (error == MPI_SUCCESS) error = lam_check_list(name, "array_of_subsizes", ndims, subsizes);
    if (error == MPI_SUCCESS) error = lam_check_list(name, "array_of_starts", ndims, starts);
    for (int i = 0; error == MPI_SUCCESS && i < ndims; ++i) error = check_subarray(name, i, sizes[i], subsizes[i], starts[i]);
    if (error == MPI_SUCCESS) error = lam_check_part(name, oldtype, newtype, &part);
    if (error != MPI_SUCCESS) return error;
    struct lam_build build;
    lam_build_begin(&build, name, MPI_COMBINER_SUBARRAY, 3 * ndims + 2, 0, 1);
    struct share* shares = calloc((size_t)ndims, sizeof *shares);
    if (shares == NULL) build.failed = true;
    if (!build.failed) {
        for (int i = 0; i < ndims; ++i)
            shares[i] = (struct share){(long long)starts[i] + subsizes[i], starts[i], subsizes[i], subsizes[i], 0};
        add_array(&build, part, shares, sizes, ndims, order);
        int at = 0;
        note(&build, &at, &ndims, 1);
        note(&build, &at, sizes, ndims);
        note(&build, &at, subsizes, ndims);
        note(&build, &at, starts, ndims);
        note(&build, &at, &order, 1);
    }
    free(shares);
    return lam_build_end(&build, newtype);
}

struct darray {
    int size, rank, dimensions;
    const int *gsizes, *distribs, *dargs, *psizes;
};

static int check_distribution(const char* name, const struct darray* its, int i) {
    const int size = its->gsizes[i], how = its->distribs[i], block = its->dargs[i], processes = its->psizes[i];
    if (size < 1) return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, name, "array_of_gsizes[%d] is %d", i, size);
    if (how != MPI_DISTRIBUTE_NONE && how != MPI_DISTRIBUTE_BLOCK && how != MPI_DISTRIBUTE_CYCLIC)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, name, "array_of_distribs[%d] is %d, which is no distribution", i, how);
    if (block != MPI_DISTRIBUTE_DFLT_DARG && block < 1)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, name, "array_of_dargs[%d] is %d", i, block);
    if (processes < 1) return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, name, "array_of_psizes[%d] is %d", i, processes);
    if (how == MPI_DISTRIBUTE_NONE && processes != 1)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, name, "array_of_psizes[%d] is %d; with MPI_DISTRIBUTE_NONE it is 1", i,
                        processes);
    if (how == MPI_DISTRIBUTE_BLOCK && block != MPI_DISTRIBUTE_DFLT_DARG && (long long)block * processes < size)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, name, "%d blocks of %d do not hold the %d elements of dimension %d",
                        processes, block, size, i);
    return MPI_SUCCESS;
}

static int check_darray(const char* name, const struct darray* its, int order) {
    int error = lam_require_running(name);
    if (error != MPI_SUCCESS) return error;
    if (its->size < 1) return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, name, "size is %d", its->size);
    if (its->rank < 0 || its->rank >= its->size)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_RANK, name, "rank is %d, and size is %d", its->rank, its->size);
    error = check_shape(name, its->dimensions, order);
    if (error == MPI_SUCCESS) error = lam_check_list(name, "array_of_gsizes", its->dimensions, its->gsizes);
    if (error == MPI_SUCCESS) error = lam_check_list(name, "array_of_distribs", its->dimensions, its->distribs);
    if (error == MPI_SUCCESS) error = lam_check_list(name, "array_of_dargs", its->dimensions, its->dargs);
    if (error == MPI_SUCCESS) error = lam_check_list(name, "array_of_psizes", its->dimensions, its->psizes);
    long long processes = 1;
    for (int i = 0; error == MPI_SUCCESS && i < its->dimensions; ++i) {
        error = check_distribution(name, its, i);
        if (error == MPI_SUCCESS && processes <= its->size) processes *= its->psizes[i];
    }
    if (error == MPI_SUCCESS && processes != its->size)
        error = lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, name, "size is %d, and the product of array_of_psizes is not", its->size);
    return error;
}

/* `coordinate` is that of the rank in the grid of processes, in this dimension. */
static struct share share_of(const struct darray* its, int i, int coordinate) {
    const long long size = its->gsizes[i], processes = its->psizes[i];
    long long block = its->dargs[i];
    if (its->distribs[i] == MPI_DISTRIBUTE_NONE) return (struct share){size, 0, size, size, 0};
    if (block == MPI_DISTRIBUTE_DFLT_DARG)
        block = its->distribs[i] == MPI_DISTRIBUTE_CYCLIC ? 1 : (size + processes - 1) / processes;
    return (struct share){size, coordinate * block, block, processes * block, 0};
}

static void note_darray(struct lam_build* build, const struct darray* its, int order) {
    int at = 0;
    note(build, &at, (const int[]){its->size, its->rank, its->dimensions}, 3);
    note(build, &at, its->gsizes, its->dimensions);
    note(build, &at, its->distribs, its->dimensions);
    note(build, &at, its->dargs, its->dimensions);
    note(build, &at, its->psizes, its->dimensions);
    note(build, &at, &order, 1);
}

LAM_API(int, Type_create_darray,
        (int size, int rank, int ndims, const int gsizes[], const int distribs[], const int dargs[], const int psizes[],
         int order, MPI_Datatype oldtype, MPI_Datatype* newtype)) {
    static const char name[] = "MPI_Type_create_darray";
    const struct darray its = {size, rank, ndims, gsizes, distribs, dargs, psizes};
    struct lam_type* part = NULL;
    int error = check_darray(name, &its, order);
    if (error == MPI_SUCCESS) error = lam_check_part(name, oldtype, newtype, &part);
    if (error != MPI_SUCCESS) return error;
    struct lam_build build;
    lam_build_begin(&build, name, MPI_COMBINER_DARRAY, 4 * ndims + 4, 0, 1);
    struct share* shares = calloc((size_t)ndims, sizeof *shares);
    if (shares == NULL) build.failed = true;
    if (!build.failed) {
        /* The last coordinate of the grid is the fastest one, in both orders. */
        int rest = rank;
        for (int i = ndims - 1; i >= 0; --i) {
            shares[i] = share_of(&its, i, rest % psizes[i]);
            rest /= psizes[i];
        }
        add_array(&build, part, shares, gsizes, ndims, order);
        note_darray(&build, &its, order);
    }
    free(shares);
    return lam_build_end(&build, newtype);
}

/* The functions that make datatypes from others, but for parts of arrays (type_arrays.c). */
#include <stdlib.h>
#include <string.h>

#include "lam_types.h"

int lam_check_part(const char* function, MPI_Datatype oldtype, const MPI_Datatype* newtype, struct lam_type** part) {
    *part = lam_type(oldtype);
    if (*part == NULL)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_TYPE, function, "oldtype %s", lam_why_not(LAM_TYPE, oldtype));
    if (newtype == NULL) return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, function, "newtype is a null pointer");
    return MPI_SUCCESS;
}

int lam_check_list(const char* function, const char* name, int count, const void* list) {
    if (count == 0 || list != NULL) return MPI_SUCCESS;
    return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, function, "%s is a null pointer, and count is %d", name, count);
}

static int check_counts(const char* function, int count, int blocklength) {
    const int error = lam_require_running(function);
    if (error != MPI_SUCCESS) return error;
    if (count < 0) return lam_fail(MPI_COMM_WORLD, MPI_ERR_COUNT, function, "count is %d", count);
    if (blocklength < 0) return lam_fail(MPI_COMM_WORLD, MPI_ERR_COUNT, function, "blocklength is %d", blocklength);
    return MPI_SUCCESS;
}

static int check_lengths(const char* function, int count, const int* lengths) {
    int error = check_counts(function, count, 0);
    if (error == MPI_SUCCESS) error = lam_check_list(function, "array_of_blocklengths", count, lengths);
    for (int i = 0; error == MPI_SUCCESS && i < count; ++i)
        if (lengths[i] < 0)
            error = lam_fail(MPI_COMM_WORLD, MPI_ERR_COUNT, function, "array_of_blocklengths[%d] is %d", i, lengths[i]);
    return error;
}

LAM_API(int, Type_contiguous, (int count, MPI_Datatype oldtype, MPI_Datatype* newtype)) {
    static const char name[] = "MPI_Type_contiguous";
    struct lam_type* part = NULL;
    int error = check_counts(name, count, 0);
    if (error == MPI_SUCCESS) error = lam_check_part(name, oldtype, newtype, &part);
    if (error != MPI_SUCCESS) return error;
    struct lam_build build;
    lam_build_begin(&build, name, MPI_COMBINER_CONTIGUOUS, 1, 0, 1);
    lam_build_part(&build, 0, part);
    lam_build_add(&build, part, 0, (size_t)count);
    if (!build.failed) build.own->type.integers[0] = count;
    return lam_build_end(&build, newtype);
}

/* Copies of a block at equal distances, which are bytes. */
static void add_vector(struct lam_build* build, struct lam_type* part, const int* counts, ptrdiff_t stride) {
    lam_build_part(build, 0, part);
    if (build->failed) return;
    memcpy(build->own->type.integers, counts, 2 * sizeof *counts);
    const int count = counts[0], blocklength = counts[1];
    if (count > 0 && stride == blocklength * lam_extent(part)) {
        lam_build_add(build, part, 0, (size_t)count * (size_t)blocklength);
        return;
    }
    for (int i = 0; i < count && blocklength > 0 && !build->failed; ++i)
        lam_build_add(build, part, i * stride, (size_t)blocklength);
}

LAM_API(int, Type_vector, (int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype* newtype)) {
    static const char name[] = "MPI_Type_vector";
    struct lam_type* part = NULL;
    int error = check_counts(name, count, blocklength);
    if (error == MPI_SUCCESS) error = lam_check_part(name, oldtype, newtype, &part);
    if (error != MPI_SUCCESS) return error;
    struct lam_build build;
    lam_build_begin(&build, name, MPI_COMBINER_VECTOR, 3, 0, 1);
    add_vector(&build, part, (const int[]){count, blocklength}, stride * lam_extent(part));
    if (!build.failed) build.own->type.integers[2] = stride;
    return lam_build_end(&build, newtype);
}

static int make_hvector(const char* name, const int* counts, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
    struct lam_type* part = NULL;
    int error = check_counts(name, counts[0], counts[1]);
    if (error == MPI_SUCCESS) error = lam_check_part(name, oldtype, newtype, &part);
    if (error != MPI_SUCCESS) return error;
    struct lam_build build;
    lam_build_begin(&build, name, MPI_COMBINER_HVECTOR, 2, 1, 1);
    add_vector(&build, part, counts, stride);
    if (!build.failed) build.own->type.addresses[0] = stride;
    return lam_build_end(&build, newtype);
}
LAM_API(int, Type_create_hvector, (int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype* newtype)) {
    return make_hvector("MPI_Type_create_hvector", (const int[]){count, blocklength}, stride, oldtype, newtype);
}
LAM_API(int, Type_hvector, (int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype* newtype)) {
    return make_hvector("MPI_Type_hvector", (const int[]){count, blocklength}, stride, oldtype, newtype);
}

LAM_API(int, Type_indexed,
        (int count, const int blocklengths[], const int displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype)) {
    static const char name[] = "MPI_Type_indexed";
    struct lam_type* part = NULL;
    int error = check_lengths(name, count, blocklengths);
    if (error == MPI_SUCCESS) error = lam_check_list(name, "array_of_displacements", count, displacements);
    if (error == MPI_SUCCESS) error = lam_check_part(name, oldtype, newtype, &part);
    if (error != MPI_SUCCESS) return error;
    struct lam_build build;
    lam_build_begin(&build, name, MPI_COMBINER_INDEXED, 2 * count + 1, 0, 1);
    lam_build_part(&build, 0, part);
    for (int i = 0; i < count && !build.failed; ++i) {
        build.own->type.integers[1 + i] = blocklengths[i];
        build.own->type.integers[1 + count + i] = displacements[i];
        lam_build_add(&build, part, displacements[i] * lam_extent(part), (size_t)blocklengths[i]);
    }
    if (!build.failed) build.own->type.integers[0] = count;
    return lam_build_end(&build, newtype);
}

struct list {
    int count;
    const int* lengths;
    const MPI_Aint* places;
};
static int make_hindexed(const char* name, const struct list* its, MPI_Datatype oldtype, MPI_Datatype* newtype) {
    struct lam_type* part = NULL;
    int error = check_lengths(name, its->count, its->lengths);
    if (error == MPI_SUCCESS) error = lam_check_list(name, "array_of_displacements", its->count, its->places);
    if (error == MPI_SUCCESS) error = lam_check_part(name, oldtype, newtype, &part);
    if (error != MPI_SUCCESS) return error;
    struct lam_build build;
    lam_build_begin(&build, name, MPI_COMBINER_HINDEXED, its->count + 1, its->count, 1);
    lam_build_part(&build, 0, part);
    for (int i = 0; i < its->count && !build.failed; ++i) {
        build.own->type.integers[1 + i] = its->lengths[i];
        build.own->type.addresses[i] = its->places[i];
        lam_build_add(&build, part, its->places[i], (size_t)its->lengths[i]);
    }
    if (!build.failed) build.own->type.integers[0] = its->count;
    return lam_build_end(&build, newtype);
}
LAM_API(int, Type_create_hindexed,
        (int count, const int blocklengths[], const MPI_Aint displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype)) {
    return make_hindexed("MPI_Type_create_hindexed", &(struct list){count, blocklengths, displacements}, oldtype, newtype);
}
LAM_API(int, Type_hindexed,
        (int count, int blocklengths[], MPI_Aint displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype)) {
    return make_hindexed("MPI_Type_hindexed", &(struct list){count, blocklengths, displacements}, oldtype, newtype);
}

LAM_API(int, Type_create_indexed_block,
        (int count, int blocklength, const int displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype)) {
    static const char name[] = "MPI_Type_create_indexed_block";
    struct lam_type* part = NULL;
    int error = check_counts(name, count, blocklength);
    if (error == MPI_SUCCESS) error = lam_check_list(name, "array_of_displacements", count, displacements);
    if (error == MPI_SUCCESS) error = lam_check_part(name, oldtype, newtype, &part);
    if (error != MPI_SUCCESS) return error;
    struct lam_build build;
    lam_build_begin(&build, name, MPI_COMBINER_INDEXED_BLOCK, count + 2, 0, 1);
    lam_build_part(&build, 0, part);
    for (int i = 0; i < count && !build.failed; ++i) {
        build.own->type.integers[2 + i] = displacements[i];
        lam_build_add(&build, part, displacements[i] * lam_extent(part), (size_t)blocklength);
    }
    if (!build.failed) memcpy(build.own->type.integers, (const int[]){count, blocklength}, 2 * sizeof(int));
    return lam_build_end(&build, newtype);
}

LAM_API(int, Type_create_hindexed_block,
        (int count, int blocklength, const MPI_Aint displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype)) {
    static const char name[] = "MPI_Type_create_hindexed_block";
    struct lam_type* part = NULL;
    int error = check_counts(name, count, blocklength);
    if (error == MPI_SUCCESS) error = lam_check_list(name, "array_of_displacements", count, displacements);
    if (error == MPI_SUCCESS) error = lam_check_part(name, oldtype, newtype, &part);
    if (error != MPI_SUCCESS) return error;
    struct lam_build build;
    lam_build_begin(&build, name, MPI_COMBINER_HINDEXED_BLOCK, 2, count, 1);
    lam_build_part(&build, 0, part);
    for (int i = 0; i < count && !build.failed; ++i) {
        build.own->type.addresses[i] = displacements[i];
        lam_build_add(&build, part, displacements[i], (size_t)blocklength);
    }
    if (!build.failed) memcpy(build.own->type.integers, (const int[]){count, blocklength}, 2 * sizeof(int));
    return lam_build_end(&build, newtype);
}

static int check_types(const char* name, int count, const MPI_Datatype* types, const MPI_Datatype* newtype) {
    for (int i = 0; i < count; ++i) {
        if (lam_type(types[i]) == NULL)
            return lam_fail(MPI_COMM_WORLD, MPI_ERR_TYPE, name, "array_of_types[%d] %s", i, lam_why_not(LAM_TYPE, types[i]));
    }
    if (newtype == NULL) return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, name, "newtype is a null pointer");
    return MPI_SUCCESS;
}

static bool is_marker(MPI_Datatype type) {
    return type == MPI_LB || type == MPI_UB;
}

/* MPICH pads a structure of several types, as a compiler does; one of a single type stays as it is given. */
static void add_members(struct lam_build* build, const struct list* its, const MPI_Datatype* types) {
    MPI_Datatype first = MPI_DATATYPE_NULL;
    bool is_mixed = false;
    for (int i = 0; i < its->count && !build->failed; ++i) {
        if (is_marker(types[i])) continue;
        if (first == MPI_DATATYPE_NULL) first = types[i];
        is_mixed = is_mixed || types[i] != first;
        lam_build_add(build, lam_type(types[i]), its->places[i], (size_t)its->lengths[i]);
    }
    if (is_mixed) lam_build_pad(build);
    for (int i = 0; i < its->count; ++i)
        if (is_marker(types[i])) lam_build_add(build, lam_type(types[i]), its->places[i], (size_t)its->lengths[i]);
}

static int make_struct(const char* name, const struct list* its, const MPI_Datatype* types, MPI_Datatype* newtype) {
    int error = check_lengths(name, its->count, its->lengths);
    if (error == MPI_SUCCESS) error = lam_check_list(name, "array_of_displacements", its->count, its->places);
    if (error == MPI_SUCCESS) error = lam_check_list(name, "array_of_types", its->count, types);
    if (error == MPI_SUCCESS) error = check_types(name, its->count, types, newtype);
    if (error != MPI_SUCCESS) return error;
    struct lam_build build;
    lam_build_begin(&build, name, MPI_COMBINER_STRUCT, its->count + 1, its->count, its->count);
    for (int i = 0; i < its->count && !build.failed; ++i) {
        build.own->type.integers[1 + i] = its->lengths[i];
        build.own->type.addresses[i] = its->places[i];
        lam_build_part(&build, i, lam_type(types[i]));
    }
    if (!build.failed) build.own->type.integers[0] = its->count;
    add_members(&build, its, types);
    return lam_build_end(&build, newtype);
}
LAM_API(int, Type_create_struct,
        (int count, const int blocklengths[], const MPI_Aint displacements[], const MPI_Datatype types[],
         MPI_Datatype* newtype)) {
    return make_struct("MPI_Type_create_struct", &(struct list){count, blocklengths, displacements}, types, newtype);
}
LAM_API(int, Type_struct,
        (int count, int blocklengths[], MPI_Aint displacements[], MPI_Datatype types[], MPI_Datatype* newtype)) {
    return make_struct("MPI_Type_struct", &(struct list){count, blocklengths, displacements}, types, newtype);
}

LAM_API(int, Type_create_resized, (MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype* newtype)) {
    static const char name[] = "MPI_Type_create_resized";
    struct lam_type* part = NULL;
    int error = lam_require_running(name);
    if (error == MPI_SUCCESS) error = lam_check_part(name, oldtype, newtype, &part);
    if (error != MPI_SUCCESS) return error;
    struct lam_build build;
    lam_build_begin(&build, name, MPI_COMBINER_RESIZED, 0, 2, 1);
    lam_build_part(&build, 0, part);
    lam_build_add(&build, part, 0, 1);
    lam_build_bounds(&build, lb, lb + extent);
    if (!build.failed) memcpy(build.own->type.addresses, (const MPI_Aint[]){lb, extent}, 2 * sizeof(MPI_Aint));
    return lam_build_end(&build, newtype);
}

int lam_api_Type_free(MPI_Datatype* datatype);
LAM_API(int, Type_dup, (MPI_Datatype oldtype, MPI_Datatype* newtype)) {
    static const char name[] = "MPI_Type_dup";
    struct lam_type* part = NULL;
    int error = lam_require_running(name);
    if (error == MPI_SUCCESS) error = lam_check_part(name, oldtype, newtype, &part);
    if (error != MPI_SUCCESS) return error;
    struct lam_build build;
    lam_build_begin(&build, name, MPI_COMBINER_DUP, 0, 0, 1);
    lam_build_part(&build, 0, part);
    lam_build_add(&build, part, 0, 1);
    MPI_Datatype made = MPI_DATATYPE_NULL;
    error = lam_build_end(&build, &made);
    if (error != MPI_SUCCESS) return error;
    struct lam_type* copy = lam_type(made);
    copy->committed = part->committed;
    error = lam_attributes_copy(oldtype, part->attributes, &copy->attributes, LAM_TYPE);
    if (error == MPI_SUCCESS) {
        *newtype = made;
        return MPI_SUCCESS;
    }
    *newtype = MPI_DATATYPE_NULL;
    lam_api_Type_free(&made);
    return lam_fail(MPI_COMM_WORLD, error, name, "a callback that copies an attribute returned %d", error);
}

/* Random datatypes against the plainest model of one: the list of its basic elements with their places.
 * Usage: types_against_flat_lists SEED COUNT [print]. With `print` it also writes the bounds of each type, one line each.
 * The same program with MPICH 4.0.2 must write the same lines. Those are left out in which MPICH is not the standard's:
 * parts without data (also in a cyclic darray), and structures in which some parts have explicit bounds. */
#include "random_types.h"
#ifdef LAM_MPI
#include <lam.h>
#endif

static void check_bounds(MPI_Datatype type, const struct bounds* b, bool print) {
    int size = 0;
    MPI_Aint lb = 0, extent = 0, true_lb = 0, true_extent = 0, ub = 0, old_lb = 0, old_extent = 0;
    MPI_Type_size(type, &size);
    MPI_Type_get_extent(type, &lb, &extent);
    MPI_Type_get_true_extent(type, &true_lb, &true_extent);
    MPI_Type_lb(type, &old_lb);
    MPI_Type_ub(type, &ub);
    MPI_Type_extent(type, &old_extent);
    expect("size", b->size, size);
    expect("lower bound", b->lb, lb);
    expect("extent", b->ub - b->lb, extent);
    expect("true lower bound", b->true_lb, true_lb);
    expect("true extent", b->true_ub - b->true_lb, true_extent);
    expect("MPI_Type_lb", b->lb, old_lb);
    expect("MPI_Type_ub", b->ub, ub);
    expect("MPI_Type_extent", b->ub - b->lb, old_extent);
    if (print)
        printf("%ld: size %d lb %ld extent %ld true %ld %ld\n", tree, size, (long)lb, (long)extent, (long)true_lb,
               (long)true_extent);
}

#ifdef LAM_MPI
struct image { /* the memory of `count` elements, and the same data in a row */
    unsigned char *memory, *base, *row;
    ptrdiff_t bytes, row_bytes;
    int count;
};
static struct image image_of(const struct flat* its, const struct bounds* b, int count) {
    ptrdiff_t low = 0, high = 0;
    for (int i = 0; i < count && b->size > 0; ++i) {
        const ptrdiff_t at = i * (b->ub - b->lb);
        if (i == 0 || at + b->true_lb < low) low = at + b->true_lb;
        if (i == 0 || at + b->true_ub > high) high = at + b->true_ub;
    }
    struct image image = {.bytes = high - low, .row_bytes = count * b->size, .count = count};
    image.memory = malloc((size_t)image.bytes + 1);
    image.row = malloc((size_t)image.row_bytes + 1);
    image.base = (unsigned char*)((uintptr_t)image.memory - (uintptr_t)low);
    for (ptrdiff_t i = 0; i < image.bytes; ++i) image.memory[i] = (unsigned char)chance();
    unsigned char* to = image.row;
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < its->count; ++k) {
            if (its->items[k].kind != k_data) continue;
            const int bytes = basics[its->items[k].basic].bytes;
            memcpy(to, image.memory - low + i * (b->ub - b->lb) + its->items[k].at, (size_t)bytes);
            to += bytes;
        }
    return image;
}

static void check_pack(MPI_Datatype type, const struct image* image) {
    int bytes = -1, position = 3;
    MPI_Pack_size(image->count, type, MPI_COMM_SELF, &bytes);
    expect("MPI_Pack_size", image->row_bytes, bytes);
    unsigned char* row = malloc((size_t)image->row_bytes + 4);
    MPI_Pack(image->base, image->count, type, row, (int)image->row_bytes + 3, &position, MPI_COMM_SELF);
    expect("position after MPI_Pack", image->row_bytes + 3, position);
    expect("packed data", 0, image->row_bytes == 0 ? 0 : memcmp(row + 3, image->row, (size_t)image->row_bytes));
    free(row);
}

/* Where the first `bytes` of the row belong; the rest of the memory keeps its old bytes. */
static void unpack_model(const struct flat* its, const struct bounds* b, const struct image* image, ptrdiff_t bytes,
                         unsigned char* memory) {
    const unsigned char* from = image->row;
    for (int i = 0; i < image->count; ++i)
        for (int k = 0; k < its->count; ++k) {
            if (its->items[k].kind != k_data) continue;
            ptrdiff_t length = basics[its->items[k].basic].bytes;
            if (length > bytes) length = bytes;
            memcpy(memory + (image->base - image->memory) + i * (b->ub - b->lb) + its->items[k].at, from, (size_t)length);
            from += length;
            bytes -= length;
            if (bytes == 0) return;
        }
}

static void check_unpack(MPI_Datatype type, const struct flat* its, const struct bounds* b, const struct image* image) {
    const size_t room = (size_t)image->bytes + 1;
    unsigned char *expected = malloc(room), *found = malloc(room);
    const uintptr_t base = (uintptr_t)found + ((uintptr_t)image->base - (uintptr_t)image->memory);
    memset(expected, 0xa5, room);
    memset(found, 0xa5, room);
    int position = 0;
    MPI_Unpack(image->row, (int)image->row_bytes, &position, (void*)base, image->count, type, MPI_COMM_SELF);
    expect("position after MPI_Unpack", image->row_bytes, position);
    if (image->row_bytes > 0) unpack_model(its, b, image, image->row_bytes, expected);
    expect("unpacked data", 0, memcmp(expected, found, room));
    const int part = between(0, (int)image->row_bytes);
    memset(expected, 0x5a, room);
    memset(found, 0x5a, room);
    if (part > 0) unpack_model(its, b, image, part, expected);
    lam_unpack(image->row, (size_t)part, (void*)base, (size_t)image->count, lam_type(type));
    expect("partly unpacked data", 0, memcmp(expected, found, room));
    free(expected);
    free(found);
}

static void check_counts(MPI_Datatype type, const struct flat* its, const struct bounds* b, int count) {
    const ptrdiff_t bytes = between(0, 2) == 0 ? between(0, (int)b->size * count + 1) : b->size * count;
    MPI_Status status;
    int whole = 0, elements = 0;
    MPI_Status_set_elements(&status, MPI_BYTE, (int)bytes);
    MPI_Get_count(&status, type, &whole);
    MPI_Get_elements(&status, type, &elements);
    if (b->size == 0) {
        expect("count of nothing", bytes == 0 ? 0 : MPI_UNDEFINED, whole);
        expect("elements of nothing", bytes == 0 ? 0 : MPI_UNDEFINED, elements);
        return;
    }
    expect("MPI_Get_count", bytes % b->size != 0 ? MPI_UNDEFINED : bytes / b->size, whole);
    ptrdiff_t rest = bytes % b->size, expected = bytes / b->size * b->elements;
    for (int k = 0; k < its->count; ++k) {
        if (its->items[k].kind != k_data) continue;
        rest -= basics[its->items[k].basic].bytes;
        if (rest < 0) break;
        ++expected;
    }
    if (is_named(type) && b->elements == 1 && bytes % b->size != 0) expected = MPI_UNDEFINED;
    expect("MPI_Get_elements", expected, elements);
    const int wanted = between(0, (int)b->elements * 3);
    MPI_Status_set_elements(&status, type, wanted);
    MPI_Get_elements(&status, type, &elements);
    expect("MPI_Get_elements after MPI_Status_set_elements", wanted, elements);
}

/* These members are read by the rest of the library. */
static void check_parts(MPI_Datatype type, const struct flat* its, const struct bounds* b) {
    const struct lam_type* found = lam_type(type);
    MPI_Datatype first = MPI_DATATYPE_NULL;
    bool uniform = true, gapless = b->lb == b->true_lb && b->ub - b->lb == b->size;
    ptrdiff_t at = b->lb;
    for (int k = 0; k < its->count; ++k) {
        if (its->items[k].kind != k_data) continue;
        const struct basic* basic = &basics[its->items[k].basic];
        if (first == MPI_DATATYPE_NULL) first = basic->type;
        uniform = uniform && first == basic->type;
        gapless = gapless && its->items[k].at == at;
        at += basic->bytes;
    }
    expect("number of elements", b->elements, (long long)found->elements);
    expect("type of all elements", uniform ? first - MPI_DATATYPE_NULL : 0, found->uniform);
    expect("without a gap", gapless, found->gapless);
}

/* A type of the same elements in other places, and the first of them alone. */
static void check_signature(MPI_Datatype type, const struct flat* its, const struct bounds* b) {
    enum { most = 200 };
    static int lengths[most];
    static MPI_Aint places[most];
    static MPI_Datatype types[most];
    int count = 0;
    for (int k = 0; k < its->count && count < most; ++k) {
        if (its->items[k].kind != k_data) continue;
        lengths[count] = 1;
        places[count] = 16 * count;
        types[count++] = basics[its->items[k].basic].type;
    }
    if (count < b->elements || count == 0) return;
    const int fewer = between(1, count);
    MPI_Datatype same = MPI_DATATYPE_NULL, shorter = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(count, lengths, places, types, &same);
    MPI_Type_create_struct(fewer, lengths, places, types, &shorter);
    const uint32_t a = lam_signature(1, lam_type(type)), c = lam_signature(2, lam_type(same));
    expect("signatures of equal elements", 1, lam_signatures_fit(a, c) && lam_signatures_fit(c, a));
    expect("signature of the beginning", 1, lam_signatures_fit(lam_signature(1, lam_type(shorter)), a));
    const int other = types[0] == MPI_CHAR ? MPI_INT : MPI_CHAR;
    expect("signature of others", 0, lam_signatures_fit(a, lam_signature(1, lam_type(other))));
    release(&same);
    release(&shorter);
}
#endif

static void check_tree(bool print) {
    struct flat its = {0};
    MPI_Datatype type = make(between(0, 4), &its);
    const struct bounds b = bounds_of(&its);
    bool wanted = !its.too_long;
#ifndef LAM_MPI
    wanted = wanted && !its.odd;
#endif
    const long before = failures;
    if (wanted) check_bounds(type, &b, print && !its.odd);
#ifdef LAM_MPI
    if (wanted && failures == before) {
        if (!is_named(type)) MPI_Type_commit(&type);
        check_parts(type, &its, &b);
        const int count = between(0, 3);
        struct image image = image_of(&its, &b, count);
        check_pack(type, &image);
        check_unpack(type, &its, &b, &image);
        check_counts(type, &its, &b, count);
        check_signature(type, &its, &b);
        free(image.memory);
        free(image.row);
    }
#endif
    if (failures > before && failures <= 20) printf("tree %ld has %d items\n", tree, its.count);
    release(&type);
    free(its.items);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const long count = argc > 2 ? atol(argv[2]) : 100000;
    const bool print = argc > 3 && strcmp(argv[3], "print") == 0;
    for (tree = 0; tree < count; ++tree) {
        chance_state = (seed << 32) + (uint64_t)tree * 2 + 1;
        for (int i = 0; i < 8; ++i) chance();
        check_tree(print);
    }
    MPI_Finalize();
    if (failures > 0) printf("%ld failures in %ld trees\n", failures, count);
    return failures > 0;
}

/* Random datatypes against the plainest model of one: the list of its basic elements with their places.
 * Usage: types_against_flat_lists SEED COUNT [print]. With `print` it also writes the bounds of each type, one line each: the
 * same program with another MPI must write the same. What MPICH 4.0.2 does otherwise than the standard says is left out there:
 * parts without data, and structures in which some parts have explicit bounds. */
#include "flat_lists.h"
#ifdef LAM_MPI
#include <lam.h>
#endif

/* ---- Contents: what the maker of a type got ---- */

struct contents {
    int combiner, integers[40], integer_count, address_count, part_count;
    MPI_Aint addresses[8];
    MPI_Datatype parts[8];
};
static void note(struct contents* its, int value) {
    its->integers[its->integer_count++] = value;
}
static bool is_named(MPI_Datatype type) {
    int a = 0, b = 0, c = 0, combiner = 0;
    MPI_Type_get_envelope(type, &a, &b, &c, &combiner);
    return combiner == MPI_COMBINER_NAMED;
}
static void check_contents(MPI_Datatype type, const struct contents* its) {
    int integers = 0, addresses = 0, parts = 0, combiner = 0, got_integers[40];
    MPI_Aint got_addresses[8], lb = 0, extent = 0, lb2 = 0, extent2 = 0;
    MPI_Datatype got_parts[8];
    MPI_Type_get_envelope(type, &integers, &addresses, &parts, &combiner);
    expect("combiner", its->combiner, combiner);
    expect("number of integers", its->integer_count, integers);
    expect("number of addresses", its->address_count, addresses);
    expect("number of parts", its->part_count, parts);
    MPI_Type_get_contents(type, 40, 8, 8, got_integers, got_addresses, got_parts);
    for (int i = 0; i < its->integer_count; ++i) expect("integer", its->integers[i], got_integers[i]);
    for (int i = 0; i < its->address_count; ++i) expect("address", its->addresses[i], got_addresses[i]);
    for (int i = 0; i < its->part_count; ++i) {
        expect("part is named", is_named(its->parts[i]), is_named(got_parts[i]));
        if (is_named(its->parts[i])) expect("named part", its->parts[i], got_parts[i]);
        MPI_Type_get_extent(its->parts[i], &lb, &extent);
        MPI_Type_get_extent(got_parts[i], &lb2, &extent2);
        expect("lower bound of part", lb, lb2);
        expect("extent of part", extent, extent2);
        if (!is_named(got_parts[i])) MPI_Type_free(&got_parts[i]);
    }
}

/* ---- Makers of random types: each makes one, and its model ---- */

static MPI_Datatype make(int depth, struct flat* its);

static MPI_Datatype make_basic(struct flat* its) {
    const int which = between(0, basic_count + 7);
    if (which < basic_count) {
        put(its, k_data, which, 0);
        return basics[which].type;
    }
    const int pair = which - basic_count;
    if (pair >= 6) {
        put(its, k_data, b_int, 0);
        return MPI_INT;
    }
    put(its, k_data, pairs[pair].value, 0);
    put(its, k_data, b_int, pairs[pair].place);
    put(its, k_soft_ub, 0, pairs[pair].extent);
    return pairs[pair].type;
}

struct maker {
    MPI_Datatype part, made;
    struct flat from, *to;
    ptrdiff_t extent;
    struct contents contents;
};

static void make_vector(struct maker* its) {
    const int count = between(0, 4), length = between(0, 3), stride = between(-4, 5);
    const bool in_bytes = chance() & 1;
    const MPI_Aint step = in_bytes ? between(-40, 40) : stride * its->extent;
    note(&its->contents, count), note(&its->contents, length);
    its->contents.combiner = in_bytes ? MPI_COMBINER_HVECTOR : MPI_COMBINER_VECTOR;
    if (!in_bytes) {
        note(&its->contents, stride);
        MPI_Type_vector(count, length, stride, its->part, &its->made);
    } else {
        its->contents.addresses[its->contents.address_count++] = step;
        if (chance() & 1)
            MPI_Type_create_hvector(count, length, step, its->part, &its->made);
        else
            MPI_Type_hvector(count, length, step, its->part, &its->made);
    }
    for (int i = 0; i < count; ++i) put_copies(its->to, &its->from, i * step, length);
    if (length == 0) its->to->odd = true;
}

static void make_indexed(struct maker* its) {
    const int count = between(0, 4), how = between(0, 3); /* indexed, in blocks; both in bytes */
    const bool in_bytes = how & 1, in_blocks = how & 2;
    int lengths[4], places[4];
    MPI_Aint addresses[4];
    const int length = between(0, 3);
    struct contents* c = &its->contents;
    note(c, count);
    if (in_blocks) note(c, length);
    for (int i = 0; i < count; ++i) {
        lengths[i] = in_blocks ? length : between(0, 3);
        places[i] = between(-6, 8);
        addresses[i] = in_bytes ? between(-50, 60) : places[i] * its->extent;
        if (!in_blocks) note(c, lengths[i]);
        if (in_bytes) c->addresses[c->address_count++] = addresses[i];
        put_copies(its->to, &its->from, addresses[i], lengths[i]);
    }
    for (int i = 0; i < count && !in_bytes; ++i) note(c, places[i]);
    if (how == 0) MPI_Type_indexed(count, lengths, places, its->part, &its->made);
    if (how == 1 && length != 1) MPI_Type_create_hindexed(count, lengths, addresses, its->part, &its->made);
    if (how == 1 && length == 1) MPI_Type_hindexed(count, lengths, addresses, its->part, &its->made);
    if (how == 2) MPI_Type_create_indexed_block(count, length, places, its->part, &its->made);
    if (how == 3) MPI_Type_create_hindexed_block(count, length, addresses, its->part, &its->made);
    if (in_blocks && length == 0) its->to->odd = true;
    static const int combiners[] = {MPI_COMBINER_INDEXED, MPI_COMBINER_HINDEXED, MPI_COMBINER_INDEXED_BLOCK,
                                    MPI_COMBINER_HINDEXED_BLOCK};
    c->combiner = combiners[how];
}

/* Elements of an array one by one: `has(dimension, index)` says which are in. */
struct array {
    int dimensions, order, sizes[3];
    bool in[3][8];
};
static void put_array(struct maker* its, const struct array* a) {
    const bool c = a->order == MPI_ORDER_C;
    int total = 1;
    for (int i = 0; i < a->dimensions; ++i) total *= a->sizes[i];
    for (int number = 0; number < total; ++number) {
        int rest = number;
        bool in = true;
        for (int i = 0; i < a->dimensions; ++i) {
            const int d = c ? a->dimensions - 1 - i : i;
            in = in && a->in[d][rest % a->sizes[d]];
            rest /= a->sizes[d];
        }
        if (in) put_copies(its->to, &its->from, number * its->extent, 1);
    }
    if (its->from.odd || bounds_of(&its->from).size == 0) its->to->odd = true;
    put_bounds(its->to, 0, total * its->extent);
}

static void note_list(struct contents* its, const int* list, int count) {
    for (int i = 0; i < count; ++i) note(its, list[i]);
}

static void make_subarray(struct maker* its) {
    struct array a = {.dimensions = between(1, 3), .order = chance() & 1 ? MPI_ORDER_C : MPI_ORDER_FORTRAN};
    int subsizes[3], starts[3];
    for (int i = 0; i < a.dimensions; ++i) {
        a.sizes[i] = between(1, 4);
        subsizes[i] = between(1, a.sizes[i]);
        starts[i] = between(0, a.sizes[i] - subsizes[i]);
        for (int k = 0; k < a.sizes[i]; ++k) a.in[i][k] = k >= starts[i] && k < starts[i] + subsizes[i];
    }
    MPI_Type_create_subarray(a.dimensions, a.sizes, subsizes, starts, a.order, its->part, &its->made);
    its->contents.combiner = MPI_COMBINER_SUBARRAY;
    note(&its->contents, a.dimensions);
    note_list(&its->contents, a.sizes, a.dimensions);
    note_list(&its->contents, subsizes, a.dimensions);
    note_list(&its->contents, starts, a.dimensions);
    note(&its->contents, a.order);
    put_array(its, &a);
}

static void make_darray(struct maker* its) {
    struct array a = {.dimensions = between(1, 3), .order = chance() & 1 ? MPI_ORDER_C : MPI_ORDER_FORTRAN};
    static const int hows[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
    int how[3], arguments[3], processes[3], coordinates[3], size = 1, rank = 0;
    for (int i = 0; i < a.dimensions; ++i) {
        a.sizes[i] = between(1, 7);
        how[i] = hows[between(0, 2)];
        processes[i] = how[i] == MPI_DISTRIBUTE_NONE ? 1 : between(1, 3);
        coordinates[i] = between(0, processes[i] - 1);
        size *= processes[i];
        rank = rank * processes[i] + coordinates[i];
        const int even = (a.sizes[i] + processes[i] - 1) / processes[i];
        int block = how[i] == MPI_DISTRIBUTE_BLOCK ? even : 1;
        arguments[i] = MPI_DISTRIBUTE_DFLT_DARG;
        if (chance() & 1) arguments[i] = block = how[i] == MPI_DISTRIBUTE_BLOCK ? between(even, even + 2) : between(1, 3);
        int own = 0;
        for (int k = 0; k < a.sizes[i]; ++k)
            own += a.in[i][k] = how[i] == MPI_DISTRIBUTE_NONE || k / block % processes[i] == coordinates[i];
        if (how[i] == MPI_DISTRIBUTE_CYCLIC && own < block) its->to->odd = true;
    }
    MPI_Type_create_darray(size, rank, a.dimensions, a.sizes, how, arguments, processes, a.order, its->part, &its->made);
    its->contents.combiner = MPI_COMBINER_DARRAY;
    note(&its->contents, size), note(&its->contents, rank), note(&its->contents, a.dimensions);
    note_list(&its->contents, a.sizes, a.dimensions);
    note_list(&its->contents, how, a.dimensions);
    note_list(&its->contents, arguments, a.dimensions);
    note_list(&its->contents, processes, a.dimensions);
    note(&its->contents, a.order);
    put_array(its, &a);
}

static void add_own_bounds(struct flat* to, const struct contents* c, const int* lengths) {
    int seen = 0;
    for (int i = 0; i < c->part_count; ++i) {
        const int kind = c->parts[i] == MPI_LB ? k_lb : c->parts[i] == MPI_UB ? k_ub : k_data;
        if (kind == k_data) continue;
        for (int k = 0; k < lengths[i]; ++k) put(to, kind, 0, c->addresses[i]);
        if (lengths[i] == 0 || seen & (1 << kind)) to->odd = true;
        seen |= 1 << kind;
    }
}

static MPI_Datatype make_struct(int depth, struct flat* to) {
    const int count = between(0, most_parts);
    struct contents c = {.combiner = MPI_COMBINER_STRUCT, .address_count = count, .part_count = count};
    int lengths[most_parts];
    MPI_Datatype first = MPI_DATATYPE_NULL, made = MPI_DATATYPE_NULL;
    bool mixed = false, marked = false, has_own = false;
    const bool all_ints = between(0, 4) == 0;
    note(&c, count);
    for (int i = 0; i < count; ++i) {
        struct flat part = {0};
        lengths[i] = between(0, 3);
        c.addresses[i] = between(0, 3) == 0 ? between(-30, 90) : between(-3, 10) * 8;
        note(&c, lengths[i]);
        const int what = between(0, 11);
        c.parts[i] = what == 0 ? MPI_LB : what == 1 ? MPI_UB : MPI_INT;
        if (what < 2) {
            has_own = true;
            continue;
        }
        if (all_ints)
            put(&part, k_data, b_int, 0);
        else
            c.parts[i] = make(depth - 1, &part);
        mixed = mixed || (first != MPI_DATATYPE_NULL && first != c.parts[i]);
        if (first == MPI_DATATYPE_NULL) first = c.parts[i];
        const struct bounds b = bounds_of(&part);
        marked = marked || b.marked_lb || b.marked_ub;
        if (b.size == 0) to->odd = true;
        put_copies(to, &part, c.addresses[i], lengths[i]);
        free(part.items);
    }
    const struct bounds b = bounds_of(to);
    if (mixed && !b.marked_ub && b.alignment > 0) {
        ptrdiff_t end = b.ub;
        while ((end - b.lb) % b.alignment != 0) ++end;
        put(to, k_soft_ub, 0, end);
    }
    if (marked && (mixed || has_own)) to->odd = true;
    if (has_own && b.size == 0) to->odd = true;
    add_own_bounds(to, &c, lengths);
    if (chance() & 1)
        MPI_Type_create_struct(count, lengths, c.addresses, c.parts, &made);
    else
        MPI_Type_struct(count, lengths, c.addresses, c.parts, &made);
    check_contents(made, &c);
    for (int i = 0; i < count; ++i)
        if (!is_named(c.parts[i])) MPI_Type_free(&c.parts[i]);
    return made;
}

static void make_small(struct maker* its, int what) {
    struct contents* c = &its->contents;
    const struct bounds b = bounds_of(&its->from);
    const int count = between(0, 5);
    if (what == 0) {
        MPI_Type_contiguous(count, its->part, &its->made);
        c->combiner = MPI_COMBINER_CONTIGUOUS;
        note(c, count);
        put_copies(its->to, &its->from, 0, count);
        return;
    }
    put_copies(its->to, &its->from, 0, 1);
    its->to->odd = its->from.odd;
    if (what == 1) {
        MPI_Type_dup(its->part, &its->made);
        c->combiner = MPI_COMBINER_DUP;
        return;
    }
    c->combiner = MPI_COMBINER_RESIZED;
    c->addresses[0] = between(-20, 20);
    c->addresses[1] = between(0, 7) == 0 ? -between(0, 40) : b.ub - b.lb + between(-4, 24);
    c->address_count = 2;
    MPI_Type_create_resized(its->part, c->addresses[0], c->addresses[1], &its->made);
    put_bounds(its->to, c->addresses[0], c->addresses[0] + c->addresses[1]);
}

static MPI_Datatype make(int depth, struct flat* to) {
    const int what = between(0, 11);
    if (depth == 0 || what == 0) return make_basic(to);
    if (what <= 3) return make_struct(depth, to);
    struct maker its = {.to = to, .contents.part_count = 1};
    its.part = its.contents.parts[0] = make(depth - 1, &its.from);
    const struct bounds b = bounds_of(&its.from);
    its.extent = b.ub - b.lb;
    if (what <= 5) make_vector(&its);
    else if (what <= 7) make_indexed(&its);
    else if (what == 8) make_subarray(&its);
    else if (what == 9) make_darray(&its);
    else make_small(&its, what == 10 ? 2 : between(0, 1));
    if (its.from.too_long) to->too_long = true;
    check_contents(its.made, &its.contents);
    if (!is_named(its.part)) MPI_Type_free(&its.part);
    free(its.from.items);
    return its.made;
}

/* ---- Checks ---- */

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
        printf("%ld: size %d lb %ld extent %ld true %ld %ld\n", tree, size, (long)lb, (long)extent, (long)true_lb, (long)true_extent);
}

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
#ifdef LAM_MPI
    const int part = between(0, (int)image->row_bytes);
    memset(expected, 0x5a, room);
    memset(found, 0x5a, room);
    if (part > 0) unpack_model(its, b, image, part, expected);
    lam_unpack(image->row, (size_t)part, (void*)base, (size_t)image->count, lam_type(type));
    expect("partly unpacked data", 0, memcmp(expected, found, room));
#endif
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

#ifdef LAM_MPI
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
    MPI_Type_free(&same);
    MPI_Type_free(&shorter);
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
    if (wanted) {
        check_bounds(type, &b, print && !its.odd);
        if (!is_named(type)) MPI_Type_commit(&type);
        const int count = between(0, 3);
        struct image image = image_of(&its, &b, count);
#ifdef LAM_MPI
        check_pack(type, &image);
        check_unpack(type, &its, &b, &image);
        check_counts(type, &its, &b, count);
        check_signature(type, &its, &b);
#endif
        free(image.memory);
        free(image.row);
    }
    if (failures > before && failures <= 20) printf("tree %ld has %d items\n", tree, its.count);
    if (!is_named(type)) MPI_Type_free(&type);
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

/* Random datatypes, each with its model. For types_against_flat_lists.c. */
#ifndef LAM_TESTS_RANDOM_TYPES_H
#define LAM_TESTS_RANDOM_TYPES_H

#include "flat_lists.h"

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
static void release(MPI_Datatype* type) {
    if (!is_named(*type)) expect("MPI_Type_free", MPI_SUCCESS, MPI_Type_free(type));
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
        release(&got_parts[i]);
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
    bool mixed = false, differ = false, marked = false, has_own = false;
    struct bounds first_bounds = {0};
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
        if (first_bounds.elements == 0) first_bounds = b;
        differ = differ || b.size != first_bounds.size || b.ub - b.lb != first_bounds.ub - first_bounds.lb;
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
    if (mixed && !differ) to->odd = true; /* for MPICH, a copy may be the same type */
    if (has_own && b.size == 0) to->odd = true;
    add_own_bounds(to, &c, lengths);
    if (chance() & 1)
        MPI_Type_create_struct(count, lengths, c.addresses, c.parts, &made);
    else
        MPI_Type_struct(count, lengths, c.addresses, c.parts, &made);
    check_contents(made, &c);
    for (int i = 0; i < count; ++i) release(&c.parts[i]);
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
    if (what <= 5)
        make_vector(&its);
    else if (what <= 7)
        make_indexed(&its);
    else if (what == 8)
        make_subarray(&its);
    else if (what == 9)
        make_darray(&its);
    else
        make_small(&its, what == 10 ? 2 : between(0, 1));
    if (its.from.too_long) to->too_long = true;
    check_contents(its.made, &its.contents);
    release(&its.part);
    free(its.from.items);
    return its.made;
}

#endif

/* How a datatype grows: its blocks, its bounds, and what it says about itself. */
#include <stdlib.h>
#include <string.h>

#include "lam_types.h"

static void* room_for(int count, size_t bytes) {
    return calloc((size_t)count + 1, bytes);
}

void lam_build_begin(struct lam_build* build, const char* function, int combiner, int integers, int addresses, int parts) {
    *build = (struct lam_build){.function = function, .own = calloc(1, sizeof *build->own)};
    if (build->own == NULL) {
        build->failed = true;
        return;
    }
    struct lam_type* type = &build->own->type;
    type->combiner = combiner;
    type->integers = room_for(integers, sizeof *type->integers);
    type->addresses = room_for(addresses, sizeof *type->addresses);
    type->parts = room_for(parts, sizeof(struct lam_type*));
    build->failed = type->integers == NULL || type->addresses == NULL || type->parts == NULL;
    if (build->failed) return;
    type->integer_count = integers;
    type->address_count = addresses;
    type->part_count = parts;
}

void lam_build_part(struct lam_build* build, int index, struct lam_type* part) {
    if (build->failed) return;
    build->own->type.parts[index] = part;
    lam_type_hold_part(part);
}

static void add_block(struct lam_build* build, ptrdiff_t at, size_t bytes, int basic) {
    struct lam_own_type* own = build->own;
    struct lam_type* type = &own->type;
    if (type->block_count > 0) {
        struct lam_block* last = &type->blocks[type->block_count - 1];
        if (last->basic == basic && last->at + (ptrdiff_t)last->bytes == at) {
            last->bytes += bytes;
            return;
        }
    }
    if (type->block_count == own->block_room) {
        const size_t more = own->block_room == 0 ? 4 : 2 * own->block_room;
        struct lam_block* blocks = realloc(type->blocks, more * sizeof *blocks);
        if (blocks == NULL) {
            build->failed = true;
            return;
        }
        type->blocks = blocks;
        own->block_room = more;
    }
    type->blocks[type->block_count++] = (struct lam_block){at, bytes, basic};
}

static void add_blocks(struct lam_build* build, const struct lam_type* part, ptrdiff_t at, size_t count) {
    if (part->gapless && part->block_count == 1) {
        add_block(build, at + part->blocks[0].at, count * part->size, part->blocks[0].basic);
        return;
    }
    for (size_t i = 0; i < count; ++i, at += lam_extent(part))
        for (size_t k = 0; k < part->block_count && !build->failed; ++k)
            add_block(build, at + part->blocks[k].at, part->blocks[k].bytes, part->blocks[k].basic);
}

static void lower(bool* is_set, ptrdiff_t* least, ptrdiff_t at) {
    if (!*is_set || at < *least) *least = at;
    *is_set = true;
}
static void raise(bool* is_set, ptrdiff_t* greatest, ptrdiff_t at) {
    if (!*is_set || at > *greatest) *greatest = at;
    *is_set = true;
}

/* The first basic type in the lower six bits, the set of all above. */
uint32_t lam_mark_of(int basic) {
    return (uint32_t)basic | UINT32_C(1) << (6 + (basic - 1) % 26);
}

static void add_elements(struct lam_build* build, const struct lam_type* part, ptrdiff_t first, ptrdiff_t last, size_t count) {
    struct lam_type* type = &build->own->type;
    const ptrdiff_t low = (first < last ? first : last) + part->true_lb, high = (first < last ? last : first) + part->true_ub;
    const bool is_first = type->elements == 0;
    if (is_first || low < type->true_lb) type->true_lb = low;
    if (is_first || high > type->true_ub) type->true_ub = high;
    type->mark = is_first ? part->mark : type->mark | (part->mark & ~UINT32_C(0x3f));
    type->uniform = is_first || type->uniform == part->uniform ? part->uniform : 0;
    type->size += count * part->size;
    type->elements += count * part->elements;
    const size_t alignment = lam_own_const(part)->alignment;
    if (alignment > build->own->alignment) build->own->alignment = alignment;
    build->own->has_bytes = build->own->has_bytes || lam_own_const(part)->has_bytes;
    add_blocks(build, part, first, count);
}

void lam_build_add(struct lam_build* build, const struct lam_type* part, ptrdiff_t at, size_t count) {
    if (build->failed || count == 0) return;
    const struct lam_own_type* own = lam_own_const(part);
    const ptrdiff_t last = at + (ptrdiff_t)(count - 1) * lam_extent(part);
    const ptrdiff_t low = at < last ? at : last, high = at < last ? last : at;
    if (own->lb_marked)
        lower(&build->lb.is_marked, &build->lb.marked, low + part->lb);
    else if (part->elements > 0)
        lower(&build->lb.is_known, &build->lb.known, low + part->lb);
    if (own->ub_marked)
        raise(&build->ub.is_marked, &build->ub.marked, high + part->ub);
    else if (part->elements > 0)
        raise(&build->ub.is_known, &build->ub.known, high + part->ub);
    if (part->elements > 0) add_elements(build, part, at, last, count);
}

static ptrdiff_t edge(const struct lam_edge* its) {
    return its->is_marked ? its->marked : its->is_known ? its->known : 0;
}

void lam_build_pad(struct lam_build* build) {
    if (build->failed || build->ub.is_marked || !build->ub.is_known || build->own->alignment == 0) return;
    const ptrdiff_t alignment = (ptrdiff_t)build->own->alignment;
    const ptrdiff_t over = (build->ub.known - edge(&build->lb)) % alignment;
    if (over > 0) build->ub.known += alignment - over;
    if (over < 0) build->ub.known -= over;
}

void lam_build_bounds(struct lam_build* build, ptrdiff_t lb, ptrdiff_t ub) {
    build->lb = (struct lam_edge){.is_marked = true, .marked = lb};
    build->ub = (struct lam_edge){.is_marked = true, .marked = ub};
}

static bool is_gapless(const struct lam_type* type) {
    if (type->lb != type->true_lb || lam_extent(type) != (ptrdiff_t)type->size) return false;
    ptrdiff_t at = type->lb;
    for (size_t i = 0; i < type->block_count; ++i) {
        if (type->blocks[i].at != at) return false;
        at += (ptrdiff_t)type->blocks[i].bytes;
    }
    return true;
}

int lam_build_end(struct lam_build* build, MPI_Datatype* newtype) {
    struct lam_own_type* own = build->own;
    if (own != NULL && !build->failed) {
        struct lam_type* type = &own->type;
        type->lb = edge(&build->lb);
        type->ub = edge(&build->ub);
        own->lb_marked = build->lb.is_marked;
        own->ub_marked = build->ub.is_marked;
        type->gapless = is_gapless(type);
        if (type->block_count > 0 && type->block_count < own->block_room) {
            struct lam_block* blocks = realloc(type->blocks, type->block_count * sizeof *blocks);
            if (blocks != NULL) type->blocks = blocks;
        }
        if (lam_type_give_handle(type)) {
            *newtype = type->handle;
            return MPI_SUCCESS;
        }
    }
    if (own != NULL) lam_type_discard(&own->type);
    return lam_fail(MPI_COMM_WORLD, MPI_ERR_NO_MEM, build->function, "the node has no memory for the new datatype");
}

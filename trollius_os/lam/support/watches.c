/* See lam_watches.h. */
#include "lam_watches.h"

#include <stdlib.h>

#include "lam.h"

static struct lam_watch* root;

/* ---- Bytes of a buffer ---- */

/* A row of bytes without a gap: block `block` of element `element`. */
struct row {
    const struct lam_watch* watch;
    int element;
    size_t block;
    uintptr_t low, high;
};
static bool next_row(struct row* row) {
    const struct lam_type* type = row->watch->type;
    if (row->element >= row->watch->count) return false;
    if (type->gapless) {
        row->low = row->watch->low;
        row->high = row->watch->high;
        row->element = row->watch->count;
        return true;
    }
    const struct lam_block* block = &type->blocks[row->block];
    row->low = (uintptr_t)row->watch->at + (uintptr_t)(row->element * (type->ub - type->lb) + block->at);
    row->high = row->low + block->bytes;
    if (++row->block == type->block_count) {
        row->block = 0;
        ++row->element;
    }
    return true;
}

static void find_bounds(struct lam_watch* watch) {
    const struct lam_type* type = watch->type;
    watch->low = watch->high = 0;
    if (watch->count <= 0 || type->size == 0) return;
    const ptrdiff_t all = (watch->count - 1) * (type->ub - type->lb);
    watch->low = (uintptr_t)watch->at + (uintptr_t)(type->true_lb + (all < 0 ? all : 0));
    watch->high = (uintptr_t)watch->at + (uintptr_t)(type->true_ub + (all > 0 ? all : 0));
}

/* Eight bytes at any address. The library has no memcpy() that the compiler knows. */
typedef uint64_t word __attribute__((aligned(1), may_alias));
enum { lanes = 4 };
static const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
static uint64_t sum_of(const char* from, size_t bytes, uint64_t sum) {
    uint64_t lane[lanes] = {sum ^ bytes, sum + factor, sum + 2 * factor, sum + 3 * factor};
    for (; bytes >= lanes * sizeof(word); from += lanes * sizeof(word), bytes -= lanes * sizeof(word)) {
        const word* const words = (const word*)(const void*)from;
        for (int i = 0; i < lanes; ++i) {
            lane[i] = (lane[i] ^ words[i]) * factor;
            lane[i] ^= lane[i] >> 29;
        }
    }
    for (; bytes >= sizeof(word); from += sizeof(word), bytes -= sizeof(word))
        lane[0] = (lane[0] ^ *(const word*)(const void*)from) * factor, lane[0] ^= lane[0] >> 29;
    for (; bytes > 0; ++from, --bytes) lane[1] = (lane[1] ^ (unsigned char)*from) * factor;
    for (int i = 1; i < lanes; ++i) lane[0] = (lane[0] ^ (lane[i] >> 31) ^ lane[i]) * factor;
    return lane[0] ^ lane[0] >> 32;
}
static uint64_t sum_all(const struct lam_watch* watch) {
    uint64_t sum = 0;
    for (struct row row = {.watch = watch}; next_row(&row);) sum = sum_of((const char*)row.low, row.high - row.low, sum);
    return sum;
}

/* ---- Do two buffers share a byte? ---- */

enum { most_marks = 1 << 20 }; /* bytes; buffers that are longer and in no order are not compared */

/* Rows that do not ascend: marks the bytes of one, and looks at those of the other. */
static bool meet_by_marks(const struct lam_watch* one, const struct lam_watch* other) {
    const uintptr_t low = one->low > other->low ? one->low : other->low;
    const uintptr_t high = one->high < other->high ? one->high : other->high;
    char* marks = high - low > most_marks ? NULL : calloc(1, high - low);
    bool found = false;
    if (marks == NULL) return false;
    for (struct row row = {.watch = one}; next_row(&row);)
        for (uintptr_t at = row.low > low ? row.low : low; at < row.high && at < high; ++at) marks[at - low] = 1;
    for (struct row row = {.watch = other}; !found && next_row(&row);)
        for (uintptr_t at = row.low > low ? row.low : low; at < row.high && at < high && !found; ++at)
            found = marks[at - low] != 0;
    free(marks);
    return found;
}

static bool meet(const struct lam_watch* one, const struct lam_watch* other) {
    if (one->low >= other->high || other->low >= one->high) return false;
    if (one->type->gapless && other->type->gapless) return true;
    struct row rows[2] = {{.watch = one}, {.watch = other}};
    bool more = next_row(&rows[0]) && next_row(&rows[1]);
    while (more) {
        if (rows[0].low < rows[1].high && rows[1].low < rows[0].high) return true;
        struct row* lower = rows[0].low < rows[1].low ? &rows[0] : &rows[1];
        const uintptr_t before = lower->high;
        more = next_row(lower);
        if (more && lower->low < before) return meet_by_marks(one, other);
    }
    return false;
}

/* ---- The buffers in use: a tree by address, balanced by priorities that no address has a part in ---- */

static bool is_before(const struct lam_watch* one, const struct lam_watch* other) {
    return one->low != other->low ? one->low < other->low : one < other;
}
static void update(struct lam_watch* top) {
    top->reach = top->high;
    if (top->left != NULL && top->left->reach > top->reach) top->reach = top->left->reach;
    if (top->right != NULL && top->right->reach > top->reach) top->reach = top->right->reach;
}
static void split(struct lam_watch* top, const struct lam_watch* at, struct lam_watch** left, struct lam_watch** right) {
    if (top == NULL) {
        *left = *right = NULL;
    } else if (is_before(top, at)) {
        split(top->right, at, &top->right, right);
        *left = top;
        update(top);
    } else {
        split(top->left, at, left, &top->left);
        *right = top;
        update(top);
    }
}
static struct lam_watch* join(struct lam_watch* left, struct lam_watch* right) {
    if (left == NULL || right == NULL) return left == NULL ? right : left;
    if (left->priority > right->priority) {
        left->right = join(left->right, right);
        update(left);
        return left;
    }
    right->left = join(left, right->left);
    update(right);
    return right;
}
static void insert(struct lam_watch** top, struct lam_watch* watch) {
    if (*top == NULL || watch->priority > (*top)->priority) {
        split(*top, watch, &watch->left, &watch->right);
        update(watch);
        *top = watch;
        return;
    }
    insert(is_before(watch, *top) ? &(*top)->left : &(*top)->right, watch);
    update(*top);
}
static void take_out(struct lam_watch** top, struct lam_watch* watch) {
    if (*top == NULL) return;
    if (*top == watch) {
        *top = join(watch->left, watch->right);
        return;
    }
    take_out(is_before(watch, *top) ? &(*top)->left : &(*top)->right, watch);
    update(*top);
}
/* The first that the buffer meets, where one of both is written. */
static struct lam_watch* find(struct lam_watch* top, const struct lam_watch* watch) {
    if (top == NULL || top->reach <= watch->low) return NULL;
    struct lam_watch* found = find(top->left, watch);
    if (found != NULL) return found;
    if ((top->writes || watch->writes) && meet(top, watch)) return top;
    return top->low >= watch->high ? NULL : find(top->right, watch);
}

/* ---- What the others call ---- */

static bool look(const struct lam_watch* watch) {
    struct lam_watch* other = watch->high == 0 ? NULL : find(root, watch);
    if (other == NULL) return false;
    if (other->told) return true;
    other->told = true;
    /* The standard forbids it, but benchmarks let the receives of a window share one buffer, which nobody reads. */
    const bool is_window = watch->writes && other->writes && watch->low == other->low && watch->high == other->high;
    lam_found(LAM_BUFFER_IN_USE, is_window, &watch->begun, other->begun.from,
              "it %s memory that %s() at " LAM_OTHER_LINE " %s, which is not complete", watch->writes ? "writes" : "reads",
              other->begun.function, other->writes ? "writes" : "reads");
    return true;
}
static bool is_off(void) {
    return (lam_port_options() & LAM_NO_CHECKS) != 0;
}

void lam_watch_look(const struct lam_watch* watch) {
    if (root == NULL) return;
    struct lam_watch bounds = *watch;
    find_bounds(&bounds);
    look(&bounds);
}

void lam_watch_begin(struct lam_watch* watch) {
    static uint32_t random = 1;
    if (is_off()) return;
    find_bounds(watch);
    watch->told = look(watch); /* the other operation may change the bytes */
    watch->on = true;
    watch->has_sum = false;
    /* A receive may name a longer buffer than the program has, if only short messages come. */
    watch->is_readable = watch->high != 0 && lam_port_can_read((const void*)watch->low, watch->high - watch->low) != 0;
    watch->left = watch->right = NULL;
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    watch->priority = random;
    if (watch->high != 0) insert(&root, watch);
}
void lam_watch_note(struct lam_watch* watch) {
    if (!watch->on || !watch->is_readable) return;
    watch->sum = sum_all(watch);
    watch->has_sum = true;
}
void lam_watch_pause(struct lam_watch* watch) {
    watch->has_sum = false;
}
bool lam_watch_any(void) {
    return root != NULL;
}
void lam_watch_check(struct lam_watch* watch) {
    if (!watch->has_sum || watch->told || sum_all(watch) == watch->sum) return;
    watch->told = true;
    const bool is_own = lam_called.from == watch->begun.from;
    lam_found(LAM_BUFFER_IN_USE, false, &watch->begun, is_own ? NULL : lam_called.from,
              "the program wrote its buffer before the %s was complete%s%s%s", watch->writes ? "receive" : "send",
              is_own ? "" : ", between this call and ", is_own ? "" : lam_called.function,
              is_own ? "" : "() at " LAM_OTHER_LINE);
}
void lam_watch_end(struct lam_watch* watch) {
    if (!watch->on) return;
    watch->on = watch->has_sum = false;
    if (watch->high != 0) take_out(&root, watch);
}

/* ---- Loads and stores of the program (accesses.c) ---- */

static bool rests;
void lam_watch_rest(bool now) {
    rests = now;
}
void lam_watch_access(const void* at, size_t bytes, bool writes, const void* from) {
    if (rests || is_off()) return;
    const uintptr_t low = (uintptr_t)at;
    const struct lam_watch access = {.at = at,
                                     .count = (int)bytes,
                                     .type = lam_type(MPI_BYTE),
                                     .writes = writes,
                                     .low = low,
                                     .high = low + bytes};
    struct lam_watch* its = find(root, &access);
    if (its == NULL || its->told) return;
    its->told = true;
    lam_found(LAM_BUFFER_IN_USE, false, &its->begun, from, "the program %s its buffer at " LAM_OTHER_LINE " before the %s was complete",
              writes ? "wrote" : "read", its->writes ? "receive" : "send");
}

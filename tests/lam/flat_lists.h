/* The plainest model of a datatype: the list of its basic elements with their places. For types_against_flat_lists.c; nothing
 * here uses the library that it judges, but for the numbers of handles. */
#ifndef LAM_TESTS_FLAT_LISTS_H
#define LAM_TESTS_FLAT_LISTS_H

#include <mpi.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { k_data, k_lb, k_ub, k_soft_ub }; /* soft: where padding ends */
struct item {
    int kind, basic;
    ptrdiff_t at;
};
enum { most_items = 3000, most_parts = 5 };
struct flat {
    struct item* items;
    int count;
    bool odd, too_long; /* odd: MPICH has other bounds */
};
struct basic {
    MPI_Datatype type;
    int bytes, alignment;
};
static struct basic basics[] = {{MPI_CHAR, 1, 1},
                                {MPI_SHORT, sizeof(short), _Alignof(short)},
                                {MPI_INT, sizeof(int), _Alignof(int)},
                                {MPI_LONG, sizeof(long), _Alignof(long)},
                                {MPI_FLOAT, sizeof(float), _Alignof(float)},
                                {MPI_DOUBLE, sizeof(double), _Alignof(double)},
                                {MPI_LONG_DOUBLE, sizeof(long double), _Alignof(long double)},
                                {MPI_C_DOUBLE_COMPLEX, 2 * sizeof(double), _Alignof(double)}};
enum { b_char, b_short, b_int, b_long, b_float, b_double, b_long_double, b_complex, basic_count };
#define PAIR(handle, type, basic) \
    {                             \
        handle, basic,            \
            offsetof(             \
                struct {          \
                    type v;       \
                    int p;        \
                },                \
                p),               \
            sizeof(struct {       \
                type v;           \
                int p;            \
            })                    \
    }
static const struct {
    MPI_Datatype type;
    int value;
    ptrdiff_t place, extent;
} pairs[] = {PAIR(MPI_FLOAT_INT, float, b_float), PAIR(MPI_DOUBLE_INT, double, b_double),
             PAIR(MPI_LONG_INT, long, b_long),    PAIR(MPI_2INT, int, b_int),
             PAIR(MPI_SHORT_INT, short, b_short), PAIR(MPI_LONG_DOUBLE_INT, long double, b_long_double)};

static void put(struct flat* its, int kind, int basic, ptrdiff_t at) {
    if (its->count >= most_items) {
        its->too_long = true;
        return;
    }
    if (its->items == NULL) its->items = malloc(most_items * sizeof *its->items);
    its->items[its->count++] = (struct item){kind, basic, at};
}

struct bounds {
    ptrdiff_t lb, ub, true_lb, true_ub, size, elements;
    int alignment;
    bool marked_lb, marked_ub;
};
static struct bounds bounds_of(const struct flat* its) {
    struct bounds b = {0};
    bool data = false;
    ptrdiff_t soft = 0, low_mark = 0, high_mark = 0;
    for (int i = 0; i < its->count; ++i) {
        const struct item item = its->items[i];
        const struct basic* basic = &basics[item.basic];
        const ptrdiff_t end = item.at + (item.kind == k_data ? basic->bytes : 0);
        if (item.kind == k_lb) {
            if (!b.marked_lb || item.at < low_mark) low_mark = item.at;
            b.marked_lb = true;
        } else if (item.kind == k_ub) {
            if (!b.marked_ub || item.at > high_mark) high_mark = item.at;
            b.marked_ub = true;
        } else {
            if (item.kind == k_data && (!data || item.at < b.true_lb)) b.true_lb = item.at;
            if (item.kind == k_data && (!data || end > b.true_ub)) b.true_ub = end;
            if ((item.kind == k_data && !data) || end > soft) soft = end;
            if (item.kind != k_data) continue;
            data = true;
            b.size += basic->bytes;
            ++b.elements;
            if (basic->alignment > b.alignment) b.alignment = basic->alignment;
        }
    }
    b.lb = b.marked_lb ? low_mark : b.true_lb;
    b.ub = b.marked_ub ? high_mark : data ? soft : 0;
    return b;
}

static void put_copies(struct flat* whole, const struct flat* part, ptrdiff_t at, int count) {
    const struct bounds b = bounds_of(part);
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < part->count && !whole->too_long; ++k)
            put(whole, part->items[k].kind, part->items[k].basic, at + i * (b.ub - b.lb) + part->items[k].at);
    if (part->too_long) whole->too_long = true;
    if (part->odd || b.size == 0) whole->odd = true;
}

static void put_bounds(struct flat* its, ptrdiff_t lb, ptrdiff_t ub) {
    int kept = 0;
    for (int i = 0; i < its->count; ++i)
        if (its->items[i].kind == k_data) its->items[kept++] = its->items[i];
    its->count = kept;
    put(its, k_lb, 0, lb);
    put(its, k_ub, 0, ub);
}

/* ---- Chance ---- */

static uint64_t chance_state;
static uint32_t chance(void) {
    chance_state ^= chance_state << 13;
    chance_state ^= chance_state >> 7;
    chance_state ^= chance_state << 17;
    return (uint32_t)(chance_state >> 32);
}
static int between(int low, int high) {
    return low + (int)(chance() % (uint32_t)(high - low + 1));
}

static long failures;
static long tree;
static void expect(const char* about, long long expected, long long found) {
    if (expected == found) return;
    if (++failures <= 20) printf("tree %ld: %s: expected %lld, found %lld\n", tree, about, expected, found);
}

#endif

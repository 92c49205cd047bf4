/* np: 5 */
/* Each predefined operation on each group of types, for MPI_Reduce(), MPI_Allreduce(), MPI_Scan() and
 * MPI_Reduce_scatter_block(). */
#include "coll_check.h"

/* Small numbers, so that each result is exact in each type. MPI_MAX of MPICH 4.0.2 takes great MPI_UNSIGNED for negative. */
static int number(int from, int i, int is_signed) {
    return (from * 7 + i * 3) % 5 - (is_signed ? i % 2 : 0);
}

#define CHECKS(name, c_type)                                                                                            \
    static c_type combine_##name(MPI_Op op, c_type a, c_type b) {                                                       \
        if (op == MPI_MAX) return a > b ? a : b;                                                                        \
        if (op == MPI_MIN) return a < b ? a : b;                                                                        \
        return op == MPI_SUM ? (c_type)(a + b) : (c_type)(a * b);                                                       \
    }                                                                                                                   \
    static void check_##name(MPI_Datatype type, MPI_Op op) {                                                            \
        enum { count = 3 };                                                                                             \
        c_type own[count * MOST_RANKS], got[count * MOST_RANKS], total[count * MOST_RANKS], before[count * MOST_RANKS]; \
        const int root = pick(size), n = count * size;                                                                  \
        for (int i = 0; i < n; ++i) {                                                                                   \
            own[i] = (c_type)number(rank, i, (c_type)-1 < (c_type)1);                                                   \
            total[i] = before[i] = (c_type)number(0, i, (c_type)-1 < (c_type)1);                                        \
            for (int from = 1; from < size; ++from) {                                                                   \
                total[i] = combine_##name(op, total[i], (c_type)number(from, i, (c_type)-1 < (c_type)1));               \
                if (from <= rank) before[i] = total[i];                                                                 \
            }                                                                                                           \
        }                                                                                                               \
        MPI_Reduce(own, got, n, type, op, root, MPI_COMM_WORLD);                                                        \
        for (int i = 0; i < n && rank == root; ++i) expect("reduce " #c_type, (long long)got[i], (long long)total[i]);  \
        MPI_Allreduce(own, got, n, type, op, MPI_COMM_WORLD);                                                           \
        for (int i = 0; i < n; ++i) expect("allreduce " #c_type, (long long)got[i], (long long)total[i]);               \
        MPI_Scan(own, got, n, type, op, MPI_COMM_WORLD);                                                                \
        for (int i = 0; i < n; ++i) expect("scan " #c_type, (long long)got[i], (long long)before[i]);                   \
        MPI_Reduce_scatter_block(own, got, count, type, op, MPI_COMM_WORLD);                                            \
        for (int i = 0; i < count; ++i)                                                                                 \
            expect("reduce_scatter_block " #c_type, (long long)got[i], (long long)total[rank * count + i]);             \
    }
CHECKS(char, signed char)
CHECKS(short, short)
CHECKS(int, int)
CHECKS(long, long)
CHECKS(unsigned, unsigned)
CHECKS(float, float)
CHECKS(double, double)
CHECKS(long_double, long double)

static void check_bits(MPI_Op op) {
    unsigned own = 0x5a5a00ffu ^ (0x01010101u * (unsigned)rank), got = 0, total = 0x5a5a00ffu;
    for (int from = 1; from < size; ++from) {
        const unsigned its = 0x5a5a00ffu ^ (0x01010101u * (unsigned)from);
        total = op == MPI_BAND ? (total & its) : op == MPI_BOR ? (total | its) : (total ^ its);
    }
    MPI_Allreduce(&own, &got, 1, MPI_UNSIGNED, op, MPI_COMM_WORLD);
    expect("bits", got, total);
    MPI_Allreduce(&own, &got, sizeof own, MPI_BYTE, op, MPI_COMM_WORLD);
    expect("bytes", got, total);
}
static void check_logic(MPI_Op op) {
    int own[4], got[4];
    for (int i = 0; i < 4; ++i) own[i] = (rank + 1) * (i & 1) + (i & 2) * (rank == 1);
    MPI_Allreduce(own, got, 4, MPI_INT, op, MPI_COMM_WORLD);
    for (int i = 0; i < 4; ++i) {
        int total = (i & 1) || ((i & 2) && rank == -1);
        for (int from = 0; from < size; ++from) {
            const int its = ((from + 1) * (i & 1) + (i & 2) * (from == 1)) != 0;
            total = from == 0 ? its : op == MPI_LAND ? (total && its) : op == MPI_LOR ? (total || its) : (total != its);
        }
        expect("logic", got[i] != 0, total);
    }
}

int main(int argc, char** argv) {
    start(&argc, &argv, "coll_reduce_ops");
    const MPI_Op numbers[4] = {MPI_MAX, MPI_MIN, MPI_SUM, MPI_PROD};
    const MPI_Op bits[3] = {MPI_BAND, MPI_BOR, MPI_BXOR}, logic[3] = {MPI_LAND, MPI_LOR, MPI_LXOR};
    for (int i = 0; i < 4; ++i) {
        check_char(MPI_SIGNED_CHAR, numbers[i]);
        check_short(MPI_SHORT, numbers[i]);
        check_int(MPI_INT, numbers[i]);
        check_long(MPI_LONG, numbers[i]);
        check_unsigned(MPI_UNSIGNED, numbers[i]);
        check_float(MPI_FLOAT, numbers[i]);
        check_double(MPI_DOUBLE, numbers[i]);
        check_long_double(MPI_LONG_DOUBLE, numbers[i]);
    }
    for (int i = 0; i < 3; ++i) {
        check_bits(bits[i]);
        check_logic(logic[i]);
    }
    return end();
}

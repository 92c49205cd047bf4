/* The built-in operations on floating-point and complex numbers, and on pairs of a value and its place. */
#include "lam_reductions.h"

#define FLOAT(name, type)                                                             \
    static bool reduce_##name(MPI_Op op, const void* in, void* inout, size_t count) { \
        switch (op) {                                                                 \
            case MPI_MAX:                                                             \
                LAM_FOLD(type, b > a ? b : a);                                        \
                return true;                                                          \
            case MPI_MIN:                                                             \
                LAM_FOLD(type, b > a ? a : b);                                        \
                return true;                                                          \
            case MPI_SUM:                                                             \
                LAM_FOLD(type, a + b);                                                \
                return true;                                                          \
            case MPI_PROD:                                                            \
                LAM_FOLD(type, a* b);                                                 \
                return true;                                                          \
            default:                                                                  \
                return false;                                                         \
        }                                                                             \
    }
FLOAT(float, float)
FLOAT(double, double)
FLOAT(long_double, long double)
#undef FLOAT

bool lam_reduce_floats(MPI_Op op, MPI_Datatype type, const void* in, void* inout, size_t count) {
    switch (type) {
        case MPI_FLOAT:
            return reduce_float(op, in, inout, count);
        case MPI_DOUBLE:
            return reduce_double(op, in, inout, count);
        case MPI_LONG_DOUBLE:
            return reduce_long_double(op, in, inout, count);
        default:
            return false;
    }
}

/* Products without the language's own, which calls a function of the compiler's for infinities. */
#define COMPLEX(name, type)                                                           \
    static bool reduce_##name(MPI_Op op, const void* in, void* inout, size_t count) { \
        if (op == MPI_SUM) {                                                          \
            count *= 2;                                                               \
            LAM_FOLD(type, a + b);                                                    \
            return true;                                                              \
        }                                                                             \
        if (op != MPI_PROD) return false;                                             \
        const type* const from = (const type*)in;                                     \
        type* const to = (type*)inout;                                                \
        for (size_t i = 0; i < 2 * count; i += 2) {                                   \
            const type real = from[i] * to[i] - from[i + 1] * to[i + 1];              \
            to[i + 1] = from[i] * to[i + 1] + from[i + 1] * to[i];                    \
            to[i] = real;                                                             \
        }                                                                             \
        return true;                                                                  \
    }
COMPLEX(float_complex, float)
COMPLEX(double_complex, double)
COMPLEX(long_double_complex, long double)
#undef COMPLEX

bool lam_reduce_complex(MPI_Op op, MPI_Datatype type, const void* in, void* inout, size_t count) {
    switch (type) {
        case MPI_C_FLOAT_COMPLEX:
        case MPI_CXX_FLOAT_COMPLEX:
            return reduce_float_complex(op, in, inout, count);
        case MPI_C_DOUBLE_COMPLEX:
        case MPI_CXX_DOUBLE_COMPLEX:
            return reduce_double_complex(op, in, inout, count);
        case MPI_C_LONG_DOUBLE_COMPLEX:
        case MPI_CXX_LONG_DOUBLE_COMPLEX:
            return reduce_long_double_complex(op, in, inout, count);
        default:
            return false;
    }
}

/* The lowest place wins among equal values. */
#define PAIR(name, type)                                                                           \
    struct pair_##name {                                                                           \
        type value;                                                                                \
        int place;                                                                                 \
    };                                                                                             \
    static void reduce_##name(bool least, const void* in, void* inout, size_t count) {             \
        const struct pair_##name* const from = (const struct pair_##name*)in;                      \
        struct pair_##name* const to = (struct pair_##name*)inout;                                 \
        for (size_t i = 0; i < count; ++i) {                                                       \
            const bool better = least ? from[i].value < to[i].value : from[i].value > to[i].value; \
            const bool lower = from[i].value == to[i].value && from[i].place < to[i].place;        \
            if (better) to[i].value = from[i].value;                                               \
            if (better || lower) to[i].place = from[i].place;                                      \
        }                                                                                          \
    }
PAIR(float_int, float)
PAIR(double_int, double)
PAIR(long_int, long)
PAIR(int_int, int)
PAIR(short_int, short)
PAIR(long_double_int, long double)
#undef PAIR

bool lam_reduce_pairs(MPI_Op op, MPI_Datatype type, const void* in, void* inout, size_t count) {
    if (op != MPI_MINLOC && op != MPI_MAXLOC) return false;
    const bool least = op == MPI_MINLOC;
    switch (type) {
        case MPI_FLOAT_INT:
            reduce_float_int(least, in, inout, count);
            return true;
        case MPI_DOUBLE_INT:
            reduce_double_int(least, in, inout, count);
            return true;
        case MPI_LONG_INT:
            reduce_long_int(least, in, inout, count);
            return true;
        case MPI_2INT:
            reduce_int_int(least, in, inout, count);
            return true;
        case MPI_SHORT_INT:
            reduce_short_int(least, in, inout, count);
            return true;
        case MPI_LONG_DOUBLE_INT:
            reduce_long_double_int(least, in, inout, count);
            return true;
        default:
            return false;
    }
}

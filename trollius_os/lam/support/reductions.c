/* The built-in operations on integers, logicals and bytes. */
#include "lam_reductions.h"

/* Sums and products wrap around. */
static unsigned long long wide(long long value) {
    return (unsigned long long)value;
}

/* One function per type, and each of its loops is one of the compiler's vectors. */
#define INTEGER(name, type)                                                           \
    static bool reduce_##name(MPI_Op op, const void* in, void* inout, size_t count) { \
        switch (op) {                                                                 \
            case MPI_MAX:                                                             \
                LAM_FOLD(type, b > a ? b : a);                                        \
                return true;                                                          \
            case MPI_MIN:                                                             \
                LAM_FOLD(type, b > a ? a : b);                                        \
                return true;                                                          \
            case MPI_SUM:                                                             \
                LAM_FOLD(type, wide((long long)a) + wide((long long)b));              \
                return true;                                                          \
            case MPI_PROD:                                                            \
                LAM_FOLD(type, wide((long long)a) * wide((long long)b));              \
                return true;                                                          \
            case MPI_LAND:                                                            \
                LAM_FOLD(type, a&& b);                                                \
                return true;                                                          \
            case MPI_LOR:                                                             \
                LAM_FOLD(type, a || b);                                               \
                return true;                                                          \
            case MPI_LXOR:                                                            \
                LAM_FOLD(type, !a != !b);                                             \
                return true;                                                          \
            case MPI_BAND:                                                            \
                LAM_FOLD(type, a& b);                                                 \
                return true;                                                          \
            case MPI_BOR:                                                             \
                LAM_FOLD(type, a | b);                                                \
                return true;                                                          \
            case MPI_BXOR:                                                            \
                LAM_FOLD(type, a ^ b);                                                \
                return true;                                                          \
            default:                                                                  \
                return false;                                                         \
        }                                                                             \
    }
INTEGER(char, char)
INTEGER(i8, int8_t)
INTEGER(u8, uint8_t)
INTEGER(i16, int16_t)
INTEGER(u16, uint16_t)
INTEGER(i32, int32_t)
INTEGER(u32, uint32_t)
INTEGER(i64, int64_t)
INTEGER(u64, uint64_t)
#undef INTEGER

typedef bool reducer(MPI_Op op, const void* in, void* inout, size_t count);

static reducer* of_width(size_t bytes, bool has_sign) {
    switch (bytes) {
        case 1:
            return has_sign ? reduce_i8 : reduce_u8;
        case 2:
            return has_sign ? reduce_i16 : reduce_u16;
        case 4:
            return has_sign ? reduce_i32 : reduce_u32;
        case 8:
            return has_sign ? reduce_i64 : reduce_u64;
        default:
            return NULL;
    }
}

static reducer* of_integer(MPI_Datatype type) {
    switch (type) {
        case MPI_CHAR:
            return reduce_char;
        case MPI_SIGNED_CHAR:
        case MPI_INT8_T:
            return reduce_i8;
        case MPI_UNSIGNED_CHAR:
        case MPI_UINT8_T:
            return reduce_u8;
        case MPI_SHORT:
            return of_width(sizeof(short), true);
        case MPI_UNSIGNED_SHORT:
            return of_width(sizeof(short), false);
        case MPI_INT:
            return of_width(sizeof(int), true);
        case MPI_UNSIGNED:
            return of_width(sizeof(int), false);
        case MPI_LONG:
            return of_width(sizeof(long), true);
        case MPI_UNSIGNED_LONG:
            return of_width(sizeof(long), false);
        case MPI_LONG_LONG_INT:
        case MPI_OFFSET:
        case MPI_COUNT:
        case MPI_INT64_T:
            return reduce_i64;
        case MPI_UNSIGNED_LONG_LONG:
        case MPI_UINT64_T:
            return reduce_u64;
        case MPI_INT16_T:
            return reduce_i16;
        case MPI_UINT16_T:
            return reduce_u16;
        case MPI_INT32_T:
            return reduce_i32;
        case MPI_UINT32_T:
            return reduce_u32;
        case MPI_AINT:
            return of_width(sizeof(MPI_Aint), true);
        default:
            return NULL;
    }
}

bool lam_reduce_integers(MPI_Op op, MPI_Datatype type, const void* in, void* inout, size_t count) {
    reducer* const its = of_integer(type);
    return its != NULL && its(op, in, inout, count);
}

bool lam_reduce_logicals(MPI_Op op, MPI_Datatype type, const void* in, void* inout, size_t count) {
    if (type != MPI_C_BOOL && type != MPI_CXX_BOOL && type != MPI_LOGICAL) return false;
    if (op != MPI_LAND && op != MPI_LOR && op != MPI_LXOR) return false;
    if (type == MPI_LOGICAL) return reduce_i32(op, in, inout, count);
    return reduce_u8(op, in, inout, count);
}
bool lam_reduce_bytes(MPI_Op op, MPI_Datatype type, const void* in, void* inout, size_t count) {
    if (type != MPI_BYTE || (op != MPI_BAND && op != MPI_BOR && op != MPI_BXOR)) return false;
    return reduce_u8(op, in, inout, count);
}

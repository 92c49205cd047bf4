/* Shared by operations.c and the files that compute the built-in operations. */
#ifndef LAM_SUPPORT_LAM_REDUCTIONS_H
#define LAM_SUPPORT_LAM_REDUCTIONS_H

#include "lam.h"

/* Each computes inout = in OP inout for `count` elements, with `op` a handle that mpi.h names. False: not for this type. */
bool lam_reduce_integers(MPI_Op op, MPI_Datatype type, const void* in, void* inout, size_t count);
bool lam_reduce_floats(MPI_Op op, MPI_Datatype type, const void* in, void* inout, size_t count);
bool lam_reduce_complex(MPI_Op op, MPI_Datatype type, const void* in, void* inout, size_t count);
bool lam_reduce_pairs(MPI_Op op, MPI_Datatype type, const void* in, void* inout, size_t count);
bool lam_reduce_logicals(MPI_Op op, MPI_Datatype type, const void* in, void* inout, size_t count);
bool lam_reduce_bytes(MPI_Op op, MPI_Datatype type, const void* in, void* inout, size_t count);

/* For each element: `a` is the one of `in`, `b` that of `inout`. */
#define LAM_FOLD(type, expression)                              \
    do {                                                        \
        const type* const lam_in = (const type*)in;             \
        type* const lam_inout = (type*)inout;                   \
        for (size_t lam_i = 0; lam_i < count; ++lam_i) {        \
            const type a = lam_in[lam_i], b = lam_inout[lam_i]; \
            lam_inout[lam_i] = (type)(expression);              \
        }                                                       \
    } while (0)

#endif

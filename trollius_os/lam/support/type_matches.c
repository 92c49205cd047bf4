/* Types by what they can hold: MPI_Type_match_size(), and those of Fortran 90. */
#include <stdlib.h>

#include "lam_types.h"

LAM_API(int, Type_match_size, (int typeclass, int size, MPI_Datatype* datatype)) {
    static const char name[] = "MPI_Type_match_size";
    static const MPI_Datatype all[][4] = {
        [MPI_TYPECLASS_REAL] = {MPI_REAL4, MPI_REAL8, MPI_REAL16},
        [MPI_TYPECLASS_INTEGER] = {MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4, MPI_INTEGER8},
        [MPI_TYPECLASS_COMPLEX] = {MPI_COMPLEX8, MPI_COMPLEX16, MPI_COMPLEX32},
    };
    const int error = lam_require_running(name);
    if (error != MPI_SUCCESS) return error;
    if (datatype == NULL) return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, name, "there is a null pointer for an answer");
    if (typeclass < MPI_TYPECLASS_REAL || typeclass > MPI_TYPECLASS_COMPLEX)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, name, "typeclass is %d", typeclass);
    for (int i = 0; i < 4; ++i) {
        if (all[typeclass][i] == 0 || lam_type(all[typeclass][i])->size != (size_t)size) continue;
        *datatype = all[typeclass][i];
        return MPI_SUCCESS;
    }
    return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, name, "no type of this class has %d bytes", size);
}

/* ---- Types of Fortran 90: a call with the same arguments gives the same type, which nobody frees ---- */

struct made {
    struct made* next;
    int combiner, first, second;
    MPI_Datatype handle;
};
static struct made* made;

static int make(const char* function, struct made wanted, MPI_Datatype basic, MPI_Datatype* newtype) {
    for (const struct made* its = made; its != NULL; its = its->next) {
        if (its->combiner != wanted.combiner || its->first != wanted.first || its->second != wanted.second) continue;
        *newtype = its->handle;
        return MPI_SUCCESS;
    }
    const int integers = wanted.combiner == MPI_COMBINER_F90_INTEGER ? 1 : 2;
    struct made* kept = malloc(sizeof *kept);
    if (kept == NULL) return lam_fail(MPI_COMM_WORLD, MPI_ERR_NO_MEM, function, "the node has no memory for the new datatype");
    struct lam_build build;
    lam_build_begin(&build, function, wanted.combiner, integers, 0, 0);
    if (!build.failed) {
        build.own->type.integers[0] = wanted.first;
        if (integers == 2) build.own->type.integers[1] = wanted.second;
    }
    lam_build_add(&build, lam_type(basic), 0, 1);
    const int error = lam_build_end(&build, newtype);
    if (error != MPI_SUCCESS) {
        free(kept);
        return error;
    }
    struct lam_type* type = lam_type(*newtype);
    type->committed = type->predefined = true;
    lam_handle_hide(LAM_TYPE, *newtype);
    *kept = wanted;
    kept->handle = *newtype;
    kept->next = made;
    made = kept;
    return MPI_SUCCESS;
}

static int of_numbers(const char* function, int combiner, int precision, int range, MPI_Datatype* newtype) {
    /* Decimal digits and exponents that IEEE 754 and the 80-bit format keep. */
    static const struct {
        int digits, exponent;
        MPI_Datatype real, complex;
    } rows[] = {{6, 37, MPI_FLOAT, MPI_C_COMPLEX},
                {15, 307, MPI_DOUBLE, MPI_C_DOUBLE_COMPLEX},
                {18, 4931, MPI_LONG_DOUBLE, MPI_C_LONG_DOUBLE_COMPLEX}};
    const int error = lam_require_running(function);
    if (error != MPI_SUCCESS) return error;
    if (newtype == NULL) return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, function, "newtype is a null pointer");
    const struct made wanted = {NULL, combiner, precision, range, MPI_DATATYPE_NULL};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        if ((precision != MPI_UNDEFINED && precision > rows[i].digits) || (range != MPI_UNDEFINED && range > rows[i].exponent))
            continue;
        return make(function, wanted, combiner == MPI_COMBINER_F90_REAL ? rows[i].real : rows[i].complex, newtype);
    }
    return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, function, "no type has %d digits and the range %d", precision, range);
}
LAM_API(int, Type_create_f90_real, (int precision, int range, MPI_Datatype* newtype)) {
    return of_numbers("MPI_Type_create_f90_real", MPI_COMBINER_F90_REAL, precision, range, newtype);
}
LAM_API(int, Type_create_f90_complex, (int precision, int range, MPI_Datatype* newtype)) {
    return of_numbers("MPI_Type_create_f90_complex", MPI_COMBINER_F90_COMPLEX, precision, range, newtype);
}

LAM_API(int, Type_create_f90_integer, (int range, MPI_Datatype* newtype)) {
    static const char name[] = "MPI_Type_create_f90_integer";
    static const struct {
        int range;
        MPI_Datatype type;
    } rows[] = {{2, MPI_INTEGER1}, {4, MPI_INTEGER2}, {9, MPI_INTEGER4}, {18, MPI_INTEGER8}};
    const int error = lam_require_running(name);
    if (error != MPI_SUCCESS) return error;
    if (newtype == NULL) return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, name, "newtype is a null pointer");
    const struct made wanted = {NULL, MPI_COMBINER_F90_INTEGER, range, 0, MPI_DATATYPE_NULL};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
        if (range <= rows[i].range) return make(name, wanted, rows[i].type, newtype);
    return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, name, "no type has the range %d", range);
}

/* Operations of reductions as objects, and MPI_Reduce_local(). */
#include <stdlib.h>

#include "lam_reductions.h"
#include "lam_types.h"
#include "lam_logs.h"

enum { last_predefined = MPI_NO_OP - MPI_OP_NULL };
static struct lam_op predefined[last_predefined + 1];

void lam_operations_begin(void) {
    for (int i = 1; i <= last_predefined; ++i) {
        predefined[i] = (struct lam_op){.references = 1, .predefined = i, .commutative = MPI_OP_NULL + i < MPI_REPLACE};
        lam_handle_set(LAM_OP, MPI_OP_NULL + i, &predefined[i]);
    }
}

struct lam_op* lam_op(MPI_Op handle) {
    return lam_object(LAM_OP, handle);
}

/* Types of Fortran are reduced as those of C that have their bits. */
static MPI_Datatype type_of_c(MPI_Datatype type) {
    static const MPI_Datatype same[] = {
        MPI_CHARACTER, MPI_DATATYPE_NULL, MPI_INTEGER, MPI_INT,    MPI_REAL, MPI_FLOAT,  MPI_DOUBLE_PRECISION, MPI_DOUBLE,
        MPI_COMPLEX, MPI_C_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_INTEGER1, MPI_INT8_T, MPI_INTEGER2, MPI_INT16_T,
        MPI_INTEGER4, MPI_INT32_T, MPI_INTEGER8, MPI_INT64_T, MPI_REAL4, MPI_FLOAT, MPI_REAL8, MPI_DOUBLE, MPI_REAL16,
        MPI_LONG_DOUBLE, MPI_COMPLEX8, MPI_C_COMPLEX, MPI_COMPLEX16, MPI_C_DOUBLE_COMPLEX, MPI_COMPLEX32,
        MPI_C_LONG_DOUBLE_COMPLEX};
    if (type < MPI_CHARACTER || type > MPI_COMPLEX32) return type;
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i += 2)
        if (same[i] == type) return same[i + 1];
    return type;
}
static bool reduce(MPI_Op op, MPI_Datatype its_type, const void* in, void* inout, size_t count) {
    const MPI_Datatype type = type_of_c(its_type);
    return lam_reduce_integers(op, type, in, inout, count) || lam_reduce_floats(op, type, in, inout, count) ||
           lam_reduce_complex(op, type, in, inout, count) || lam_reduce_pairs(op, type, in, inout, count) ||
           lam_reduce_logicals(op, type, in, inout, count) || lam_reduce_bytes(op, type, in, inout, count);
}

bool lam_op_allows(const struct lam_op* op, const struct lam_type* type) {
    if (op->predefined == 0) return true;
    return type->predefined && reduce(MPI_OP_NULL + op->predefined, type->handle, NULL, NULL, 0);
}

void lam_reduce(const void* in, void* inout, int count, MPI_Datatype datatype, const struct lam_op* op) {
    if (count <= 0) return;
    if (op->predefined != 0) {
        reduce(MPI_OP_NULL + op->predefined, datatype, in, inout, (size_t)count);
        return;
    }
    /* The function may change its own copies; it promises not to change `in`. */
    int length = count;
    MPI_Datatype type = datatype;
    lam_watch_rest(true);
    lam_log_answer(&length, sizeof length);
    lam_log_answer(&type, sizeof type);
    op->function((void*)(uintptr_t)in, inout, &length, &type);
    lam_watch_rest(false);
}

LAM_API(int, Op_create, (MPI_User_function * function, int commute, MPI_Op* op)) {
    static const char name[] = "MPI_Op_create";
    const int error = lam_require_running(name);
    if (error != MPI_SUCCESS) return error;
    if (function == NULL) return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, name, "function is a null pointer");
    if (op == NULL) return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, name, "op is a null pointer");
    struct lam_op* made = calloc(1, sizeof *made);
    if (made != NULL) {
        *made = (struct lam_op){.references = 1, .commutative = commute != 0, .function = function};
        const int handle = lam_handle_new(LAM_OP, made);
        if (handle != lam_null_handle(LAM_OP)) {
            *op = handle;
            return MPI_SUCCESS;
        }
        free(made);
    }
    return lam_fail(MPI_COMM_WORLD, MPI_ERR_NO_MEM, name, "the node has no memory for the operation");
}

static int named_op(const char* function, MPI_Op handle, struct lam_op** op) {
    *op = lam_op(handle);
    if (*op != NULL) return MPI_SUCCESS;
    return lam_fail(MPI_COMM_WORLD, MPI_ERR_OP, function, "op %s", lam_why_not(LAM_OP, handle));
}

LAM_API(int, Op_free, (MPI_Op * op)) {
    static const char name[] = "MPI_Op_free";
    int error = lam_require_running(name);
    if (error != MPI_SUCCESS) return error;
    if (op == NULL) return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, name, "op is a null pointer");
    struct lam_op* its = NULL;
    error = named_op(name, *op, &its);
    if (error != MPI_SUCCESS) return error;
    if (its->predefined != 0) return lam_fail(MPI_COMM_WORLD, MPI_ERR_OP, name, "op is one of the built-in ones, which stay");
    lam_handle_free(LAM_OP, *op);
    *op = MPI_OP_NULL;
    /* Reductions that still run hold it. */
    if (--its->references == 0) free(its);
    return MPI_SUCCESS;
}

LAM_API(int, Op_commutative, (MPI_Op op, int* commute)) {
    static const char name[] = "MPI_Op_commutative";
    struct lam_op* its = NULL;
    int error = lam_require_running(name);
    if (error == MPI_SUCCESS) error = named_op(name, op, &its);
    if (error != MPI_SUCCESS) return error;
    if (commute == NULL) return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, name, "commute is a null pointer");
    *commute = its->commutative;
    return MPI_SUCCESS;
}

static int check_local(const char* name, const void* in, const void* inout, const struct lam_type* type, int count) {
    if (count == 0) return MPI_SUCCESS;
    if (in == MPI_IN_PLACE || inout == MPI_IN_PLACE)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_BUFFER, name, "a buffer is MPI_IN_PLACE");
    if (in == inout && type->size > 0)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_BUFFER, name, "inbuf and inoutbuf are the same buffer");
    if ((in == NULL || inout == NULL) && type->predefined)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_BUFFER, name, "a buffer is a null pointer, and count is %d", count);
    return MPI_SUCCESS;
}

LAM_API(int, Reduce_local, (const void* inbuf, void* inoutbuf, int count, MPI_Datatype datatype, MPI_Op op)) {
    static const char name[] = "MPI_Reduce_local";
    int error = lam_require_running(name);
    if (error != MPI_SUCCESS) return error;
    if (count < 0) return lam_fail(MPI_COMM_WORLD, MPI_ERR_COUNT, name, "count is %d", count);
    struct lam_type* type = NULL;
    const char* why = NULL;
    error = lam_type_for_data(datatype, &type, &why);
    if (error != MPI_SUCCESS) return lam_fail(MPI_COMM_WORLD, error, name, "datatype %s", why);
    struct lam_op* its = NULL;
    error = named_op(name, op, &its);
    if (error != MPI_SUCCESS) return error;
    if (!lam_op_allows(its, type))
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_OP, name, "op is not defined for the datatype %s",
                        type->predefined ? type->name : "of the program");
    error = check_local(name, inbuf, inoutbuf, type, count);
    if (error != MPI_SUCCESS) return error;
    if (its->predefined == 0) lam_log_function();
    lam_reduce(inbuf, inoutbuf, count, datatype, its);
    lam_log_combined(inbuf, inoutbuf, count, lam_type(datatype));
    lam_port_charge(LAM_PRICE_REDUCE, (size_t)count * type->elements);
    return MPI_SUCCESS;
}

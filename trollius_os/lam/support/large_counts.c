/* Sizes and counts as MPI_Count, and sums of addresses. */
#include <stdint.h>

#include "lam_types.h"

static int type_asked(const char* function, MPI_Datatype handle, bool has_room, struct lam_type** type) {
    int error = lam_require_running(function);
    if (error == MPI_SUCCESS) error = lam_named_type(function, handle, type);
    if (error != MPI_SUCCESS) return error;
    if (!has_room) return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, function, "there is a null pointer for an answer");
    return MPI_SUCCESS;
}

LAM_API(int, Type_size_x, (MPI_Datatype datatype, MPI_Count* size)) {
    struct lam_type* type = NULL;
    const int error = type_asked("MPI_Type_size_x", datatype, size != NULL, &type);
    if (error == MPI_SUCCESS) *size = (MPI_Count)type->size;
    return error;
}
LAM_API(int, Type_get_extent_x, (MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent)) {
    struct lam_type* type = NULL;
    const int error = type_asked("MPI_Type_get_extent_x", datatype, lb != NULL && extent != NULL, &type);
    if (error != MPI_SUCCESS) return error;
    *lb = type->lb;
    *extent = lam_extent(type);
    return MPI_SUCCESS;
}
LAM_API(int, Type_get_true_extent_x, (MPI_Datatype datatype, MPI_Count* true_lb, MPI_Count* true_extent)) {
    struct lam_type* type = NULL;
    const int error = type_asked("MPI_Type_get_true_extent_x", datatype, true_lb != NULL && true_extent != NULL, &type);
    if (error != MPI_SUCCESS) return error;
    *true_lb = type->true_lb;
    *true_extent = type->true_ub - type->true_lb;
    return MPI_SUCCESS;
}

LAM_API(int, Get_elements_x, (const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count)) {
    return lam_count_elements("MPI_Get_elements_x", status, datatype, count);
}
LAM_API(int, Status_set_elements_x, (MPI_Status * status, MPI_Datatype datatype, MPI_Count count)) {
    return lam_set_elements("MPI_Status_set_elements_x", status, datatype, count);
}

LAM_API(MPI_Aint, Aint_add, (MPI_Aint base, MPI_Aint displacement)) {
    return (MPI_Aint)((uintptr_t)base + (uintptr_t)displacement);
}
LAM_API(MPI_Aint, Aint_diff, (MPI_Aint address1, MPI_Aint address2)) {
    return (MPI_Aint)((uintptr_t)address1 - (uintptr_t)address2);
}

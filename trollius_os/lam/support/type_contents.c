/* Answers of a datatype about itself: size, bounds, name, and how it was made. */
#include <limits.h>
#include <string.h>

#include "lam_types.h"

/* 0, or the class after lam_fail(): not running, no such type, or no room for an answer. */
static int type_asked(const char* function, MPI_Datatype handle, bool has_room, struct lam_type** type) {
    const int error = lam_require_running(function);
    if (error != MPI_SUCCESS) return error;
    const int wrong = lam_named_type(function, handle, type);
    if (wrong != MPI_SUCCESS) return wrong;
    if (!has_room) return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, function, "there is a null pointer for an answer");
    return MPI_SUCCESS;
}

LAM_API(int, Type_size, (MPI_Datatype datatype, int* size)) {
    struct lam_type* type = NULL;
    const int error = type_asked("MPI_Type_size", datatype, size != NULL, &type);
    if (error != MPI_SUCCESS) return error;
    *size = type->size > INT_MAX ? MPI_UNDEFINED : (int)type->size;
    return MPI_SUCCESS;
}

static int answer_extent(const char* function, MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent, MPI_Aint* ub) {
    struct lam_type* type = NULL;
    const int error = type_asked(function, datatype, lb != NULL || extent != NULL || ub != NULL, &type);
    if (error != MPI_SUCCESS) return error;
    if (lb != NULL) *lb = type->lb;
    if (extent != NULL) *extent = lam_extent(type);
    if (ub != NULL) *ub = type->ub;
    return MPI_SUCCESS;
}
LAM_API(int, Type_extent, (MPI_Datatype datatype, MPI_Aint* extent)) {
    return answer_extent("MPI_Type_extent", datatype, NULL, extent, NULL);
}
LAM_API(int, Type_get_extent, (MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent)) {
    return answer_extent("MPI_Type_get_extent", datatype, lb, extent, NULL);
}
LAM_API(int, Type_lb, (MPI_Datatype datatype, MPI_Aint* displacement)) {
    return answer_extent("MPI_Type_lb", datatype, displacement, NULL, NULL);
}
LAM_API(int, Type_ub, (MPI_Datatype datatype, MPI_Aint* displacement)) {
    return answer_extent("MPI_Type_ub", datatype, NULL, NULL, displacement);
}
LAM_API(int, Type_get_true_extent, (MPI_Datatype datatype, MPI_Aint* true_lb, MPI_Aint* true_extent)) {
    struct lam_type* type = NULL;
    const int error = type_asked("MPI_Type_get_true_extent", datatype, true_lb != NULL && true_extent != NULL, &type);
    if (error != MPI_SUCCESS) return error;
    *true_lb = type->true_lb;
    *true_extent = type->true_ub - type->true_lb;
    return MPI_SUCCESS;
}

LAM_API(int, Type_get_envelope,
        (MPI_Datatype datatype, int* num_integers, int* num_addresses, int* num_datatypes, int* combiner)) {
    struct lam_type* type = NULL;
    const bool has_room = num_integers != NULL && num_addresses != NULL && num_datatypes != NULL && combiner != NULL;
    const int error = type_asked("MPI_Type_get_envelope", datatype, has_room, &type);
    if (error != MPI_SUCCESS) return error;
    *num_integers = type->integer_count;
    *num_addresses = type->address_count;
    *num_datatypes = type->part_count;
    *combiner = type->combiner;
    return MPI_SUCCESS;
}

static int check_room(const struct lam_type* type, int integers, int addresses, int parts) {
    static const char name[] = "MPI_Type_get_contents";
    if (type->combiner == MPI_COMBINER_NAMED)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_TYPE, name, "datatype is %s, which has no contents", type->name);
    if (integers < type->integer_count)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_OTHER, name, "max_integers is %d, and there are %d", integers,
                        type->integer_count);
    if (addresses < type->address_count)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_OTHER, name, "max_addresses is %d, and there are %d", addresses,
                        type->address_count);
    if (parts < type->part_count)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_OTHER, name, "max_datatypes is %d, and there are %d", parts, type->part_count);
    return MPI_SUCCESS;
}

LAM_API(int, Type_get_contents,
        (MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes, int integers[], MPI_Aint addresses[],
         MPI_Datatype datatypes[])) {
    static const char name[] = "MPI_Type_get_contents";
    struct lam_type* type = NULL;
    int error = type_asked(name, datatype, true, &type);
    if (error == MPI_SUCCESS) error = check_room(type, max_integers, max_addresses, max_datatypes);
    if (error == MPI_SUCCESS) error = lam_check_list(name, "array_of_integers", type->integer_count, integers);
    if (error == MPI_SUCCESS) error = lam_check_list(name, "array_of_addresses", type->address_count, addresses);
    if (error == MPI_SUCCESS) error = lam_check_list(name, "array_of_datatypes", type->part_count, datatypes);
    if (error != MPI_SUCCESS) return error;
    if (type->integer_count > 0) memcpy(integers, type->integers, (size_t)type->integer_count * sizeof *integers);
    if (type->address_count > 0) memcpy(addresses, type->addresses, (size_t)type->address_count * sizeof *addresses);
    for (int i = 0; i < type->part_count; ++i) {
        if (!lam_type_give_handle(type->parts[i]))
            return lam_fail(MPI_COMM_WORLD, MPI_ERR_NO_MEM, name, "the node has no memory for a handle");
        datatypes[i] = type->parts[i]->handle;
    }
    return MPI_SUCCESS;
}

LAM_API(int, Type_set_name, (MPI_Datatype datatype, const char* type_name)) {
    struct lam_type* type = NULL;
    const int error = type_asked("MPI_Type_set_name", datatype, type_name != NULL, &type);
    if (error != MPI_SUCCESS) return error;
    size_t length = strlen(type_name);
    if (length >= sizeof type->name) length = sizeof type->name - 1;
    memmove(type->name, type_name, length);
    type->name[length] = '\0';
    return MPI_SUCCESS;
}
LAM_API(int, Type_get_name, (MPI_Datatype datatype, char* type_name, int* resultlen)) {
    struct lam_type* type = NULL;
    const int error = type_asked("MPI_Type_get_name", datatype, type_name != NULL && resultlen != NULL, &type);
    if (error != MPI_SUCCESS) return error;
    strcpy(type_name, type->name);
    *resultlen = (int)strlen(type->name);
    return MPI_SUCCESS;
}

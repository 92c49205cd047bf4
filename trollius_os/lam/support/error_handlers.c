/* Error handlers of communicators, under their names of MPI-1 and MPI-2. */
#include <stdlib.h>

#include "lam_communicators.h"

static struct lam_errhandler fatal = {.references = 1}, returning = {.references = 1};

void lam_errhandlers_begin(void) {
    lam_handle_set(LAM_ERRHANDLER, MPI_ERRORS_ARE_FATAL, &fatal);
    lam_handle_set(LAM_ERRHANDLER, MPI_ERRORS_RETURN, &returning);
}
void lam_errhandler_hold(MPI_Errhandler handle) {
    struct lam_errhandler* its = lam_object(LAM_ERRHANDLER, handle);
    if (its != NULL) ++its->references;
}
void lam_errhandler_drop(MPI_Errhandler handle) {
    struct lam_errhandler* its = lam_object(LAM_ERRHANDLER, handle);
    if (its == NULL || its->function == NULL || --its->references > 0) return;
    lam_handle_free(LAM_ERRHANDLER, handle);
    free(its);
}

static int create(MPI_Comm_errhandler_function* function_of_user, MPI_Errhandler* errhandler, const char* function) {
    const int error = lam_require_running(function);
    if (error != MPI_SUCCESS) return error;
    if (function_of_user == NULL) return lam_fail_null(MPI_COMM_WORLD, function, "function");
    if (errhandler == NULL) return lam_fail_null(MPI_COMM_WORLD, function, "errhandler");
    struct lam_errhandler* its = calloc(1, sizeof *its);
    if (its == NULL) return lam_fail_memory(MPI_COMM_WORLD, function);
    its->references = 1;
    its->function = function_of_user;
    *errhandler = lam_handle_new(LAM_ERRHANDLER, its);
    if (*errhandler != MPI_ERRHANDLER_NULL) return MPI_SUCCESS;
    free(its);
    return lam_fail_memory(MPI_COMM_WORLD, function);
}

static int set(MPI_Comm handle, MPI_Errhandler errhandler, const char* function) {
    struct lam_comm* comm = NULL;
    const int error = lam_find_comm(handle, function, LAM_ANY_SORT, &comm);
    if (error != MPI_SUCCESS) return error;
    if (lam_object(LAM_ERRHANDLER, errhandler) == NULL)
        return lam_fail(handle, MPI_ERR_ARG, function,
                        "errhandler %s", lam_why_not(LAM_ERRHANDLER, errhandler));
    lam_errhandler_hold(errhandler);
    lam_errhandler_drop(comm->errhandler);
    comm->errhandler = errhandler;
    return MPI_SUCCESS;
}

static int get(MPI_Comm handle, MPI_Errhandler* errhandler, const char* function) {
    struct lam_comm* comm = NULL;
    const int error = lam_find_comm(handle, function, LAM_ANY_SORT, &comm);
    if (error != MPI_SUCCESS) return error;
    if (errhandler == NULL) return lam_fail_null(handle, function, "errhandler");
    lam_errhandler_hold(comm->errhandler);
    *errhandler = comm->errhandler;
    return MPI_SUCCESS;
}

LAM_API(int, Comm_create_errhandler, (MPI_Comm_errhandler_function * function, MPI_Errhandler* errhandler)) {
    return create(function, errhandler, "MPI_Comm_create_errhandler");
}
LAM_API(int, Errhandler_create, (MPI_Handler_function * function, MPI_Errhandler* errhandler)) {
    return create(function, errhandler, "MPI_Errhandler_create");
}
LAM_API(int, Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler errhandler)) {
    return set(comm, errhandler, "MPI_Comm_set_errhandler");
}
LAM_API(int, Errhandler_set, (MPI_Comm comm, MPI_Errhandler errhandler)) {
    return set(comm, errhandler, "MPI_Errhandler_set");
}
LAM_API(int, Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler* errhandler)) {
    return get(comm, errhandler, "MPI_Comm_get_errhandler");
}
LAM_API(int, Errhandler_get, (MPI_Comm comm, MPI_Errhandler* errhandler)) {
    return get(comm, errhandler, "MPI_Errhandler_get");
}

LAM_API(int, Errhandler_free, (MPI_Errhandler * errhandler)) {
    const char* const function = "MPI_Errhandler_free";
    const int error = lam_require_running(function);
    if (error != MPI_SUCCESS) return error;
    if (errhandler == NULL) return lam_fail_null(MPI_COMM_WORLD, function, "errhandler");
    if (lam_object(LAM_ERRHANDLER, *errhandler) == NULL)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, function, "errhandler %s", lam_why_not(LAM_ERRHANDLER, *errhandler));
    lam_errhandler_drop(*errhandler);
    *errhandler = MPI_ERRHANDLER_NULL;
    return MPI_SUCCESS;
}

int lam_api_Error_string(int errorcode, char* string, int* resultlen);
LAM_API(int, Comm_call_errhandler, (MPI_Comm handle, int errorcode)) {
    const char* const function = "MPI_Comm_call_errhandler";
    struct lam_comm* comm = NULL;
    const int error = lam_find_comm(handle, function, LAM_ANY_SORT, &comm);
    if (error != MPI_SUCCESS) return error;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    /* The program may have codes of its own that it never added. */
    if (errorcode > lam_last_used_code || (errorcode <= MPI_ERR_LASTCODE && lam_error_class(errorcode) != errorcode))
        lam_tell(comm, errorcode, function, "the program says so");
    else if (lam_api_Error_string(errorcode, text, &length) == MPI_SUCCESS)
        lam_tell(comm, errorcode, function, length > 0 ? text : "the program says so");
    return MPI_SUCCESS;
}

/* Generalized requests: operations of the program, which it completes by MPI_Grequest_complete(). */
#include <stdlib.h>

#include "lam_arguments.h"

struct lam_general {
    MPI_Grequest_query_function* query;
    MPI_Grequest_free_function* free_it;
    MPI_Grequest_cancel_function* cancel;
    void* extra_state;
};

LAM_API(int, Grequest_start,
        (MPI_Grequest_query_function * query, MPI_Grequest_free_function* free_it, MPI_Grequest_cancel_function* cancel,
         void* extra_state, MPI_Request* request)) {
    static const char name[] = "MPI_Grequest_start";
    const int error = lam_require_running(name);
    if (error != MPI_SUCCESS) return error;
    if (request == NULL) return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, name, "request is a null pointer");
    struct lam_general* general = malloc(sizeof *general);
    struct lam_request* its = general == NULL ? NULL : lam_request_new(LAM_GENERAL, NULL);
    if (its == NULL) {
        free(general);
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_NO_MEM, name, "the node has no memory for a request");
    }
    *general = (struct lam_general){query, free_it, cancel, extra_state};
    its->general = general;
    its->active = its->started = true;
    *request = its->handle;
    return MPI_SUCCESS;
}

LAM_API(int, Grequest_complete, (MPI_Request request)) {
    static const char name[] = "MPI_Grequest_complete";
    const int error = lam_require_running(name);
    if (error != MPI_SUCCESS) return error;
    struct lam_request* its = lam_object(LAM_REQUEST, request);
    if (its == NULL) return lam_fail(MPI_COMM_WORLD, MPI_ERR_REQUEST, name, "request %s", lam_why_not(LAM_REQUEST, request));
    if (its->kind != LAM_GENERAL)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_REQUEST, name, "request is none of MPI_Grequest_start()");
    its->complete = true;
    /* A freed one has kept its handle for this call. */
    if (its->freed) lam_request_release(its);
    return MPI_SUCCESS;
}

void lam_general_query(struct lam_request* request) {
    const struct lam_general* its = request->general;
    if (its == NULL) return;
    request->status.MPI_ERROR = MPI_SUCCESS;
    const int error = its->query == NULL ? MPI_SUCCESS : its->query(its->extra_state, &request->status);
    if (error != MPI_SUCCESS) request->status.MPI_ERROR = error;
}
void lam_general_free(struct lam_request* request) {
    struct lam_general* its = request->general;
    if (its == NULL) return;
    request->general = NULL;
    if (its->free_it != NULL) its->free_it(its->extra_state);
    free(its);
}
int lam_general_cancel(struct lam_request* request) {
    const struct lam_general* its = request->general;
    return its->cancel == NULL ? MPI_SUCCESS : its->cancel(its->extra_state, request->complete);
}

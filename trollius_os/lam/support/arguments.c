/* Checks of the arguments of sends, receives and probes, and the words about what is wrong. */
#include "lam_arguments.h"

#include <stdio.h>
#include <string.h>

#include "lam_transfer.h"

enum { highest_tag = 0x3fffffff };

static int check_peer(const char* function, const char* name, int peer, bool may_be_any, const struct lam_comm* comm) {
    if (peer == MPI_PROC_NULL || (may_be_any && peer == MPI_ANY_SOURCE)) return MPI_SUCCESS;
    const int size = comm->remote->size;
    if (peer >= 0 && peer < size) return MPI_SUCCESS;
    if (peer == MPI_ANY_SOURCE)
        return lam_fail(comm->handle, MPI_ERR_RANK, function, "%s is MPI_ANY_SOURCE; a send names one rank", name);
    return lam_fail(comm->handle, MPI_ERR_RANK, function, "%s is %d, and the communicator has the ranks 0 to %d", name, peer,
                    size - 1);
}

static int check_tag(const char* function, int tag, bool may_be_any, const struct lam_comm* comm) {
    if ((tag >= 0 && tag <= highest_tag) || (may_be_any && tag == MPI_ANY_TAG)) return MPI_SUCCESS;
    if (tag == MPI_ANY_TAG) return lam_fail(comm->handle, MPI_ERR_TAG, function, "tag is MPI_ANY_TAG; a send names one tag");
    return lam_fail(comm->handle, MPI_ERR_TAG, function, "tag is %d; tags go from 0 to %d", tag, highest_tag);
}

int lam_check_arguments(const struct lam_arguments* its) {
    const int error = lam_require_running(its->function);
    if (error != MPI_SUCCESS) return error;
    const struct lam_comm* comm = lam_comm(its->comm);
    if (comm == NULL)
        return lam_fail(its->comm, MPI_ERR_COMM, its->function,
                        "comm %s", lam_why_not(LAM_COMM, its->comm));
    if (its->count < 0) return lam_fail(its->comm, MPI_ERR_COUNT, its->function, "count is %d", its->count);
    struct lam_type* type = NULL;
    const char* why = NULL;
    const int wrong_type = lam_type_for_data(its->datatype, &type, &why);
    if (wrong_type != MPI_SUCCESS) return lam_fail(its->comm, wrong_type, its->function, "datatype %s", why);
    const int wrong_peer = check_peer(its->function, its->receives ? "source" : "dest", its->peer, its->receives, comm);
    if (wrong_peer != MPI_SUCCESS) return wrong_peer;
    const int wrong_tag = check_tag(its->function, its->tag, its->receives, comm);
    if (wrong_tag != MPI_SUCCESS) return wrong_tag;
    /* A type may hold absolute addresses, from MPI_BOTTOM on. */
    if (its->data == NULL && its->count > 0 && type->size > 0 && type->predefined)
        return lam_fail(its->comm, MPI_ERR_BUFFER, its->function, "buf is a null pointer, and count is %d", its->count);
    if (its->data == MPI_IN_PLACE)
        return lam_fail(its->comm, MPI_ERR_BUFFER, its->function, "buf is MPI_IN_PLACE, which only collective operations take");
    return MPI_SUCCESS;
}

int lam_check_source(const char* function, int source, int tag, MPI_Comm handle) {
    const int error = lam_require_running(function);
    if (error != MPI_SUCCESS) return error;
    const struct lam_comm* comm = lam_comm(handle);
    if (comm == NULL)
        return lam_fail(handle, MPI_ERR_COMM, function,
                        "comm %s", lam_why_not(LAM_COMM, handle));
    const int wrong = check_peer(function, "source", source, true, comm);
    return wrong != MPI_SUCCESS ? wrong : check_tag(function, tag, true, comm);
}

int lam_fail_buffer(const struct lam_arguments* its) {
    return lam_fail(its->comm, MPI_ERR_BUFFER, its->function,
                    "the buffer of MPI_Buffer_attach() has no room for the message; each takes MPI_BSEND_OVERHEAD (%d) bytes more",
                    MPI_BSEND_OVERHEAD);
}

int lam_fail_message(int error_class, const char* function, const struct lam_failure* its) {
    const enum lam_finding_kind kind = lam_kind_of_class(its->error_class);
    const char* const name = error_class == its->error_class ? "" : lam_class_name(its->error_class);
    const char* const colon = name[0] == '\0' ? "" : ": ";
    if (its->general)
        return lam_fail_as(kind, its->begun, its->comm, error_class, function,
                           "%s%sthe query function of the generalized request of " LAM_OTHER_LINE " returned it", name, colon);
    if (its->error_class != MPI_ERR_TRUNCATE)
        return lam_fail_as(kind, NULL, its->comm, error_class, function, "%s%sthe message with rank %d failed", name, colon,
                           its->source);
    return lam_fail_as(kind, its->begun, its->comm, error_class, function,
                       "%s%sthe message from rank %d is longer than the receive%s, which has room for %lld bytes", name, colon,
                       its->source, its->begun == NULL ? "" : " of " LAM_OTHER_LINE, its->bytes);
}

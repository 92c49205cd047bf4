/* MPI_Probe() and its relatives; receives of the messages that MPI_Mprobe() takes. */
#include "lam_arguments.h"
#include "lam_delivery.h"
#include "lam_logs.h"

/* The first message from this rank of the world; NULL: none has come, and `waits` is false. */
static struct lam_message* look(const char* function, int from, int tag, const struct lam_comm* comm, bool waits) {
    const uint32_t context = comm->context + LAM_POINT;
    struct lam_message* found = lam_find_message(from, tag, context);
    if (found == NULL) {
        lam_progress(false);
        found = lam_find_message(from, tag, context);
    }
    const uint32_t operation = waits && found == NULL ? lam_log_begun(0) : 0;
    if (operation != 0) lam_log_probe_waits(from, tag, context, operation);
    if (waits && found == NULL) lam_waits_in = (struct lam_waits){.function = function, .peer = lam_told_peer(from), .tag = tag};
    while (waits && found == NULL) {
        lam_progress(true);
        found = lam_find_message(from, tag, context);
    }
    lam_waits_no_more();
    if (found != NULL) lam_log_saw(found->sender, found->flow, operation);
    return found;
}

static void set_status(const struct lam_message* message, const struct lam_comm* comm, MPI_Status* status) {
    if (status == MPI_STATUS_IGNORE) return;
    const int error = status->MPI_ERROR;
    lam_status_empty(status);
    status->MPI_ERROR = error;
    status->MPI_SOURCE = message == NULL ? MPI_PROC_NULL : comm->remote->inverse[message->sender];
    if (message == NULL) return;
    status->MPI_TAG = message->tag;
    status->lam_bytes = message->bytes;
}

/* `message`: NULL if none has come and `waits` is false; nobody, with `nobody` set, for MPI_PROC_NULL. */
static void give_status(const struct lam_message* message, const struct lam_comm* comm, MPI_Status* status) {
    set_status(message, comm, status);
    lam_log_status(status, false);
}

static int probe(const char* function, int source, int tag, MPI_Comm handle, bool waits, struct lam_message** message,
                 bool* nobody, MPI_Status* status) {
    const int error = lam_check_source(function, source, tag, handle);
    if (error != MPI_SUCCESS) return error;
    const struct lam_comm* comm = lam_comm(handle);
    lam_port_charge(LAM_PRICE_CALL, 1);
    *message = NULL;
    *nobody = source == MPI_PROC_NULL;
    if (*nobody) return give_status(NULL, comm, status), MPI_SUCCESS;
    const int wanted = source == MPI_ANY_SOURCE ? MPI_ANY_SOURCE : comm->remote->world[source];
    int from = wanted;
    const bool blocks = waits;
    if (blocks) lam_receive_begins();
    struct lam_decision its;
    if (lam_delivery && !lam_delivery_probe(&its, &from, &waits)) return lam_progress(false), MPI_SUCCESS;
    *message = look(function, from, tag, comm, waits);
    if (*message == NULL) return MPI_SUCCESS;
    give_status(*message, comm, status);
    if (lam_delivery) lam_delivery_probed(&its, blocks, wanted, tag, *message);
    return MPI_SUCCESS;
}

LAM_API(int, Probe, (int source, int tag, MPI_Comm comm, MPI_Status* status)) {
    struct lam_message* found = NULL;
    bool nobody = false;
    return probe("MPI_Probe", source, tag, comm, true, &found, &nobody, status);
}
LAM_API(int, Iprobe, (int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status)) {
    struct lam_message* found = NULL;
    bool nobody = false;
    const int error = probe("MPI_Iprobe", source, tag, comm, false, &found, &nobody, status);
    if (error == MPI_SUCCESS) *flag = found != NULL || nobody;
    return error;
}

static int matched_probe(const char* function, int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
                         MPI_Status* status) {
    struct lam_message* found = NULL;
    bool nobody = false;
    const int error = probe(function, source, tag, comm, flag == NULL, &found, &nobody, status);
    if (error != MPI_SUCCESS) return error;
    if (flag != NULL) *flag = found != NULL || nobody;
    *message = nobody ? MPI_MESSAGE_NO_PROC : MPI_MESSAGE_NULL;
    if (found == NULL) return MPI_SUCCESS;
    *message = lam_handle_new(LAM_MESSAGE, found);
    if (*message == MPI_MESSAGE_NULL) return lam_fail(comm, MPI_ERR_NO_MEM, function, "the node has no memory for a handle");
    lam_unkeep(found);
    found->comm = lam_comm(comm);
    lam_comm_hold(found->comm);
    return MPI_SUCCESS;
}
LAM_API(int, Mprobe, (int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status)) {
    return matched_probe("MPI_Mprobe", source, tag, comm, NULL, message, status);
}
LAM_API(int, Improbe, (int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status)) {
    return matched_probe("MPI_Improbe", source, tag, comm, flag, message, status);
}

/* Begins the receive of a message that a probe took. */
static int receive_matched(const char* function, void* buf, int count, MPI_Datatype datatype, MPI_Message* handle,
                           struct lam_request** request) {
    const bool nobody = *handle == MPI_MESSAGE_NO_PROC;
    int error = lam_require_running(function);
    if (error != MPI_SUCCESS) return error;
    struct lam_message* message = nobody ? NULL : lam_object(LAM_MESSAGE, *handle);
    if (message == NULL && !nobody)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_REQUEST, function, "message is no message of MPI_Mprobe() or MPI_Improbe()");
    const MPI_Comm comm = nobody ? MPI_COMM_WORLD : message->comm->handle;
    const int source = nobody ? MPI_PROC_NULL : message->comm->remote->inverse[message->sender];
    const struct lam_arguments its = {function, buf, count, datatype, source, nobody ? 0 : message->tag, comm, LAM_STANDARD, true};
    error = lam_request_of(&its, request);
    if (error != MPI_SUCCESS) return error;
    if (nobody) {
        lam_request_start(*request);
    } else {
        struct lam_comm* held = message->comm;
        (*request)->active = true;
        (*request)->operation = lam_log_begun((*request)->handle);
        lam_handle_free(LAM_MESSAGE, *handle);
        lam_deliver(message, *request);
        lam_comm_drop(held);
    }
    *handle = MPI_MESSAGE_NULL;
    return MPI_SUCCESS;
}
LAM_API(int, Imrecv, (void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Request* request)) {
    struct lam_request* its = NULL;
    const int error = receive_matched("MPI_Imrecv", buf, count, datatype, message, &its);
    if (error == MPI_SUCCESS) *request = its->handle;
    return error;
}
LAM_API(int, Mrecv, (void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status)) {
    struct lam_request* its = NULL;
    const int error = receive_matched("MPI_Mrecv", buf, count, datatype, message, &its);
    if (error != MPI_SUCCESS) return error;
    lam_wait_for(its);
    const int result = its->status.MPI_ERROR;
    const struct lam_failure failure = {result, its->comm->handle, its->status.MPI_SOURCE, its->status.lam_bytes, NULL, false};
    if (status != MPI_STATUS_IGNORE) *status = its->status;
    lam_request_release(its);
    return result == MPI_SUCCESS ? result : lam_fail_message(result, "MPI_Mrecv", &failure);
}

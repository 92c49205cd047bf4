/* Requests: their life, and the functions that begin them. */
#include <stdlib.h>
#include <string.h>

#include "lam_arguments.h"
#include "lam_delivery.h"
#include "lam_logs.h"

void lam_status_empty(MPI_Status* status) {
    *status = (MPI_Status){.MPI_SOURCE = MPI_ANY_SOURCE, .MPI_TAG = MPI_ANY_TAG, .MPI_ERROR = MPI_SUCCESS};
}

struct lam_waits lam_waits_in;
void lam_waits_for(const char* function, const struct lam_request* request) {
    const bool named = request != NULL && request->kind < LAM_SCHEDULE;
    lam_waits_in = (struct lam_waits){.function = function,
                                      .peer = named ? lam_told_peer(request->peer_world) : -2,
                                      .tag = named ? request->tag : -1,
                                      .sends = named && request->kind == LAM_SEND,
                                      .collective = request != NULL && request->comm == NULL && request->kind != LAM_GENERAL,
                                      .local_rank = -1,
                                      .local_peer = -1};
    if (!named || request->comm == NULL) return;
    lam_waits_in.communicator = request->comm->name;
    lam_waits_in.type = request->type == NULL ? NULL : request->type->name;
    lam_waits_in.count = request->count;
    lam_waits_in.local_rank = request->comm->rank;
    lam_waits_in.local_peer = lam_told_peer(request->peer);
}
void lam_waits_no_more(void) {
    lam_uses_note();
    lam_waits_in.function = NULL;
}

/* Each call that blocks makes one, so some that are not in use wait for the next ones. */
static struct lam_request* spare;
static int spares;
enum { most_spares = 16 };

static struct lam_request* blank_request(void) {
    struct lam_request* request = spare;
    if (request == NULL) return calloc(1, sizeof *request);
    spare = request->next;
    --spares;
    memset(request, 0, sizeof *request);
    return request;
}
static void give_back(struct lam_request* request) {
    if (spares == most_spares) {
        free(request);
        return;
    }
    request->next = spare;
    spare = request;
    ++spares;
}

struct lam_request* lam_request_new(enum lam_request_kind kind, struct lam_comm* comm) {
    struct lam_request* request = blank_request();
    if (request == NULL) return NULL;
    request->kind = kind;
    request->comm = comm;
    request->begun = lam_called;
    lam_status_empty(&request->status);
    request->handle = lam_handle_new(LAM_REQUEST, request);
    if (request->handle == MPI_REQUEST_NULL) {
        give_back(request);
        return NULL;
    }
    if (comm != NULL) lam_comm_hold(comm);
    return request;
}

void lam_request_release(struct lam_request* request) {
    free(request->stamp);
    free(request->posted);
    if (request->general != NULL) lam_general_free(request);
    lam_watch_end(&request->watch);
    lam_uses_end(request->uses, false);
    if (request->schedule != NULL) lam_schedule_free(request->schedule);
    if (request->handle != 0) lam_handle_free(LAM_REQUEST, request->handle);
    if (request->type != NULL) lam_type_drop(request->type);
    if (request->comm != NULL) lam_comm_drop(request->comm);
    give_back(request);
}

/* The program sees ranks of its communicator. */
static void name_source(struct lam_request* request) {
    if (request->kind != LAM_RECEIVE || request->comm == NULL || request->status.MPI_SOURCE < 0) return;
    request->status.MPI_SOURCE = request->comm->remote->inverse[request->status.MPI_SOURCE];
}

void lam_request_complete(struct lam_request* request, int error_class) {
    request->complete = true;
    request->status.MPI_ERROR = error_class;
    request->status.lam_cancelled = request->cancelled;
    name_source(request);
    if (request->freed) lam_request_release(request);
}

static struct lam_request* library_request(enum lam_request_kind kind, int count, struct lam_type* type, int peer, int tag,
                                           uint32_t context) {
    struct lam_request* request = blank_request();
    if (request == NULL) return NULL;
    request->kind = kind;
    request->begun = lam_called;
    request->count = count;
    request->type = type;
    request->peer = request->peer_world = peer;
    request->tag = tag;
    request->context = context;
    request->active = true;
    lam_type_hold(type);
    return request;
}

struct lam_request* lam_send_marked(const void* data, int count, struct lam_type* type, int to, int tag, uint32_t context,
                                    enum lam_mode mode, int32_t mark) {
    struct lam_request* request = library_request(LAM_SEND, count, type, to, tag, context);
    if (request == NULL) return NULL;
    request->send_from = data;
    request->mode = mode;
    request->mark = mark;
    lam_begin_send(request);
    return request;
}
struct lam_request* lam_send(const void* data, int count, struct lam_type* type, int to, int tag, uint32_t context,
                             enum lam_mode mode) {
    return lam_send_marked(data, count, type, to, tag, context, mode, 0);
}

struct lam_request* lam_receive(void* data, int count, struct lam_type* type, int from, int tag, uint32_t context) {
    struct lam_request* request = library_request(LAM_RECEIVE, count, type, from, tag, context);
    if (request == NULL) return NULL;
    request->receive_to = data;
    lam_begin_receive(request);
    return request;
}

void lam_wait_for(struct lam_request* request) {
    while (!request->complete) lam_progress(true);
}

/* Another request has the copy and goes on alone: a buffered send is complete for the program at once. */
static void begin_buffered(struct lam_request* request) {
    const size_t bytes = request->type->size * (size_t)request->count;
    const int error = lam_take_room((int)bytes);
    struct lam_request* copy =
        error != MPI_SUCCESS ? NULL
                             : library_request(LAM_SEND, request->count, request->type, request->peer_world, request->tag,
                                               request->context);
    if (copy == NULL) {
        if (error == MPI_SUCCESS) lam_give_room((int)bytes);
        return lam_request_complete(request, error == MPI_SUCCESS ? MPI_ERR_NO_MEM : error);
    }
    copy->send_from = request->send_from;
    copy->packed_bytes = bytes;
    copy->attached = copy->freed = true;
    lam_begin_send(copy);
    lam_request_complete(request, MPI_SUCCESS);
}

static struct lam_watch watch_of(const struct lam_request* request) {
    return (struct lam_watch){.at = request->send_from,
                              .count = request->count,
                              .type = request->type,
                              .writes = request->kind == LAM_RECEIVE,
                              .begun = lam_called};
}
/* Begins a request that the program completes by another call. */
static void start_watched(struct lam_request* request) {
    if (request->peer == MPI_PROC_NULL) return lam_request_start(request);
    request->watch = watch_of(request);
    lam_watch_begin(&request->watch);
    lam_request_start(request);
    /* A receive whose bytes are on their way is noted when they are there. */
    if (request->kind == LAM_SEND || request->complete || request->packed == NULL) lam_watch_note(&request->watch);
}
/* The program can do nothing with the buffers before the end of the call. */
static void look_at(const struct lam_request* request) {
    const struct lam_watch watch = watch_of(request);
    if (request->peer != MPI_PROC_NULL) lam_watch_look(&watch);
}

static void look_at_both(const struct lam_request* sent, struct lam_request* received) {
    if (received->peer == MPI_PROC_NULL) return look_at(sent);
    received->watch = watch_of(received);
    lam_watch_begin(&received->watch);
    look_at(sent);
    lam_watch_end(&received->watch);
}

/* Begins a request whose fields are set. */
void lam_request_start(struct lam_request* request) {
    request->active = request->started = true;
    request->begun = lam_called;
    request->complete = request->cancelled = false;
    lam_status_empty(&request->status);
    if (request->peer == MPI_PROC_NULL) {
        request->status.MPI_SOURCE = MPI_PROC_NULL;
        lam_request_complete(request, MPI_SUCCESS);
    } else if (request->kind == LAM_RECEIVE) {
        request->peer_world = request->peer == MPI_ANY_SOURCE ? MPI_ANY_SOURCE : request->comm->remote->world[request->peer];
        lam_receive_begins();
        if (lam_delivery) lam_delivery_post(request);
        lam_begin_receive(request);
    } else {
        request->peer_world = request->comm->remote->world[request->peer];
        if (request->mode == LAM_BUFFERED) {
            begin_buffered(request);
        } else {
            lam_begin_send(request);
        }
    }
}

/* MPI leaves it to the library whether a standard send waits for its receive. */
enum lam_mode lam_mode_of(enum lam_mode asked) {
    return asked == LAM_STANDARD && (lam_port_options() & LAM_NO_BUFFERING) != 0 ? LAM_SYNCHRONOUS : asked;
}

/* A request as the program's arguments describe it, not begun. Returns the error class. */
int lam_request_of(const struct lam_arguments* its, struct lam_request** made) {
    const int error = lam_check_arguments(its);
    if (error != MPI_SUCCESS) return error;
    struct lam_comm* comm = lam_comm(its->comm);
    struct lam_request* request = lam_request_new(its->receives ? LAM_RECEIVE : LAM_SEND, comm);
    if (request == NULL) return lam_fail(its->comm, MPI_ERR_NO_MEM, its->function, "the node has no memory for a request");
    request->send_from = its->data;
    request->receive_to = (void*)its->data;
    request->count = its->count;
    request->type = lam_type(its->datatype);
    lam_type_hold(request->type);
    request->mode = lam_mode_of(its->mode);
    request->peer = its->peer;
    request->tag = its->tag;
    request->context = comm->context + LAM_POINT;
    *made = request;
    return MPI_SUCCESS;
}

static int begin(const struct lam_arguments* its, bool persistent, MPI_Request* handle) {
    struct lam_request* request = NULL;
    if (handle == NULL && lam_require_running(its->function) == MPI_SUCCESS)
        return lam_fail(its->comm, MPI_ERR_ARG, its->function, "request is a null pointer");
    const int error = lam_request_of(its, &request);
    if (error != MPI_SUCCESS) return error;
    *handle = request->handle;
    request->persistent = persistent;
    if (persistent) return MPI_SUCCESS;
    start_watched(request);
    if (request->complete && request->status.MPI_ERROR == MPI_ERR_BUFFER) {
        lam_request_release(request);
        *handle = MPI_REQUEST_NULL;
        return lam_fail_buffer(its);
    }
    return MPI_SUCCESS;
}

static int wait_through(const struct lam_arguments* its, MPI_Status* status) {
    struct lam_request* request = NULL;
    int error = lam_request_of(its, &request);
    if (error != MPI_SUCCESS) return error;
    look_at(request);
    lam_request_start(request);
    lam_waits_for(its->function, request);
    lam_wait_for(request);
    lam_waits_no_more();
    lam_observe(request);
    error = request->status.MPI_ERROR;
    if (status != MPI_STATUS_IGNORE) *status = request->status;
    const struct lam_failure failure = {error, its->comm, request->status.MPI_SOURCE, request->status.lam_bytes, NULL, false};
    lam_request_release(request);
    if (error == MPI_SUCCESS) return MPI_SUCCESS;
    return error == MPI_ERR_BUFFER ? lam_fail_buffer(its) : lam_fail_message(error, its->function, &failure);
}

#define SENDS(name, its_mode)                                                                                            \
    LAM_API(int, name, (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)) {          \
        const struct lam_arguments its = {"MPI_" #name, buf, count, datatype, dest, tag, comm, its_mode, false};         \
        return wait_through(&its, MPI_STATUS_IGNORE);                                                                    \
    }
#define BEGINS(name, its_mode, persistent)                                                                               \
    LAM_API(int, name,                                                                                                   \
            (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request)) { \
        const struct lam_arguments its = {"MPI_" #name, buf, count, datatype, dest, tag, comm, its_mode, false};         \
        return begin(&its, persistent, request);                                                                         \
    }
SENDS(Send, LAM_STANDARD)
SENDS(Bsend, LAM_BUFFERED)
SENDS(Ssend, LAM_SYNCHRONOUS)
SENDS(Rsend, LAM_READY)
BEGINS(Isend, LAM_STANDARD, false)
BEGINS(Ibsend, LAM_BUFFERED, false)
BEGINS(Issend, LAM_SYNCHRONOUS, false)
BEGINS(Irsend, LAM_READY, false)
BEGINS(Send_init, LAM_STANDARD, true)
BEGINS(Bsend_init, LAM_BUFFERED, true)
BEGINS(Ssend_init, LAM_SYNCHRONOUS, true)
BEGINS(Rsend_init, LAM_READY, true)

LAM_API(int, Recv,
        (void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status* status)) {
    const struct lam_arguments its = {"MPI_Recv", buf, count, datatype, source, tag, comm, LAM_STANDARD, true};
    return wait_through(&its, status);
}
LAM_API(int, Irecv,
        (void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request)) {
    const struct lam_arguments its = {"MPI_Irecv", buf, count, datatype, source, tag, comm, LAM_STANDARD, true};
    return begin(&its, false, request);
}
LAM_API(int, Recv_init,
        (void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request)) {
    const struct lam_arguments its = {"MPI_Recv_init", buf, count, datatype, source, tag, comm, LAM_STANDARD, true};
    return begin(&its, true, request);
}

static int send_and_receive(const struct lam_arguments* out, const struct lam_arguments* in, MPI_Status* status) {
    struct lam_request *sent = NULL, *received = NULL;
    int error = lam_request_of(in, &received);
    if (error != MPI_SUCCESS) return error;
    error = lam_request_of(out, &sent);
    if (error != MPI_SUCCESS) {
        lam_request_release(received);
        return error;
    }
    look_at_both(sent, received);
    lam_request_start(received);
    lam_request_start(sent);
    lam_waits_for(in->function, sent);
    lam_wait_for(sent);
    lam_waits_for(in->function, received);
    lam_wait_for(received);
    lam_waits_no_more();
    lam_observe(sent);
    lam_observe(received);
    error = received->status.MPI_ERROR != MPI_SUCCESS ? received->status.MPI_ERROR : sent->status.MPI_ERROR;
    if (status != MPI_STATUS_IGNORE) *status = received->status;
    const struct lam_failure failure = {error, in->comm, received->status.MPI_SOURCE, received->status.lam_bytes, NULL, false};
    lam_request_release(sent);
    lam_request_release(received);
    return error == MPI_SUCCESS ? MPI_SUCCESS : lam_fail_message(error, in->function, &failure);
}

LAM_API(int, Sendrecv,
        (const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf, int recvcount,
         MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status* status)) {
    const struct lam_arguments out = {"MPI_Sendrecv", sendbuf, sendcount, sendtype, dest, sendtag, comm, LAM_STANDARD, false};
    const struct lam_arguments in = {"MPI_Sendrecv", recvbuf, recvcount, recvtype, source, recvtag, comm, LAM_STANDARD, true};
    return send_and_receive(&out, &in, status);
}

LAM_API(int, Sendrecv_replace,
        (void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm,
         MPI_Status* status)) {
    const char* const function = "MPI_Sendrecv_replace";
    const struct lam_arguments in = {function, buf, count, datatype, source, recvtag, comm, LAM_STANDARD, true};
    const int error = lam_check_arguments(&in);
    if (error != MPI_SUCCESS) return error;
    const struct lam_type* type = lam_type(datatype);
    const size_t bytes = type->size * (size_t)count;
    void* copy = malloc(bytes + 1);
    if (copy == NULL) return lam_fail(comm, MPI_ERR_NO_MEM, function, "the node has no memory for a copy of %zu bytes", bytes);
    lam_log_copied((struct lam_row){buf, (size_t)count, type}, (struct lam_row){copy, bytes, lam_type(MPI_BYTE)}, bytes);
    lam_pack(buf, (size_t)count, type, copy);
    const struct lam_arguments out = {function, copy, (int)bytes, MPI_PACKED, dest, sendtag, comm, LAM_STANDARD, false};
    const int result = send_and_receive(&out, &in, status);
    free(copy);
    return result;
}

LAM_API(int, Start, (MPI_Request * request)) {
    const int error = lam_require_running("MPI_Start");
    if (error != MPI_SUCCESS) return error;
    struct lam_request* its = request == NULL ? NULL : lam_object(LAM_REQUEST, *request);
    if (its == NULL)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_REQUEST, "MPI_Start", "request %s",
                        request == NULL ? "is a null pointer" : lam_why_not(LAM_REQUEST, *request));
    if (!its->persistent)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_REQUEST, "MPI_Start", "request is not persistent, so it has begun already");
    if (its->active)
        return lam_fail_as(LAM_CALL_ORDER, its->begun.from, its->comm->handle, MPI_ERR_REQUEST, "MPI_Start",
                           "request is active since " LAM_OTHER_LINE "; wait for its end first");
    start_watched(its);
    if (its->complete && its->status.MPI_ERROR == MPI_ERR_BUFFER) {
        its->active = false;
        lam_watch_end(&its->watch);
        return lam_fail(its->comm->handle, MPI_ERR_BUFFER, "MPI_Start", "the buffer of MPI_Buffer_attach() has no room");
    }
    return MPI_SUCCESS;
}
LAM_API(int, Startall, (int count, MPI_Request requests[])) {
    if (count < 0) return lam_fail(MPI_COMM_WORLD, MPI_ERR_COUNT, "MPI_Startall", "count is %d", count);
    for (int i = 0; i < count; ++i) {
        const int error = lam_api_Start(&requests[i]);
        if (error != MPI_SUCCESS) return error;
    }
    return MPI_SUCCESS;
}

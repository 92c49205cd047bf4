/* Sends and receives. */
#include <stdlib.h>

#include "recorder.h"

/* ---- Sizes of types: the last one is kept, as most messages of a program have the same ---- */

static uint64_t last_type;
static int last_size;

uint32_t real_bytes(int count, MPI_Datatype type) {
    if (KEY(type) + 1 != last_type) {
        if (PMPI_Type_size(type, &last_size) != MPI_SUCCESS) return 0;
        last_type = KEY(type) + 1;
    }
    const int64_t bytes = (int64_t)count * last_size;
    return bytes < 0 ? 0 : bytes >= UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
}
/* Its handle may come again with another size. */
API int MPI_Type_free(MPI_Datatype* type) {
    last_type = 0;
    return PMPI_Type_free(type);
}

/* ---- What sends and receives have in common ---- */

static uint32_t sends;

uint32_t real_send_begun(struct comm* comm, int dest, int tag, uint32_t bytes) {
    struct real_record* its = real_put();
    its->number = ++sends;
    its->peer = dest >= 0 && dest < comm->size ? comm->world[dest] : REAL_NOBODY;
    its->tag = tag;
    its->comm = comm->number;
    its->bytes = bytes;
    real_done(its, REAL_SEND);
    return sends;
}
void real_sent(uint32_t number) {
    struct real_record* its = real_put();
    its->number = number;
    real_done(its, REAL_SENT);
}

struct post real_post(struct comm* comm, int* source, int tag, uint8_t flags) {
    struct decision its = real_decide(REAL_RECV);
    struct post post = {its.number, comm, NULL, *source == MPI_ANY_SOURCE};
    struct real_record* record = real_put();
    record->number = its.number;
    record->peer = post.wild ? REAL_ANY : *source >= 0 && *source < comm->size ? comm->world[*source] : REAL_NOBODY;
    record->tag = tag == MPI_ANY_TAG ? REAL_ANY : tag;
    record->comm = comm->number;
    record->flags = flags | (post.wild ? REAL_WILD : 0);
    post.record = record;
    const int named = record->peer;
    real_done(record, REAL_POST);
    if (its.verdict != FORCED) return post;
    const int wanted = its.event->source;
    if (wanted == REAL_NOBODY) {
        *source = REAL_NOBODY;
        return post;
    }
    if (!post.wild && named != wanted) real_diverged(REAL_RECV, its.number, wanted, named);
    const int rank = wanted < real_size ? comm->inverse[wanted] : -1;
    if (rank < 0) real_diverged(REAL_RECV, its.number, wanted, REAL_CAME_INACTIVE);
    *source = rank;
    real_wait_begin(&its, REAL_RECV);
    return post;
}
void real_unpost(const struct post* its) {
    --real_head_of_rank->counters[REAL_RECV];
    real_take_back(its->record);
}

void real_came(const struct comm* comm, uint32_t number, const MPI_Status* status, uint8_t flags) {
    int bytes = 0;
    PMPI_Get_count(status, MPI_BYTE, &bytes);
    const int source = status->MPI_SOURCE;
    struct real_record* its = real_put();
    its->number = number;
    its->peer = source >= 0 && source < comm->size ? comm->world[source] : REAL_NOBODY;
    its->tag = status->MPI_TAG;
    its->comm = comm->number;
    its->bytes = bytes < 0 ? UINT32_MAX : (uint32_t)bytes;
    its->flags = flags;
    real_done(its, REAL_CAME);
}

bool real_failed(int error, const MPI_Status* status) {
    if (error == MPI_SUCCESS) return false;
    int its_class = error;
    PMPI_Error_class(error, &its_class);
    return its_class != MPI_ERR_TRUNCATE || status->MPI_SOURCE < 0;
}

/* ---- Sends ---- */

#define SENDS(name, synchronous)                                                                                     \
    API int MPI_##name(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {            \
        struct comm* its = real_on && dest >= 0 ? real_comm(comm) : NULL;                                            \
        if (its == NULL) return PMPI_##name(buf, count, type, dest, tag, comm);                                      \
        if (synchronous) real_unseen(REAL_SYNCHRONOUS);                                                              \
        const uint32_t number = real_send_begun(its, dest, tag, real_bytes(count, type));                            \
        const int error = PMPI_##name(buf, count, type, dest, tag, comm);                                            \
        if (error == MPI_SUCCESS) real_sent(number);                                                                 \
        return error;                                                                                                \
    }
SENDS(Send, false)
SENDS(Bsend, false)
SENDS(Ssend, true)
SENDS(Rsend, false)

static void keep_send(struct comm* comm, uint32_t number, MPI_Request handle) {
    if (handle == MPI_REQUEST_NULL) return;
    struct request* its = real_request_add(handle, OF_SEND);
    its->comm = comm;
    ++comm->uses;
    its->number = number;
    its->active = true;
}
#define BEGINS(name, synchronous)                                                                                             \
    API int MPI_##name(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* request) { \
        struct comm* its = real_on && dest >= 0 ? real_comm(comm) : NULL;                                                     \
        if (its == NULL) return PMPI_##name(buf, count, type, dest, tag, comm, request);                                      \
        if (synchronous) real_unseen(REAL_SYNCHRONOUS);                                                                       \
        const uint32_t number = real_send_begun(its, dest, tag, real_bytes(count, type));                                     \
        const int error = PMPI_##name(buf, count, type, dest, tag, comm, request);                                            \
        if (error == MPI_SUCCESS) keep_send(its, number, *request);                                                           \
        return error;                                                                                                         \
    }
BEGINS(Isend, false)
BEGINS(Ibsend, false)
BEGINS(Issend, true)
BEGINS(Irsend, false)

/* ---- Receives ---- */

API int MPI_Recv(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
    struct comm* its = real_on && source != MPI_PROC_NULL ? real_comm(comm) : NULL;
    if (its == NULL) return PMPI_Recv(buf, count, type, source, tag, comm, status);
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    status->MPI_SOURCE = -1;
    const int asked = source;
    const struct post post = real_post(its, &source, tag, 0);
    if (source == REAL_NOBODY) real_diverged(REAL_RECV, post.number, REAL_NOBODY, asked);
    const int error = PMPI_Recv(buf, count, type, source, tag, comm, status);
    if (real_replay) real_wait_end();
    if (real_failed(error, status)) {
        real_unpost(&post);
    } else {
        real_came(its, post.number, status, 0);
    }
    return error;
}

int real_begin_receive(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request,
                       struct post* post) {
    struct comm* its = real_comm(comm);
    *post = real_post(its, &source, tag, 0);
    if (real_replay) real_wait_end();
    const int error = source == REAL_NOBODY ? PMPI_Irecv(buf, count, type, 0, 0, real_nobody, request)
                                            : PMPI_Irecv(buf, count, type, source, tag, comm, request);
    if (error != MPI_SUCCESS) real_unpost(post);
    if (source == REAL_NOBODY) post->number |= 0x80000000U;
    return error;
}

API int MPI_Irecv(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request) {
    struct comm* its = real_on && source != MPI_PROC_NULL ? real_comm(comm) : NULL;
    if (its == NULL) return PMPI_Irecv(buf, count, type, source, tag, comm, request);
    struct post post;
    const int error = real_begin_receive(buf, count, type, source, tag, comm, request, &post);
    if (error != MPI_SUCCESS) return error;
    struct request* kept = real_request_add(*request, OF_RECEIVE);
    kept->comm = its;
    ++its->uses;
    kept->number = post.number & 0x7fffffffU;
    kept->fake = post.number != kept->number;
    kept->wild = post.wild;
    kept->active = true;
    return error;
}

/* The receive is begun first, as its counter says. */
static int both(bool replaces, const void* out, int out_count, MPI_Datatype out_type, int dest, int out_tag, void* in, int in_count,
                MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm, MPI_Status* status) {
    struct comm* its = real_comm(comm);
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    status->MPI_SOURCE = -1;
    const bool receives = source != MPI_PROC_NULL;
    struct post post = {0, NULL, NULL, false};
    const int asked = source;
    if (receives) post = real_post(its, &source, in_tag, 0);
    if (source == REAL_NOBODY && receives) real_diverged(REAL_RECV, post.number, REAL_NOBODY, asked);
    uint32_t number = 0;
    if (dest >= 0) number = real_send_begun(its, dest, out_tag, real_bytes(out_count, out_type));
    const int error = replaces
                          ? PMPI_Sendrecv_replace(in, in_count, in_type, dest, out_tag, source, in_tag, comm, status)
                          : PMPI_Sendrecv(out, out_count, out_type, dest, out_tag, in, in_count, in_type, source, in_tag, comm, status);
    if (real_replay) real_wait_end();
    if (number != 0 && error == MPI_SUCCESS) real_sent(number);
    if (receives && !real_failed(error, status)) real_came(its, post.number, status, 0);
    return error;
}
API int MPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int dest, int out_tag, void* in, int in_count,
                     MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm, MPI_Status* status) {
    if (!real_on || real_comm(comm) == NULL)
        return PMPI_Sendrecv(out, out_count, out_type, dest, out_tag, in, in_count, in_type, source, in_tag, comm, status);
    return both(false, out, out_count, out_type, dest, out_tag, in, in_count, in_type, source, in_tag, comm, status);
}
API int MPI_Sendrecv_replace(void* data, int count, MPI_Datatype type, int dest, int out_tag, int source, int in_tag, MPI_Comm comm,
                             MPI_Status* status) {
    if (!real_on || real_comm(comm) == NULL)
        return PMPI_Sendrecv_replace(data, count, type, dest, out_tag, source, in_tag, comm, status);
    return both(true, NULL, count, type, dest, out_tag, data, count, type, source, in_tag, comm, status);
}

/* Persistent requests. In a replay one of any source cannot be told its source, so a receive of its own does the work each time. */
#include "recorder.h"

struct arguments {
    void* buf;
    int count;
    MPI_Datatype type;
    int peer, tag;
    MPI_Comm comm;
};
/* Of the receives of any source in a replay. */
enum { most = 4096 };
static struct wild {
    MPI_Request handle;
    struct arguments its;
} wilds[most];
static int wild_count;

static struct request* made(MPI_Request handle, uint8_t kind, MPI_Comm comm, int peer, int tag, uint32_t bytes) {
    struct request* its = real_request_add(handle, kind);
    its->persistent = true;
    its->comm = real_comm(comm);
    ++its->comm->uses;
    its->peer = peer;
    its->tag = tag;
    its->bytes = bytes;
    return its;
}

#define MAKES(name, synchronous)                                                                                               \
    API int MPI_##name(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* request) { \
        if (synchronous) real_unseen(REAL_SYNCHRONOUS);                                                                        \
        const int error = PMPI_##name(buf, count, type, dest, tag, comm, request);                                             \
        if (real_on && error == MPI_SUCCESS && real_comm(comm) != NULL)                                                        \
            made(*request, OF_SEND, comm, dest, tag, real_bytes(count, type));                                                 \
        return error;                                                                                                          \
    }
MAKES(Send_init, false)
MAKES(Bsend_init, false)
MAKES(Ssend_init, true)
MAKES(Rsend_init, false)

API int MPI_Recv_init(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request) {
    const int error = PMPI_Recv_init(buf, count, type, source, tag, comm, request);
    if (!real_on || error != MPI_SUCCESS || real_comm(comm) == NULL) return error;
    struct request* its = made(*request, OF_RECEIVE, comm, source, tag, 0);
    its->wild = source == MPI_ANY_SOURCE;
    if (!real_replay || source == MPI_PROC_NULL) return error;
    int at = 0;
    while (at < wild_count && wilds[at].handle != *request && wilds[at].handle != MPI_REQUEST_NULL) ++at;
    if (at == most) return error;
    if (at == wild_count) ++wild_count;
    wilds[at] = (struct wild){*request, {buf, count, type, source, tag, comm}};
    return error;
}

static int start_receive(struct request* its, MPI_Request* request) {
    struct post post;
    int source = its->peer;
    if (!real_replay) {
        post = real_post(its->comm, &source, its->tag, 0);
        const int error = PMPI_Start(request);
        if (error != MPI_SUCCESS) real_unpost(&post);
        its->number = post.number;
        return error;
    }
    int at = 0;
    while (at < wild_count && wilds[at].handle != *request) ++at;
    if (at == wild_count) return PMPI_Start(request);
    const struct arguments* words = &wilds[at].its;
    MPI_Request real;
    const int error = real_begin_receive(words->buf, words->count, words->type, words->peer, words->tag, words->comm, &real, &post);
    if (error != MPI_SUCCESS) return error;
    its->number = post.number & 0x7fffffffU;
    its->fake = post.number != its->number;
    its->real = real;
    its->replaced = true;
    ++real_replaced;
    return error;
}

API int MPI_Start(MPI_Request* request) {
    struct request* its = real_on && request != NULL && *request != MPI_REQUEST_NULL ? real_request(*request) : NULL;
    if (its == NULL || !its->persistent || its->active) return PMPI_Start(request);
    int error = MPI_SUCCESS;
    its->observed = false;
    if (its->peer == MPI_PROC_NULL) {
        error = PMPI_Start(request);
    } else if (its->kind == OF_RECEIVE) {
        error = start_receive(its, request);
    } else {
        its->number = real_send_begun(its->comm, its->peer, its->tag, its->bytes);
        error = PMPI_Start(request);
    }
    its->active = error == MPI_SUCCESS;
    return error;
}
API int MPI_Startall(int count, MPI_Request requests[]) {
    if (!real_on || count < 0) return PMPI_Startall(count, requests);
    int error = MPI_SUCCESS;
    for (int i = 0; i < count && error == MPI_SUCCESS; ++i) error = MPI_Start(&requests[i]);
    return error;
}

/* Messages of the library itself, among the members of an intra-communicator: how new communicators agree. */
#include <stdlib.h>
#include <string.h>

#include "lam_delivery.h"

static int finish(struct lam_request* request) {
    lam_waits_for(lam_called.function, request);
    lam_wait_for(request);
    lam_waits_no_more();
    lam_observe(request);
    const int error = request->status.MPI_ERROR;
    lam_request_release(request);
    return error;
}

int lam_private_send(const void* data, size_t bytes, int rank, int tag, struct lam_comm* comm) {
    struct lam_request* request = lam_send(data, (int)bytes, lam_type(MPI_BYTE), comm->remote->world[rank], tag,
                                           comm->context + LAM_PRIVATE, LAM_STANDARD);
    if (request == NULL) return MPI_ERR_NO_MEM;
    return finish(request);
}

int lam_private_receive(void* data, size_t bytes, int rank, int tag, struct lam_comm* comm) {
    struct lam_request* request =
        lam_receive(data, (int)bytes, lam_type(MPI_BYTE), comm->remote->world[rank], tag, comm->context + LAM_PRIVATE);
    if (request == NULL) return MPI_ERR_NO_MEM;
    return finish(request);
}

enum { gather_tag = 0x7f000001, maximum_tag };

int lam_private_gather(const void* own, size_t bytes, void* all, struct lam_comm* comm) {
    char* rows = all;
    const int size = comm->local->size;
    memcpy(rows + (size_t)comm->rank * bytes, own, bytes);
    int error = MPI_SUCCESS;
    if (comm->rank != 0) {
        error = lam_private_send(own, bytes, 0, gather_tag, comm);
        return error != MPI_SUCCESS ? error : lam_private_receive(all, bytes * (size_t)size, 0, gather_tag, comm);
    }
    for (int rank = 1; rank < size && error == MPI_SUCCESS; ++rank)
        error = lam_private_receive(rows + (size_t)rank * bytes, bytes, rank, gather_tag, comm);
    for (int rank = 1; rank < size && error == MPI_SUCCESS; ++rank)
        error = lam_private_send(all, bytes * (size_t)size, rank, gather_tag, comm);
    return error;
}

int lam_private_maximum(uint32_t* value, struct lam_comm* comm) {
    const int size = comm->local->size;
    uint32_t other = 0;
    int error = MPI_SUCCESS;
    if (comm->rank != 0) {
        error = lam_private_send(value, sizeof *value, 0, maximum_tag, comm);
        return error != MPI_SUCCESS ? error : lam_private_receive(value, sizeof *value, 0, maximum_tag, comm);
    }
    for (int rank = 1; rank < size && error == MPI_SUCCESS; ++rank) {
        error = lam_private_receive(&other, sizeof other, rank, maximum_tag, comm);
        if (other > *value) *value = other;
    }
    for (int rank = 1; rank < size && error == MPI_SUCCESS; ++rank)
        error = lam_private_send(value, sizeof *value, rank, maximum_tag, comm);
    return error;
}

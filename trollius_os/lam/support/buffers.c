/* MPI_Buffer_attach(): its space is counted, as a program may rely on MPI_ERR_BUFFER; the copies lie in the library's memory. */
#include "lam_transfer.h"

static void* attached;
static int attached_bytes, taken;
static bool is_attached;

int lam_take_room(int bytes) {
    if (!is_attached || bytes > attached_bytes - taken - MPI_BSEND_OVERHEAD) return MPI_ERR_BUFFER;
    taken += bytes + MPI_BSEND_OVERHEAD;
    return MPI_SUCCESS;
}
void lam_give_room(int bytes) {
    taken -= bytes + MPI_BSEND_OVERHEAD;
}

void lam_flush_buffered(void) {
    while (taken > 0) lam_progress(true);
}

LAM_API(int, Buffer_attach, (void* buffer, int size)) {
    const int error = lam_require_running("MPI_Buffer_attach");
    if (error != MPI_SUCCESS) return error;
    if (size < 0) return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, "MPI_Buffer_attach", "size is %d", size);
    if (is_attached)
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_BUFFER, "MPI_Buffer_attach",
                        "a buffer of %d bytes is attached already; call MPI_Buffer_detach() first", attached_bytes);
    attached = buffer;
    attached_bytes = size;
    is_attached = true;
    return MPI_SUCCESS;
}

LAM_API(int, Buffer_detach, (void* buffer_addr, int* size)) {
    const int error = lam_require_running("MPI_Buffer_detach");
    if (error != MPI_SUCCESS) return error;
    if (!is_attached) return lam_fail(MPI_COMM_WORLD, MPI_ERR_BUFFER, "MPI_Buffer_detach", "no buffer is attached");
    lam_flush_buffered();
    *(void**)buffer_addr = attached;
    *size = attached_bytes;
    is_attached = false;
    return MPI_SUCCESS;
}

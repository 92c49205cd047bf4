/* MPI_Probe() and its relatives; receives of the messages that MPI_Mprobe() takes. */
#include <sched.h>

#include "recorder.h"

/* A message that a probe took: its receive is known by the probe's record. */
static void keep_message(MPI_Message message, struct comm* comm, uint32_t record) {
    if (message == MPI_MESSAGE_NULL || message == MPI_MESSAGE_NO_PROC) return;
    struct request* its = real_message_add(message);
    its->comm = comm;
    ++comm->uses;
    its->number = record;
}

static int blocking(int source, int tag, MPI_Comm comm, struct comm* its, MPI_Message* message, MPI_Status* status) {
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    const int asked = source;
    const uint8_t flags = REAL_PROBE | (message != NULL ? REAL_MATCHED : 0);
    const struct post post = real_post(its, &source, tag, flags);
    if (source == REAL_NOBODY) real_diverged(REAL_RECV, post.number, REAL_NOBODY, asked);
    const int error = message == NULL ? PMPI_Probe(source, tag, comm, status) : PMPI_Mprobe(source, tag, comm, message, status);
    if (real_replay) real_wait_end();
    if (error != MPI_SUCCESS) {
        real_unpost(&post);
        return error;
    }
    const uint32_t record = real_put_count();
    real_came(its, post.number, status, flags);
    if (message != NULL) keep_message(*message, its, record);
    return error;
}
API int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
    struct comm* its = real_on && source != MPI_PROC_NULL ? real_comm(comm) : NULL;
    return its == NULL ? PMPI_Probe(source, tag, comm, status) : blocking(source, tag, comm, its, NULL, status);
}
API int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
    struct comm* its = real_on && source != MPI_PROC_NULL ? real_comm(comm) : NULL;
    return its == NULL ? PMPI_Mprobe(source, tag, comm, message, status) : blocking(source, tag, comm, its, message, status);
}

/* A replay waits for the message that was found then. */
static int forced(const struct decision* its, int source, int tag, MPI_Comm comm, struct comm* known, int* flag,
                  MPI_Message* message, MPI_Status* status) {
    const int wanted = its->event->source;
    const int rank = wanted >= 0 && wanted < real_size ? known->inverse[wanted] : -1;
    if (source != MPI_ANY_SOURCE && source != rank)
        real_diverged(REAL_IPROBE, its->number, wanted, source < known->size ? known->world[source] : REAL_CAME_INACTIVE);
    if (rank < 0) real_diverged(REAL_IPROBE, its->number, wanted, REAL_CAME_INACTIVE);
    real_wait_begin(its, REAL_IPROBE);
    const int error = message == NULL ? PMPI_Probe(rank, tag, comm, status) : PMPI_Mprobe(rank, tag, comm, message, status);
    real_wait_end();
    *flag = error == MPI_SUCCESS;
    return error;
}

static int polling(int source, int tag, MPI_Comm comm, struct comm* its, int* flag, MPI_Message* message, MPI_Status* status) {
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    const struct decision decision = real_decide(REAL_IPROBE);
    int error = MPI_SUCCESS;
    *flag = 0;
    if (decision.verdict == NOT_YET) {
        int found = 0;
        error = PMPI_Iprobe(source, tag, comm, &found, MPI_STATUS_IGNORE); /* so that messages move on */
        if (message != NULL) *message = MPI_MESSAGE_NULL;
        sched_yield();
        return error;
    }
    if (decision.verdict == FORCED) {
        error = forced(&decision, source, tag, comm, its, flag, message, status);
    } else {
        error = message == NULL ? PMPI_Iprobe(source, tag, comm, flag, status)
                                : PMPI_Improbe(source, tag, comm, flag, message, status);
    }
    if (error != MPI_SUCCESS || *flag == 0) return error;
    const uint32_t record = real_put_count();
    struct real_record* put = real_put();
    put->number = decision.number;
    put->peer = its->world[status->MPI_SOURCE];
    put->tag = status->MPI_TAG;
    put->comm = its->number;
    put->flags = message != NULL ? REAL_MATCHED : 0;
    real_done(put, REAL_PROBED);
    if (message != NULL) keep_message(*message, its, record);
    return error;
}
API int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
    struct comm* its = real_on && source != MPI_PROC_NULL ? real_comm(comm) : NULL;
    return its == NULL ? PMPI_Iprobe(source, tag, comm, flag, status) : polling(source, tag, comm, its, flag, NULL, status);
}
API int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
    struct comm* its = real_on && source != MPI_PROC_NULL ? real_comm(comm) : NULL;
    return its == NULL ? PMPI_Improbe(source, tag, comm, flag, message, status)
                       : polling(source, tag, comm, its, flag, message, status);
}

API int MPI_Mrecv(void* buf, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
    struct request* its = real_on ? real_message(*message) : NULL;
    if (its == NULL) return PMPI_Mrecv(buf, count, type, message, status);
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    status->MPI_SOURCE = -1;
    const int error = PMPI_Mrecv(buf, count, type, message, status);
    if (!real_failed(error, status)) real_came(its->comm, its->number, status, REAL_TAKEN);
    real_request_drop(its);
    return error;
}
API int MPI_Imrecv(void* buf, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
    struct request* its = real_on ? real_message(*message) : NULL;
    if (its == NULL) return PMPI_Imrecv(buf, count, type, message, request);
    struct comm* comm = its->comm;
    const uint32_t number = its->number;
    const int error = PMPI_Imrecv(buf, count, type, message, request);
    if (error != MPI_SUCCESS) return error;
    ++comm->uses;
    real_request_drop(its);
    struct request* kept = real_request_add(*request, OF_RECEIVE);
    kept->comm = comm;
    kept->number = number;
    kept->active = true;
    kept->taken = true;
    return error;
}

/* The library that is preloaded into the ranks of a real MPI run. It stands between the program and MPI by the names PMPI_. It adds no
 * message: it writes what each call has done into the rank's file, and in a replay names the source of a receive, or the outcome of a
 * test. The rules are those of trollius_os/lam/support/delivery.c, so that a record of one can be repeated by the other. */
#ifndef REAL_MPI_RECORDER_H
#define REAL_MPI_RECORDER_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <real_mpi/rank_file.h>

#define API __attribute__((visibility("default")))

#ifdef OPEN_MPI
/* Programs without MPI load the library, too: mpirun itself. There these are null, and nobody asks. */
#pragma weak ompi_mpi_comm_world
#pragma weak ompi_mpi_comm_self
#pragma weak ompi_mpi_comm_null
#pragma weak ompi_request_null
#pragma weak ompi_mpi_byte
#pragma weak ompi_mpi_datatype_null
#pragma weak ompi_message_null
#pragma weak ompi_message_no_proc
#pragma weak ompi_mpi_packed
#endif

/* Handles are pointers in one MPI and numbers in the other. */
#define KEY(handle) ((uint64_t)(uintptr_t)(handle))

/* ---- rank_file.c ---- */

extern bool real_on;                 /* between MPI_Init() and MPI_Finalize(), with a file */
extern int real_rank, real_size;     /* in the world */
extern struct real_head* real_head_of_rank;
bool real_file_begin(const char* folder, int rank, int size);
void real_file_end(void);
struct real_record* real_put(void); /* the next record, with its time; fill it, then call real_done() */
void real_done(struct real_record* its, uint8_t kind);
uint32_t real_put_count(void);       /* records so far */
void real_take_back(struct real_record* its); /* the last record: the call has failed */
void real_unseen(enum real_unseen what);      /* once for each */

/* ---- communicators.c ---- */

struct comm {
    uint64_t id;
    uint32_t number;
    int32_t size;      /* of the group that messages go to */
    int32_t* world;    /* its ranks in the world */
    int32_t* inverse;  /* -1: not there */
    uint32_t collectives;
    int32_t uses;
    bool inter;
    struct born {
        uint64_t members;
        uint32_t count;
    } * born; /* children, by their members */
    uint32_t borns;
};
struct comm* real_comm(MPI_Comm handle); /* NULL: not known */
void real_comms_begin(void);
void real_comm_made(MPI_Comm parent, MPI_Comm made);
void real_comm_release(struct comm* its);

/* ---- requests.c ---- */

enum { OF_SEND, OF_RECEIVE, OF_COLLECTIVE, OF_MESSAGE };
struct request {
    uint64_t key; /* 0: free */
    struct comm* comm;
    uint32_t number;  /* counter of a receive, number of a send or collective operation; of a message: its record */
    int32_t peer, tag;
    uint32_t bytes;
    uint32_t cancel;  /* counter of MPI_Cancel() for a send; 1 for a receive; 0: none */
    uint8_t kind, shape;
    bool persistent, active, observed, wild;
    bool fake;  /* a replay: it never gets a message, so that it can be cancelled */
    bool taken; /* of MPI_Imrecv(): `number` is the record of the probe */
    bool forced_cancel;
    bool replaced; /* a persistent receive of a replay: `real` does its work */
    MPI_Request real;
};
struct request* real_request(MPI_Request handle);
struct request* real_request_add(MPI_Request handle, uint8_t kind);
void real_request_drop(struct request* its);
struct request* real_message(MPI_Message handle);
struct request* real_message_add(MPI_Message handle);
extern int real_replaced; /* how many requests are */
static inline bool is_idle(MPI_Request handle) {
    if (handle == MPI_REQUEST_NULL) return true;
    const struct request* its = real_request(handle);
    return its != NULL && its->persistent && !its->active;
}

/* ---- calls.c ---- */

uint32_t real_bytes(int count, MPI_Datatype type);
uint32_t real_send_begun(struct comm* comm, int dest, int tag, uint32_t bytes); /* its number */
void real_sent(uint32_t number);
/* A receive or blocking probe begins: counts it, and names the source that a replay wants. `source` is REAL_NOBODY then, if it shall
 * get no message. */
struct post {
    uint32_t number;
    struct comm* comm;
    struct real_record* record;
    bool wild;
};
struct post real_post(struct comm* comm, int* source, int tag, uint8_t flags);
void real_unpost(const struct post* its); /* the call has failed */
void real_came(const struct comm* comm, uint32_t number, const MPI_Status* status, uint8_t flags);
/* The program learns of the end of a request; `handle`: as it was before the call. */
void real_completed(MPI_Request handle, MPI_Status* status, int error);
bool real_failed(int error, const MPI_Status* status); /* and the message was not received, either */
int real_begin_receive(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request, struct post* post);

/* ---- collectives.c ---- */

/* Begins: its number on the communicator; 0: nothing is recorded of it. `root`: rank of `comm`; below 0: it has none. */
uint32_t real_collective(MPI_Comm comm, enum real_shape shape, int root);
void real_collective_end(const struct comm* comm, enum real_shape shape, int root_in_world, uint32_t number);
void real_collective_over(MPI_Comm comm, enum real_shape shape, int root, uint32_t number);
void real_collective_begun(MPI_Comm comm, enum real_shape shape, int root, uint32_t number, MPI_Request request);

/* ---- delivery.c ---- */

enum verdict { FREE, FORCED, NOT_YET };
struct decision {
    enum verdict verdict;
    uint32_t number;
    const struct real_event* event; /* the first of `events` */
    int events;
};
extern bool real_replay;
extern MPI_Comm real_nobody; /* where no message ever comes */
void real_script_begin(const char* folder, int rank);
void real_script_end(void);
struct decision real_decide(enum real_call call); /* counts this call */
int32_t real_known(enum real_call call);
__attribute__((noreturn)) void real_diverged(enum real_call call, uint32_t number, int wanted, int came);
void real_wait_begin(const struct decision* its, enum real_call call); /* for what is forced */
void real_wait_end(void);
void real_outcome(enum real_call call, uint32_t number, int index);

#endif

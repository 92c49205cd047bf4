/* Shared by requests.c, matching.c and transfer.c: messages that have come, and the ways of one. */
#ifndef LAM_SUPPORT_LAM_TRANSFER_H
#define LAM_SUPPORT_LAM_TRANSFER_H

#include "lam.h"
#include <lam_start.h>

extern const struct lam_basic lam_basics[]; /* types.c */
extern int lam_rank; /* own rank in the world */
enum { LAM_BRIEF = 64 }; /* most messages of a benchmark have no more bytes */

/* A message without a receive yet, or one that MPI_Mprobe() has taken. */
struct lam_message {
    int sender, tag; /* rank of the world */
    uint32_t context;
    int bytes;
    int32_t number;     /* the sender waits for an answer to its request of this number; 0: it does not */
    uint32_t signature; /* lam_signature() of what was sent */
    int32_t mark;       /* of a collective operation */
    const void* sent_from;   /* the call that sent it, as an address of this rank's module; NULL: not known */
    char* data;         /* NULL: the sender still has them. It lies in `brief`, in memory of its own, or in a packet */
    bool borrowed;      /* the data lie in the packet that is being taken */
    struct lam_request* own; /* the sender's request, when the sender is this rank */
    struct lam_comm* comm;   /* through which MPI_Mprobe() took it */
    uint32_t* stamp;         /* of its sending; NULL: stamps are off */
    uint32_t flow;           /* lam_logs.h; 0: not known */
    uint32_t order;          /* in which messages have come */
    struct lam_message *next, *previous;
    char brief[LAM_BRIEF]; /* room for data */
};

/* matching.c. MPI: of two messages that match a receive the first sent is taken, of two receives the first posted. */
/* But for a script, a receive that was begun before the one with this number would take the message, or one that it must not
 * overtake for a receive of this tag. */
bool lam_is_held(const struct lam_message* message, uint32_t before, int wanted_tag);
/* NULL: none matches. `until`: the message, if it is kept. */
struct lam_request* lam_take_posted(int sender, int tag, uint32_t context, const struct lam_message* until);
void lam_post(struct lam_request* request);
void lam_unpost(struct lam_request* request);
void lam_keep(struct lam_message* message);
struct lam_message* lam_find_message(int sender, int tag, uint32_t context); /* MPI_ANY_SOURCE, MPI_ANY_TAG */
/* Also those that are held back; NULL: from the first on. */
struct lam_message* lam_find_next(const struct lam_message* after, int sender, int tag, uint32_t context);
/* A receive that held messages back does so no more: look at those that are kept. That is being done. */
extern bool lam_let_go, lam_letting_go;
struct lam_message* lam_find_sent(int sender, int32_t number);
struct lam_message* lam_first_kept(void);
void lam_unkeep(struct lam_message* message);
void lam_tell_kept(void); /* messages that nobody has received */
int lam_count_kept(int sender, int most); /* of that rank; counts no further than `most` */

/* flow.c: a receiver whose node runs low on memory tells senders to announce their messages. */
void lam_flow_begin(int size);                          /* ranks of the world */
void lam_flow_kept(const struct lam_message* message);  /* it waits for a receive now */
void lam_flow_taken(const struct lam_message* message); /* no longer */
bool lam_flow_answer(int sender);                       /* true: the answer to it says that it need not hold any more */
bool lam_flow_is_held(int receiver);                    /* messages to it announce themselves */

/* transfer.c */
void lam_begin_send(struct lam_request* request);                                 /* its fields are set */
void lam_begin_receive(struct lam_request* request);
void lam_deliver(struct lam_message* message, struct lam_request* request);       /* takes the message over */
void lam_message_free(struct lam_message* message);
bool lam_cancel_send(struct lam_request* request); /* true: nobody has received it, and nobody will */
bool lam_schedules_progress(void);                 /* schedule.c */
void lam_send_hold(int to);                        /* for flow.c */

/* findings.c */
/* The place of a call of the program, which is the same in all ranks, for the words of a packet: below 0, or 0 if unknown. */
int32_t lam_site_of(const struct lam_called* call);
const void* lam_call_at(int32_t site); /* NULL: none */
/* An error of the program by the standard, which no other MPI notices: it is told, and the run goes on. */
/* At MPI_Finalize(): so many messages have no receive; this is the first. */
void lam_tell_unreceived(const struct lam_message* message, size_t count);
void lam_tell_types(const struct lam_message* message, struct lam_request* request);
/* A persistent request ends that was waited for, and never begun. The standard allows it. */
void lam_tell_unstarted(const struct lam_request* request);
/* The program frees an active request. It may learn of its end by a later message; without one it is told at MPI_Finalize(). */
void lam_freed_active(const struct lam_request* request);
extern struct lam_called lam_freed_unknown; /* of the first such request; none since a message came */

/* schedule_run.c: "MPI_Ibcast() with root 3", from the mark of a message. */
void lam_mark_text(int32_t mark, bool blocking, char* text, size_t room);

/* requests.c: what the rank waits for, told around each wait */
extern struct lam_waits lam_waits_in;
void lam_waits_for(const char* function, const struct lam_request* request);
void lam_waits_no_more(void);
/* mpirun knows no names of mpi.h. */
static inline int lam_told_peer(int peer) {
    return peer == MPI_ANY_SOURCE ? -1 : peer;
}

void lam_status_empty(MPI_Status* status);
int lam_take_room(int bytes); /* of the buffer of MPI_Buffer_attach(); MPI_ERR_BUFFER: it has no room */
void lam_give_room(int bytes);
void lam_flush_buffered(void); /* until all that has a place there is on its way */

#endif

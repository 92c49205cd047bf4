/* Deliveries that may come out otherwise: stamps that tell their races, records, and replays of records. All of it rests while
 * `lam_delivery` is false, and a message then costs nothing more. */
#ifndef LAM_SUPPORT_LAM_DELIVERY_H
#define LAM_SUPPORT_LAM_DELIVERY_H

#include "lam_transfer.h"

extern bool lam_delivery; /* the next, or a script to follow */
extern bool lam_stamps;

/* ---- stamps.c: vector clocks. Entry `p` of a rank's clock: how many events of rank p had happened before its present one ----
 * With the exact rule an event is the end of a receive or blocking probe from any source; with Annai's it is a send. Fidge,
 * Mattern 1988. Only what has changed since the last message of the pair travels with LAM_CHANGES, as Singhal and Kshemkalyani
 * 1992 have it; MPI receives may be out of order, so a stamp is decoded when its message comes.
 *
 * Behind the entries of a stamp stand ranges of receives whose match is known by other ways than their end (matches.c): how many
 * there are, then rank, first and last number of each. Most stamps have none. */
extern uint32_t* lam_clock; /* an entry for each rank of the world */
extern int lam_clock_size;
bool lam_stamps_begin(int size, bool changes); /* false: no memory */
/* Sends the first packet of a message with a stamp of `clock`. */
void lam_stamp_send(uint32_t* clock, int to, const int32_t* words, const void* body, int bytes);
/* The stamp of a message: `bytes` at `from`, with so many ranges. The caller frees it. */
uint32_t* lam_stamp_read(int sender, const void* from, int bytes, int ranges);
/* A stamp came before its message, which had no room for it: its entries, or some of its ranges. */
void lam_stamp_keep(int sender, const void* from, int bytes, int ranges);
uint32_t* lam_stamp_of_self(void); /* of a message to the own rank */
uint32_t* lam_stamp_copy(const uint32_t* stamp);
void lam_stamp_merge(uint32_t** into, const uint32_t* stamp);
void lam_stamp_add(uint32_t** stamp, int rank, uint32_t first, uint32_t last); /* a range */
bool lam_stamp_has(const uint32_t* stamp, int rank, uint32_t number);          /* in a range */
bool lam_stamp_has_some(const uint32_t* stamp, int rank);
void lam_stamp_drop(uint32_t* stamp, int rank); /* its ranges */
/* The newest that has come of each rank: no later message of it has less. NULL: none has. */
const uint32_t* lam_stamp_newest(int sender);
/* A message with a stamp has been sent, or has come, other than of the library: in MPI_Finalize() the last ones are waited for. */
void lam_stamp_count(int to);
void lam_stamp_count_came(void);
void lam_stamps_drain(void);
/* transfer.c: in a packet of its own, or behind the body of a message. `ranges`: so many end it. */
void lam_send_stamp(int to, const void* stamp, int bytes, int ranges);
void lam_send_stamped(int to, const int32_t* words, const void* body, int bytes, int ranges);
/* The clock that sends carry now: that of a collective operation, while it works off its steps. Else `lam_clock`. */
extern uint32_t** lam_stamp_of_sends;

/* ---- matches.c: what the match of a receive depends on, with the exact rule ---- */

void lam_match_begin(struct lam_request* request); /* a receive of the program, before it can match */
/* The stamp of the match: that of the message, and those of the matches that must have been before. Gives it to the request. */
void lam_match_taken(struct lam_message* message, struct lam_request* request);
/* That of a probe which found this message. The caller frees it. */
uint32_t* lam_match_probed(int wanted_source, int wanted_tag, const struct lam_message* message);
/* For the sender, which waited for the match: what it knows then. The caller frees it. */
uint32_t* lam_match_answer(const struct lam_request* request);
void lam_match_ended(const struct lam_request* request); /* the program knows, or has cancelled it */
void lam_match_prune(void); /* `lam_clock` forgets receives that have ended: its own entry tells them */

/* ---- races.c: the exact rule; races_annai.c: that of Annai's tool ---- */

/* A receive that could take a message of any source, and has one. */
struct lam_wild {
    uint32_t number; /* among the rank's receives */
    int source, tag; /* that came; as the receive names it */
    uint32_t context;
};
void lam_race_came(const struct lam_message* message, const struct lam_request* posted); /* NULL: none takes it at once */
void lam_race_taken(const struct lam_message* message, struct lam_request* request); /* after lam_match_taken() */
void lam_race_probed(const struct lam_wild* probe, const struct lam_message* message);
void lam_race_ended(const struct lam_request* request, const uint32_t* stamp); /* the program knows now */
void lam_race_forget(struct lam_request* request); /* is freed without an end */
void lam_races_tell_open(void); /* those that may still turn out to race */
void lam_races_begin(bool all_sources);
void lam_annai_ended(uint32_t number, bool wild, int source, int tag, uint32_t context, const uint32_t* stamp);
extern bool lam_annai;

/* ---- record.c ---- */

void lam_record(enum lam_event_kind kind, uint32_t first, uint32_t last, int source, int other);
void lam_record_flush(void);
void lam_record_end(void);
/* A debugger stops here, and finds the number of a receive in the variable, with a record or without: receives of the program
 * that have begun, with its blocking probes. */
extern uint32_t lam_receives;
void lam_receive_begins(void);

uint32_t lam_count(enum lam_event_kind kind); /* the number of this call */
uint32_t lam_counted(enum lam_event_kind kind);

/* ---- delivery.c: the policy that the matcher asks ---- */

enum lam_verdict {
    LAM_FREE,    /* what comes */
    LAM_FORCED,  /* what `event` says, and nothing before that has come */
    LAM_NOT_YET  /* nothing, whatever has come */
};
struct lam_decision {
    enum lam_verdict verdict;
    uint32_t number;
    const struct lam_event* event; /* the first of `events` */
    int events;
};
/* Counts this call. Call it only with `lam_delivery`. */
struct lam_decision lam_decide(enum lam_event_kind kind);
/* Another one than the script says: tells mpirun, and does not return. */
__attribute__((noreturn)) void lam_diverged(const struct lam_decision* its, int came);
bool lam_delivery_begin(int size); /* false: no memory */
void lam_delivery_post(struct lam_request* request); /* numbers a receive of the program, and names its source */
/* A probe of `*from`, which it may change. `*waits`: not before a message has come. False: a replay says that none has. */
bool lam_delivery_probe(struct lam_decision* its, int* from, bool* waits);
void lam_delivery_probed(const struct lam_decision* its, bool waited, int wanted, int tag, const struct lam_message* message);
bool lam_delivery_may_cancel(const struct lam_request* request); /* a receive; true: it has no message */
void lam_delivery_matched(uint32_t number, int source); /* a receive or blocking probe of any source */
void lam_delivery_met(void); /* what a script names has come */
void lam_delivery_cancel_send(struct lam_request* request);
void lam_delivery_observe(struct lam_request* request); /* the program learns of its end: call lam_observe() */
void lam_delivery_end(void);

static inline void lam_observe(struct lam_request* request) {
    if (request->kind != LAM_SEND) lam_freed_unknown.from = NULL;
    if (lam_delivery) lam_delivery_observe(request);
}

#endif

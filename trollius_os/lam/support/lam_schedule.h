/* Shared by schedule.c, which makes lists of steps, and schedule_run.c, which works them off. */
#ifndef LAM_SUPPORT_LAM_SCHEDULE_H
#define LAM_SUPPORT_LAM_SCHEDULE_H

#include "lam_collectives.h"

enum lam_step_kind { LAM_STEP_SEND, LAM_STEP_RECEIVE, LAM_STEP_REDUCE, LAM_STEP_COPY, LAM_STEP_CALL, LAM_STEP_ROUND };
struct lam_step {
    enum lam_step_kind kind;
    const void* from;
    void* to;
    int count, to_count, rank, world;
    bool inside;
    struct lam_type *type, *to_type;
    struct lam_op* op;
    int (*action)(void* context);
    struct lam_request* request;
};
struct lam_room {
    struct lam_room* next;
    max_align_t memory[];
};
struct lam_schedule {
    struct lam_comm* comm;
    uint32_t context;
    int tag;
    bool blocking, inside, done, told; /* `told`: that the ranks' data differ */
    struct lam_called call;
    int basic; /* number of the first basic type of the rank's data; 0: fits all */
    enum lam_collective operation;
    int root;
    int error;      /* the first */
    char text[160]; /* about it; empty: none */
    struct lam_step* steps;
    int count, places;
    int round, next; /* first step of the present round, and of that after it */
    struct lam_room* rooms;
    struct lam_op* op;
    struct lam_request* request;
    struct lam_use* uses; /* until they are those of the request */
    struct lam_schedule *later, *earlier; /* in the list of active ones */
    bool active, abandoned;               /* abandoned: messages under way still use its memory */
    uint32_t logged;                      /* lam_log_begun() */
    uint32_t* stamp;                      /* clock of the operation, apart from that of the program; NULL: stamps are off */
};

void lam_schedule_note(struct lam_schedule* plan, int error); /* keeps the first */
void lam_step_leave(struct lam_step* step); /* a message under way goes on alone; a receive without one is taken back */
void lam_schedule_deactivate(struct lam_schedule* plan);

#endif

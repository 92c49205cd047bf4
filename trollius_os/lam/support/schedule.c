/* Collective operations as rounds of steps: each rank makes a list of its own, which schedule_run.c works off. */
#include <stdlib.h>

#include "lam_schedule.h"

struct lam_schedule* lam_schedule_new(struct lam_comm* comm, bool blocking) {
    struct lam_schedule* plan = calloc(1, sizeof *plan);
    if (plan == NULL) return NULL;
    plan->comm = comm;
    lam_comm_hold(comm);
    plan->blocking = blocking;
    plan->root = LAM_NO_ROOT;
    plan->call = lam_called;
    plan->context = comm->context + (blocking ? LAM_COLLECTIVE : LAM_NONBLOCKING);
    plan->tag = (int)(comm->collectives++ & 0x7fffffff);
    return plan;
}

void lam_schedule_name(struct lam_schedule* plan, enum lam_collective operation, int root) {
    plan->operation = operation;
    plan->root = root == MPI_ROOT ? plan->comm->rank : root;
}
void lam_schedule_data(struct lam_schedule* plan, uint32_t signature) {
    plan->basic = (int)(signature & 0x3f);
}
void lam_schedule_inside(struct lam_schedule* plan, bool inside) {
    plan->inside = inside;
}
/* The program may free the operation before the end. */
void lam_schedule_hold_op(struct lam_schedule* plan, struct lam_op* op) {
    ++op->references;
    plan->op = op;
}

void lam_schedule_note(struct lam_schedule* plan, int error) {
    if (plan->error == MPI_SUCCESS) plan->error = error;
}

/* NULL: no memory, which the run will tell. */
static struct lam_step* add(struct lam_schedule* plan, enum lam_step_kind kind) {
    if (plan->count == plan->places) {
        const int places = plan->places == 0 ? 16 : 2 * plan->places;
        struct lam_step* more = realloc(plan->steps, (size_t)places * sizeof *more);
        if (more == NULL) {
            lam_schedule_note(plan, MPI_ERR_NO_MEM);
            return NULL;
        }
        plan->steps = more;
        plan->places = places;
    }
    struct lam_step* step = &plan->steps[plan->count++];
    *step = (struct lam_step){.kind = kind};
    return step;
}
static struct lam_step* add_typed(struct lam_schedule* plan, enum lam_step_kind kind, const void* from, void* to, int count,
                                  struct lam_type* type) {
    struct lam_step* step = add(plan, kind);
    if (step == NULL) return NULL;
    step->from = from;
    step->to = to;
    step->count = count;
    step->type = type;
    lam_type_hold(type);
    return step;
}
static void name_peer(const struct lam_schedule* plan, struct lam_step* step, int rank) {
    const struct lam_group* among = plan->inside ? plan->comm->local : plan->comm->remote;
    if (step == NULL) return;
    step->rank = rank;
    step->inside = plan->inside;
    step->world = among->world[rank];
}

void lam_step_send(struct lam_schedule* plan, const void* data, int count, struct lam_type* type, int rank) {
    name_peer(plan, add_typed(plan, LAM_STEP_SEND, data, NULL, count, type), rank);
}
void lam_step_receive(struct lam_schedule* plan, void* data, int count, struct lam_type* type, int rank) {
    name_peer(plan, add_typed(plan, LAM_STEP_RECEIVE, NULL, data, count, type), rank);
}
void lam_step_reduce(struct lam_schedule* plan, const void* in, void* inout, int count, struct lam_type* type,
                     struct lam_op* op) {
    struct lam_step* step = add_typed(plan, LAM_STEP_REDUCE, in, inout, count, type);
    if (step != NULL) step->op = op;
}
void lam_step_copy(struct lam_schedule* plan, const void* from, int from_count, struct lam_type* from_type, void* to,
                   int to_count, struct lam_type* to_type) {
    struct lam_step* step = add_typed(plan, LAM_STEP_COPY, from, to, from_count, from_type);
    if (step == NULL) return;
    step->to_count = to_count;
    step->to_type = to_type;
    lam_type_hold(to_type);
}
void lam_step_call(struct lam_schedule* plan, int (*action)(void* context), void* context) {
    struct lam_step* step = add(plan, LAM_STEP_CALL);
    if (step == NULL) return;
    step->action = action;
    step->to = context;
}
void lam_next_round(struct lam_schedule* plan) {
    add(plan, LAM_STEP_ROUND);
}

/* Cleared: what a program's operation finds in the gaps of a type is the same in each run. */
void* lam_schedule_room(struct lam_schedule* plan, size_t bytes) {
    struct lam_room* room = calloc(1, sizeof *room + bytes + 1);
    if (room == NULL) {
        lam_schedule_note(plan, MPI_ERR_NO_MEM);
        return NULL;
    }
    room->next = plan->rooms;
    plan->rooms = room;
    return room->memory;
}

void lam_schedule_free(struct lam_schedule* plan) {
    lam_schedule_deactivate(plan);
    lam_uses_end(plan->uses, false);
    for (int i = 0; i < plan->count; ++i) {
        struct lam_step* step = &plan->steps[i];
        lam_step_leave(step);
        if (step->type != NULL) lam_type_drop(step->type);
        if (step->to_type != NULL) lam_type_drop(step->to_type);
    }
    for (struct lam_room *room = plan->rooms, *next = NULL; room != NULL && !plan->abandoned; room = next) {
        next = room->next;
        free(room);
    }
    if (plan->op != NULL && --plan->op->references == 0 && plan->op->predefined == 0) free(plan->op);
    lam_comm_drop(plan->comm);
    free(plan->stamp);
    free(plan->steps);
    free(plan);
}

/* Works off the lists of steps of collective operations, while the library progresses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lam_arguments.h"
#include "lam_schedule.h"
#include "lam_delivery.h"
#include "lam_logs.h"

static struct lam_schedule *first_active, *last_active;

static const char* const names[LAM_COLLECTIVES] = {
    "MPI_Comm_idup",  "MPI_Barrier",   "MPI_Bcast",          "MPI_Gather",
    "MPI_Gatherv",    "MPI_Scatter",   "MPI_Scatterv",       "MPI_Allgather",
    "MPI_Allgatherv", "MPI_Alltoall",  "MPI_Alltoallv",      "MPI_Alltoallw",
    "MPI_Reduce",     "MPI_Allreduce", "MPI_Reduce_scatter", "MPI_Reduce_scatter_block",
    "MPI_Scan",       "MPI_Exscan",    "MPI_Neighbor_allgather", "MPI_Neighbor_allgatherv",
    "MPI_Neighbor_alltoall", "MPI_Neighbor_alltoallv", "MPI_Neighbor_alltoallw"};

/* A mark: root + 1 (0: the operation has none), the first basic type of the rank's data (0: fits all), the reduction (0: none),
 * the operation. */
enum { root_bits = 11, type_bits = 6, reduction_bits = 5, type_at = root_bits, reduction_at = type_at + type_bits,
       operation_at = reduction_at + reduction_bits };
static int field(int32_t mark, int at, int bits) {
    return mark >> at & ((1 << bits) - 1);
}

/* Operations of the program are told from each other by where their functions lie, which is the same in all ranks. */
static const char* const reductions[] = {"none",    "MPI_MAX",  "MPI_MIN",    "MPI_SUM",    "MPI_PROD",    "MPI_LAND", "MPI_BAND",
                                         "MPI_LOR", "MPI_BOR",  "MPI_LXOR",   "MPI_BXOR",   "MPI_MINLOC",  "MPI_MAXLOC"};
enum { first_own = 16, own_places = 16 };
static int number_of(const struct lam_op* op) {
    if (op == NULL) return 0;
    if (op->predefined != 0) return op->predefined < first_own ? op->predefined : 0;
    const uintptr_t place = (uintptr_t)op->function - (uintptr_t)&lam_called;
    return first_own + (int)((place ^ place >> 4 ^ place >> 9) % own_places);
}
static const char* reduction_name(int number) {
    return (size_t)number < sizeof reductions / sizeof reductions[0] ? reductions[number] : "an operation of the program";
}

static int32_t mark_of(const struct lam_schedule* plan) {
    return (int32_t)plan->operation << operation_at | number_of(plan->op) << reduction_at | plan->basic << type_at |
           (plan->root >= 0 ? plan->root + 1 : 0);
}
/* "MPI_Ibcast" */
static void function_of(int operation, bool blocking, char* text, size_t room) {
    const char* name = names[operation >= 0 && operation < LAM_COLLECTIVES ? operation : LAM_OTHER];
    if (blocking || name == names[LAM_OTHER]) {
        snprintf(text, room, "%s", name);
    } else {
        snprintf(text, room, "MPI_I%c%s", name[4] | 0x20, name + 5);
    }
}
/* "MPI_Ibcast() with root 3" */
static void name_of(int32_t mark, bool blocking, char* text, size_t room) {
    const int root = field(mark, 0, root_bits) - 1;
    char function[32];
    function_of(mark >> operation_at, blocking, function, sizeof function);
    if (root >= 0) {
        snprintf(text, room, "%s() with root %d", function, root);
    } else {
        snprintf(text, room, "%s()", function);
    }
}

void lam_mark_text(int32_t mark, bool blocking, char* text, size_t room) {
    name_of(mark, blocking, text, room);
}

static int copy(const struct lam_step* step) {
    const size_t bytes = step->type->size * (size_t)step->count;
    const size_t room = step->to_type->size * (size_t)step->to_count;
    const size_t taken = bytes < room ? bytes : room;
    if (taken == 0) return bytes > room ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
    lam_port_charge(LAM_PRICE_BYTE, taken);
    lam_log_copied((struct lam_row){step->from, (size_t)step->count, step->type},
                   (struct lam_row){step->to, (size_t)step->to_count, step->to_type}, taken);
    const char* from = (const char*)step->from + step->type->true_lb;
    if (step->type->gapless && step->to_type->gapless) {
        memmove((char*)step->to + step->to_type->true_lb, from, taken);
    } else if (step->type->gapless) {
        lam_unpack(from, taken, step->to, (size_t)step->to_count, step->to_type);
    } else {
        char* packed = malloc(bytes);
        if (packed == NULL) return MPI_ERR_NO_MEM;
        lam_pack(step->from, (size_t)step->count, step->type, packed);
        lam_unpack(packed, taken, step->to, (size_t)step->to_count, step->to_type);
        free(packed);
    }
    return bytes > room ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
}

static void tell_own_types(struct lam_schedule* plan) {
    if (plan->told) return;
    plan->told = true;
    lam_found(LAM_TYPE_MISMATCH, false, &plan->call, NULL, "its own data are sent with other types than they are received with");
}

static void perform_step(struct lam_schedule* plan, struct lam_step* step) {
    const bool sends = step->kind == LAM_STEP_SEND;
    switch (step->kind) {
        case LAM_STEP_SEND:
            if (plan->stamp != NULL) lam_stamp_of_sends = &plan->stamp;
            step->request = lam_send_marked(step->from, step->count, step->type, step->world, plan->tag, plan->context,
                                            lam_mode_of(LAM_STANDARD), mark_of(plan));
            lam_stamp_of_sends = &lam_clock;
            break;
        case LAM_STEP_RECEIVE:
            if (plan->stamp != NULL) lam_stamp_of_sends = &plan->stamp;
            step->request = lam_receive(step->to, step->count, step->type, step->world, plan->tag, plan->context);
            lam_stamp_of_sends = &lam_clock;
            break;
        case LAM_STEP_REDUCE:
            lam_port_charge(LAM_PRICE_REDUCE, (size_t)step->count * step->type->elements);
            if (step->op->predefined == 0) lam_log_function();
            lam_reduce(step->from, step->to, step->count, step->type->handle, step->op);
            lam_log_combined(step->from, step->to, step->count, step->type);
            return;
        case LAM_STEP_COPY:
            if (!lam_signatures_fit(lam_signature((size_t)step->count, step->type),
                                    lam_signature((size_t)step->to_count, step->to_type)))
                tell_own_types(plan);
            return lam_schedule_note(plan, copy(step));
        case LAM_STEP_CALL:
            return lam_schedule_note(plan, step->action(step->to));
        case LAM_STEP_ROUND:
            return;
    }
    if (step->request == NULL) {
        lam_schedule_note(plan, MPI_ERR_NO_MEM);
        snprintf(plan->text, sizeof plan->text, "the node has no memory for a %s", sends ? "send" : "receive");
    }
}

static void perform(struct lam_schedule* plan, struct lam_step* step) {
    lam_log_operation = plan->logged;
    perform_step(plan, step);
    lam_log_operation = 0;
}

static void tell_other(struct lam_schedule* plan, int rank, int32_t came, bool blocking) {
    char other[64], mine[64];
    name_of(came, blocking, other, sizeof other);
    name_of(mark_of(plan), plan->blocking, mine, sizeof mine);
    plan->error = MPI_ERR_OTHER;
    snprintf(plan->text, sizeof plan->text, "rank %d is in %s, rank %d in %s", rank, other, plan->comm->rank, mine);
}
/* True: the other rank is in another operation, so the rest of this one has no sense. */
static bool is_other(struct lam_schedule* plan, int rank, int32_t came) {
    const int32_t own = mark_of(plan);
    if (own >> operation_at == came >> operation_at && field(own, 0, root_bits) == field(came, 0, root_bits)) return false;
    tell_other(plan, rank, came, plan->blocking);
    return true;
}
/* The same operation with other data: no other MPI notices, so it is told, and the run goes on. */
static void compare(struct lam_schedule* plan, const struct lam_step* step) {
    const int32_t own = mark_of(plan), came = step->request->came_mark;
    const int mine = field(own, reduction_at, reduction_bits), others = field(came, reduction_at, reduction_bits);
    const int type = field(own, type_at, type_bits), other_type = field(came, type_at, type_bits);
    const int me = plan->comm->rank;
    if (plan->told) return;
    plan->told = true;
    if (mine != others && mine != 0 && others != 0 && mine >= first_own && others >= first_own) {
        lam_found(LAM_COLLECTIVE_MISMATCH, false, &plan->call, NULL,
                  "rank %d and rank %d reduce by different functions of the program", step->rank, me);
    } else if (mine != others && mine != 0 && others != 0) {
        lam_found(LAM_COLLECTIVE_MISMATCH, false, &plan->call, NULL, "rank %d reduces by %s, rank %d by %s", step->rank,
                  reduction_name(others), me, reduction_name(mine));
    } else if (type != other_type && type != 0 && other_type != 0) {
        lam_found(LAM_TYPE_MISMATCH, false, &plan->call, NULL, "the data of rank %d begin with %s, those of rank %d with %s",
                  step->rank, lam_basic_name(other_type), me, lam_basic_name(type));
    } else if (step->request->types_differ) {
        lam_found(LAM_TYPE_MISMATCH, false, &plan->call, NULL, "rank %d sent data of other types than rank %d expects",
                  step->rank, me);
    } else {
        plan->told = false;
    }
}

static int rank_of_sender(const struct lam_schedule* plan, const struct lam_message* its) {
    const int rank = plan->comm->remote->inverse[its->sender];
    return rank == MPI_UNDEFINED ? plan->comm->local->inverse[its->sender] : rank;
}
/* A message of another operation need not match any receive of this one, which would wait for ever. */
static bool finds_other(struct lam_schedule* plan) {
    const struct lam_message* its = lam_find_message(MPI_ANY_SOURCE, plan->tag, plan->context);
    if (its != NULL) return is_other(plan, rank_of_sender(plan, its), its->mark);
    /* Operations that block and those that do not keep one order. */
    const uint32_t context = plan->comm->context + (plan->blocking ? LAM_NONBLOCKING : LAM_COLLECTIVE);
    its = lam_find_message(MPI_ANY_SOURCE, plan->tag, context);
    if (its != NULL) tell_other(plan, rank_of_sender(plan, its), its->mark, !plan->blocking);
    return its != NULL;
}
static void abandon(struct lam_schedule* plan) {
    for (int i = plan->round; i < plan->next; ++i) lam_step_leave(&plan->steps[i]);
    plan->next = plan->count;
    plan->abandoned = true;
}
/* All ranks must give equal amounts, other than in a receive. */
static void check_bytes(struct lam_schedule* plan, const struct lam_step* step) {
    const long long wanted = (long long)step->type->size * step->count;
    const int error = step->request->status.MPI_ERROR;
    if (error == MPI_SUCCESS && step->request->status.lam_bytes == wanted) return;
    if (plan->error != MPI_SUCCESS) return;
    plan->error = error == MPI_SUCCESS ? MPI_ERR_OTHER : error;
    const char* side = plan->comm->inter && !step->inside ? "rank %d of the other group" : "rank %d";
    char peer[48];
    snprintf(peer, sizeof peer, side, step->rank);
    if (error == MPI_SUCCESS)
        snprintf(plan->text, sizeof plan->text, "%s sent %lld bytes, and rank %d expects %lld", peer,
                 step->request->status.lam_bytes, plan->comm->rank, wanted);
    else if (error == MPI_ERR_TRUNCATE)
        snprintf(plan->text, sizeof plan->text, "%s sent more than the %lld bytes that rank %d expects", peer, wanted,
                 plan->comm->rank);
    else if (error == MPI_ERR_TYPE)
        snprintf(plan->text, sizeof plan->text, "%s sent data of other types than rank %d expects", peer, plan->comm->rank);
}

/* Messages under way go on alone; a receive that has no message yet is taken back. */
void lam_step_leave(struct lam_step* step) {
    if (step->request == NULL) return;
    if (step->request->queued) {
        lam_unpost(step->request);
        step->request->complete = true;
    }
    if (step->request->complete) {
        lam_request_release(step->request);
    } else {
        step->request->freed = true;
    }
    step->request = NULL;
}

/* The steps of the present round that have ended are done with. True: all have. */
static bool finish_round(struct lam_schedule* plan, bool* moved) {
    bool all = true;
    for (int i = plan->round; i < plan->next; ++i) {
        struct lam_step* step = &plan->steps[i];
        if (step->request == NULL) continue;
        if (!step->request->complete) {
            all = false;
            continue;
        }
        *moved = true;
        if (step->kind == LAM_STEP_RECEIVE) {
            if (is_other(plan, step->rank, step->request->came_mark)) return abandon(plan), true;
            compare(plan, step);
            check_bytes(plan, step);
        } else {
            lam_schedule_note(plan, step->request->status.MPI_ERROR);
        }
        if (plan->stamp != NULL && step->request->stamp != NULL) lam_stamp_merge(&plan->stamp, step->request->stamp);
        lam_request_release(step->request);
        step->request = NULL;
    }
    if (all || !finds_other(plan)) return all;
    return abandon(plan), true;
}

void lam_schedule_deactivate(struct lam_schedule* plan) {
    if (!plan->active) return;
    plan->active = false;
    *(plan->earlier == NULL ? &first_active : &plan->earlier->later) = plan->later;
    *(plan->later == NULL ? &last_active : &plan->later->earlier) = plan->earlier;
}
static void activate(struct lam_schedule* plan) {
    plan->active = true;
    plan->earlier = last_active;
    *(last_active == NULL ? &first_active : &last_active->later) = plan;
    last_active = plan;
}

static int tell(struct lam_schedule* plan, const char* function) {
    if (plan->error == MPI_SUCCESS) return MPI_SUCCESS;
    const enum lam_finding_kind kind = plan->error == MPI_ERR_NO_MEM ? LAM_NO_MEMORY : LAM_COLLECTIVE_MISMATCH;
    if (plan->text[0] != '\0')
        return lam_fail_as(kind, NULL, plan->comm->handle, plan->error, function, "%s", plan->text);
    if (plan->error == MPI_ERR_NO_MEM)
        return lam_fail(plan->comm->handle, plan->error, function, "the node has no memory for the operation");
    if (plan->error == MPI_ERR_TRUNCATE)
        return lam_fail(plan->comm->handle, plan->error, function, "the rank's own data are longer than its receive buffer");
    return lam_fail(plan->comm->handle, plan->error, function, "a part of the operation failed");
}

/* The request of the program may go together with its schedule, so the schedule goes first. */
static void finish(struct lam_schedule* plan) {
    plan->done = true;
    lam_schedule_deactivate(plan);
    struct lam_request* request = plan->request;
    if (request == NULL) return;
    char function[32];
    function_of((int)plan->operation, false, function, sizeof function);
    /* MPI_Wait() would tell the class only. */
    if (plan->error != MPI_SUCCESS && plan->comm->errhandler == MPI_ERRORS_ARE_FATAL) tell(plan, function);
    const int error = plan->error;
    lam_uses_whole(request->uses);
    request->schedule = NULL;
    request->stamp = plan->stamp;
    plan->stamp = NULL;
    lam_schedule_free(plan);
    lam_request_complete(request, error);
}

/* Operations of the program could call MPI, though they must not; nothing moves then. */
bool lam_schedule_progress(struct lam_schedule* plan) {
    static bool inside;
    bool moved = false;
    if (inside) return false;
    inside = true;
    while (finish_round(plan, &moved)) {
        moved = true;
        if (plan->next >= plan->count) {
            finish(plan);
            break;
        }
        plan->round = plan->next;
        while (plan->next < plan->count && plan->steps[plan->next].kind != LAM_STEP_ROUND)
            perform(plan, &plan->steps[plan->next++]);
        if (plan->next < plan->count) ++plan->next;
    }
    inside = false;
    return moved;
}

bool lam_schedules_progress(void) {
    bool moved = false;
    for (struct lam_schedule *plan = first_active, *later = NULL; plan != NULL; plan = later) {
        later = plan->later;
        if (lam_schedule_progress(plan)) moved = true;
    }
    return moved;
}

/* For the words about a standstill: the first message that is missing in the present round. */
static void tell_wait(const struct lam_schedule* plan) {
    const struct lam_request* missing = NULL;
    for (int i = plan->round; i < plan->next && missing == NULL; ++i) {
        const struct lam_request* its = plan->steps[i].request;
        if (its != NULL && !its->complete) missing = its;
    }
    lam_waits_for(names[plan->operation], missing);
    lam_waits_in.communicator = plan->comm->name;
    lam_waits_in.local_rank = plan->comm->rank;
    lam_waits_in.local_peer = plan->root;
    if (plan->comm->inter) return;
    lam_waits_in.context = plan->context;
    lam_waits_in.order = plan->tag;
    lam_waits_in.root = plan->root;
    lam_waits_in.members = plan->comm->local->mark;
}

static int run_to_end(struct lam_schedule* plan, const char* function) {
    if (plan->error == MPI_SUCCESS) {
        activate(plan);
        lam_schedule_progress(plan);
        while (!plan->done) {
            tell_wait(plan);
            lam_progress(true);
        }
        lam_waits_no_more();
        lam_freed_unknown.from = NULL;
        if (plan->stamp != NULL) lam_stamp_merge(&lam_clock, plan->stamp);
    }
    const int error = tell(plan, function);
    lam_schedule_free(plan);
    return error;
}

int lam_schedule_run(struct lam_schedule* plan, MPI_Request* handle) {
    char function[32];
    function_of((int)plan->operation, plan->blocking, function, sizeof function);
    if (lam_stamps) plan->stamp = lam_stamp_copy(lam_clock);
    if (handle == NULL) {
        plan->logged = lam_log_begun(0);
        return run_to_end(plan, function);
    }
    struct lam_request* request = plan->error == MPI_SUCCESS ? lam_request_new(LAM_SCHEDULE, plan->comm) : NULL;
    if (request == NULL) {
        lam_schedule_note(plan, MPI_ERR_NO_MEM);
        const int error = tell(plan, function);
        lam_schedule_free(plan);
        return error;
    }
    *handle = request->handle;
    plan->logged = lam_log_begun(request->handle);
    request->active = true;
    request->schedule = plan;
    plan->request = request;
    request->uses = plan->uses;
    plan->uses = NULL;
    activate(plan);
    lam_schedule_progress(plan);
    lam_uses_note();
    return MPI_SUCCESS;
}

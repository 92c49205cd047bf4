/* What the match of a receive depends on, beside the sending of its message. By the rules of MPI a message cannot match a receive
 * while one that was begun earlier would take it, and no message of a sender overtakes another that the receive would take. So some
 * earlier matches are certain when a later one is: whoever knows the later one knows them, although the program has not heard of
 * their end. A message that is sent with this knowledge cannot race with them.
 *
 * The end of a synchronous send, and of one longer than mpi.short, tells its sender of the match. The answer carries what the
 * receiver's program knew when it began the receive, and the receives that had to be matched before. */
#include <stdlib.h>

#include "lam_delivery.h"

struct lam_match { /* a receive of the program that has begun */
    struct lam_match *earlier, *later;
    uint32_t number;
    uint32_t begun_at_end; /* the newest receive when it ended; 0: it has not */
    int wanted_source, wanted_tag;
    uint32_t context;
    int sender, tag; /* that came */
    uint32_t order;
    uint32_t* stamp; /* of the match; NULL: none yet */
};
static struct lam_match *first, *last;
enum { first_sweep = 16 };
static uint32_t newest; /* receive that has begun */
static size_t count, sweep_at = first_sweep;

static bool would_take(int source, int tag, uint32_t context, int sender, int its_tag, uint32_t its_context) {
    return context == its_context && (source == MPI_ANY_SOURCE || source == sender) && (tag == MPI_ANY_TAG || tag == its_tag);
}

/* A receive that has ended counts while one is open that was begun between its beginning and its end. */
static void sweep(void) {
    uint32_t open = 0; /* the lowest behind */
    for (struct lam_match *its = last, *earlier = NULL; its != NULL; its = earlier) {
        earlier = its->earlier;
        if (its->begun_at_end == 0) {
            open = its->number;
            continue;
        }
        if (open != 0 && open <= its->begun_at_end) continue;
        *(its->earlier == NULL ? &first : &its->earlier->later) = its->later;
        *(its->later == NULL ? &last : &its->later->earlier) = its->earlier;
        free(its->stamp);
        free(its);
        --count;
    }
    sweep_at = 2 * count > first_sweep ? 2 * count : first_sweep;
}

void lam_match_begin(struct lam_request* request) {
    free(request->posted);
    request->posted = NULL;
    struct lam_match* its = calloc(1, sizeof *its);
    if (its == NULL) lam_port_abort(MPI_ERR_NO_MEM);
    its->number = newest = request->receive;
    its->wanted_source = request->peer_world;
    its->wanted_tag = request->tag;
    its->context = request->context;
    request->below = its->number;
    for (const struct lam_match* open = first; open != NULL; open = open->later) {
        if (open->begun_at_end != 0) continue;
        request->below = open->number;
        break;
    }
    its->earlier = last;
    *(last == NULL ? &first : &last->later) = its;
    last = its;
    request->match = its;
    if (++count >= sweep_at) sweep();
}

/* Adds to `stamp` the matches that are certain when a receive like this, the number-th, has taken the message. */
static void add_certain(uint32_t** stamp, uint32_t number, int wanted_source, int wanted_tag,
                        const struct lam_message* message) {
    size_t compared = 0;
    for (const struct lam_match* its = first; its != NULL && its->number < number; its = its->later, ++compared) {
        const bool takes =
            would_take(its->wanted_source, its->wanted_tag, its->context, message->sender, message->tag, message->context);
        const bool overtaken = its->stamp != NULL && its->sender == message->sender && its->order < message->order &&
                               would_take(wanted_source, wanted_tag, message->context, its->sender, its->tag, its->context);
        if (!takes && !overtaken) continue;
        if (its->stamp != NULL) lam_stamp_merge(stamp, its->stamp);
        lam_stamp_add(stamp, lam_rank, its->number, its->number);
    }
    if (compared > 0) lam_port_charge(LAM_PRICE_MATCH, compared);
}

void lam_match_taken(struct lam_message* message, struct lam_request* request) {
    struct lam_match* its = request->match;
    free(request->stamp);
    request->stamp = message->stamp;
    message->stamp = NULL;
    if (its == NULL || lam_annai) return;
    its->sender = message->sender;
    its->tag = message->tag;
    its->order = message->order;
    add_certain(&request->stamp, its->number, its->wanted_source, its->wanted_tag, message);
    its->stamp = lam_stamp_copy(request->stamp);
}

uint32_t* lam_match_probed(int wanted_source, int wanted_tag, const struct lam_message* message) {
    uint32_t* stamp = lam_stamp_copy(message->stamp);
    add_certain(&stamp, UINT32_MAX, wanted_source, wanted_tag, message);
    return stamp;
}

uint32_t* lam_match_answer(const struct lam_request* request) {
    uint32_t* stamp = lam_stamp_copy(request->posted != NULL ? request->posted : *lam_stamp_of_sends);
    if (request->stamp != NULL) lam_stamp_merge(&stamp, request->stamp);
    if (request->match == NULL) return stamp;
    if (request->below > 1) lam_stamp_add(&stamp, lam_rank, 1, request->below - 1);
    lam_stamp_add(&stamp, lam_rank, request->receive, request->receive);
    return stamp;
}

void lam_match_ended(const struct lam_request* request) {
    struct lam_match* its = request->match;
    if (its == NULL) return;
    its->begun_at_end = newest;
    if (its == last && its == first) sweep();
}

void lam_match_prune(void) {
    if (!lam_stamp_has_some(lam_clock, lam_rank)) return;
    const uint32_t* known = lam_stamp_copy(lam_clock);
    lam_stamp_drop(lam_clock, lam_rank);
    for (const struct lam_match* its = first; its != NULL; its = its->later) {
        if (its->begun_at_end == 0 && lam_stamp_has(known, lam_rank, its->number))
            lam_stamp_add(&lam_clock, lam_rank, its->number, its->number);
    }
    free((void*)known);
}

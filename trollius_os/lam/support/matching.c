/* The two queues of a rank: receives without a message, and messages without a receive. */
#include "lam_transfer.h"

#include <stddef.h>

static struct lam_request *first_posted, *last_posted;
static struct lam_message *first_kept, *last_kept;
static size_t kept;
static int holding; /* posted receives that hold messages back */
bool lam_let_go, lam_letting_go;

static bool matches(int wanted_source, int wanted_tag, uint32_t wanted_context, int sender, int tag, uint32_t context) {
    return wanted_context == context && (wanted_source == MPI_ANY_SOURCE || wanted_source == sender) &&
           (wanted_tag == MPI_ANY_TAG || wanted_tag == tag);
}

/* A receive of any source that shall take the message of one rank holds those of other ranks that it would take, as if the network
 * had kept them. They hold later ones of their senders, which must not overtake them. */
static bool fits(const struct lam_request* its, int sender, int tag, uint32_t context) {
    return matches(its->holds ? MPI_ANY_SOURCE : its->peer_world, its->tag, its->context, sender, tag, context);
}
static bool is_held(const struct lam_message* message, uint32_t before) {
    for (const struct lam_request* its = first_posted; its != NULL; its = its->next) {
        if (its->receive < before && fits(its, message->sender, message->tag, message->context)) return true;
    }
    return false;
}
bool lam_is_held(const struct lam_message* message, uint32_t before, int wanted_tag) {
    if (holding == 0 && !lam_letting_go) return false;
    for (const struct lam_message* its = first_kept; its != NULL && its != message; its = its->next) {
        if (matches(message->sender, wanted_tag, message->context, its->sender, its->tag, its->context) && is_held(its, before))
            return true;
    }
    return is_held(message, before);
}
/* Another message of the sender, kept before `until`, that such a receive would take. */
static bool overtakes(const struct lam_message* until, int sender, int wanted_tag, uint32_t context) {
    const struct lam_message* its = first_kept;
    while (its != NULL && its != until && !matches(sender, wanted_tag, context, its->sender, its->tag, its->context))
        its = its->next;
    return its != NULL && its != until;
}

struct lam_request* lam_take_posted(int sender, int tag, uint32_t context, const struct lam_message* until) {
    for (struct lam_request* its = first_posted; its != NULL; its = its->next) {
        if (!fits(its, sender, tag, context)) continue;
        if (its->holds && its->peer_world != sender) return NULL;
        if (holding > 0 && overtakes(until, sender, its->tag, context)) return NULL;
        lam_unpost(its);
        return its;
    }
    return NULL;
}

void lam_post(struct lam_request* request) {
    request->queued = true;
    holding += request->holds;
    request->next = NULL;
    request->previous = last_posted;
    *(last_posted == NULL ? &first_posted : &last_posted->next) = request;
    last_posted = request;
}

void lam_unpost(struct lam_request* request) {
    *(request->previous == NULL ? &first_posted : &request->previous->next) = request->next;
    *(request->next == NULL ? &last_posted : &request->next->previous) = request->previous;
    request->queued = false;
    holding -= request->holds;
    lam_let_go = lam_let_go || request->holds;
    request->next = request->previous = NULL;
}

void lam_keep(struct lam_message* message) {
    message->next = NULL;
    message->previous = last_kept;
    *(last_kept == NULL ? &first_kept : &last_kept->next) = message;
    last_kept = message;
    ++kept;
    lam_flow_kept(message);
}

int lam_count_kept(int sender, int most) {
    int count = 0;
    for (const struct lam_message* its = first_kept; its != NULL && count < most; its = its->next) count += its->sender == sender;
    return count;
}

struct lam_message* lam_find_message(int sender, int tag, uint32_t context) {
    struct lam_message* its = lam_find_next(NULL, sender, tag, context);
    while (its != NULL && holding > 0 && (is_held(its, UINT32_MAX) || overtakes(its, its->sender, tag, context)))
        its = lam_find_next(its, sender, tag, context);
    return its;
}
struct lam_message* lam_find_next(const struct lam_message* after, int sender, int tag, uint32_t context) {
    struct lam_message* its = after == NULL ? first_kept : after->next;
    while (its != NULL && !matches(sender, tag, context, its->sender, its->tag, its->context)) its = its->next;
    return its;
}

struct lam_message* lam_find_sent(int sender, int32_t number) {
    struct lam_message* its = first_kept;
    while (its != NULL && !(its->sender == sender && its->number == number)) its = its->next;
    return its;
}

struct lam_message* lam_first_kept(void) {
    return first_kept;
}

void lam_unkeep(struct lam_message* message) {
    *(message->previous == NULL ? &first_kept : &message->previous->next) = message->next;
    *(message->next == NULL ? &last_kept : &message->next->previous) = message->previous;
    message->next = message->previous = NULL;
    --kept;
    lam_flow_taken(message);
}

void lam_tell_kept(void) {
    const struct lam_message* first[2] = {NULL, NULL}; /* of the program, of its collective operations */
    size_t counts[2] = {0, 0};
    for (const struct lam_message* its = first_kept; its != NULL; its = its->next) {
        const int sort = its->mark != 0;
        if (counts[sort]++ == 0) first[sort] = its;
    }
    for (int sort = 0; sort < 2; ++sort)
        if (counts[sort] > 0) lam_tell_unreceived(first[sort], counts[sort]);
}

const struct lam_tables lam_tables = {.first_message = (const void* const*)&first_kept,
                                      .sender = offsetof(struct lam_message, sender),
                                      .tag = offsetof(struct lam_message, tag),
                                      .context = offsetof(struct lam_message, context),
                                      .bytes = offsetof(struct lam_message, bytes),
                                      .signature = offsetof(struct lam_message, signature),
                                      .next = offsetof(struct lam_message, next),
                                      .basics = lam_basics,
                                      .basic_count = LAM_BASIC_TYPES + 1,
                                      .contexts = LAM_CONTEXTS};

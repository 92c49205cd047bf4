/* The two queues of a rank: receives without a message, and messages without a receive. */
#include "lam_transfer.h"

#include <stddef.h>

static struct lam_request *first_posted, *last_posted;
static struct lam_message *first_kept, *last_kept;
static size_t kept;

static bool matches(int wanted_source, int wanted_tag, uint32_t wanted_context, int sender, int tag, uint32_t context) {
    return wanted_context == context && (wanted_source == MPI_ANY_SOURCE || wanted_source == sender) &&
           (wanted_tag == MPI_ANY_TAG || wanted_tag == tag);
}

struct lam_request* lam_take_posted(int sender, int tag, uint32_t context) {
    for (struct lam_request* its = first_posted; its != NULL; its = its->next) {
        if (!matches(its->peer_world, its->tag, its->context, sender, tag, context)) continue;
        lam_unpost(its);
        return its;
    }
    return NULL;
}

void lam_post(struct lam_request* request) {
    request->queued = true;
    request->next = NULL;
    request->previous = last_posted;
    *(last_posted == NULL ? &first_posted : &last_posted->next) = request;
    last_posted = request;
}

void lam_unpost(struct lam_request* request) {
    *(request->previous == NULL ? &first_posted : &request->previous->next) = request->next;
    *(request->next == NULL ? &last_posted : &request->next->previous) = request->previous;
    request->queued = false;
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
    struct lam_message* its = first_kept;
    while (its != NULL && !matches(sender, tag, context, its->sender, its->tag, its->context)) its = its->next;
    return its;
}
struct lam_message* lam_find_next(const struct lam_message* after, int sender, int tag, uint32_t context) {
    struct lam_message* its = after->next;
    while (its != NULL && !matches(sender, tag, context, its->sender, its->tag, its->context)) its = its->next;
    return its;
}

struct lam_message* lam_find_sent(int sender, int32_t number) {
    struct lam_message* its = first_kept;
    while (its != NULL && !(its->sender == sender && its->number == number)) its = its->next;
    return its;
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

/* Races as Annai's tool finds them, as printed: a buffer of stamps for each tag. It misses a message that another one lets overtake
 * through a third rank; races.c has the exact rule.
 * Source: Clemencon, Fritscher, Meehan, Ruehl: An implementation of race detection and deterministic replay with MPI, 1995, 4.1. */
#include <stdlib.h>

#include "lam_delivery.h"

bool lam_annai;

struct stamped { /* a receive whose message may race with a later one */
    struct stamped* next;
    uint32_t number, value; /* own entry of the sender in its stamp */
    int source;
    int missing;      /* ranks of which no message of the tag has come since */
    unsigned char* has; /* rank by rank: one has */
};
struct buffer {
    struct buffer* next;
    int tag;
    uint32_t context;
    struct stamped *first, **last;
};
static struct buffer* buffers;

static struct buffer* buffer_of(int tag, uint32_t context) {
    struct buffer* its = buffers;
    while (its != NULL && !(its->tag == tag && its->context == context)) its = its->next;
    if (its != NULL) return its;
    its = calloc(1, sizeof *its);
    if (its == NULL) lam_port_abort(MPI_ERR_NO_MEM);
    its->tag = tag;
    its->context = context;
    its->last = &its->first;
    its->next = buffers;
    buffers = its;
    return its;
}

static void add(struct buffer* buffer, uint32_t number, int source, const uint32_t* stamp) {
    struct stamped* its = calloc(1, sizeof *its);
    if (its == NULL || (its->has = calloc((size_t)lam_clock_size, 1)) == NULL) lam_port_abort(MPI_ERR_NO_MEM);
    its->number = number;
    its->source = source;
    its->value = stamp[source];
    its->missing = lam_clock_size - 1 - (source != lam_rank);
    *buffer->last = its;
    buffer->last = &its->next;
}

/* True: the receive leaves the buffer. */
static bool leaves(struct stamped* its, int source, const uint32_t* stamp) {
    if (its->source != source && its->value > stamp[its->source]) {
        lam_record(LAM_EVENT_RECV, its->number, its->number, its->source, source);
        return true;
    }
    if (source == its->source || source == lam_rank || its->has[source]) return false;
    its->has[source] = 1;
    return --its->missing <= 0;
}

void lam_annai_ended(uint32_t number, bool wild, int source, int tag, uint32_t context, const uint32_t* stamp) {
    struct buffer* buffer = buffer_of(tag, context);
    lam_port_charge(LAM_PRICE_MATCH, 1);
    struct stamped** place = &buffer->first;
    while (*place != NULL) {
        struct stamped* its = *place;
        if (!leaves(its, source, stamp)) {
            place = &its->next;
            continue;
        }
        *place = its->next;
        free(its->has);
        free(its);
    }
    buffer->last = place;
    if (!wild) return;
    lam_port_charge(LAM_PRICE_RACE, 1);
    add(buffer, number, source, stamp);
}

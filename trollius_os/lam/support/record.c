/* The record of a rank: counters of its calls, and a small buffer of events that goes to mpirun when it is full. */
#include <string.h>

#include "lam_delivery.h"

struct lam_record lam_recorded;

/* So that a clock shows who depends on calls that are not told. Ends of receives tick anyway. */
static bool ticked;

uint32_t lam_count(enum lam_event_kind kind) {
    if (lam_stamps && kind != LAM_EVENT_RECV && !ticked) {
        ticked = true;
        ++lam_clock[lam_rank];
    }
    return (uint32_t)++lam_recorded.head.counters[kind];
}
uint32_t lam_counted(enum lam_event_kind kind) {
    return (uint32_t)lam_recorded.head.counters[kind];
}

static void tell(enum lam_told what) {
    static char body[sizeof lam_recorded.head + sizeof lam_recorded.events];
    const int32_t words[LAM_PACKET_WORDS] = {what, lam_rank};
    const size_t bytes = (size_t)lam_recorded.count * sizeof lam_recorded.events[0];
    memcpy(body, &lam_recorded.head, sizeof lam_recorded.head);
    memcpy(body + sizeof lam_recorded.head, lam_recorded.events, bytes);
    lam_recorded.count = 0;
    lam_port_charge(LAM_PRICE_BYTE, sizeof lam_recorded.head + bytes);
    lam_port_tell(words, body, (int)(sizeof lam_recorded.head + bytes));
}

void lam_delivery_met(void) {
    ++lam_recorded.head.met;
}

/* Receives in a row that say the same are one event. */
static bool joins(const struct lam_event* last, const struct lam_event* its) {
    return last->kind == LAM_EVENT_RECV && its->kind == LAM_EVENT_RECV && its->source == last->source && its->other == last->other &&
           its->first == last->last + 1;
}

void lam_record(enum lam_event_kind kind, uint32_t first, uint32_t last, int source, int other) {
    const struct lam_event its = {kind, (int32_t)first, (int32_t)last, source, other};
    if (!lam_stamps) return;
    if (lam_recorded.count > 0 && joins(&lam_recorded.events[lam_recorded.count - 1], &its)) {
        lam_recorded.events[lam_recorded.count - 1].last = its.last;
        return;
    }
    lam_recorded.events[lam_recorded.count++] = its;
    if (lam_recorded.count == LAM_RECORD_EVENTS) lam_record_flush();
}

/* With the receives that no message has raced with so far: a record that is cut off here must hold them, too. The clock says on which
 * events of others it depends. */
void lam_record_flush(void) {
    static bool inside;
    if (!lam_stamps) return;
    if (inside) return tell(LAM_TOLD_EVENTS);
    inside = true;
    tell(LAM_TOLD_EVENTS);
    lam_races_tell_open();
    const int32_t words[LAM_PACKET_WORDS] = {LAM_TOLD_CLOCK, lam_rank};
    lam_port_tell(words, lam_clock, lam_clock_size * (int)sizeof *lam_clock);
    tell(LAM_TOLD_ALL);
    ticked = false;
    ++lam_clock[lam_rank];
    inside = false;
}

void lam_record_end(void) {
    if (lam_stamps) tell(LAM_TOLD_END);
}

/* The policy of deliveries: which message a receive or probe of the program may take, and when. Without a script that is the
 * matcher's own affair, and calls are counted only. With one, racing receives get their sources as they begin, in the order of
 * their beginning, so messages of others are held back. Tests and probes fail until their counter is that of a success. */
#include <stdlib.h>

#include "lam_delivery.h"

bool lam_delivery;
uint32_t lam_receives;

void lam_receive_begins(void) {
    ++lam_receives;
}

static const struct lam_event* script;
static struct lam_script_head scripted;
static bool asks;
static int next_of[LAM_EVENT_KINDS], end_of[LAM_EVENT_KINDS];
enum { nobody = -100 }; /* no sender has this rank */

bool lam_delivery_begin(int size) {
    const int wishes = lam_port_wishes();
    if (wishes == 0) return true;
    lam_delivery = true;
    lam_annai = (wishes & LAM_ANNAI) != 0;
    if ((wishes & LAM_STAMPS) != 0 && !lam_stamps_begin(size, (wishes & LAM_CHANGES) != 0)) return false;
    lam_races_begin((wishes & LAM_ALL_SOURCES) != 0);
    asks = (wishes & LAM_ASKS) != 0;
    if ((wishes & LAM_SCRIPT) == 0) return true;
    int count = 0;
    script = lam_port_script(&scripted, &count);
    if (script == NULL) return false;
    for (int kind = 0, at = 0; kind < LAM_EVENT_KINDS; ++kind) {
        next_of[kind] = at;
        while (at < count && script[at].kind == kind) ++at;
        end_of[kind] = at;
    }
    return true;
}

static bool always_succeeds(enum lam_event_kind kind) {
    return kind == LAM_EVENT_RECV || kind == LAM_EVENT_WAITANY || kind == LAM_EVENT_WAITSOME;
}

struct lam_decision lam_decide(enum lam_event_kind kind) {
    struct lam_decision its = {LAM_FREE, lam_count(kind), NULL, 0};
    const int32_t number = (int32_t)its.number;
    if (script == NULL) return its;
    int at = next_of[kind];
    while (at < end_of[kind] && script[at].last < number) ++at;
    next_of[kind] = at;
    if (at < end_of[kind] && script[at].first <= number) {
        its.verdict = LAM_FORCED;
        its.event = &script[at];
        while (at < end_of[kind] && script[at].first <= number) ++at, ++its.events;
    } else if (!always_succeeds(kind) && number <= scripted.known[kind]) {
        its.verdict = LAM_NOT_YET;
    }
    return its;
}

void lam_diverged(const struct lam_decision* its, int came) {
    const int32_t words[LAM_PACKET_WORDS] = {LAM_TOLD_DIVERGED, lam_rank, its->event->kind, (int32_t)its->number, its->event->source, came};
    lam_port_tell(words, NULL, 0);
    lam_port_stop();
}

/* mpirun may name the source of a receive or probe of any source. */
static void ask(struct lam_decision* its) {
    static struct lam_question question;
    static struct lam_event answer;
    if (!asks || its->verdict != LAM_FREE) return;
    question = (struct lam_question){lam_rank, (int32_t)its->number, LAM_NO_OTHER};
    lam_port_note(LAM_NOTE_RECEIVE, &question, sizeof question);
    if (question.source < 0) return;
    answer = (struct lam_event){LAM_EVENT_RECV, question.receive, question.receive, question.source, LAM_NO_OTHER};
    its->verdict = LAM_FORCED;
    its->event = &answer;
    its->events = 1;
}
void lam_delivery_matched(uint32_t number, int source) {
    const struct lam_question its = {lam_rank, (int32_t)number, source};
    if (asks) lam_port_note(LAM_NOTE_MATCHED, &its, sizeof its);
}

static int world_of(const struct lam_request* request) {
    return request->comm->remote->world[request->peer];
}

/* A receive that names its source says nothing, unless it was cancelled. */
void lam_delivery_post(struct lam_request* request) {
    struct lam_decision its = lam_decide(LAM_EVENT_RECV);
    if (request->peer == MPI_ANY_SOURCE) ask(&its);
    request->receive = its.number;
    request->wild = request->peer == MPI_ANY_SOURCE;
    request->forced = request->holds = false;
    if (lam_stamps && !lam_annai) lam_match_begin(request);
    if (its.verdict != LAM_FORCED) return;
    if (its.event->source == LAM_NOBODY) {
        request->peer_world = nobody;
        return;
    }
    if (!request->wild && world_of(request) != its.event->source) lam_diverged(&its, world_of(request));
    request->peer_world = its.event->source;
    request->forced = true;
    request->holds = request->wild;
}
/* A replay waits for the message that has come first. */
bool lam_delivery_may_cancel(const struct lam_request* request) {
    while (script != NULL && request->queued && request->peer_world != nobody &&
           (int32_t)request->receive <= scripted.known[LAM_EVENT_RECV])
        lam_progress(true);
    if (!request->queued) return false;
    if (lam_stamps && !lam_annai) lam_match_ended(request);
    if (lam_delivery) lam_record(LAM_EVENT_RECV, request->receive, request->receive, LAM_NOBODY, LAM_NO_OTHER);
    return true;
}
void lam_delivery_cancel_send(struct lam_request* request) {
    if (!lam_delivery) {
        lam_cancel_send(request);
        return;
    }
    const struct lam_decision its = lam_decide(LAM_EVENT_CANCEL);
    if (its.verdict == LAM_NOT_YET) return;
    const bool done = lam_cancel_send(request);
    if (!done && its.verdict == LAM_FORCED) lam_diverged(&its, LAM_CAME_INACTIVE);
    if (done) lam_record(LAM_EVENT_CANCEL, its.number, its.number, 0, LAM_NO_OTHER);
}

bool lam_delivery_probe(struct lam_decision* its, int* from, bool* waits) {
    *its = lam_decide(*waits ? LAM_EVENT_RECV : LAM_EVENT_IPROBE);
    if (its->verdict == LAM_NOT_YET) return false;
    if (*waits && *from == MPI_ANY_SOURCE) ask(its);
    if (its->verdict == LAM_FREE) return true;
    if (*from != MPI_ANY_SOURCE && *from != its->event->source) lam_diverged(its, *from);
    *from = its->event->source;
    *waits = true;
    return true;
}

void lam_delivery_probed(const struct lam_decision* its, bool waited, int wanted, int tag, const struct lam_message* message) {
    if (its->verdict == LAM_FORCED) lam_delivery_met();
    if (!lam_stamps) return;
    if (lam_annai) {
        lam_stamp_merge(&lam_clock, message->stamp);
    } else {
        uint32_t* stamp = lam_match_probed(wanted, tag, message);
        lam_stamp_merge(&lam_clock, stamp);
        lam_match_prune();
        free(stamp);
    }
    if (!waited) {
        lam_record(LAM_EVENT_IPROBE, its->number, its->number, message->sender, LAM_NO_OTHER);
    } else if (wanted == MPI_ANY_SOURCE) {
        const struct lam_wild probe = {its->number, message->sender, tag, message->context};
        lam_race_probed(&probe, message);
    }
}

void lam_delivery_observe(struct lam_request* request) {
    uint32_t* stamp = request->stamp;
    if (stamp == NULL) return;
    request->stamp = NULL;
    lam_stamp_merge(&lam_clock, stamp);
    if (request->receive != 0) lam_race_ended(request, stamp);
    if (!lam_annai) {
        if (request->receive != 0) lam_match_ended(request);
        lam_match_prune();
    }
    free(stamp);
}

/* Entries that are left: the program has ended earlier than it did. */
void lam_delivery_end(void) {
    if (lam_stamps) {
        lam_stamps_drain();
        lam_record_end();
    }
    if (script == NULL || scripted.receives < 0) return;
    for (int kind = 0; kind < LAM_EVENT_KINDS; ++kind) {
        int at = next_of[kind];
        while (at < end_of[kind] && script[at].last <= (int32_t)lam_counted((enum lam_event_kind)kind)) ++at;
        const struct lam_decision its = {LAM_FORCED, at < end_of[kind] ? (uint32_t)script[at].first : 0, &script[at], 1};
        if (at < end_of[kind]) lam_diverged(&its, LAM_CAME_END);
    }
    const struct lam_event all = {LAM_EVENT_RECV, scripted.receives, scripted.receives, scripted.receives, 0};
    const struct lam_decision its = {LAM_FORCED, lam_counted(LAM_EVENT_RECV), &all, 1};
    if ((int32_t)lam_counted(LAM_EVENT_RECV) != scripted.receives) lam_diverged(&its, LAM_CAME_MORE);
}

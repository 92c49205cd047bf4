/* Races by the exact rule. A message races with a receive that got another one if the receive could have taken it and its end did
 * not happen before the sending. Annai's tool compares the two messages, and misses races where a message overtakes another one
 * through a third rank.
 *
 * "Could have taken": communicator and tag match, the receive names no source, the message is of another sender than the one that
 * came, and no receive that was begun earlier has taken it. Of one sender the first message counts, as none overtakes another.
 * With the sources of all racing receives repeated nothing else can come out otherwise. No earlier receive would have taken it
 * that had to wait for this one.
 *
 * Receives that have ended lie in runs: numbers and ends in a row, of one source. A message with stamp V races with those
 * whose end is above V[own rank], so it is held against the newest runs alone. It does not race with those in its ranges
 * (matches.c). A run goes when no message can race with it. */
#include <stdlib.h>

#include "lam_delivery.h"

enum { window = LAM_MOST_CRITICAL, first_sweep = 64 };
/* A receive that was begun before the run's receives, and whose match depends on theirs: it comes between. */
struct blocker {
    struct blocker* next;
    int wanted_source, wanted_tag;
    int sender, tag; /* that came */
    uint32_t order;
};
struct run {
    struct run *earlier, *later;
    struct lam_wild its; /* its number: the first */
    uint32_t step, count;
    uint32_t end;   /* of the clock, at the end of the last one */
    uint32_t told;  /* so many of them have been told as open */
    bool ended;     /* the program knows the source */
    bool critical;  /* told already; it stays for other sources */
    int* others;
    int other_count;
    struct blocker* blockers;
};
static struct run *first_open, *last_open, *first_past, *last_past;
static bool all_sources;
static size_t past_count, critical_count, sweep_at = first_sweep;

void lam_races_begin(bool all) {
    all_sources = all;
}

static void append(struct run* run, struct run** first, struct run** last) {
    run->later = NULL;
    run->earlier = *last;
    *(*last == NULL ? first : &(*last)->later) = run;
    *last = run;
}
static void insert_before(struct run* run, struct run* place) {
    run->earlier = place->earlier;
    run->later = place;
    *(place->earlier == NULL ? &first_past : &place->earlier->later) = run;
    place->earlier = run;
    ++past_count;
}
static void take_out(struct run* run, struct run** first, struct run** last) {
    *(run->earlier == NULL ? first : &run->earlier->later) = run->later;
    *(run->later == NULL ? last : &run->later->earlier) = run->earlier;
}
static void free_run(struct run* run) {
    for (struct blocker *its = run->blockers, *next = NULL; its != NULL; its = next) {
        next = its->next;
        free(its);
    }
    free(run->others);
    free(run);
}
static void drop_past(struct run* run) {
    take_out(run, &first_past, &last_past);
    --past_count;
    critical_count -= run->critical;
    free_run(run);
}

static struct run* new_run(const struct lam_wild* its) {
    struct run* run = calloc(1, sizeof *run);
    if (run == NULL) lam_port_abort(MPI_ERR_NO_MEM);
    run->its = *its;
    run->step = run->count = 1;
    return run;
}

static uint32_t number_of(const struct run* run, uint32_t index) {
    return run->its.number + index * run->step;
}
static bool fits(const struct lam_wild* its, const struct lam_message* message) {
    return its->context == message->context && its->source != message->sender &&
           (its->tag == MPI_ANY_TAG || its->tag == message->tag);
}
/* False: told already. */
static bool is_news(struct run* run, int other) {
    for (int i = 0; i < run->other_count; ++i) {
        if (run->others[i] == other) return false;
    }
    int* more = realloc(run->others, ((size_t)run->other_count + 1) * sizeof *more);
    if (more == NULL) lam_port_abort(MPI_ERR_NO_MEM);
    run->others = more;
    run->others[run->other_count++] = other;
    return true;
}
static void tell(struct run* run, int other) {
    if (!is_news(run, other)) return;
    if (!run->critical && run->ended) ++critical_count;
    run->critical = true;
    if (run->step == 1) return lam_record(LAM_EVENT_RECV, run->its.number, number_of(run, run->count - 1), run->its.source, other);
    for (uint32_t i = 0; i < run->count; ++i)
        lam_record(LAM_EVENT_RECV, number_of(run, i), number_of(run, i), run->its.source, other);
}

static void add_blocker(struct run* run, const struct blocker* its) {
    struct blocker* copy = malloc(sizeof *copy);
    if (copy == NULL) lam_port_abort(MPI_ERR_NO_MEM);
    *copy = *its;
    copy->next = run->blockers;
    run->blockers = copy;
}
static bool is_blocked(const struct run* run, const struct lam_message* message) {
    for (const struct blocker* its = run->blockers; its != NULL; its = its->next) {
        const bool takes = (its->wanted_source == MPI_ANY_SOURCE || its->wanted_source == message->sender) &&
                           (its->wanted_tag == MPI_ANY_TAG || its->wanted_tag == message->tag);
        const bool first = its->sender == message->sender && its->order < message->order &&
                           (run->its.tag == MPI_ANY_TAG || run->its.tag == its->tag);
        if (takes || first) return true;
    }
    return false;
}

/* Makes `run` begin at `index`. What is before it becomes a run of its own, which is returned. All of it: `run`; nothing: NULL. */
static struct run* split(struct run* run, uint32_t index) {
    if (index == 0) return NULL;
    if (index >= run->count) return run;
    struct run* head = new_run(&run->its);
    *head = *run;
    head->count = index;
    head->end = run->end - (run->count - index);
    if (head->told > index) head->told = index;
    head->others = NULL;
    head->other_count = 0;
    for (int i = 0; i < run->other_count; ++i) is_news(head, run->others[i]);
    head->blockers = NULL;
    for (const struct blocker* its = run->blockers; its != NULL; its = its->next) add_blocker(head, its);
    insert_before(head, run);
    critical_count += head->critical;
    run->its.number = number_of(run, index);
    run->count -= index;
    run->told = run->told > index ? run->told - index : 0;
    return head;
}

/* Forgets receives that no message can race with any more, whoever sends it. */
static void sweep(void) {
    for (struct run *run = first_past, *later = NULL; run != NULL; run = later) {
        bool over = true;
        later = run->later;
        for (int rank = 0; rank < lam_clock_size && over; ++rank) {
            const uint32_t* newest = lam_stamp_newest(rank);
            over = rank == lam_rank || rank == run->its.source || (newest != NULL && newest[lam_rank] >= run->end);
        }
        if (over) drop_past(run);
    }
    sweep_at = past_count < first_sweep / 2 ? first_sweep : 2 * past_count;
}
static void limit_window(void) {
    for (struct run *run = first_past, *later = NULL; run != NULL && critical_count > window; run = later) {
        later = run->later;
        if (run->critical) drop_past(run);
    }
}

/* Those of a run that end after `known` and were begun before `taken`. */
static void hold_against(struct run* run, const struct lam_message* message, uint32_t known, uint32_t taken) {
    const uint32_t before = run->end - run->count;
    if (known > before) split(run, known - before);
    uint32_t racing = run->count;
    while (racing > 0 && number_of(run, racing - 1) >= taken) --racing;
    if (racing == 0) return;
    run = split(run, racing);
    tell(run, message->sender);
    if (!all_sources) drop_past(run);
}
/* Likewise, where some of them are known to have been matched before. */
static void hold_against_each(struct run* run, const struct lam_message* message, uint32_t known, uint32_t taken) {
    uint32_t left = run->count;
    while (left > 0) {
        uint32_t from = left;
        while (from > 0 && run->end - (run->count - from) > known && number_of(run, from - 1) < taken &&
               !lam_stamp_has(message->stamp, lam_rank, number_of(run, from - 1)))
            --from;
        if (from == left) {
            --left;
            continue;
        }
        struct run* its = split(run, left);
        run = split(its, from);
        tell(its, message->sender);
        if (!all_sources) drop_past(its);
        left = from;
    }
}

void lam_race_came(const struct lam_message* message, const struct lam_request* posted) {
    const uint32_t known = message->stamp[lam_rank];
    const uint32_t taken = posted != NULL && posted->receive != 0 ? posted->receive : UINT32_MAX;
    const bool each = !lam_annai && lam_stamp_has_some(message->stamp, lam_rank);
    size_t compared = 1;
    if (lam_annai) return;
    for (struct run* run = first_open; run != NULL; run = run->later) {
        if (run->its.number >= taken || !fits(&run->its, message) || (run->critical && !all_sources)) continue;
        if (!lam_stamp_has(message->stamp, lam_rank, run->its.number) && !is_blocked(run, message) &&
            !lam_is_held(message, run->its.number, run->its.tag))
            tell(run, message->sender);
    }
    for (struct run *run = last_past, *earlier = NULL; run != NULL && run->end > known; run = earlier) {
        earlier = run->earlier;
        ++compared;
        if (!fits(&run->its, message) || run->its.number >= taken || is_blocked(run, message) ||
            lam_is_held(message, run->its.number, run->its.tag))
            continue;
        each ? hold_against_each(run, message, known, taken) : hold_against(run, message, known, taken);
    }
    lam_port_charge(LAM_PRICE_MATCH, compared);
    if (critical_count > window) limit_window();
    if (past_count >= sweep_at) sweep();
}

/* Other messages that are here could have been first. */
static void look_among_kept(struct run* run) {
    for (const struct lam_message* its = lam_find_next(NULL, MPI_ANY_SOURCE, run->its.tag, run->its.context); its != NULL;
         its = lam_find_next(its, MPI_ANY_SOURCE, run->its.tag, run->its.context)) {
        if (its->sender == run->its.source || lam_is_held(its, run->its.number, run->its.tag)) continue;
        tell(run, its->sender);
        if (!all_sources) return;
    }
}

/* The run of one receive is the next part of the last one. */
static bool continues(const struct run* last, const struct run* run) {
    return !run->critical && !last->critical && last->blockers == NULL && run->blockers == NULL && last->end + 1 == run->end &&
           last->its.source == run->its.source && last->its.tag == run->its.tag && last->its.context == run->its.context &&
           run->its.number > number_of(last, last->count - 1) &&
           (last->count == 1 || number_of(last, last->count) == run->its.number);
}
static void end(struct run* run) {
    run->ended = true;
    run->end = ++lam_clock[lam_rank];
    critical_count += run->critical;
    if (run->critical && !all_sources) {
        critical_count -= run->critical;
        free_run(run);
        return;
    }
    struct run* last = last_past;
    if (last != NULL && continues(last, run)) {
        if (last->count == 1) last->step = run->its.number - last->its.number;
        ++last->count;
        last->end = run->end;
        free_run(run);
        return;
    }
    append(run, &first_past, &last_past);
    ++past_count;
    if (past_count >= sweep_at) sweep();
}

/* Receives that were begun after this one, and on which its match depends. */
static void block_those_before(const struct lam_request* request, const struct lam_message* message) {
    const uint32_t* stamp = request->stamp;
    const struct blocker its = {NULL, request->peer == MPI_ANY_SOURCE ? MPI_ANY_SOURCE : message->sender, request->tag,
                                message->sender, message->tag, message->order};
    for (struct run* run = first_open; run != NULL; run = run->later) {
        if (run->its.number > request->receive && run->its.context == request->context &&
            lam_stamp_has(stamp, lam_rank, run->its.number))
            add_blocker(run, &its);
    }
    for (struct run* run = last_past; run != NULL && run->end > request->posted[lam_rank]; run = run->earlier) {
        if (run->its.context != request->context) continue;
        for (uint32_t i = run->count; i-- > 0;) {
            const uint32_t number = number_of(run, i), end = run->end - (run->count - 1 - i);
            if (number <= request->receive) break;
            if (end > stamp[lam_rank] && !lam_stamp_has(stamp, lam_rank, number)) continue;
            run = split(run, i + 1);
            split(run, i);
            add_blocker(run, &its);
            if (i > 0) run = run->earlier;
        }
    }
}

void lam_race_taken(const struct lam_message* message, struct lam_request* request) {
    if (request->forced) lam_delivery_met();
    if (request->wild) lam_delivery_matched(request->receive, message->sender);
    if (lam_annai) return;
    if (request->posted != NULL && request->receive != 0) block_those_before(request, message);
    if (!request->wild) return;
    const struct lam_wild its = {request->receive, message->sender, request->tag, request->context};
    struct run* run = new_run(&its);
    request->run = run;
    append(run, &first_open, &last_open);
    look_among_kept(run);
}
void lam_race_forget(struct lam_request* request) {
    request->run = NULL; /* the run stays open: the program never learns when the message came */
}

void lam_race_probed(const struct lam_wild* probe, const struct lam_message* message) {
    lam_delivery_matched(probe->number, probe->source);
    if (lam_annai) return lam_annai_ended(probe->number, true, probe->source, message->tag, probe->context, message->stamp);
    struct run* run = new_run(probe);
    lam_port_charge(LAM_PRICE_RACE, 1);
    look_among_kept(run);
    end(run);
}

void lam_race_ended(const struct lam_request* request, const uint32_t* stamp) {
    if (lam_annai)
        return lam_annai_ended(request->receive, request->wild, request->peer_world, request->status.MPI_TAG, request->context, stamp);
    struct run* run = request->run;
    if (run == NULL) return;
    lam_port_charge(LAM_PRICE_RACE, 1);
    take_out(run, &first_open, &last_open);
    end(run);
}

static void tell_open(struct run* run) {
    if (run->critical) return;
    for (; run->told < run->count; ++run->told) {
        const uint32_t number = number_of(run, run->told);
        if (run->step != 1) {
            lam_record(LAM_EVENT_RECV, number, number, run->its.source, LAM_MAYBE);
            continue;
        }
        lam_record(LAM_EVENT_RECV, number, number_of(run, run->count - 1), run->its.source, LAM_MAYBE);
        run->told = run->count - 1;
    }
}
void lam_races_tell_open(void) {
    for (struct run* run = first_open; run != NULL; run = run->later) tell_open(run);
    for (struct run* run = first_past; run != NULL; run = run->later) tell_open(run);
}

/* Buffers of collective operations, watched (lam_watches.h). Those of an operation that does not block are in use until the program
 * completes its request; those of others meet the ones in use. */
#include <stdlib.h>

#include "lam_schedule.h"
#include "lam_transfer.h"

/* The library writes results in several steps, and sums lie between them. Longer results have a sum when they are whole. */
enum { most_summed = 4096 };

struct lam_use {
    struct lam_use* next; /* of the same request */
    struct lam_use *later, *earlier; /* of all results that are not whole */
    struct lam_watch watch;
    bool is_partial;
};
static struct lam_use* partial;

static void leave(struct lam_use* use) {
    if (!use->is_partial) return;
    use->is_partial = false;
    *(use->earlier == NULL ? &partial : &use->earlier->later) = use->later;
    if (use->later != NULL) use->later->earlier = use->earlier;
}

void lam_call_use(struct lam_call* call, struct lam_part part, bool writes) {
    struct lam_watch watch = {.at = part.at, .count = part.count, .type = part.type, .writes = writes, .begun = call->plan->call};
    if (part.count <= 0) return;
    if (call->blocking) return lam_watch_look(&watch);
    struct lam_use* use = calloc(1, sizeof *use);
    if (use == NULL) return; /* then it is not watched */
    use->watch = watch;
    use->next = call->plan->uses;
    call->plan->uses = use;
    lam_type_hold(part.type);
    lam_watch_begin(&use->watch);
    if (!writes) return lam_watch_note(&use->watch);
    use->is_partial = true;
    use->later = partial;
    if (partial != NULL) partial->earlier = use;
    partial = use;
}

void lam_call_uses(struct lam_call* call, const struct lam_data* data, int blocks, bool writes) {
    if (data->in_place || data->at == NULL || (data->type == NULL && data->types == NULL)) return;
    if (call->blocking && !lam_watch_any()) return;
    if (data->counts == NULL) return lam_call_use(call, (struct lam_part){data->at, blocks * data->count, data->type}, writes);
    for (int i = 0; i < blocks; ++i)
        if (data->counts[i] > 0) lam_call_use(call, lam_part(data, i), writes);
}

void lam_uses_check(void) {
    for (struct lam_use* use = partial; use != NULL; use = use->later) {
        lam_watch_check(&use->watch);
        lam_watch_pause(&use->watch);
    }
}
void lam_uses_note(void) {
    for (struct lam_use* use = partial; use != NULL; use = use->later)
        if (use->watch.high - use->watch.low <= most_summed) lam_watch_note(&use->watch);
}
void lam_uses_whole(struct lam_use* uses) {
    for (struct lam_use* use = uses; use != NULL; use = use->next) {
        leave(use);
        if (use->watch.writes) lam_watch_note(&use->watch);
    }
}
void lam_uses_end(struct lam_use* uses, bool checks) {
    for (struct lam_use *use = uses, *next = NULL; use != NULL; use = next) {
        next = use->next;
        if (checks) lam_watch_check(&use->watch);
        lam_watch_end(&use->watch);
        leave(use);
        lam_type_drop((struct lam_type*)(uintptr_t)use->watch.type);
        free(use);
    }
}

/* MPI_Wait(), MPI_Test() and their relatives. */
#include <stdlib.h>

#include "lam_arguments.h"
#include "lam_delivery.h"
#include "lam_logs.h"

/* A request that has nothing to wait for: null, or persistent and not begun. */
static bool is_idle(const struct lam_request* its) {
    return its == NULL || !its->active;
}

static int look_up(const char* function, MPI_Request handle, struct lam_request** its) {
    *its = NULL;
    if (handle == MPI_REQUEST_NULL) return MPI_SUCCESS;
    *its = lam_object(LAM_REQUEST, handle);
    if (*its != NULL) return MPI_SUCCESS;
    return lam_fail(MPI_COMM_WORLD, MPI_ERR_REQUEST, function, "request %s", lam_why_not(LAM_REQUEST, handle));
}
static int find(const char* function, MPI_Request handle, struct lam_request** its) {
    const int error = look_up(function, handle, its);
    if (*its != NULL) (*its)->asked = true;
    return error;
}
static int find_all(const char* function, int count, const MPI_Request requests[], struct lam_request*** all) {
    static struct lam_request** room;
    static int places;
    const int error = lam_require_running(function);
    if (error != MPI_SUCCESS) return error;
    if (count < 0) return lam_fail(MPI_COMM_WORLD, MPI_ERR_COUNT, function, "count is %d", count);
    if (count > 0 && requests == NULL) return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, function, "requests is a null pointer");
    if (count > places) {
        struct lam_request** more = realloc(room, (size_t)count * sizeof *more);
        if (more == NULL) return lam_fail(MPI_COMM_WORLD, MPI_ERR_NO_MEM, function, "the node has no memory for a list");
        room = more;
        places = count;
    }
    for (int i = 0; i < count; ++i) {
        const int wrong = find(function, requests[i], &room[i]);
        if (wrong != MPI_SUCCESS) return wrong;
    }
    *all = room;
    return MPI_SUCCESS;
}

/* Ends a complete request for the program; returns its error class. */
static int finish(MPI_Request* handle, struct lam_request* its, MPI_Status* status) {
    const int error = its->status.MPI_ERROR;
    lam_observe(its);
    lam_watch_check(&its->watch);
    lam_watch_end(&its->watch);
    lam_uses_end(its->uses, true);
    its->uses = NULL;
    if (status != MPI_STATUS_IGNORE) {
        const int old = status->MPI_ERROR;
        *status = its->status;
        status->MPI_ERROR = old; /* only functions with several statuses set it */
        lam_log_status(status, false);
    }
    if (its->kind == LAM_RECEIVE) lam_log_saw(its->peer_world, its->flow, 0);
    its->active = false;
    if (its->persistent) return error;
    lam_request_release(its);
    *handle = MPI_REQUEST_NULL;
    lam_log_wrote(handle, sizeof *handle);
    return error;
}
static void give_empty(MPI_Status* status) {
    if (status == MPI_STATUS_IGNORE) return;
    lam_status_empty(status);
    lam_log_wrote(status, sizeof *status);
}

/* The words about a failed request need it before its end. */
static struct lam_failure failure_of(struct lam_request* its) {
    if (its->kind == LAM_GENERAL) lam_general_query(its);
    return (struct lam_failure){its->status.MPI_ERROR, its->comm == NULL ? MPI_COMM_WORLD : its->comm->handle,
                                its->status.MPI_SOURCE, its->status.lam_bytes, its->begun.from, its->kind == LAM_GENERAL};
}
static int end_of(MPI_Request* handle, struct lam_request* its, MPI_Status* status, const char* function) {
    const struct lam_failure failure = failure_of(its);
    const int error = finish(handle, its, status);
    return error == MPI_SUCCESS ? error : lam_fail_message(error, function, &failure);
}

/* ---- Records and replays: lam_delivery.h ---- */

/* For calls whose success depends on what has come. False: a replay says that this one does not succeed. */
static bool may_succeed(struct lam_decision* its, enum lam_event_kind kind) {
    if (!lam_delivery) return true;
    *its = lam_decide(kind);
    if (its->verdict != LAM_NOT_YET) return true;
    lam_progress(false);
    return false;
}
static bool is_forced(const struct lam_decision* its) {
    return lam_delivery && its->verdict == LAM_FORCED;
}
static void note(const struct lam_decision* its, enum lam_event_kind kind, int index) {
    if (lam_delivery) lam_record(kind, its->number, its->number, index, LAM_NO_OTHER);
}
static void wait_in(const char* function, struct lam_request* request) {
    lam_waits_for(function, request);
    lam_wait_for(request);
    lam_waits_no_more();
}
/* Waits for all that a script names. */
static void wait_forced(const struct lam_decision* its, const char* function, int count, struct lam_request** all) {
    for (int i = 0; i < its->events; ++i) {
        const struct lam_decision one = {LAM_FORCED, its->number, &its->event[i], 1};
        const int index = one.event->source;
        if (index < 0 || index >= count || is_idle(all[index])) lam_diverged(&one, LAM_CAME_INACTIVE);
        wait_in(function, all[index]);
    }
}
static bool is_among(const struct lam_decision* its, int index) {
    int at = 0;
    while (at < its->events && its->event[at].source != index) ++at;
    return at < its->events;
}
static int active_of(int count, struct lam_request** all) {
    int active = 0;
    for (int i = 0; i < count; ++i) active += !is_idle(all[i]);
    return active;
}

LAM_API(int, Wait, (MPI_Request * request, MPI_Status* status)) {
    struct lam_request* its = NULL;
    int error = lam_require_running("MPI_Wait");
    if (error == MPI_SUCCESS) error = find("MPI_Wait", *request, &its);
    if (error != MPI_SUCCESS) return error;
    if (is_idle(its)) return give_empty(status), MPI_SUCCESS;
    wait_in("MPI_Wait", its);
    return end_of(request, its, status, "MPI_Wait");
}

LAM_API(int, Test, (MPI_Request * request, int* flag, MPI_Status* status)) {
    struct lam_request* its = NULL;
    int error = lam_require_running("MPI_Test");
    if (error == MPI_SUCCESS) error = find("MPI_Test", *request, &its);
    if (error != MPI_SUCCESS) return error;
    *flag = 1;
    if (is_idle(its)) return give_empty(status), MPI_SUCCESS;
    struct lam_decision test;
    if (!may_succeed(&test, LAM_EVENT_TEST)) return *flag = 0, MPI_SUCCESS;
    if (is_forced(&test)) wait_in("MPI_Test", its);
    if (!its->complete) lam_progress(false);
    *flag = its->complete;
    if (its->complete) note(&test, LAM_EVENT_TEST, 0);
    return its->complete ? end_of(request, its, status, "MPI_Test") : MPI_SUCCESS;
}

/* Ends all: each is complete. */
static int end_all(const char* function, int count, MPI_Request requests[], struct lam_request** all, MPI_Status* statuses) {
    struct lam_failure first = {.error_class = MPI_SUCCESS};
    for (int i = 0; i < count; ++i) {
        MPI_Status* status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
        if (is_idle(all[i])) {
            give_empty(status);
            continue;
        }
        const struct lam_failure failure = failure_of(all[i]);
        if (first.error_class == MPI_SUCCESS) first = failure;
        const int error = finish(&requests[i], all[i], status);
        if (status == MPI_STATUS_IGNORE) continue;
        status->MPI_ERROR = error;
        lam_log_wrote(&status->MPI_ERROR, sizeof status->MPI_ERROR);
    }
    return first.error_class == MPI_SUCCESS ? MPI_SUCCESS : lam_fail_message(MPI_ERR_IN_STATUS, function, &first);
}

LAM_API(int, Waitall, (int count, MPI_Request requests[], MPI_Status* statuses)) {
    struct lam_request** all = NULL;
    const int error = find_all("MPI_Waitall", count, requests, &all);
    if (error != MPI_SUCCESS) return error;
    for (int i = 0; i < count; ++i) {
        if (is_idle(all[i])) continue;
        lam_waits_for("MPI_Waitall", all[i]);
        lam_wait_for(all[i]);
    }
    lam_waits_no_more();
    return end_all("MPI_Waitall", count, requests, all, statuses);
}

LAM_API(int, Testall, (int count, MPI_Request requests[], int* flag, MPI_Status* statuses)) {
    struct lam_request** all = NULL;
    const int error = find_all("MPI_Testall", count, requests, &all);
    if (error != MPI_SUCCESS) return error;
    bool whole = false;
    struct lam_decision test;
    const bool active = lam_delivery && active_of(count, all) > 0;
    if (active && !may_succeed(&test, LAM_EVENT_TEST)) return *flag = 0, MPI_SUCCESS;
    for (int i = 0; active && is_forced(&test) && i < count; ++i) {
        if (!is_idle(all[i])) wait_in("MPI_Testall", all[i]);
    }
    for (int look = 0; look < 2 && !whole; ++look) {
        if (look == 1) lam_progress(false);
        whole = true;
        for (int i = 0; i < count; ++i) whole = whole && (is_idle(all[i]) || all[i]->complete);
    }
    *flag = whole;
    if (active && whole) note(&test, LAM_EVENT_TEST, 0);
    return whole ? end_all("MPI_Testall", count, requests, all, statuses) : MPI_SUCCESS;
}

/* The first that is complete; -1: none yet; count: none is active. */
static int first_complete(int count, struct lam_request** all) {
    bool active = false;
    for (int i = 0; i < count; ++i) {
        if (is_idle(all[i])) continue;
        if (all[i]->complete) return i;
        active = true;
    }
    return active ? -1 : count;
}

static int any_of(const char* function, int count, MPI_Request requests[], bool waits, int* index, int* flag, MPI_Status* status) {
    struct lam_request** all = NULL;
    const int error = find_all(function, count, requests, &all);
    if (error != MPI_SUCCESS) return error;
    const enum lam_event_kind kind = waits ? LAM_EVENT_WAITANY : LAM_EVENT_TESTANY;
    struct lam_decision choice;
    const bool chooses = lam_delivery && active_of(count, all) > (waits ? 1 : 0); /* of one, the outcome is certain */
    if (chooses && !may_succeed(&choice, kind)) return *flag = 0, *index = MPI_UNDEFINED, MPI_SUCCESS;
    if (chooses && is_forced(&choice)) wait_forced(&choice, function, count, all);
    int found = chooses && is_forced(&choice) ? choice.event->source : first_complete(count, all);
    if (found < 0 && !waits) {
        lam_progress(false);
        found = first_complete(count, all);
    }
    if (found < 0 && waits) lam_waits_for(function, NULL);
    while (found < 0 && waits) {
        lam_progress(true);
        found = first_complete(count, all);
    }
    lam_waits_no_more();
    *flag = found >= 0;
    *index = found < 0 || found == count ? MPI_UNDEFINED : found;
    if (chooses && found >= 0) note(&choice, kind, found);
    if (found == count) give_empty(status);
    return found < 0 || found == count ? MPI_SUCCESS : end_of(&requests[found], all[found], status, function);
}
LAM_API(int, Waitany, (int count, MPI_Request requests[], int* index, MPI_Status* status)) {
    int flag = 0;
    return any_of("MPI_Waitany", count, requests, true, index, &flag, status);
}
LAM_API(int, Testany, (int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status)) {
    return any_of("MPI_Testany", count, requests, false, index, flag, status);
}

static int some_of(const char* function, int count, MPI_Request requests[], bool waits, int* outcount, int indices[],
                   MPI_Status* statuses) {
    struct lam_request** all = NULL;
    const int error = find_all(function, count, requests, &all);
    if (error != MPI_SUCCESS) return error;
    const enum lam_event_kind kind = waits ? LAM_EVENT_WAITSOME : LAM_EVENT_TESTSOME;
    struct lam_decision choice;
    const bool chooses = lam_delivery && active_of(count, all) > (waits ? 1 : 0);
    if (chooses && !may_succeed(&choice, kind)) return *outcount = 0, MPI_SUCCESS;
    const bool forced = chooses && is_forced(&choice);
    if (forced) wait_forced(&choice, function, count, all);
    if (!waits) lam_progress(false);
    int found = first_complete(count, all);
    if (found < 0 && waits) lam_waits_for(function, NULL);
    while (found < 0 && waits) {
        lam_progress(true);
        found = first_complete(count, all);
    }
    lam_waits_no_more();
    *outcount = found == count ? MPI_UNDEFINED : 0;
    if (found < 0 || found == count) return MPI_SUCCESS;
    struct lam_failure first = {.error_class = MPI_SUCCESS};
    for (int i = 0; i < count; ++i) {
        if (is_idle(all[i]) || !all[i]->complete || (forced && !is_among(&choice, i))) continue;
        if (chooses) note(&choice, kind, i);
        MPI_Status* status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[*outcount];
        lam_log_wrote(&indices[*outcount], sizeof *indices);
        indices[(*outcount)++] = i;
        const struct lam_failure failure = failure_of(all[i]);
        if (first.error_class == MPI_SUCCESS) first = failure;
        const int its = finish(&requests[i], all[i], status);
        if (status == MPI_STATUS_IGNORE) continue;
        status->MPI_ERROR = its;
        lam_log_wrote(&status->MPI_ERROR, sizeof status->MPI_ERROR);
    }
    return first.error_class == MPI_SUCCESS ? MPI_SUCCESS : lam_fail_message(MPI_ERR_IN_STATUS, function, &first);
}
LAM_API(int, Waitsome, (int incount, MPI_Request requests[], int* outcount, int indices[], MPI_Status* statuses)) {
    return some_of("MPI_Waitsome", incount, requests, true, outcount, indices, statuses);
}
LAM_API(int, Testsome, (int incount, MPI_Request requests[], int* outcount, int indices[], MPI_Status* statuses)) {
    return some_of("MPI_Testsome", incount, requests, false, outcount, indices, statuses);
}

LAM_API(int, Request_free, (MPI_Request * request)) {
    struct lam_request* its = NULL;
    int error = lam_require_running("MPI_Request_free");
    if (error != MPI_SUCCESS) return error;
    if (request == NULL) return lam_fail(MPI_COMM_WORLD, MPI_ERR_ARG, "MPI_Request_free", "request is a null pointer");
    error = look_up("MPI_Request_free", *request, &its);
    if (error != MPI_SUCCESS) return error;
    if (its == NULL) return lam_fail(MPI_COMM_WORLD, MPI_ERR_REQUEST, "MPI_Request_free", "request is MPI_REQUEST_NULL");
    lam_tell_unstarted(its);
    if (its->active) lam_freed_active(its);
    if (its->kind != LAM_GENERAL) { /* MPI_Grequest_complete() still names it */
        lam_handle_free(LAM_REQUEST, its->handle);
        its->handle = 0;
    }
    *request = MPI_REQUEST_NULL;
    lam_watch_end(&its->watch); /* the program knows the end in other ways */
    if (!its->active || its->complete) {
        lam_request_release(its);
    } else {
        its->freed = true; /* it completes, and nobody asks */
    }
    return MPI_SUCCESS;
}

LAM_API(int, Request_get_status, (MPI_Request request, int* flag, MPI_Status* status)) {
    struct lam_request* its = NULL;
    const int error = find("MPI_Request_get_status", request, &its);
    if (error != MPI_SUCCESS) return error;
    *flag = 1;
    if (is_idle(its)) return give_empty(status), MPI_SUCCESS;
    struct lam_decision test;
    if (!may_succeed(&test, LAM_EVENT_TEST)) return *flag = 0, MPI_SUCCESS;
    if (is_forced(&test)) wait_in("MPI_Request_get_status", its);
    if (!its->complete) lam_progress(false);
    *flag = its->complete;
    if (its->complete) lam_observe(its);
    if (its->complete && its->kind == LAM_GENERAL) lam_general_query(its);
    if (its->complete) note(&test, LAM_EVENT_TEST, 0);
    if (its->complete) { /* the buffers may be used from now on */
        lam_watch_end(&its->watch);
        lam_uses_end(its->uses, true);
        its->uses = NULL;
    }
    if (its->complete && its->kind == LAM_RECEIVE) lam_log_saw(its->peer_world, its->flow, 0);
    if (its->complete && status != MPI_STATUS_IGNORE) *status = its->status;
    return MPI_SUCCESS;
}

LAM_API(int, Cancel, (MPI_Request * request)) {
    struct lam_request* its = NULL;
    const int error = find("MPI_Cancel", *request, &its);
    if (error != MPI_SUCCESS) return error;
    if (is_idle(its))
        return lam_fail(MPI_COMM_WORLD, MPI_ERR_REQUEST, "MPI_Cancel", "request is MPI_REQUEST_NULL, or not active");
    if (its->kind == LAM_SCHEDULE)
        return lam_fail(its->comm->handle, MPI_ERR_REQUEST, "MPI_Cancel", "a collective operation cannot be cancelled");
    if (its->kind == LAM_GENERAL) return lam_general_cancel(its);
    if (its->complete) return MPI_SUCCESS;
    if (its->kind == LAM_SEND) {
        lam_delivery_cancel_send(its);
    } else if (lam_delivery_may_cancel(its)) {
        lam_unpost(its);
        its->cancelled = true;
        lam_request_complete(its, MPI_SUCCESS);
    }
    return MPI_SUCCESS;
}
LAM_API(int, Test_cancelled, (const MPI_Status* status, int* flag)) {
    *flag = status->lam_cancelled != 0;
    return MPI_SUCCESS;
}

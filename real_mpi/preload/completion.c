/* MPI_Wait(), MPI_Test() and their relatives. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "recorder.h"

/* ---- Room for handles and statuses of a call ---- */

struct room {
    MPI_Request* handles; /* as they were before the call */
    MPI_Status* statuses;
};
static struct room room_of(int count) {
    static _Thread_local struct room room;
    static _Thread_local int places;
    if (count > places) {
        places = 2 * count;
        room.handles = realloc(room.handles, (size_t)places * sizeof *room.handles);
        room.statuses = realloc(room.statuses, (size_t)places * sizeof *room.statuses);
        if (room.handles == NULL || room.statuses == NULL) abort();
    }
    return room;
}

/* In a replay another receive does the work of a persistent one of any source: put it in, and take it out after the call. */
static void swap_in(int count, MPI_Request requests[]) {
    for (int i = 0; real_replaced > 0 && i < count; ++i) {
        const struct request* its = requests[i] == MPI_REQUEST_NULL ? NULL : real_request(requests[i]);
        if (its != NULL && its->replaced) requests[i] = its->real;
    }
}
static void swap_out(int count, MPI_Request requests[], const MPI_Request before[]) {
    for (int i = 0; real_replaced > 0 && i < count; ++i) {
        struct request* its = before[i] == MPI_REQUEST_NULL ? NULL : real_request(before[i]);
        if (its == NULL || !its->replaced) continue;
        if (requests[i] == MPI_REQUEST_NULL) {
            its->replaced = false;
            --real_replaced;
        }
        requests[i] = before[i];
    }
}
static const MPI_Request* keep(int count, const MPI_Request requests[]) {
    MPI_Request* kept = room_of(count + 1).handles;
    if (count > 0) memcpy(kept, requests, (size_t)count * sizeof *kept);
    return kept;
}

/* ---- Ends ---- */

static void observe(struct request* its, const MPI_Status* status) {
    int cancelled = 0;
    if (its->observed) return;
    its->observed = true;
    if (its->cancel != 0) PMPI_Test_cancelled(status, &cancelled);
    if (its->kind == OF_RECEIVE && cancelled == 0) {
        real_came(its->comm, its->number, status, its->taken ? REAL_TAKEN : 0);
    } else if (its->kind == OF_RECEIVE) {
        struct real_record* record = real_put();
        record->number = its->number;
        real_done(record, REAL_GONE);
    } else if (its->kind == OF_COLLECTIVE) {
        real_collective_end(its->comm, its->shape, its->peer, its->number);
    } else if (cancelled == 0) {
        if (its->forced_cancel) real_diverged(REAL_CANCEL, its->cancel, 0, REAL_CAME_INACTIVE);
        real_sent(its->number);
    } else {
        real_outcome(REAL_CANCEL, its->cancel, 0);
        struct real_record* record = real_put();
        record->number = its->number;
        real_done(record, REAL_TOOK_BACK);
    }
}

void real_completed(MPI_Request handle, MPI_Status* status, int error) {
    struct request* its = handle == MPI_REQUEST_NULL ? NULL : real_request(handle);
    if (its == NULL || (its->persistent && !its->active)) return;
    if (!real_failed(error, status) || its->kind != OF_RECEIVE) observe(its, status);
    if (its->persistent) {
        its->active = its->observed = false;
        its->cancel = 0;
    } else {
        real_request_drop(its);
    }
}

/* ---- One ---- */

static int wait_one(MPI_Request* request, MPI_Status* status) {
    MPI_Status own;
    const MPI_Request before = *request;
    if (status == MPI_STATUS_IGNORE) status = &own;
    status->MPI_SOURCE = -1;
    swap_in(1, request);
    const int error = PMPI_Wait(request, status);
    swap_out(1, request, &before);
    real_completed(before, status, error);
    return error;
}
API int MPI_Wait(MPI_Request* request, MPI_Status* status) {
    return real_on ? wait_one(request, status) : PMPI_Wait(request, status);
}

/* A look that ends nothing, so that messages move on. */
static void progress(MPI_Request request) {
    int flag = 0;
    swap_in(1, &request);
    if (request != MPI_REQUEST_NULL) PMPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    sched_yield();
}

API int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
    if (!real_on || is_idle(*request)) return PMPI_Test(request, flag, status);
    const struct decision its = real_decide(REAL_TEST);
    if (its.verdict == NOT_YET) return progress(*request), *flag = 0, MPI_SUCCESS;
    if (its.verdict == FORCED) {
        real_wait_begin(&its, REAL_TEST);
        real_outcome(REAL_TEST, its.number, 0);
        const int error = wait_one(request, status);
        real_wait_end();
        return *flag = 1, error;
    }
    MPI_Status own;
    const MPI_Request before = *request;
    if (status == MPI_STATUS_IGNORE) status = &own;
    status->MPI_SOURCE = -1;
    swap_in(1, request);
    const int error = PMPI_Test(request, flag, status);
    swap_out(1, request, &before);
    if (*flag == 0) return error;
    real_outcome(REAL_TEST, its.number, 0);
    real_completed(before, status, error);
    return error;
}

API int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
    if (!real_on || is_idle(request)) return PMPI_Request_get_status(request, flag, status);
    const struct decision its = real_decide(REAL_TEST);
    if (its.verdict == NOT_YET) return progress(request), *flag = 0, MPI_SUCCESS;
    MPI_Status own;
    MPI_Request real = request;
    if (status == MPI_STATUS_IGNORE) status = &own;
    swap_in(1, &real);
    if (its.verdict == FORCED) real_wait_begin(&its, REAL_TEST);
    int error = PMPI_Request_get_status(real, flag, status);
    while (its.verdict == FORCED && *flag == 0 && error == MPI_SUCCESS) {
        sched_yield();
        error = PMPI_Request_get_status(real, flag, status);
    }
    real_wait_end();
    struct request* known = real_request(request);
    if (*flag != 0) real_outcome(REAL_TEST, its.number, 0);
    if (*flag != 0 && known != NULL) observe(known, status);
    return error;
}

/* ---- All ---- */

static int error_of(int error, const MPI_Status* status) {
    return error == MPI_SUCCESS ? MPI_SUCCESS : status->MPI_ERROR;
}
static bool is_pending(int error) {
    int its_class = error;
    if (error != MPI_SUCCESS) PMPI_Error_class(error, &its_class);
    return its_class == MPI_ERR_PENDING;
}

static int wait_all(int count, MPI_Request requests[], MPI_Status statuses[]) {
    const MPI_Request* before = keep(count, requests);
    if (statuses == MPI_STATUSES_IGNORE) statuses = room_of(count + 1).statuses;
    swap_in(count, requests);
    const int error = PMPI_Waitall(count, requests, statuses);
    swap_out(count, requests, before);
    for (int i = 0; i < count; ++i) {
        const int its = error_of(error, &statuses[i]);
        if (!is_pending(its)) real_completed(before[i], &statuses[i], its);
    }
    return error;
}
API int MPI_Waitall(int count, MPI_Request requests[], MPI_Status* statuses) {
    return real_on ? wait_all(count, requests, statuses) : PMPI_Waitall(count, requests, statuses);
}

/* How many are active, up to two. */
static int active_of(int count, const MPI_Request requests[]) {
    int active = 0;
    for (int i = 0; i < count && active < 2; ++i) active += !is_idle(requests[i]);
    return active;
}
static void progress_all(int count, const MPI_Request requests[]) {
    for (int i = 0; i < count; ++i) {
        if (!is_idle(requests[i])) return progress(requests[i]);
    }
}

API int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status* statuses) {
    if (!real_on || active_of(count, requests) == 0) return PMPI_Testall(count, requests, flag, statuses);
    const struct decision its = real_decide(REAL_TEST);
    if (its.verdict == NOT_YET) return progress_all(count, requests), *flag = 0, MPI_SUCCESS;
    if (its.verdict == FORCED) {
        real_wait_begin(&its, REAL_TEST);
        real_outcome(REAL_TEST, its.number, 0);
        const int error = wait_all(count, requests, statuses);
        real_wait_end();
        return *flag = 1, error;
    }
    const MPI_Request* before = keep(count, requests);
    if (statuses == MPI_STATUSES_IGNORE) statuses = room_of(count + 1).statuses;
    swap_in(count, requests);
    const int error = PMPI_Testall(count, requests, flag, statuses);
    swap_out(count, requests, before);
    if (*flag == 0) return error;
    real_outcome(REAL_TEST, its.number, 0);
    for (int i = 0; i < count; ++i) real_completed(before[i], &statuses[i], error_of(error, &statuses[i]));
    return error;
}

/* ---- Any ---- */

static void check_index(const struct decision* its, enum real_call call, int index, int count, const MPI_Request requests[]) {
    if (index < 0 || index >= count || is_idle(requests[index])) real_diverged(call, its->number, index, REAL_CAME_INACTIVE);
}

static int any_of(enum real_call call, int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
    const bool waits = call == REAL_WAITANY;
    const bool chooses = active_of(count, requests) > (waits ? 1 : 0); /* of one, the outcome is certain */
    struct decision its = {FREE, 0, NULL, 0};
    if (chooses) its = real_decide(call);
    *flag = 1;
    if (its.verdict == NOT_YET) return progress_all(count, requests), *flag = 0, *index = MPI_UNDEFINED, MPI_SUCCESS;
    if (its.verdict == FORCED) {
        *index = its.event->source;
        check_index(&its, call, *index, count, requests);
        real_outcome(call, its.number, *index);
        real_wait_begin(&its, call);
        const int error = wait_one(&requests[*index], status);
        real_wait_end();
        return error;
    }
    const MPI_Request* before = keep(count, requests);
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    status->MPI_SOURCE = -1;
    swap_in(count, requests);
    const int error = waits ? PMPI_Waitany(count, requests, index, status) : PMPI_Testany(count, requests, index, flag, status);
    swap_out(count, requests, before);
    if (*flag == 0 || *index < 0 || *index >= count) return error;
    if (chooses) real_outcome(call, its.number, *index);
    real_completed(before[*index], status, error);
    return error;
}
API int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
    int flag = 0;
    return real_on ? any_of(REAL_WAITANY, count, requests, index, &flag, status) : PMPI_Waitany(count, requests, index, status);
}
API int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
    return real_on ? any_of(REAL_TESTANY, count, requests, index, flag, status)
                   : PMPI_Testany(count, requests, index, flag, status);
}

/* ---- Some ---- */

static int forced_some(const struct decision* its, enum real_call call, int count, MPI_Request requests[], int* done, int indices[],
                       MPI_Status* statuses) {
    int result = MPI_SUCCESS;
    for (*done = 0; *done < its->events; ++*done) {
        const int index = its->event[*done].source;
        const struct decision one = {FORCED, its->number, &its->event[*done], 1};
        MPI_Status own, *status = statuses == MPI_STATUSES_IGNORE ? &own : &statuses[*done];
        check_index(its, call, index, count, requests);
        real_outcome(call, its->number, index);
        real_wait_begin(&one, call);
        const int error = wait_one(&requests[index], status);
        real_wait_end();
        status->MPI_ERROR = error;
        if (error != MPI_SUCCESS) result = MPI_ERR_IN_STATUS;
        indices[*done] = index;
    }
    return result;
}

static int some_of(enum real_call call, int count, MPI_Request requests[], int* done, int indices[], MPI_Status* statuses) {
    const bool waits = call == REAL_WAITSOME;
    const bool chooses = active_of(count, requests) > (waits ? 1 : 0);
    struct decision its = {FREE, 0, NULL, 0};
    if (chooses) its = real_decide(call);
    if (its.verdict == NOT_YET) return progress_all(count, requests), *done = 0, MPI_SUCCESS;
    if (its.verdict == FORCED) return forced_some(&its, call, count, requests, done, indices, statuses);
    const MPI_Request* before = keep(count, requests);
    if (statuses == MPI_STATUSES_IGNORE) statuses = room_of(count + 1).statuses;
    swap_in(count, requests);
    const int error = waits ? PMPI_Waitsome(count, requests, done, indices, statuses)
                            : PMPI_Testsome(count, requests, done, indices, statuses);
    swap_out(count, requests, before);
    for (int i = 0; *done != MPI_UNDEFINED && i < *done; ++i) {
        if (chooses) real_outcome(call, its.number, indices[i]);
        real_completed(before[indices[i]], &statuses[i], error_of(error, &statuses[i]));
    }
    return error;
}
API int MPI_Waitsome(int count, MPI_Request requests[], int* done, int indices[], MPI_Status* statuses) {
    return real_on ? some_of(REAL_WAITSOME, count, requests, done, indices, statuses)
                   : PMPI_Waitsome(count, requests, done, indices, statuses);
}
API int MPI_Testsome(int count, MPI_Request requests[], int* done, int indices[], MPI_Status* statuses) {
    return real_on ? some_of(REAL_TESTSOME, count, requests, done, indices, statuses)
                   : PMPI_Testsome(count, requests, done, indices, statuses);
}

/* ---- Cancelling and freeing ---- */

/* A replay leaves a receive alone that got its message then. */
static bool may_cancel(struct request* its) {
    if (its != NULL && its->kind == OF_RECEIVE) {
        if (!its->fake && (int32_t)its->number <= real_known(REAL_RECV)) return false;
        its->cancel = 1;
        return true;
    }
    if (its != NULL && its->kind == OF_COLLECTIVE) return true;
    const struct decision decision = real_decide(REAL_CANCEL);
    if (decision.verdict == NOT_YET) return false;
    if (its != NULL) its->cancel = decision.number;
    if (its != NULL) its->forced_cancel = decision.verdict == FORCED;
    return true;
}
API int MPI_Cancel(MPI_Request* request) {
    if (!real_on || is_idle(*request)) return PMPI_Cancel(request);
    if (!may_cancel(real_request(*request))) return MPI_SUCCESS;
    MPI_Request real = *request;
    swap_in(1, &real);
    return PMPI_Cancel(&real);
}

API int MPI_Request_free(MPI_Request* request) {
    if (!real_on || *request == MPI_REQUEST_NULL) return PMPI_Request_free(request);
    struct request* its = real_request(*request);
    if (its != NULL && its->kind == OF_RECEIVE && its->active && !its->observed) {
        struct real_record* record = real_put();
        record->number = its->number;
        real_done(record, REAL_FREED);
    }
    if (its != NULL && its->replaced) {
        PMPI_Request_free(&its->real);
        --real_replaced;
    }
    const int error = PMPI_Request_free(request);
    if (its != NULL && error == MPI_SUCCESS) real_request_drop(its);
    return error;
}

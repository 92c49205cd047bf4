/* Mistakes of the program that do not end it, and what is left over at MPI_Finalize(). mpirun tells them. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lam_transfer.h"
#include "lam_types.h"

struct lam_called lam_called __attribute__((visibility("hidden")));
const struct lam_called* const lam_last_call = &lam_called;

void lam_finding_of(struct lam_finding* finding, enum lam_finding_kind kind, const struct lam_called* call) {
    if (call == NULL) call = &lam_called;
    memset(finding, 0, sizeof *finding);
    finding->kind = (int32_t)kind;
    finding->rank = lam_world == NULL ? -1 : lam_world->rank;
    finding->from = call->from;
    if (call->function != NULL) snprintf(finding->function, sizeof finding->function, "%s", call->function);
}

void lam_found(enum lam_finding_kind kind, bool is_likely, const struct lam_called* call, const void* other, const char* format,
               ...) {
    struct lam_finding finding;
    va_list values;
    lam_finding_of(&finding, kind, call);
    finding.other = other;
    finding.is_likely = is_likely;
    va_start(values, format);
    vsnprintf(finding.text, sizeof finding.text, format, values);
    va_end(values);
    lam_port_note(LAM_NOTE_FINDING, &finding, sizeof finding);
}

/* ---- Messages ---- */

/* The code of a module lies below its variables. */
int32_t lam_site_of(const struct lam_called* call) {
    const intptr_t site = call->from == NULL ? 0 : (intptr_t)call->from - (intptr_t)&lam_called;
    return site < 0 && site > INT32_MIN ? (int32_t)site : 0;
}
const void* lam_call_at(int32_t site) {
    return site < 0 ? (const char*)&lam_called + site : NULL;
}

void lam_tell_unreceived(const struct lam_message* message, size_t count) {
    const char* const sent = message->sent_from == NULL ? "" : ", sent at " LAM_OTHER_LINE;
    char text[64];
    if (message->mark == 0) {
        lam_found(LAM_UNRECEIVED, false, NULL, message->sent_from, "%zu message%s, the first of rank %d with tag %d%s, had no receive",
                  count, count == 1 ? "" : "s", message->sender, message->tag, sent);
        return;
    }
    lam_mark_text(message->mark, message->context % LAM_CONTEXTS == LAM_COLLECTIVE, text, sizeof text);
    lam_found(LAM_COLLECTIVE_MISMATCH, false, NULL, message->sent_from,
              "rank %d is in %s%s, and no call of rank %d matches its message", message->sender, text, sent, lam_rank);
}

void lam_tell_types(const struct lam_message* message, struct lam_request* request) {
    if (message->mark != 0) {
        request->types_differ = true;
        return;
    }
    lam_found(LAM_TYPE_MISMATCH, false, &request->begun, message->sent_from,
              "the message of rank %d, tag %d,%s was sent with other types than it is received with (MPI_ERR_TYPE)",
              message->sender, message->tag, message->sent_from == NULL ? "" : " sent at " LAM_OTHER_LINE ",");
}

void lam_tell_unstarted(const struct lam_request* request) {
    if (!request->persistent || request->started || !request->asked) return;
    lam_found(LAM_MISSING_START, true, &request->begun, NULL, "its request was waited for, and MPI_Start() never began it");
}

struct lam_called lam_freed_unknown;
void lam_freed_active(const struct lam_request* request) {
    if (request->kind == LAM_SCHEDULE) {
        lam_found(LAM_MISSING_WAIT, false, &request->begun, lam_called.from,
                  "its request was freed at " LAM_OTHER_LINE " before its end, which a collective operation does not allow");
    } else if (lam_freed_unknown.from == NULL && request->mode != LAM_BUFFERED && request->kind != LAM_GENERAL) {
        lam_freed_unknown = request->begun;
    }
}

/* ---- Leaks ---- */

/* Objects of one kind that are left: how many, and the call that made the first of them. */
struct left {
    size_t count;
    struct lam_called call;
};
struct rest {
    enum lam_kind kind;
    struct left all, active; /* `active`: requests that nobody waited for */
};
static void add(struct left* left, const struct lam_called* call) {
    if (left->count++ == 0) left->call = *call;
}

struct uses {
    MPI_Errhandler errhandler;
    int count;
};
static void count_uses(int handle, void* object, void* context) {
    struct uses* uses = context;
    (void)handle;
    for (const struct lam_comm* comm = object; comm != NULL; comm = comm->own_side)
        if (comm->errhandler == uses->errhandler) ++uses->count;
}

/* True: the program could free it, and has not. Objects live on while others need them. */
static bool is_left(enum lam_kind kind, int handle, const void* object) {
    if (kind == LAM_TYPE) return ((const struct lam_own_type*)object)->handles > 0;
    if (kind != LAM_ERRHANDLER) return true;
    struct uses uses = {handle, 0};
    lam_each_object(LAM_COMM, count_uses, &uses);
    return ((const struct lam_errhandler*)object)->references > uses.count;
}
static void count(int handle, void* object, void* context) {
    struct rest* rest = context;
    const struct lam_called* call = lam_made_by(rest->kind, handle);
    if (call == NULL || !is_left(rest->kind, handle, object)) return;
    const struct lam_request* request = rest->kind == LAM_REQUEST ? object : NULL;
    const bool is_active = request != NULL && request->active;
    if (request != NULL) lam_tell_unstarted(request);
    add(is_active ? &rest->active : &rest->all, is_active ? &request->begun : call);
}

static void tell(enum lam_finding_kind kind, const struct left* left, const char* what, const char* missing) {
    if (left->count == 0) return;
    if (left->count == 1) {
        lam_found(kind, false, &left->call, NULL, "its %s was not %s before MPI_Finalize()", what, missing);
    } else {
        lam_found(kind, false, &left->call, NULL, "its %s was not %s before MPI_Finalize(), the first of %zu", what, missing,
                  left->count);
    }
}

void lam_tell_leaks(void) {
    static const struct {
        enum lam_kind kind;
        const char *what, *missing;
    } kinds[] = {
        {LAM_REQUEST, "persistent request", "freed"}, {LAM_COMM, "communicator", "freed"},
        {LAM_GROUP, "group", "freed"},                {LAM_TYPE, "datatype", "freed"},
        {LAM_OP, "operation", "freed"},               {LAM_ERRHANDLER, "error handler", "freed"},
        {LAM_INFO, "info", "freed"},                  {LAM_MESSAGE, "message", "received"},
    };
    if (lam_freed_unknown.from != NULL)
        lam_found(LAM_MISSING_WAIT, true, &lam_freed_unknown, NULL,
                  "its request was freed while it was active, and no later message told its end before MPI_Finalize()");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        struct rest rest = {.kind = kinds[i].kind};
        lam_each_object(rest.kind, count, &rest);
        tell(LAM_MISSING_WAIT, &rest.active, "request", "completed by a wait or test");
        tell(LAM_LEAK, &rest.all, kinds[i].what, kinds[i].missing);
    }
}

/* One call of a collective operation: the checks of its arguments, and its beginning and end. */
#include "lam_collectives.h"
#include "lam_logs.h"

static int check_root(struct lam_call* call) {
    const struct lam_comm* comm = call->comm;
    const int root = call->root;
    if (root == LAM_NO_ROOT) return MPI_SUCCESS;
    if (root >= 0 && root < call->others) return MPI_SUCCESS;
    if (comm->inter && (root == MPI_ROOT || root == MPI_PROC_NULL)) return MPI_SUCCESS;
    if (comm->inter)
        return lam_fail(comm->handle, MPI_ERR_ROOT, call->function,
                        "root is %d; it must be MPI_ROOT, MPI_PROC_NULL or one of the other group's ranks 0 to %d", root,
                        call->others - 1);
    if (root == MPI_ROOT || root == MPI_PROC_NULL)
        return lam_fail(comm->handle, MPI_ERR_ROOT, call->function, "root is %s, which only inter-communicators have",
                        root == MPI_ROOT ? "MPI_ROOT" : "MPI_PROC_NULL");
    return lam_fail(comm->handle, MPI_ERR_ROOT, call->function, "root is %d, and the communicator has the ranks 0 to %d", root,
                    call->others - 1);
}

int lam_call_begin(struct lam_call* call, enum lam_collective operation, int root) {
    call->operation = operation;
    call->root = root;
    call->error = lam_require_running(call->function);
    if (call->error != MPI_SUCCESS) return call->error;
    call->comm = lam_comm(call->handle);
    if (call->comm == NULL)
        return call->error = lam_fail(call->handle, MPI_ERR_COMM, call->function,
                                      "comm %s", lam_why_not(LAM_COMM, call->handle));
    if (!call->blocking && call->request == NULL)
        return call->error = lam_fail(call->handle, MPI_ERR_ARG, call->function, "request is a null pointer");
    call->rank = call->comm->rank;
    call->size = call->comm->local->size;
    call->others = call->comm->remote->size;
    call->is_root = root == (call->comm->inter ? MPI_ROOT : call->rank);
    call->is_outside = call->comm->inter && root == MPI_PROC_NULL;
    return call->error = check_root(call);
}

static int check_type(struct lam_call* call, const char* name, MPI_Datatype datatype, struct lam_type** type) {
    const char* why = NULL;
    const int wrong = lam_type_for_data(datatype, type, &why);
    if (wrong == MPI_SUCCESS) return MPI_SUCCESS;
    return call->error =
               lam_fail(call->handle, wrong, call->function, "%s%s %s", name, name[0] == '\0' ? "datatype" : "type", why);
}

int lam_call_data(struct lam_call* call, const char* name, const void* at, int count, MPI_Datatype datatype,
                  struct lam_data* data) {
    *data = (struct lam_data){.in_place = at == MPI_IN_PLACE};
    if (call->error != MPI_SUCCESS || data->in_place) return call->error;
    data->at = (char*)at;
    data->count = count;
    if (count < 0) return call->error = lam_fail(call->handle, MPI_ERR_COUNT, call->function, "%scount is %d", name, count);
    if (check_type(call, name, datatype, &data->type) != MPI_SUCCESS) return call->error;
    if (!call->comm->inter && call->signature == 0) call->signature = lam_signature((size_t)count, data->type);
    return MPI_SUCCESS;
}

static void tell_reads(const struct lam_call* call, const int* counts, const int* displs, const MPI_Datatype* types) {
    const size_t all = (size_t)call->others;
    lam_log_read(counts, all * sizeof *counts);
    lam_log_read(displs, all * sizeof *displs);
    lam_log_read(types, all * sizeof *types);
}

static int check_counts(struct lam_call* call, const char* name, const int* counts, const int* displs, bool has_places) {
    bool some = false;
    if (counts == NULL)
        return call->error = lam_fail(call->handle, MPI_ERR_ARG, call->function, "%scounts is a null pointer", name);
    for (int i = 0; i < call->others; ++i) {
        if (counts[i] < 0)
            return call->error =
                       lam_fail(call->handle, MPI_ERR_COUNT, call->function, "%scounts[%d] is %d", name, i, counts[i]);
        some = some || counts[i] > 0;
    }
    if (has_places && displs == NULL && some)
        return call->error =
                   lam_fail(call->handle, MPI_ERR_ARG, call->function, "the displacements of %sbuf are a null pointer", name);
    return MPI_SUCCESS;
}

int lam_call_rows(struct lam_call* call, const char* name, const void* at, const int* counts, const int* displs,
                  MPI_Datatype datatype, struct lam_data* data) {
    *data = (struct lam_data){.in_place = at == MPI_IN_PLACE};
    if (call->error != MPI_SUCCESS || data->in_place) return call->error;
    data->at = (char*)at;
    data->counts = counts;
    data->places = displs;
    if (check_counts(call, name, counts, displs, true) != MPI_SUCCESS) return call->error;
    tell_reads(call, counts, displs, NULL);
    return check_type(call, name, datatype, &data->type);
}

int lam_call_typed_rows(struct lam_call* call, const char* name, const void* at, const int* counts, const int* displs,
                        const MPI_Datatype* types, struct lam_data* data) {
    *data = (struct lam_data){.in_place = at == MPI_IN_PLACE};
    if (call->error != MPI_SUCCESS || data->in_place) return call->error;
    data->at = (char*)at;
    data->counts = counts;
    data->places = displs;
    data->types = types;
    if (check_counts(call, name, counts, displs, true) != MPI_SUCCESS) return call->error;
    if (types == NULL)
        return call->error = lam_fail(call->handle, MPI_ERR_ARG, call->function, "%stypes is a null pointer", name);
    for (int i = 0; i < call->others; ++i) {
        struct lam_type* type = NULL;
        if (counts[i] > 0 && check_type(call, name, types[i], &type) != MPI_SUCCESS) return call->error;
    }
    tell_reads(call, counts, displs, types);
    return MPI_SUCCESS;
}

int lam_call_counts(struct lam_call* call, const int* counts, int* sum) {
    if (call->error != MPI_SUCCESS) return call->error;
    *sum = 0;
    if (counts == NULL)
        return call->error = lam_fail(call->handle, MPI_ERR_ARG, call->function, "recvcounts is a null pointer");
    for (int i = 0; i < call->size; ++i) {
        if (counts[i] < 0)
            return call->error = lam_fail(call->handle, MPI_ERR_COUNT, call->function, "recvcounts[%d] is %d", i, counts[i]);
        *sum += counts[i];
    }
    lam_log_read(counts, (size_t)call->size * sizeof *counts);
    return MPI_SUCCESS;
}

int lam_call_not_in_place(struct lam_call* call, const char* name, const struct lam_data* data) {
    if (call->error != MPI_SUCCESS || !data->in_place) return call->error;
    return call->error =
               lam_fail(call->handle, MPI_ERR_BUFFER, call->function, "%s is MPI_IN_PLACE, which cannot be here", name);
}

int lam_call_memory(struct lam_call* call, const char* name, const struct lam_data* data) {
    if (call->error != MPI_SUCCESS || data->in_place || data->at != NULL || data->type == NULL) return call->error;
    bool some = data->count > 0;
    for (int i = 0; data->counts != NULL && i < call->others; ++i) some = some || data->counts[i] > 0;
    /* A type may hold absolute addresses, from MPI_BOTTOM on. */
    if (!some || data->type->size == 0 || !(data->type->predefined || data->type->true_lb == 0)) return MPI_SUCCESS;
    return call->error =
               lam_fail(call->handle, MPI_ERR_BUFFER, call->function, "%s is a null pointer, and there are data", name);
}

static int same(struct lam_call* call) {
    return call->error = lam_fail(call->handle, MPI_ERR_BUFFER, call->function,
                                  "sendbuf and recvbuf share memory; MPI_IN_PLACE says that data stay where they are");
}
int lam_call_not_same(struct lam_call* call, const struct lam_data* sent, const struct lam_data* received) {
    if (call->error != MPI_SUCCESS || sent->in_place || received->in_place) return call->error;
    const bool at_one_place = sent->at == received->at && sent->at != NULL;
    /* Blocks at places of their own can share a buffer without touching. */
    if (sent->counts != NULL && received->counts != NULL)
        return at_one_place && sent->counts == received->counts && sent->type == received->type &&
                       sent->types == received->types
                   ? same(call)
                   : MPI_SUCCESS;
    const struct lam_data* rows = sent->counts != NULL ? sent : received;
    const struct lam_data* other = rows == sent ? received : sent;
    if (lam_bytes_of((size_t)other->count, other->type) == 0 || rows->type->size == 0) return MPI_SUCCESS;
    if (rows->counts == NULL && rows->count > 0 && at_one_place) return same(call);
    return MPI_SUCCESS;
}
int lam_call_not_own_block(struct lam_call* call, const struct lam_data* rows, const struct lam_data* other) {
    if (call->error != MPI_SUCCESS || rows->in_place || other->in_place) return call->error;
    const struct lam_part own = lam_part(rows, call->rank);
    if (lam_bytes_of((size_t)other->count, other->type) == 0 || lam_bytes_of((size_t)own.count, own.type) == 0)
        return MPI_SUCCESS;
    return own.at == other->at ? same(call) : MPI_SUCCESS;
}

int lam_call_op(struct lam_call* call, MPI_Op handle, const struct lam_data* data, struct lam_op** op) {
    if (call->error != MPI_SUCCESS) return call->error;
    *op = lam_op(handle);
    if (*op == NULL)
        return call->error = lam_fail(call->handle, MPI_ERR_OP, call->function,
                                      "op %s", lam_why_not(LAM_OP, handle));
    if (handle == MPI_REPLACE || handle == MPI_NO_OP)
        return call->error = lam_fail(call->handle, MPI_ERR_OP, call->function, "op is for one-sided communication only");
    if (!lam_op_allows(*op, data->type))
        return call->error = lam_fail(call->handle, MPI_ERR_OP, call->function, "op is not defined for the datatype %s",

                                      data->type->predefined ? data->type->name : "of the program");
    return MPI_SUCCESS;
}

bool lam_call_plan(struct lam_call* call) {
    if (call->error != MPI_SUCCESS) return false;
    call->plan = lam_schedule_new(call->comm, call->blocking);
    if (call->plan == NULL) {
        call->error = lam_fail(call->handle, MPI_ERR_NO_MEM, call->function, "the node has no memory for the operation");
        return false;
    }
    lam_schedule_name(call->plan, call->operation, call->root);
    lam_schedule_data(call->plan, call->signature);
    return true;
}
int lam_call_end(struct lam_call* call) {
    return lam_schedule_run(call->plan, call->blocking ? NULL : call->request);
}

struct lam_part lam_part(const struct lam_data* data, int rank) {
    if (data->counts == NULL)
        return (struct lam_part){data->at + (ptrdiff_t)rank * data->count * (data->type->ub - data->type->lb), data->count,
                                 data->type};
    /* An empty block needs neither a type nor a place. */
    if (data->counts[rank] == 0) return (struct lam_part){data->at, 0, lam_type(MPI_BYTE)};
    if (data->addresses != NULL)
        return (struct lam_part){(char*)((uintptr_t)data->at + (uintptr_t)data->addresses[rank]), data->counts[rank],
                                 lam_type(data->types[rank])};
    if (data->types != NULL)
        return (struct lam_part){data->at + data->places[rank], data->counts[rank], lam_type(data->types[rank])};
    return (struct lam_part){data->at + (ptrdiff_t)data->places[rank] * (data->type->ub - data->type->lb), data->counts[rank],
                             data->type};
}

char* lam_room_for(struct lam_schedule* plan, int count, const struct lam_type* type) {
    enum { alignment = 16 };
    if (count <= 0 || type->size == 0) return lam_schedule_room(plan, 0);
    const ptrdiff_t all = (count - 1) * (type->ub - type->lb);
    ptrdiff_t low = type->true_lb + (all < 0 ? all : 0);
    const ptrdiff_t high = type->true_ub + (all > 0 ? all : 0);
    /* Elements keep the alignment that they have in the program's buffers. */
    low -= (low % alignment + alignment) % alignment;
    char* room = lam_schedule_room(plan, (size_t)(high - low));
    return room == NULL ? NULL : (char*)((uintptr_t)room - (uintptr_t)low);
}

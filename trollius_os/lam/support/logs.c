#include "lam_logs.h"

#include <stdlib.h>

#include <program_support.h>

#include "lam_delivery.h"
#include "lam_types.h"

void program_tell_act(const struct program_act* act) __attribute__((weak));
void program_tell_output(const void* data, unsigned long bytes) __attribute__((weak));

static int ranks;
static uint32_t *sent_to, *came_from; /* numbers of the last messages */

bool lam_logs(void) {
    return program_tell_act != NULL;
}

void lam_log_rank(int rank, int size) {
    if (!lam_logs()) return;
    ranks = size;
    sent_to = calloc(2 * (size_t)size, sizeof *sent_to);
    came_from = sent_to == NULL ? NULL : sent_to + size;
    const struct program_act act = {.kind = PROGRAM_RANK, .peer = (unsigned)rank, .flow = (unsigned)size};
    program_tell_act(&act);
}

enum { number_bits = 20, check_bits = 4, word_bits = number_bits + check_bits, most_missing = 1024 };

/* Its generator x^4 + x + 1 finds each wrong bit, and two that lie up to 14 bits apart. Two that lie further apart change the number
 * by more than `most_missing`. */
static uint32_t check_of(uint32_t number) {
    uint32_t rest = number << check_bits;
    for (int bit = word_bits - 1; bit >= check_bits; --bit)
        if ((rest >> bit & 1) != 0) rest ^= (uint32_t)0x13 << (bit - check_bits);
    return rest;
}

int32_t lam_flow_word(uint32_t flow) {
    if (flow == 0) return 0;
    const uint32_t number = flow & ((1u << number_bits) - 1);
    return (int32_t)(number << check_bits | check_of(number));
}

uint32_t lam_flow_of(int sender, int32_t word) {
    if (came_from == NULL || lam_stamps || sender < 0 || sender >= ranks) return 0;
    const uint32_t number = (uint32_t)word >> check_bits & ((1u << number_bits) - 1);
    if (((uint32_t)word & ((1u << check_bits) - 1)) != check_of(number)) return 0;
    const uint32_t step = (number - came_from[sender]) & ((1u << number_bits) - 1);
    if (step == 0 || step > most_missing) return 0;
    return came_from[sender] += step;
}

/* ---- Pieces of memory, in the order of the data ---- */

struct pieces {
    struct program_piece* all;
    size_t count, room;
    bool whole; /* false: there was no memory for all */
};

static void add(struct pieces* its, uintptr_t at, size_t bytes) {
    struct program_piece* last = its->count == 0 ? NULL : &its->all[its->count - 1];
    if (last != NULL && last->address + last->bytes == at) {
        last->bytes += bytes;
        return;
    }
    if (its->count == its->room) {
        const size_t room = its->room == 0 ? 8 : 2 * its->room;
        struct program_piece* more = realloc(its->all, room * sizeof *more);
        if (more == NULL) {
            its->whole = false;
            return;
        }
        its->all = more;
        its->room = room;
    }
    its->all[its->count++] = (struct program_piece){at, bytes};
}

/* The first `bytes` of them. */
static struct pieces pieces_of(struct lam_row row, size_t bytes) {
    struct pieces its = {.whole = true};
    const struct lam_type* const type = row.type;
    if (type == NULL || type->size == 0 || row.count == 0 || bytes == 0) return its;
    if (type->gapless) {
        add(&its, (uintptr_t)row.at + (uintptr_t)type->true_lb, bytes);
        return its;
    }
    for (size_t i = 0; i < row.count; ++i) {
        const uintptr_t base = (uintptr_t)row.at + (uintptr_t)((ptrdiff_t)i * lam_extent(type));
        for (size_t k = 0; k < type->block_count && bytes > 0; ++k) {
            const size_t length = type->blocks[k].bytes < bytes ? type->blocks[k].bytes : bytes;
            add(&its, base + (uintptr_t)type->blocks[k].at, length);
            bytes -= length;
        }
    }
    return its;
}

/* Without memory for a list all between the first and the last byte counts as received, in a message that is not known. */
static void tell(struct program_act* act, struct pieces from, struct pieces to, struct lam_row row) {
    struct program_piece all = {0, 0};
    act->from = from.all;
    act->from_count = from.count;
    act->to = to.all;
    act->to_count = to.count;
    if (!from.whole || !to.whole) {
        act->flow = 0;
        act->from_count = 0;
        if (row.type != NULL) {
            const ptrdiff_t last = (ptrdiff_t)(row.count - 1) * lam_extent(row.type);
            all.address = (uintptr_t)row.at + (uintptr_t)(row.type->true_lb + (last < 0 ? last : 0));
            all.bytes = (size_t)(row.type->true_ub - row.type->true_lb + (last < 0 ? -last : last));
            act->kind = PROGRAM_RECEIVED;
            act->to = &all;
            act->to_count = 1;
        }
    }
    program_tell_act(act);
    free(from.all);
    free(to.all);
}

uint32_t lam_log_operation;

uint32_t lam_log_begun(int handle) {
    static uint32_t operations;
    if (!lam_logs()) return 0;
    const struct program_act act = {.kind = PROGRAM_BEGUN, .flow = (unsigned)handle, .operation = ++operations};
    program_tell_act(&act);
    return operations;
}

static bool is_private(uint32_t context) {
    return context % LAM_CONTEXTS == LAM_PRIVATE;
}

void lam_log_sent(struct lam_request* request) {
    if (!lam_logs()) return;
    request->flow = sent_to == NULL ? 0 : ++sent_to[request->peer_world];
    if (is_private(request->context)) return;
    struct program_act act = {.kind = PROGRAM_SENT,
                              .peer = (unsigned)request->peer_world,
                              .flow = lam_stamps ? 0 : request->flow,
                              .tag = (unsigned)request->tag,
                              .context = request->context,
                              .operation = lam_log_operation};
    const struct lam_row row = {request->send_from, (size_t)request->count, request->type};
    tell(&act, pieces_of(row, request->packed_bytes), (struct pieces){.whole = true}, (struct lam_row){0});
}

static void tell_wait(int peer, int tag, uint32_t context, uint32_t flow, uint32_t operation) {
    const struct program_act act = {.kind = PROGRAM_WAITS,
                                    .peer = peer == MPI_ANY_SOURCE ? UINT32_MAX : (unsigned)peer,
                                    .flow = flow,
                                    .tag = tag == MPI_ANY_TAG ? UINT32_MAX : (unsigned)tag,
                                    .context = context,
                                    .operation = operation};
    program_tell_act(&act);
}

void lam_log_waits(const struct lam_request* request) {
    if (!lam_logs()) return;
    const bool sends = request->kind == LAM_SEND;
    tell_wait(request->peer_world, request->tag, request->context, sends ? request->flow : 0,
              sends ? (uint32_t)request->handle : request->operation);
}

void lam_log_probe_waits(int peer, int tag, uint32_t context, uint32_t operation) {
    if (lam_logs()) tell_wait(peer, tag, context, 0, operation);
}

static void tell_plain(enum program_act_kind kind, unsigned peer, uint32_t flow, uint32_t operation, const struct program_piece* from) {
    const struct program_act act = {
        .kind = kind, .peer = peer, .flow = flow, .operation = operation, .from = from, .from_count = from == NULL ? 0 : 1};
    if (lam_logs()) program_tell_act(&act);
}
void lam_log_saw(int peer, uint32_t flow, uint32_t operation) {
    tell_plain(PROGRAM_SAW, (unsigned)peer, flow, operation, NULL);
}
void lam_log_read(const void* data, size_t bytes) {
    const struct program_piece piece = {(uintptr_t)data, bytes};
    if (data != NULL && bytes > 0) tell_plain(PROGRAM_READ, 0, 0, 0, &piece);
}
void lam_log_function(void) {
    tell_plain(PROGRAM_FUNCTION, 0, 0, 0, NULL);
}
void lam_log_aborted(void) {
    tell_plain(PROGRAM_ABORTED, 0, 0, 0, NULL);
}

void lam_log_status(const MPI_Status* status, bool error) {
    const size_t behind = offsetof(MPI_Status, MPI_ERROR) + sizeof status->MPI_ERROR;
    if (status == MPI_STATUS_IGNORE) return;
    lam_log_wrote(status, error ? sizeof *status : offsetof(MPI_Status, MPI_ERROR));
    if (!error) lam_log_wrote((const char*)status + behind, sizeof *status - behind);
}

void lam_log_received(const struct lam_request* request, size_t bytes) {
    if (!lam_logs() || is_private(request->context)) return;
    struct program_act act = {.kind = PROGRAM_RECEIVED,
                              .peer = (unsigned)request->peer_world,
                              .flow = request->flow,
                              .tag = (unsigned)request->status.MPI_TAG,
                              .context = request->context,
                              .operation = request->operation};
    const struct lam_row row = {request->receive_to, (size_t)request->count, request->type};
    tell(&act, (struct pieces){.whole = true}, pieces_of(row, bytes), row);
}

void lam_log_copied(struct lam_row from, struct lam_row to, size_t bytes) {
    if (!lam_logs()) return;
    struct program_act act = {.kind = PROGRAM_COPIED, .operation = lam_log_operation};
    tell(&act, pieces_of(from, bytes), pieces_of(to, bytes), to);
}

void lam_log_combined(const void* from, const void* to, int count, const struct lam_type* type) {
    if (!lam_logs() || count <= 0) return;
    const size_t bytes = type->size * (size_t)count;
    struct program_act act = {.kind = PROGRAM_COMBINED, .tag = (unsigned)type->size, .operation = lam_log_operation};
    const struct lam_row out = {to, (size_t)count, type};
    tell(&act, pieces_of((struct lam_row){from, (size_t)count, type}, bytes), pieces_of(out, bytes), out);
}

void lam_log_answer(const void* data, size_t bytes) {
    const struct program_piece piece = {(uintptr_t)data, bytes};
    const struct program_act act = {.kind = PROGRAM_COPIED, .to = &piece, .to_count = 1, .operation = lam_log_operation};
    if (lam_logs()) program_tell_act(&act);
}

void lam_log_wrote(const void* data, size_t bytes) {
    if (program_tell_output != NULL && bytes > 0) program_tell_output(data, bytes);
}

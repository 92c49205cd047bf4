/* How the bytes of a message travel. A short one goes at once with its envelope. A long one announces itself and follows when its
 * receive is known (rendezvous), in packets that say where their bytes belong. LAM 6.5's protocols in outline. */
#include "lam_delivery.h"
#include "lam_logs.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Words of a packet. */
enum { w_kind, w_sender, w_context, w_tag, w_bytes, w_number, w_other, w_signature };
_Static_assert((int)w_sender == (int)LAM_WORD_SENDER && (int)w_context == (int)LAM_WORD_CONTEXT, "who looks on knows them");
_Static_assert((int)LAM_PRIVATE == (int)LAM_PRIVATE_CONTEXT && (int)LAM_CONTEXTS == (int)LAM_ALL_CONTEXTS, "and these");
enum {
    p_data_with_envelope = LAM_DATA, /* w_number: answer p_received to it; below 0: none is wanted, lam_site_of() the send. w_other: mark */
    p_announcement = LAM_ANNOUNCEMENT, /* of request w_number. w_other: mark */
    p_go_on,                  /* to the sender's request w_number: send to request w_other. w_tag 1: hold no longer (flow.c) */
    p_piece = LAM_PIECE, /* for request w_number, from byte w_other */
    p_received,               /* to the sender's request w_number. w_tag as for p_go_on */
    p_cancel,                 /* the sender of w_number takes it back */
    p_cancelled,              /* w_other 1: it is gone; 0: it was received */
    p_hold = LAM_HOLD,        /* to a sender: announce your messages from now on */
    p_stamp                   /* of the next message, which has no room for it; else a stamp follows the data of its first packet */
};
enum { kind_bits = LAM_KIND_BITS }; /* of w_kind; above them the number of ranges that end the stamp, or lam_flow_word() */

int lam_rank;
static struct lam_request** numbered; /* the requests that wait for a packet, by number */
static int32_t numbers;
static int32_t free_from = 1;
static int cancel_answer; /* of the one cancellation under way: -1 until it comes */

static bool number(struct lam_request* request) {
    int32_t at = free_from;
    while (at < numbers && numbered[at] != NULL) ++at;
    if (at >= numbers) {
        const int32_t more = numbers == 0 ? 64 : 2 * numbers;
        struct lam_request** table = realloc(numbered, (size_t)more * sizeof *table);
        if (table == NULL) return false;
        memset(table + numbers, 0, (size_t)(more - numbers) * sizeof *table);
        numbered = table;
        at = numbers == 0 ? 1 : numbers;
        numbers = more;
    }
    numbered[at] = request;
    request->number = at;
    free_from = at + 1;
    return true;
}
static void unnumber(struct lam_request* request) {
    if (request->number == 0) return;
    numbered[request->number] = NULL;
    if (request->number < free_from) free_from = request->number;
    request->number = 0;
}
static struct lam_request* numbered_one(int32_t its) {
    return its > 0 && its < numbers ? numbered[its] : NULL;
}

static void send_words(int to, int kind, int32_t its_number, int32_t other) {
    const bool answers = kind == p_go_on || kind == p_received;
    const int32_t words[LAM_PACKET_WORDS] = {[w_kind] = kind, [w_sender] = lam_rank, [w_tag] = answers && lam_flow_answer(to),
                                             [w_number] = its_number, [w_other] = other};
    lam_port_send(to, words, NULL, 0);
}

void lam_send_hold(int to) {
    send_words(to, p_hold, 0, 0);
}

/* To a sender that waits: its message has a receive. Takes the stamp of that over; NULL: it has none. */
static void answer(const struct lam_message* message, int kind, int32_t other, uint32_t* stamp) {
    if (stamp == NULL) return send_words(message->sender, kind, message->number, other);
    const int32_t words[LAM_PACKET_WORDS] = {
        [w_kind] = kind, [w_sender] = lam_rank, [w_tag] = lam_flow_answer(message->sender), [w_number] = message->number, [w_other] = other};
    lam_stamp_send(stamp, message->sender, words, NULL, 0);
    free(stamp);
}
static uint32_t* stamp_of_answer(const struct lam_message* message, const struct lam_request* request) {
    const bool waits = message->number != 0 || message->own != NULL;
    return waits && lam_stamps && !lam_annai ? lam_match_answer(request) : NULL;
}
/* The sender has learnt of the receive. NULL: there is none, or the request is gone. */
static struct lam_request* answered(const struct lam_packet* packet) {
    struct lam_request* its = numbered_one(packet->words[w_number]);
    if (!lam_stamps || lam_annai) return its;
    uint32_t* stamp =
        lam_stamp_read(packet->words[w_sender], packet->body, packet->bytes, packet->words[w_kind] >> kind_bits);
    if (its == NULL) return free(stamp), NULL;
    free(its->stamp);
    its->stamp = stamp;
    return its;
}

void lam_send_stamp(int to, const void* stamp, int bytes, int ranges) {
    const int32_t words[LAM_PACKET_WORDS] = {[w_kind] = p_stamp, [w_sender] = lam_rank};
    lam_send_stamped(to, words, stamp, bytes, ranges);
}
void lam_send_stamped(int to, const int32_t* words, const void* body, int bytes, int ranges) {
    int32_t marked[LAM_PACKET_WORDS];
    memcpy(marked, words, sizeof marked);
    marked[w_kind] |= ranges << kind_bits;
    lam_port_send(to, marked, body, bytes);
}

/* Messages come and go all the time, so some that are not in use wait for the next ones. */
static struct lam_message* spare;
static int spares;
enum { most_spares = 32 };

static struct lam_message* new_message(void) {
    struct lam_message* message = spare;
    if (message == NULL) return malloc(sizeof *message);
    spare = message->next;
    --spares;
    return message;
}
void lam_message_free(struct lam_message* message) {
    free(message->stamp);
    if (message->data != message->brief && !message->borrowed) free(message->data);
    if (spares == most_spares) {
        free(message);
        return;
    }
    message->next = spare;
    spare = message;
    ++spares;
}
/* Room for so many bytes, which becomes its data. */
static bool give_data_room(struct lam_message* message, size_t bytes) {
    message->borrowed = false;
    message->data = bytes <= sizeof message->brief ? message->brief : malloc(bytes);
    return message->data != NULL;
}

static void finish_send(struct lam_request* request, int error_class) {
    unnumber(request);
    if (request->packed_is_own) free(request->packed);
    request->packed = NULL;
    request->packed_is_own = false;
    if (request->attached) lam_give_room((int)request->packed_bytes);
    request->attached = false;
    lam_request_complete(request, error_class);
}

/* Bytes in a row as they go over the links. */
static bool pack(struct lam_request* request) {
    const struct lam_type* type = request->type;
    request->packed_bytes = type->size * (size_t)request->count;
    if (type->gapless && !request->attached) {
        /* A buffer without bytes may be NULL; a type may hold absolute addresses. */
        request->packed =
            request->packed_bytes == 0 ? NULL : (char*)((uintptr_t)request->send_from + (uintptr_t)type->true_lb);
        return true;
    }
    request->packed = malloc(request->packed_bytes + 1);
    if (request->packed == NULL) return false;
    request->packed_is_own = true;
    lam_pack(request->send_from, (size_t)request->count, type, request->packed);
    lam_port_charge(LAM_PRICE_BYTE, request->packed_bytes);
    return true;
}

/* Messages that were held back come now, in their order. One that is taken may let others go. */
static void let_go(void) {
    struct lam_message* its = NULL;
    lam_letting_go = true;
    while (lam_let_go) {
        lam_let_go = false;
        its = lam_first_kept();
        while (its != NULL && !lam_let_go) {
            struct lam_request* posted = lam_take_posted(its->sender, its->tag, its->context, its);
            struct lam_message* message = its;
            its = its->next;
            if (lam_stamps) lam_race_came(message, posted);
            if (posted == NULL) continue;
            lam_unkeep(message);
            lam_deliver(message, posted);
        }
    }
    lam_letting_go = false;
}

static uint32_t next_order(void) {
    static uint32_t orders;
    return ++orders;
}

static void send_to_self(struct lam_request* request) {
    struct lam_message* message = new_message();
    if (message == NULL) return finish_send(request, MPI_ERR_NO_MEM);
    const bool keeps = request->packed_bytes <= (size_t)lam_port_short_bytes() && request->mode != LAM_SYNCHRONOUS;
    memset(message, 0, offsetof(struct lam_message, brief));
    message->sender = lam_rank;
    message->tag = request->tag;
    message->context = request->context;
    message->bytes = (int)request->packed_bytes;
    message->signature = lam_signature((size_t)request->count, request->type);
    message->mark = request->mark;
    message->sent_from = request->begun.from;
    message->own = request;
    message->order = next_order();
    message->flow = lam_stamps ? 0 : request->flow;
    if (lam_stamps) message->stamp = lam_stamp_of_self();
    struct lam_request* posted = lam_take_posted(lam_rank, request->tag, request->context, NULL);
    if (lam_stamps) lam_race_came(message, posted);
    if (posted != NULL) {
        lam_deliver(message, posted);
        if (lam_let_go) let_go();
        return;
    }
    if (keeps && give_data_room(message, request->packed_bytes)) {
        if (request->packed_bytes > 0) memcpy(message->data, request->packed, request->packed_bytes);
        message->own = NULL;
        finish_send(request, MPI_SUCCESS);
    } else {
        lam_log_waits(request);
    }
    lam_keep(message);
}

static bool is_private(uint32_t context) {
    return context % LAM_CONTEXTS == LAM_PRIVATE;
}

void lam_begin_send(struct lam_request* request) {
    lam_port_charge(LAM_PRICE_CALL, 1);
    if (!pack(request)) return finish_send(request, MPI_ERR_NO_MEM);
    lam_log_sent(request);
    if (request->peer_world == lam_rank) return send_to_self(request);
    const bool is_held = lam_flow_is_held(request->peer_world);
    const bool is_short = request->packed_bytes <= (is_held ? 0 : (size_t)lam_port_short_bytes());
    const bool waits = !is_short || request->mode == LAM_SYNCHRONOUS || is_held;
    if (waits && !number(request)) return finish_send(request, MPI_ERR_NO_MEM);
    if (waits) lam_log_waits(request);
    const int32_t words[LAM_PACKET_WORDS] = {
        (is_short ? p_data_with_envelope : p_announcement) | (lam_logs() && !lam_stamps ? lam_flow_word(request->flow) << kind_bits : 0), lam_rank, (int32_t)request->context, request->tag,
        (int32_t)request->packed_bytes, waits ? request->number : lam_site_of(&request->begun), request->mark,
        (int32_t)lam_signature((size_t)request->count, request->type)};
    const int bytes = is_short ? (int)request->packed_bytes : 0;
    if (lam_stamps) {
        if (!is_private(request->context)) lam_stamp_count(request->peer_world);
        lam_stamp_send(*lam_stamp_of_sends, request->peer_world, words, request->packed, bytes);
    } else {
        lam_port_send(request->peer_world, words, request->packed, bytes);
    }
    if (!waits) finish_send(request, MPI_SUCCESS);
}

void lam_begin_receive(struct lam_request* request) {
    lam_port_charge(LAM_PRICE_CALL, 1);
    request->operation = lam_log_operation != 0 || is_private(request->context) ? lam_log_operation : lam_log_begun(request->handle);
    struct lam_message* message = lam_find_message(request->peer_world, request->tag, request->context);
    if (message == NULL) {
        if (lam_stamps && !lam_annai) request->posted = lam_stamp_copy(*lam_stamp_of_sends);
        lam_log_waits(request);
        return lam_post(request);
    }
    lam_unkeep(message);
    lam_deliver(message, request);
}

static void finish_receive(struct lam_request* request, const void* data, size_t bytes) {
    const size_t room = request->type->size * (size_t)request->count;
    const size_t taken = bytes < room ? bytes : room;
    lam_log_received(request, taken);
    if (data != NULL) lam_unpack(data, taken, request->receive_to, (size_t)request->count, request->type);
    lam_port_charge(LAM_PRICE_BYTE, taken);
    if (request->watch.on) lam_watch_note(&request->watch);
    if (request->packed_is_own) free(request->packed);
    request->packed = NULL;
    request->packed_is_own = false;
    unnumber(request);
    request->status.lam_bytes = (long long)taken;
    lam_request_complete(request, bytes > room ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
}

/* The sender waits until its receive is known: says where the bytes shall go. */
static void ask_for(struct lam_message* message, struct lam_request* request, uint32_t* stamp) {
    const size_t bytes = (size_t)message->bytes;
    if (request->type->gapless && bytes <= request->type->size * (size_t)request->count)
        request->packed = (char*)request->receive_to + request->type->true_lb;
    else if ((request->packed = malloc(bytes + 1)) != NULL)
        request->packed_is_own = true;
    if (request->packed == NULL || !number(request)) {
        free(stamp);
        lam_request_complete(request, MPI_ERR_NO_MEM);
        return;
    }
    request->packed_bytes = bytes;
    request->moved = 0;
    answer(message, p_go_on, request->number, stamp);
}

void lam_deliver(struct lam_message* message, struct lam_request* request) {
    lam_port_charge(LAM_PRICE_MATCH, 1);
    lam_status_empty(&request->status);
    request->status.MPI_SOURCE = message->sender;
    request->status.MPI_TAG = message->tag;
    request->peer_world = message->sender;
    request->flow = message->flow;
    const uint32_t wanted = lam_signature((size_t)request->count, request->type);
    if (message->bytes > 0 && !lam_signatures_fit(message->signature, wanted)) lam_tell_types(message, request);
    request->came_mark = message->mark;
    if (lam_stamps) {
        lam_match_taken(message, request);
        lam_race_taken(message, request);
    }
    if (request->watch.on) {
        lam_watch_check(&request->watch);
        lam_watch_pause(&request->watch);
    }
    uint32_t* stamp = stamp_of_answer(message, request); /* the request may go with its end */
    if (message->own != NULL) {
        finish_receive(request, message->own->packed, (size_t)message->bytes);
        message->own->stamp = stamp;
        finish_send(message->own, MPI_SUCCESS);
    } else if (message->data != NULL) {
        finish_receive(request, message->data, (size_t)message->bytes);
        if (message->number != 0) answer(message, p_received, 0, stamp);
    } else {
        ask_for(message, request, stamp);
    }
    lam_message_free(message);
}

static void take_message(const struct lam_packet* packet) {
    struct lam_message* message = new_message();
    const bool has_data = (packet->words[w_kind] & ((1 << kind_bits) - 1)) == p_data_with_envelope;
    if (message == NULL) lam_port_abort(MPI_ERR_NO_MEM);
    const int bytes = has_data ? packet->words[w_bytes] : 0;
    memset(message, 0, offsetof(struct lam_message, brief));
    message->sender = packet->words[w_sender];
    message->tag = packet->words[w_tag];
    message->context = (uint32_t)packet->words[w_context];
    message->bytes = packet->words[w_bytes];
    message->number = packet->words[w_number] > 0 ? packet->words[w_number] : 0;
    message->sent_from = lam_call_at(packet->words[w_number]);
    message->mark = packet->words[w_other];
    message->signature = (uint32_t)packet->words[w_signature];
    message->order = next_order();
    message->flow = lam_logs() ? lam_flow_of(message->sender, packet->words[w_kind] >> kind_bits) : 0;
    message->data = has_data ? (char*)packet->body : NULL;
    message->borrowed = has_data;
    if (lam_stamps) {
        message->stamp = lam_stamp_read(message->sender, packet->body + bytes, packet->bytes - bytes,
                                        packet->words[w_kind] >> kind_bits);
        if (!is_private(message->context)) lam_stamp_count_came();
    }
    struct lam_request* posted = lam_take_posted(message->sender, message->tag, message->context, NULL);
    if (lam_stamps) lam_race_came(message, posted);
    if (posted != NULL) {
        lam_deliver(message, posted);
        if (lam_let_go) let_go();
        return;
    }
    if (has_data) {
        if (!give_data_room(message, (size_t)bytes)) lam_port_abort(MPI_ERR_NO_MEM);
        if (bytes > 0) memcpy(message->data, packet->body, (size_t)bytes);
    }
    lam_keep(message);
}

static void send_pieces(struct lam_request* request, int32_t partner) {
    for (size_t at = 0; at < request->packed_bytes; at += LAM_PACKET_BODY) {
        const size_t rest = request->packed_bytes - at;
        const int bytes = rest < LAM_PACKET_BODY ? (int)rest : LAM_PACKET_BODY;
        const int32_t words[LAM_PACKET_WORDS] = {
            [w_kind] = p_piece, [w_sender] = lam_rank, [w_number] = partner, [w_other] = (int32_t)at};
        lam_port_send(request->peer_world, words, (const char*)request->packed + at, bytes);
    }
    finish_send(request, MPI_SUCCESS);
}

static void take_piece(const struct lam_packet* packet) {
    struct lam_request* request = numbered_one(packet->words[w_number]);
    if (request == NULL) return;
    memcpy((char*)request->packed + packet->words[w_other], packet->body, (size_t)packet->bytes);
    request->moved += (size_t)packet->bytes;
    if (request->moved < request->packed_bytes) return;
    finish_receive(request, request->packed_is_own ? request->packed : NULL, request->packed_bytes);
}

static void take_cancel(const struct lam_packet* packet) {
    struct lam_message* message = lam_find_sent(packet->words[w_sender], packet->words[w_number]);
    if (message != NULL) {
        lam_unkeep(message);
        lam_message_free(message);
    }
    send_words(packet->words[w_sender], p_cancelled, packet->words[w_number], message != NULL);
}

static void take(const struct lam_packet* packet) {
    struct lam_request* its = NULL;
    switch (packet->words[w_kind] & ((1 << kind_bits) - 1)) {
        case p_data_with_envelope:
        case p_announcement:
            return take_message(packet);
        case p_piece:
            return take_piece(packet);
        case p_go_on:
            if (packet->words[w_tag] != 0) lam_flow_hold(packet->words[w_sender], false);
            its = answered(packet);
            if (its != NULL) send_pieces(its, packet->words[w_other]);
            return;
        case p_received:
            if (packet->words[w_tag] != 0) lam_flow_hold(packet->words[w_sender], false);
            its = answered(packet);
            if (its != NULL) finish_send(its, MPI_SUCCESS);
            return;
        case p_cancel:
            return take_cancel(packet);
        case p_cancelled:
            cancel_answer = packet->words[w_other];
            return;
        case p_hold:
            return lam_flow_hold(packet->words[w_sender], true);
        case p_stamp:
            return lam_stamp_keep(packet->words[w_sender], packet->body, packet->bytes, packet->words[w_kind] >> kind_bits);
        default:
            return;
    }
}

/* Nothing that runs while a packet is taken waits for another one, so one room for it is enough. */
void lam_progress(bool wait) {
    static struct lam_packet packet;
    lam_uses_check();
    if (wait) {
        if (lam_schedules_progress()) return;
        if (lam_port_receive(&packet, 1)) take(&packet);
    } else {
        while (lam_port_receive(&packet, 0)) take(&packet);
    }
    lam_schedules_progress();
    if (!wait) lam_uses_note();
}

bool lam_cancel_send(struct lam_request* request) {
    if (request->complete) return false;
    if (request->peer_world == lam_rank) {
        struct lam_message* its = NULL;
        for (its = lam_find_message(lam_rank, request->tag, request->context); its != NULL && its->own != request;)
            its = its->next;
        if (its == NULL) return false;
        lam_unkeep(its);
        its->own = NULL;
        lam_message_free(its);
    } else {
        cancel_answer = -1;
        send_words(request->peer_world, p_cancel, request->number, 0);
        while (cancel_answer < 0) lam_progress(true);
        if (cancel_answer == 0 || request->complete) return false;
    }
    request->cancelled = true;
    finish_send(request, MPI_SUCCESS);
    return true;
}

/* The library's port over Trollius' network layer. Each rank receives on an event of its own, which mpirun tells all of them when
 * it has started them (lam_mpi/job.hpp). */
#include "lam_port.h"
#include "lam_logs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <node_programs/trollius.h>

#include <lam_start.h>

static struct lam_start_header known;
static struct lam_stamp_prices stamp_prices;
static struct lam_start_place* places;

void program_note(int what, const void* record, int bytes); /* of the support code of programs (node_programs/support/trollius_calls.c) */
void program_library_work(unsigned long long cycles);       /* likewise (user_programs/support/work.c) */

/* ---- Events for a record, and for its repetition: LAM_EVENTS ---- */

static int watched;
extern struct lam_called lam_called;
extern int trollius_goes_on; /* of the support code of programs (ends.c) */
static void stand_at_image(void);
static void make_list(void);

/* Asks again after an image. The packet of LAM_NOTE_TAKES is room for one that mpirun puts there. Returns the answer. */
static int note_event(int what, struct lam_event_note* its) {
    its->rank = known.rank;
    its->from = lam_called.from;
    if (what == LAM_NOTE_SENDS || what == LAM_NOTE_TAKEN) program_library_work((unsigned)known.options >> LAM_EVENT_CYCLES);
    ttime(); /* all that was computed so far has taken its time then */
    while (program_note(what, its, sizeof *its), its->answer == LAM_IMAGE) stand_at_image();
    return its->answer;
}

static int learn_of_all(void) {
    static char body[LAM_PACKET_BODY];
    int have = 0;
    do {
        struct nmsg message = {.nh_event = LAM_FIRST_EVENT + kgetpid(), .nh_type = LAM_START_TYPE, .nh_length = sizeof body};
        message.nh_msg = body;
        if (nrecv(&message) != 0) return -1;
        memcpy(&known, body, sizeof known);
        if (places == NULL) places = malloc((size_t)known.size * sizeof *places);
        if (places == NULL) return -1;
        const char* from = body + sizeof known;
        if ((known.short_bytes & LAM_STAMPS) != 0) {
            memcpy(&stamp_prices, from, sizeof stamp_prices);
            from += sizeof stamp_prices;
        }
        memcpy(&places[known.first], from, (size_t)known.count * sizeof *places);
        have = known.first + known.count;
    } while (have < known.size);
    memset(body, 0, sizeof body);
    watched = (known.short_bytes & LAM_EVENTS) != 0;
    struct lam_event_note its = {.peer = 0};
    enum { soon_us = 64 };
    if (watched) make_list();
    while (watched && note_event(LAM_NOTE_STARTS, &its) == LAM_WAIT) kdelay(soon_us);
    if (its.answer == LAM_STOP) lam_port_stop();
    return 0;
}

int lam_port_begin(int* rank, int* size) {
    if (learn_of_all() != 0) return -1;
    *rank = known.rank;
    *size = known.size;
    return 0;
}

/* Packets that came while a send found its way full. Two ranks that send to each other would wait for ever, each for room in the
 * buffers that only the other can make. */
struct kept {
    struct kept* next;
    struct lam_packet packet;
};
struct kept_list {
    struct kept *first, **last;
    struct lam_start_header told; /* while an image is made: another replay may be told other costs */
};
static struct kept_list own_list = {.first = NULL, .last = &own_list.first}, *list = &own_list;

/* They come in another order when a run is repeated. So the list of a rank that is watched lies outside the memory of which images
 * are made, and the heap looks the same at the same event. */
static void* take_room(size_t bytes) {
    struct lam_room_note its = {NULL, (int64_t)bytes};
    if (!watched) return malloc(bytes);
    program_note(LAM_NOTE_ROOM, &its, sizeof its);
    return its.room;
}
static void give_room_back(void* room) {
    struct lam_room_note its = {room, 0};
    if (watched)
        program_note(LAM_NOTE_ROOM, &its, sizeof its);
    else
        free(room);
}
static void make_list(void) {
    list = take_room(sizeof *list);
    if (list == NULL) lam_port_stop();
    list->first = NULL;
    list->last = &list->first;
}
static void keep(struct kept* one) {
    one->next = NULL;
    *list->last = one;
    list->last = &one->next;
}
/* No more than the packet has: what lies behind it stays as it was. */
static void copy_packet(struct lam_packet* to, const struct lam_packet* from) {
    memcpy(to->words, from->words, sizeof to->words);
    memcpy(to->body, from->body, (size_t)from->bytes);
    to->bytes = from->bytes;
}

/* mpirun keeps what the memory of the rank holds, or puts it back into the memory of a rank that begins: this one goes on here, on
 * another machine. Packets that had come before their turn come again there. */
static __attribute__((noinline)) void stand_at_image(void) {
    static struct lam_image_point point;
    trollius_goes_on = 1; /* of both, as their memories are compared */
    if (__builtin_setjmp(point.registers) == 0) {
        list->told = known;
        memset(&known, 0, sizeof known);
        program_note(LAM_NOTE_IMAGE, &point, sizeof point);
        known = list->told;
        return;
    }
    if (learn_of_all() != 0) lam_port_stop();
}

static int take(struct lam_packet* packet, int wait) {
    struct nmsg message = {.nh_event = places[known.rank].event, .nh_type = LAM_PACKET_TYPE, .nh_length = LAM_PACKET_BODY};
    message.nh_msg = packet->body;
    if ((wait ? nrecv(&message) : ntry_recv(&message)) != 0) return 0;
    memcpy(packet->words, message.nh_data, sizeof packet->words);
    packet->bytes = message.nh_length;
    return 1;
}

static int keep_what_comes(void) {
    struct kept* one = take_room(sizeof *one);
    if (one == NULL) return 0;
    if (!take(&one->packet, 0)) {
        give_room_back(one);
        return 0;
    }
    if (one->packet.words[LAM_WORD_KIND] == LAM_HOLD && !watched) { /* the next send shall know it */
        lam_flow_hold(one->packet.words[LAM_WORD_SENDER], 1);
        give_room_back(one);
        return 1;
    }
    keep(one);
    return 1;
}

int lam_way_is_full; /* lam_start.h */

static void put(struct nmsg message, const int32_t* words, const void* body, int bytes) {
    enum { shortest_us = 32, longest_us = 512 };
    message.nh_flags |= ANYDATA;
    message.nh_length = bytes;
    message.nh_msg = (char*)body;
    memcpy(message.nh_data, words, sizeof message.nh_data);
    for (unsigned wait_us = shortest_us; ntry_send(&message) != 0;) {
        if (errno != EWOULDBLOCK) break;
        lam_way_is_full = 1;
        if (keep_what_comes()) {
            wait_us = shortest_us;
        } else {
            kdelay(wait_us);
            if (wait_us < longest_us) wait_us *= 2;
        }
    }
    lam_way_is_full = 0;
}

void lam_port_send(int rank, const int32_t* words, const void* body, int bytes) {
    struct lam_event_note its = {.peer = rank, .words = words, .body = body, .bytes = bytes};
    const int answer = watched ? note_event(LAM_NOTE_SENDS, &its) : LAM_GO_ON;
    struct nmsg message = {.nh_node = places[rank].node, .nh_event = places[rank].event, .nh_type = LAM_PACKET_TYPE};
    message.nh_flags = APPLDATA;
    if (answer != LAM_SWALLOW) put(message, words, body, bytes);
    if (answer == LAM_STOP) lam_port_stop();
}

/* The first of `sender`, or of anybody. */
static int take_kept(struct lam_packet* packet, const int* sender) {
    struct kept** at = &list->first;
    while (*at != NULL && sender != NULL && (*at)->packet.words[LAM_WORD_SENDER] != *sender) at = &(*at)->next;
    struct kept* one = *at;
    if (one == NULL) return 0;
    copy_packet(packet, &one->packet);
    *at = one->next;
    if (one->next == NULL) list->last = at;
    give_room_back(one);
    return 1;
}
/* Those of others stay until their turn. */
static int wait_for(struct lam_packet* packet, int sender) {
    while (!take_kept(packet, &sender)) {
        struct kept* one = take_room(sizeof *one);
        if (one == NULL || !take(&one->packet, 1)) {
            give_room_back(one);
            return 0;
        }
        keep(one);
    }
    return 1;
}

static int receive_watched(struct lam_packet* packet, int wait) {
    struct lam_event_note its = {.peer = wait, .words = packet->words, .body = packet->body};
    const int answer = note_event(LAM_NOTE_TAKES, &its);
    if (answer == LAM_STOP) lam_port_stop();
    if (answer == LAM_FAIL) return 0;
    if (answer == LAM_FED)
        packet->bytes = its.bytes;
    else if (answer >= LAM_FROM ? !wait_for(packet, answer - LAM_FROM) : !take_kept(packet, NULL) && !take(packet, wait))
        return 0;
    its.peer = packet->words[LAM_WORD_SENDER];
    its.bytes = packet->bytes;
    if (note_event(LAM_NOTE_TAKEN, &its) == LAM_STOP) lam_port_stop();
    return 1;
}

int lam_port_receive(struct lam_packet* packet, int wait) {
    if (watched) return receive_watched(packet, wait);
    return take_kept(packet, NULL) || take(packet, wait);
}

int lam_port_short_bytes(void) {
    return known.short_bytes & 0xffff;
}
int lam_port_wishes(void) {
    return known.short_bytes & ~0xffff;
}

const struct lam_event* lam_port_script(struct lam_script_head* head, int* count) {
    static char body[LAM_PACKET_BODY];
    struct lam_event* script = NULL;
    int have = 0, all = 0;
    do {
        struct nmsg message = {.nh_event = places[known.rank].event, .nh_type = LAM_SCRIPT_TYPE, .nh_length = sizeof body};
        message.nh_msg = body;
        if (nrecv(&message) != 0) return NULL;
        const char* events = body;
        if (script == NULL) {
            all = message.nh_data[0];
            script = malloc(((size_t)all + 1) * sizeof *script);
            if (script == NULL) return NULL;
            memcpy(head, body, sizeof *head);
            events += sizeof *head;
        }
        const size_t bytes = (size_t)(body + message.nh_length - events);
        memcpy(&script[message.nh_data[1]], events, bytes);
        have = message.nh_data[1] + (int)(bytes / sizeof *script);
    } while (have < all);
    *count = all;
    return script;
}

void lam_port_tell(const int32_t* words, const void* body, int bytes) {
    if (known.size == 0) return;
    const struct nmsg message = {.nh_node = getorigin(), .nh_event = known.host_event, .nh_type = LAM_RECORD_TYPE};
    put(message, words, body, bytes);
    if (words[0] != LAM_TOLD_END) return;
    struct nmsg answer = {.nh_event = places[known.rank].event, .nh_type = LAM_SCRIPT_TYPE};
    nrecv(&answer);
}

void lam_port_stop(void) {
    fflush(NULL);
    while (1) kpause();
}
double lam_port_time(void) {
    struct lam_clock_note its = {.rank = known.rank, .seconds = ttime()};
    if (watched) program_note(LAM_NOTE_CLOCK, &its, sizeof its);
    return its.seconds;
}
double lam_port_tick(void) {
    return 64e-6; /* the timer of a process of low priority */
}
void lam_port_name(char* room, int bytes) {
    snprintf(room, (size_t)bytes, "n%d", getnodeid());
}

void lam_port_charge(enum lam_price row, size_t times) {
    static unsigned long long thousandths; /* of a cycle that are not yet charged */
    const int32_t price = row < LAM_PRICE_STAMP ? known.thousandths[row] : stamp_prices.thousandths[row - LAM_PRICE_STAMP];
    thousandths += (unsigned long long)price * times;
    if (thousandths < 1000) return;
    program_library_work(thousandths / 1000);
    thousandths %= 1000;
}

int lam_port_options(void) {
    return known.options;
}
void lam_port_note(int what, const void* record, int bytes) {
    program_note(what, record, bytes);
}

int program_can_read(const void* data, unsigned long bytes); /* likewise */
int lam_port_can_read(const void* data, size_t bytes) {
    return program_can_read(data, bytes);
}

void lam_port_end(void) {}

void lam_port_abort(int code) {
    lam_log_aborted();
    fflush(NULL);
    struct nmsg message = {.nh_node = getorigin(), .nh_event = known.host_event, .nh_type = LAM_ABORT_TYPE};
    message.nh_data[0] = code;
    message.nh_data[1] = known.rank;
    if (known.size > 0) {
        nsend(&message);
        while (1) kpause(); /* mpirun ends all ranks */
    }
    _kexit(code);
}

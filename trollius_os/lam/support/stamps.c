/* Vector clocks that ride in the messages. */
#include <stdlib.h>
#include <string.h>

#include "lam_delivery.h"

bool lam_stamps;
uint32_t* lam_clock;
int lam_clock_size;
uint32_t* lam_stamp_of_sends;

static bool only_changes;
static uint32_t **sent, **came; /* the last stamp to and from each rank; NULL: none yet, which is all zero */
static uint32_t *sent_count, came_count; /* messages */

enum { pair_bytes = 6 }; /* of an entry that has changed: its rank in two bytes, its value in four */

static void* need(void* memory) {
    if (memory == NULL) lam_port_abort(MPI_ERR_NO_MEM);
    return memory;
}
static size_t whole(void) {
    return (size_t)lam_clock_size * sizeof *lam_clock;
}
static uint32_t* last_of(uint32_t** all, int rank) {
    if (all[rank] == NULL) all[rank] = need(calloc((size_t)lam_clock_size, sizeof **all));
    return all[rank];
}

bool lam_stamps_begin(int size, bool changes) {
    lam_clock_size = size;
    only_changes = changes;
    lam_clock = lam_stamp_of_sends = calloc((size_t)size, sizeof *lam_clock);
    sent = calloc((size_t)size, sizeof *sent);
    came = calloc((size_t)size, sizeof *came);
    sent_count = calloc((size_t)size, sizeof *sent_count);
    lam_stamps = true;
    return lam_clock != NULL && sent != NULL && came != NULL && sent_count != NULL;
}

/* A whole stamp has as many bytes as there are entries, so shorter ones are lists of pairs. */
static int write_stamp(const uint32_t* clock, int to, char* room) {
    int bytes = 0;
    if (only_changes) {
        uint32_t* last = last_of(sent, to);
        for (int i = 0; i < lam_clock_size && bytes + pair_bytes < (int)whole(); ++i) {
            if (clock[i] == last[i]) continue;
            const uint16_t rank = (uint16_t)i;
            memcpy(room + bytes, &rank, sizeof rank);
            memcpy(room + bytes + sizeof rank, &clock[i], sizeof clock[i]);
            bytes += pair_bytes;
        }
        const bool fits = bytes + pair_bytes < (int)whole() || memcmp(clock, last, whole()) == 0;
        memcpy(last, clock, whole());
        if (fits) return bytes;
    }
    memcpy(room, clock, whole());
    return (int)whole();
}

void lam_stamp_send(uint32_t* clock, int to, const int32_t* words, const void* body, int bytes) {
    static char room[2 * LAM_PACKET_BODY];
    if (lam_annai) clock[lam_rank] = ++lam_clock[lam_rank];
    const int stamp = write_stamp(clock, to, room + bytes);
    lam_port_charge(LAM_PRICE_STAMP, 1);
    lam_port_charge(LAM_PRICE_BYTE, (size_t)stamp);
    if (bytes + stamp <= LAM_PACKET_BODY) {
        if (bytes > 0) memcpy(room, body, (size_t)bytes);
        lam_port_send(to, words, room, bytes + stamp);
    } else {
        lam_send_stamp(to, room + bytes, stamp);
        lam_port_send(to, words, body, bytes);
    }
}
void lam_stamp_count(int to) {
    ++sent_count[to];
}
void lam_stamp_count_came(void) {
    ++came_count;
}

static uint32_t* take(int sender, const char* from, int bytes) {
    uint32_t* last = last_of(came, sender);
    if (bytes == (int)whole()) {
        memcpy(last, from, whole());
    } else {
        for (int at = 0; at + pair_bytes <= bytes; at += pair_bytes) {
            uint16_t rank = 0;
            memcpy(&rank, from + at, sizeof rank);
            if (rank < lam_clock_size) memcpy(&last[rank], from + at + sizeof rank, sizeof *last);
        }
    }
    lam_port_charge(LAM_PRICE_BYTE, (size_t)bytes);
    return last;
}
void lam_stamp_keep(int sender, const void* from, int bytes) {
    take(sender, from, bytes);
}
uint32_t* lam_stamp_read(int sender, const void* from, int bytes) {
    return lam_stamp_copy(take(sender, from, bytes));
}
const uint32_t* lam_stamp_newest(int sender) {
    return came[sender];
}

uint32_t* lam_stamp_of_self(void) {
    if (lam_annai) lam_stamp_of_sends[lam_rank] = ++lam_clock[lam_rank];
    return lam_stamp_copy(lam_stamp_of_sends);
}
uint32_t* lam_stamp_copy(const uint32_t* stamp) {
    uint32_t* copy = need(malloc(whole()));
    memcpy(copy, stamp, whole());
    return copy;
}
void lam_stamp_merge(uint32_t* into, const uint32_t* stamp) {
    for (int i = 0; i < lam_clock_size; ++i) {
        if (stamp[i] > into[i]) into[i] = stamp[i];
    }
}

/* Rank 0 adds up how many messages each rank gets. The library's private ones, which carry the numbers, do not count. */
enum { drain_tag = 0x7f000010 };
void lam_stamps_drain(void) {
    const size_t bytes = whole();
    uint32_t* counts = lam_stamp_copy(sent_count);
    uint32_t expected = 0;
    if (lam_rank == 0) {
        uint32_t* others = need(malloc(bytes));
        for (int rank = 1; rank < lam_clock_size; ++rank) {
            lam_private_receive(others, bytes, rank, drain_tag, lam_world);
            for (int i = 0; i < lam_clock_size; ++i) counts[i] += others[i];
        }
        free(others);
        expected = counts[0];
        for (int rank = 1; rank < lam_clock_size; ++rank)
            lam_private_send(&counts[rank], sizeof counts[rank], rank, drain_tag + 1, lam_world);
    } else {
        lam_private_send(counts, bytes, 0, drain_tag, lam_world);
        lam_private_receive(&expected, sizeof expected, 0, drain_tag + 1, lam_world);
    }
    free(counts);
    while (came_count < expected) lam_progress(true);
}

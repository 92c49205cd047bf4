/* Vector clocks that ride in the messages, with the receives of known matches behind them. */
#include <stdlib.h>
#include <string.h>

#include "lam_delivery.h"

bool lam_stamps;
uint32_t* lam_clock;
int lam_clock_size;
uint32_t** lam_stamp_of_sends = &lam_clock;

static bool only_changes;
static uint32_t **sent, **came; /* the last stamp to and from each rank; NULL: none yet, which is all zero */
static uint32_t *sent_count, came_count; /* messages */
static uint32_t** ranges_came; /* from each rank: those of its next message that had no room in it */

enum { pair_bytes = 6 }; /* of an entry that has changed: its rank in two bytes, its value in four */
enum { range_words = 3, range_bytes = range_words * sizeof(uint32_t), most_ranges = LAM_PACKET_BODY / range_bytes };

static void* need(void* memory) {
    if (memory == NULL) lam_port_abort(MPI_ERR_NO_MEM);
    return memory;
}
static size_t whole(void) {
    return (size_t)lam_clock_size * sizeof *lam_clock;
}
static size_t size_of(const uint32_t* stamp) {
    return whole() + (1 + range_words * (size_t)stamp[lam_clock_size]) * sizeof *stamp;
}
static uint32_t* empty_stamp(void) {
    return need(calloc((size_t)lam_clock_size + 1, sizeof(uint32_t)));
}
static uint32_t* last_of(uint32_t** all, int rank) {
    if (all[rank] == NULL) all[rank] = need(calloc((size_t)lam_clock_size, sizeof **all));
    return all[rank];
}

bool lam_stamps_begin(int size, bool changes) {
    lam_clock_size = size;
    only_changes = changes;
    lam_clock = calloc((size_t)size + 1, sizeof *lam_clock);
    ranges_came = calloc((size_t)size, sizeof *ranges_came);
    sent = calloc((size_t)size, sizeof *sent);
    came = calloc((size_t)size, sizeof *came);
    sent_count = calloc((size_t)size, sizeof *sent_count);
    lam_stamps = true;
    return lam_clock != NULL && ranges_came != NULL && sent != NULL && came != NULL && sent_count != NULL;
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
    static char room[3 * LAM_PACKET_BODY];
    if (lam_annai) clock[lam_rank] = ++lam_clock[lam_rank];
    const int stamp = write_stamp(clock, to, room + bytes);
    lam_port_charge(LAM_PRICE_STAMP, 1);
    const uint32_t ranges = clock[lam_clock_size];
    const uint32_t* first = clock + lam_clock_size + 1;
    lam_port_charge(LAM_PRICE_BYTE, (size_t)stamp + ranges * range_bytes);
    if (ranges <= most_ranges && bytes + stamp + (int)(ranges * range_bytes) <= LAM_PACKET_BODY) {
        if (bytes > 0) memcpy(room, body, (size_t)bytes);
        memcpy(room + bytes + stamp, first, ranges * range_bytes);
        lam_send_stamped(to, words, room, bytes + stamp + (int)(ranges * range_bytes), (int)ranges);
        return;
    }
    lam_send_stamp(to, room + bytes, stamp, 0);
    for (uint32_t at = 0; at < ranges; at += most_ranges) {
        const uint32_t some = ranges - at < most_ranges ? ranges - at : most_ranges;
        lam_send_stamp(to, first + (size_t)at * range_words, (int)(some * range_bytes), (int)some);
    }
    lam_port_send(to, words, body, bytes);
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
static void add_ranges(uint32_t** stamp, const char* from, int ranges) {
    for (int i = 0; i < ranges; ++i) {
        uint32_t range[range_words];
        memcpy(range, from + (size_t)i * range_bytes, range_bytes);
        if (range[0] < (uint32_t)lam_clock_size) lam_stamp_add(stamp, (int)range[0], range[1], range[2]);
    }
}
void lam_stamp_keep(int sender, const void* from, int bytes, int ranges) {
    if (ranges == 0) {
        take(sender, from, bytes);
        return;
    }
    if (ranges_came[sender] == NULL) ranges_came[sender] = empty_stamp();
    add_ranges(&ranges_came[sender], from, ranges);
}
uint32_t* lam_stamp_read(int sender, const void* from, int bytes, int ranges) {
    const int clock = bytes - ranges * (int)range_bytes;
    uint32_t* stamp = ranges_came[sender];
    ranges_came[sender] = NULL;
    if (stamp == NULL) stamp = empty_stamp();
    memcpy(stamp, take(sender, from, clock), whole());
    add_ranges(&stamp, (const char*)from + clock, ranges);
    return stamp;
}
const uint32_t* lam_stamp_newest(int sender) {
    return came[sender];
}

uint32_t* lam_stamp_of_self(void) {
    if (lam_annai) (*lam_stamp_of_sends)[lam_rank] = ++lam_clock[lam_rank];
    return lam_stamp_copy(*lam_stamp_of_sends);
}
uint32_t* lam_stamp_copy(const uint32_t* stamp) {
    uint32_t* copy = need(malloc(size_of(stamp)));
    memcpy(copy, stamp, size_of(stamp));
    return copy;
}
void lam_stamp_merge(uint32_t** into, const uint32_t* stamp) {
    const uint32_t* range = stamp + lam_clock_size + 1;
    for (int i = 0; i < lam_clock_size; ++i) {
        if (stamp[i] > (*into)[i]) (*into)[i] = stamp[i];
    }
    for (uint32_t left = stamp[lam_clock_size]; left > 0; --left, range += range_words)
        lam_stamp_add(into, (int)range[0], range[1], range[2]);
}

/* Ranges are sorted by rank, then by number; between two of a rank some number is missing. */
void lam_stamp_add(uint32_t** stamp, int rank, uint32_t first, uint32_t last) {
    uint32_t* count = &(*stamp)[lam_clock_size];
    uint32_t* ranges = count + 1;
    uint32_t at = 0, joined = 0;
    const uint32_t whose = (uint32_t)rank;
    while (at < *count && (ranges[at * range_words] < whose ||
                           (ranges[at * range_words] == whose && ranges[at * range_words + 2] + 1 < first)))
        ++at;
    for (const uint32_t* its = ranges + (size_t)at * range_words; at + joined < *count && its[0] == whose && its[1] <= last + 1;
         ++joined, its += range_words) {
        if (its[1] < first) first = its[1];
        if (its[2] > last) last = its[2];
    }
    const size_t behind = *count - at - joined;
    if (joined == 0) {
        *stamp = need(realloc(*stamp, size_of(*stamp) + range_bytes));
        count = &(*stamp)[lam_clock_size];
        ranges = count + 1;
    }
    memmove(ranges + (size_t)(at + 1) * range_words, ranges + (size_t)(at + joined) * range_words, behind * range_bytes);
    *count = at + 1 + (uint32_t)behind;
    const uint32_t range[range_words] = {whose, first, last};
    memcpy(ranges + (size_t)at * range_words, range, sizeof range);
}
bool lam_stamp_has(const uint32_t* stamp, int rank, uint32_t number) {
    const uint32_t* range = stamp + lam_clock_size + 1;
    for (uint32_t left = stamp[lam_clock_size]; left > 0 && range[0] <= (uint32_t)rank; --left, range += range_words) {
        if (range[0] == (uint32_t)rank && range[1] <= number && number <= range[2]) return true;
    }
    return false;
}
bool lam_stamp_has_some(const uint32_t* stamp, int rank) {
    const uint32_t* range = stamp + lam_clock_size + 1;
    uint32_t left = stamp[lam_clock_size];
    for (; left > 0 && range[0] < (uint32_t)rank; --left) range += range_words;
    return left > 0 && range[0] == (uint32_t)rank;
}
void lam_stamp_drop(uint32_t* stamp, int rank) {
    uint32_t kept = 0;
    uint32_t* ranges = stamp + lam_clock_size + 1;
    for (uint32_t i = 0; i < stamp[lam_clock_size]; ++i) {
        if (ranges[i * range_words] == (uint32_t)rank) continue;
        memmove(ranges + (size_t)kept++ * range_words, ranges + (size_t)i * range_words, range_bytes);
    }
    stamp[lam_clock_size] = kept;
}

/* Rank 0 adds up how many messages each rank gets. The library's private ones, which carry the numbers, do not count. */
enum { drain_tag = 0x7f000010 };
void lam_stamps_drain(void) {
    const size_t bytes = whole();
    uint32_t* counts = need(malloc(bytes));
    memcpy(counts, sent_count, bytes);
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

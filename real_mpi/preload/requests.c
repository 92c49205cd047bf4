/* Requests that have not ended, by their handles: a table with open addressing. */
#include <stdlib.h>
#include <string.h>

#include "recorder.h"

enum { first_size = 64 };
static struct request* table;
static size_t size, used;
int real_replaced;

/* Both kinds of handles may have the same number. */
static uint64_t key_of(uint64_t handle, bool message) {
    return (handle << 1 | (uint64_t)message) + 2;
}
static size_t place_of(uint64_t key) {
    return (size_t)((key * 0x9e3779b97f4a7c15U) >> 32) & (size - 1);
}

static struct request* find(uint64_t key) {
    if (size == 0) return NULL;
    for (size_t at = place_of(key); table[at].key != 0; at = (at + 1) & (size - 1)) {
        if (table[at].key == key) return &table[at];
    }
    return NULL;
}

static void grow(void) {
    struct request* old = table;
    const size_t old_size = size;
    size = size == 0 ? first_size : 2 * size;
    table = calloc(size, sizeof *table);
    if (table == NULL) abort();
    for (size_t i = 0; i < old_size; ++i) {
        if (old[i].key == 0) continue;
        size_t at = place_of(old[i].key);
        while (table[at].key != 0) at = (at + 1) & (size - 1);
        table[at] = old[i];
    }
    free(old);
}

/* Requests that are over at once may share a handle. Its place is taken by the next one, so this one ends here. */
static void end_shared(struct request* its) {
    if (its->kind == OF_SEND && its->active && !its->observed) real_sent(its->number);
    if (its->kind == OF_COLLECTIVE) real_collective_end(its->comm, its->shape, its->peer, its->number);
    if (its->comm != NULL) real_comm_release(its->comm);
}

static struct request* add(uint64_t key, uint8_t kind) {
    struct request* its = find(key);
    if (its == NULL) {
        if (2 * (used + 1) > size) grow();
        size_t at = place_of(key);
        while (table[at].key != 0) at = (at + 1) & (size - 1);
        its = &table[at];
        ++used;
    } else {
        end_shared(its);
    }
    memset(its, 0, sizeof *its);
    its->key = key;
    its->kind = kind;
    return its;
}

struct request* real_request(MPI_Request handle) {
    return find(key_of(KEY(handle), false));
}
struct request* real_request_add(MPI_Request handle, uint8_t kind) {
    return add(key_of(KEY(handle), false), kind);
}
struct request* real_message(MPI_Message handle) {
    return find(key_of(KEY(handle), true));
}
struct request* real_message_add(MPI_Message handle) {
    return add(key_of(KEY(handle), true), OF_MESSAGE);
}

/* Those behind it that would not be found any more move up. */
void real_request_drop(struct request* its) {
    if (its->comm != NULL) real_comm_release(its->comm);
    size_t hole = (size_t)(its - table);
    for (size_t at = (hole + 1) & (size - 1); table[at].key != 0; at = (at + 1) & (size - 1)) {
        const size_t home = place_of(table[at].key);
        if (((at - home) & (size - 1)) < ((at - hole) & (size - 1))) continue;
        table[hole] = table[at];
        hole = at;
    }
    memset(&table[hole], 0, sizeof table[hole]);
    --used;
}

/* Each copy of the library has one of these. */
#include "fiber_port.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lam_port.h>
#include <lam_start.h>

static struct fiber_port port;

__attribute__((visibility("default"))) void fiber_port_set(const struct fiber_port* its) {
    port = *its;
}

int lam_port_begin(int* rank, int* size) {
    *rank = port.rank;
    *size = port.size;
    return 0;
}
void lam_port_send(int rank, const int32_t* words, const void* body, int bytes) {
    static struct lam_packet packet;
    memcpy(packet.words, words, sizeof packet.words);
    packet.bytes = bytes;
    if (bytes > 0) memcpy(packet.body, body, (size_t)bytes);
    port.send(port.context, port.rank, rank, &packet, offsetof(struct lam_packet, body) + (size_t)bytes);
}
int lam_port_receive(struct lam_packet* packet, int wait) {
    return port.receive(port.context, port.rank, packet, wait);
}
int lam_port_short_bytes(void) {
    return port.short_bytes;
}
double lam_port_time(void) {
    return 0;
}
double lam_port_tick(void) {
    return 1e-6;
}
void lam_port_name(char* room, int bytes) {
    snprintf(room, (size_t)bytes, "n%d", port.rank);
}
void lam_port_charge(enum lam_price row, size_t times) {
    (void)row, (void)times;
}
int lam_port_wishes(void) {
    return port.wishes;
}
const struct lam_event* lam_port_script(struct lam_script_head* head, int* count) {
    return port.script(port.context, port.rank, head, count);
}
void lam_port_tell(const int32_t* words, const void* body, int bytes) {
    if (port.tell != NULL) port.tell(port.context, port.rank, words, body, bytes);
}
/* A rank that cannot repeat its script waits until the test ends all. */
void lam_port_stop(void) {
    static struct lam_packet packet;
    while (1) port.receive(port.context, port.rank, &packet, 1);
}
int lam_port_options(void) {
    return 0;
}
void lam_port_note(int what, const void* record, int bytes) {
    (void)bytes;
    if (what >= LAM_NOTE_RECEIVE) port.note(port.context, what, (void*)record);
}
int lam_port_can_read(const void* data, size_t bytes) {
    (void)data, (void)bytes;
    return 1;
}
void lam_port_end(void) {}
void lam_port_abort(int code) {
    port.abort(port.context, port.rank, code);
    abort();
}

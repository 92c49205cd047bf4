/* Ping-pong by every layer: half of the time of a round trip, in microseconds. Run it on two neighbours, with the other's
 * number as the first word: the lower one measures and prints. For the kernel's own layer it starts a partner on its node, whose
 * word is that node itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <node_programs/trollius.h>

enum { rounds = 50, event = 1000, longest = 65536 };
static char body[longest];
static const int lengths[] = {0, 64, 1024, 4096, longest};

/* Moves one message to the other node, or from it. */
typedef int (*call)(struct nmsg*);

static struct nmsg message(int node, int to, int length, int flags) {
    struct nmsg made;
    memset(&made, 0, sizeof made);
    made.nh_node = node;
    made.nh_event = event + to;
    made.nh_length = length;
    made.nh_flags = flags;
    made.nh_msg = body;
    return made;
}

static void show(const char* layer, int length, double us) {
    printf("%-18s %5d bytes %8.0f us\n", layer, length, us);
}

static double half_round(call send, call receive, int other, int length, int flags) {
    const int me = getnodeid(), first = me < other;
    const double began = ttime();
    for (int round = 0; round < rounds; ++round) {
        struct nmsg out = message(other, other, length, flags), in = message(me, me, length, flags);
        if (first && send(&out) != 0) perror("send");
        if (receive(&in) != 0) perror("receive");
        if (!first && send(&out) != 0) perror("send");
    }
    return (ttime() - began) / (2 * rounds) * 1e6;
}

/* ---- Local: the kernel moves a message between processes of one node ---- */

static struct kmsg local_message(int of_partner, int length) {
    struct kmsg made = {event + 100 + of_partner, 0, length, 0, body};
    return made;
}

static double half_local_round(int first, int length) {
    const double began = ttime();
    for (int round = 0; round < rounds; ++round) {
        struct kmsg out = local_message(first, length), in = local_message(!first, length);
        if (first && ksend(&out) != 0) terror("ksend");
        if (krecv(&in) != 0) terror("krecv");
        if (!first && ksend(&out) != 0) terror("ksend");
    }
    return (ttime() - began) / (2 * rounds) * 1e6;
}

static void local_layer(int first) {
    half_local_round(first, 0); /* both are there */
    for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
        const double us = half_local_round(first, lengths[i]);
        if (first) show("ksend", lengths[i], us);
    }
}

/* ---- Datalink: a packet to a neighbour, for which the way is known. A longer message goes as several. ---- */

static int datalink_send(struct nmsg* whole) {
    static int way;
    if (way == 0 && getroute(whole) == 0) way = whole->nh_dl_event;
    int sent = 0;
    do {
        struct nmsg packet = *whole;
        packet.nh_dl_event = way;
        packet.nh_msg = whole->nh_msg + sent;
        packet.nh_length = whole->nh_length - sent < MAXNMSGLEN ? whole->nh_length - sent : MAXNMSGLEN;
        if (dsend(&packet) != 0) return -1;
        sent += packet.nh_length;
    } while (sent < whole->nh_length);
    return 0;
}

static int datalink_receive(struct nmsg* whole) {
    int got = 0;
    do {
        struct nmsg packet = *whole;
        packet.nh_msg = whole->nh_msg + got;
        packet.nh_length = whole->nh_length - got;
        if (drecv(&packet) != 0) return -1;
        got += packet.nh_length;
    } while (got < whole->nh_length);
    return 0;
}

/* One each way, for psend(). A link in use by a circuit carries nothing else in its direction, so they are for the last layer. */
static void open_circuits(int other) {
    const int me = getnodeid();
    struct nmsg out = message(other, other, 0, 0), in = message(me, me, 0, 0);
    if (me < other && psendopen(&out) != 0) perror("psendopen");
    if (precvopen(&in) != 0) perror("precvopen");
    if (me > other && psendopen(&out) != 0) perror("psendopen");
}

int main(int argc, char** argv) {
    static const struct {
        const char* name;
        call send, receive;
        int flags;
    } layers[] = {{"dsend", datalink_send, datalink_receive, NOBUF},
                  {"nsend, no buffers", nsend, nrecv, NOBUF},
                  {"nsend", nsend, nrecv, 0},
                  {"tsend", tsend, trecv, 0},
                  {"psend", psend, precv, 0}};
    if (argc < 2) return 2;
    const int me = getnodeid(), other = atoi(argv[1]);
    if (other == me) {
        local_layer(0);
        return 0;
    }
    half_round(tsend, trecv, other, 0,
               0); /* the other may not be there yet, and a message without buffers would block the link */
    if (me < other) {
        char itself[12];
        snprintf(itself, sizeof itself, "%d", me);
        char* words[] = {argv[0], itself, 0};
        if (rploadgo(getorigin(), me, argv[0], 0, words, 0, 0) != 0) terror("rploadgo");
        local_layer(1);
    }
    for (unsigned layer = 0; layer < sizeof layers / sizeof layers[0]; ++layer) {
        if (layers[layer].send == psend) open_circuits(other);
        for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
            const double us = half_round(layers[layer].send, layers[layer].receive, other, lengths[i], layers[layer].flags);
            if (me < other) show(layers[layer].name, lengths[i], us);
        }
    }
    return 0;
}

/* Ping-pong between two neighbours, by every layer: half of the time of a round trip, in microseconds. Run it on two nodes,
 * with the other's number as the first word: the lower one measures and prints. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <node_programs/trollius.h>

enum { rounds = 10, event = 1000, longest = 65536 };
static char body[longest];

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
    } layers[] = {{"nsend, no buffers", nsend, nrecv, NOBUF}, {"nsend", nsend, nrecv, 0}, {"tsend", tsend, trecv, 0}, {"psend", psend, precv, 0}};
    static const int lengths[] = {0, 64, 1024, 4096, 65536};
    if (argc < 2) return 2;
    const int other = atoi(argv[1]);
    half_round(tsend, trecv, other, 0,
               0); /* the other may not be there yet, and a message without buffers would block the link */
    for (unsigned layer = 0; layer < sizeof layers / sizeof layers[0]; ++layer) {
        if (layers[layer].send == psend) open_circuits(other);
        for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
            const double us = half_round(layers[layer].send, layers[layer].receive, other, lengths[i], layers[layer].flags);
            if (getnodeid() < other) printf("%-18s %5d bytes %8.0f us\n", layers[layer].name, lengths[i], us);
        }
    }
    return 0;
}

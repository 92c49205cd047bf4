/* Every node sends a block to every other node. Each checks what it gets; node 0 prints the time. Run it on all nodes of a
 * machine; the word is the length of a block in bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <node_programs/trollius.h>

enum { block_event = 200, done_event = 300 };

static struct nmsg message(int node, int event, char* body, int length) {
    struct nmsg made;
    memset(&made, 0, sizeof made);
    made.nh_node = node;
    made.nh_event = event;
    made.nh_length = length;
    made.nh_msg = body;
    return made;
}

/* One event for each pair, so that the packets of two senders cannot mix. */
static int event_from(int node) {
    return block_event + node;
}

int main(int argc, char** argv) {
    const int length = argc > 1 ? atoi(argv[1]) : 256, nodes = getnitb(), me = getnodeid();
    char* block = malloc((size_t)length + 1);
    int wrong = 0;
    if (block == NULL) return 1;
    const double began = ttime();
    for (int step = 1; step < nodes; ++step) {
        memset(block, me, (size_t)length);
        struct nmsg out = message((me + step) % nodes, event_from(me), block, length);
        if (nsend(&out) != 0) perror("nsend");
        const int from = (me + nodes - step) % nodes;
        struct nmsg in = message(me, event_from(from), block, length);
        if (nrecv(&in) != 0) perror("nrecv");
        for (int i = 0; i < in.nh_length; ++i) wrong += block[i] != (char)from;
    }
    if (wrong != 0) printf("n%d: %d bytes are wrong\n", me, wrong);
    struct nmsg done = message(0, done_event, NULL, 0);
    nsend(&done);
    for (int node = 0; me == 0 && node < nodes; ++node) nrecv(&done);
    if (me == 0) printf("%d nodes, blocks of %d bytes: %.1f ms\n", nodes, length, (ttime() - began) * 1e3);
    free(block);
    return wrong != 0;
}

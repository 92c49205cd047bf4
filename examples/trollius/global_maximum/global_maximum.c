/* All nodes look for the largest error of their parts, again and again, until it is small: ncombine() over a cast of all nodes.
 * Node 0 makes the cast and tells the others its number. Run it on all nodes of a machine; the word is the number of rounds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <node_programs/trollius.h>

enum { cast_event = 110, most_nodes = 1024 };

static struct nmsg of_cast(int node) {
    struct nmsg message;
    memset(&message, 0, sizeof message);
    message.nh_node = node;
    message.nh_event = cast_event;
    return message;
}

static int make_cast(int nodes) {
    int all[most_nodes];
    for (int node = 0; node < nodes; ++node) all[node] = node;
    const int cast = rcast(all, nodes);
    for (int node = 1; node < nodes; ++node) {
        struct nmsg message = of_cast(node);
        message.nh_data[0] = cast;
        if (nsend(&message) != 0) perror("nsend");
    }
    return cast;
}

static int told_cast(void) {
    struct nmsg message = of_cast(LOCAL);
    if (nrecv(&message) != 0) perror("nrecv");
    return message.nh_data[0];
}

int main(int argc, char** argv) {
    const int me = getnodeid(), nodes = getnitb(), rounds = argc > 1 ? atoi(argv[1]) : 4;
    if (nodes > most_nodes) return 1;
    const int cast = me == 0 ? make_cast(nodes) : told_cast();
    float error = 1.0F + (float)me, largest = error;
    for (int round = 0; round < rounds; ++round) {
        error /= 2;
        largest = error;
        if (ncombine(cast, COMBINE_MAX, COMBINE_FLOAT, &largest, 1) != 0) {
            perror("ncombine");
            return 1;
        }
    }
    if (me == 0) printf("%d nodes, %d rounds: the largest error is %.4f\n", nodes, rounds, (double)largest);
    return 0;
}

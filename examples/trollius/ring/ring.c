/* A token goes around all nodes, in the order of their numbers. Each adds its number. Node 0 prints the sum and the time of a
 * round. Run it on all nodes of a machine; the word is the number of rounds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <node_programs/trollius.h>

enum { token_event = 100 };

struct token {
    int sum;
};

static void pass(struct token* token, int nodes) {
    struct nmsg message;
    memset(&message, 0, sizeof message);
    message.nh_node = (getnodeid() + 1) % nodes;
    message.nh_event = token_event;
    message.nh_length = sizeof *token;
    message.nh_msg = (char*)token;
    if (nsend(&message) != 0) perror("nsend");
}

static void take(struct token* token) {
    struct nmsg message;
    memset(&message, 0, sizeof message);
    message.nh_event = token_event;
    message.nh_length = sizeof *token;
    message.nh_msg = (char*)token;
    if (nrecv(&message) != 0) perror("nrecv");
}

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 1, me = getnodeid(), nodes = getnitb();
    struct token token = {0};
    const double began = ttime();
    for (int round = 0; round < rounds; ++round) {
        if (me == 0) pass(&token, nodes);
        take(&token);
        token.sum += me;
        if (me != 0) pass(&token, nodes);
    }
    if (me == 0)
        printf("%d nodes, %d rounds: sum %d, %.0f us a round\n", nodes, rounds, token.sum,
               (ttime() - began) / rounds * 1e6);
    return 0;
}

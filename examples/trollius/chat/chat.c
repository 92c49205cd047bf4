/* A chat of all nodes. Node 0 makes a cast of them and tells them its number. Each node says some lines to the cast, and hears
 * what all say, itself included. Node 0 prints what it hears. Run it on all nodes of a machine; the word is the number of lines
 * that each says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <node_programs/trollius.h>

enum { room_event = 100, line_event = 101, longest = 80 };

static struct nmsg message(int node, int event, char* body, int length) {
    struct nmsg made;
    memset(&made, 0, sizeof made);
    made.nh_node = node;
    made.nh_event = event;
    made.nh_length = length;
    made.nh_msg = body;
    return made;
}

/* The number of the cast, in the pouch of a message from node 0. */
static int enter(int all) {
    struct nmsg told = message(0, room_event, NULL, 0);
    if (getnodeid() != 0) {
        nrecv(&told);
        return told.nh_data[0];
    }
    int* nodes = malloc((size_t)all * sizeof *nodes);
    if (nodes == NULL) return -1;
    for (int node = 0; node < all; ++node) nodes[node] = node;
    told.nh_data[0] = rcast(nodes, all);
    if (told.nh_data[0] < 0) perror("rcast");
    for (int node = 1; node < all; ++node) {
        told.nh_node = node;
        nsend(&told);
    }
    free(nodes);
    return told.nh_data[0];
}

static void say(int cast, int number) {
    char line[longest];
    const int length = snprintf(line, sizeof line, "this is line %d of n%d", number, getnodeid());
    struct nmsg out = message(cast, line_event, line, length + 1);
    out.nh_data[0] = getnodeid();
    out.nh_data[1] = number;
    if (nsend(&out) != 0) perror("nsend");
}

/* Returns 1 if the line is the next of its speaker. */
static int hear(int* said) {
    char line[longest];
    struct nmsg in = message(LOCAL, line_event, line, sizeof line);
    if (nrecv(&in) != 0) return 0;
    const int speaker = in.nh_data[0];
    if (getnodeid() == 0) printf("n%d: %s\n", speaker, line);
    return in.nh_data[1] == ++said[speaker];
}

int main(int argc, char** argv) {
    const int lines = argc > 1 ? atoi(argv[1]) : 3, all = getnitb(), cast = enter(all);
    int heard = 0, *said = calloc((size_t)all, sizeof *said);
    if (cast < 0 || said == NULL) return 1;
    for (int number = 1; number <= lines; ++number) {
        say(cast, number);
        for (int speaker = 0; speaker < all; ++speaker) heard += hear(said);
    }
    free(said);
    if (ncombine(cast, COMBINE_MIN, COMBINE_INT, &heard, 1) != 0) perror("ncombine");
    if (getnodeid() == 0) printf("%d nodes, and each heard at least %d lines in order\n", all, heard);
    return heard != lines * all;
}

/* Copies a file of the host through two nodes: the process that reads it runs here, the one that writes on another node.
 *
 *     file_copy FROM TO NODE
 *
 * FROM and TO may name the node that serves them, as in 8:data. Without one that is the host. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <node_programs/trollius.h>

enum { block = MAXNMSGLEN, its_event = 500 };
static char bytes[block];

static struct nmsg message(int node, int event, int length) {
    struct nmsg made;
    memset(&made, 0, sizeof made);
    made.nh_node = node;
    made.nh_event = event;
    made.nh_length = length;
    made.nh_msg = bytes;
    return made;
}

/* The far end: takes blocks until an empty one comes. */
static int write_file(const char* to) {
    int all = 0;
    const int file = rfopen(to, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0) terror(to);
    for (int length = block; length > 0;) {
        struct nmsg in = message(LOCAL, its_event, block);
        if (nrecv(&in) != 0) return 1;
        length = in.nh_length;
        if (file >= 0 && rfwrite(file, bytes, length) != length) terror(to);
        all += length;
    }
    if (file < 0 || rfclose(file) != 0) return 1;
    printf("n%d has written %d bytes\n", getnodeid(), all);
    return 0;
}

static int read_file(const char* from, int node) {
    const int file = rfopen(from, O_RDONLY, 0);
    int length = block;
    if (file < 0) terror(from);
    while (length > 0) {
        length = file < 0 ? 0 : rfread(file, bytes, block);
        if (length < 0) terror(from);
        struct nmsg out = message(node, its_event, length < 0 ? 0 : length);
        if (nsend(&out) != 0) terror("nsend");
    }
    return file < 0 || length < 0;
}

int main(int argc, char** argv) {
    if (argc == 2) return write_file(argv[1]);
    if (argc != 4) {
        fprintf(stderr, "expected: file_copy FROM TO NODE\n");
        return 2;
    }
    const int node = atoi(argv[3]);
    char* words[] = {argv[0], argv[2], NULL};
    int status = 0, pid = 0, index = 0;
    const double began = ttime();
    if (rploadgo(getorigin(), node, argv[0], RTF_WAIT, words, &pid, &index) != 0) {
        terror("rploadgo");
        return 1;
    }
    printf("[%d] p%d writes %s on n%d\n", index, pid, argv[2], node);
    const int failed = read_file(argv[1], node);
    if (rpwait(NULL, NULL, &status) != 0) terror("rpwait");
    if (!failed && status == 0) printf("%s is copied to %s, in %.0f ms\n", argv[1], argv[2], (ttime() - began) * 1000);
    return failed || status != 0;
}

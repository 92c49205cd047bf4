/* Programs that go wrong: the first word says how. The tests find the line by the mark `here: WORD`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <node_programs/trollius.h>

static volatile int zero;
static char* volatile nothing;
static int deeper(int depth) {
    volatile char room[1000]; room[depth % 1000] = 1;  /* here: deep */
    return depth < 0 ? 0 : deeper(depth + 1) + room[0];
}

int main(int argc, char** argv) {
    char room[8];
    const char* how = argc > 1 ? argv[1] : "";
    struct nmsg message;
    memset(&message, 0, sizeof message);
    message.nh_event = 1;
    message.nh_node = LOCAL;
    message.nh_length = 64;
    printf("an unfinished line");
    if (strcmp(how, "null body") == 0) nsend(&message);  /* here: null body */
    if (strcmp(how, "negative") == 0) {
        message.nh_length = -3;
        nsend(&message);  /* here: negative */
    }
    message.nh_msg = room;
    if (strcmp(how, "too long") == 0) {
        message.nh_length = 1 << 30;
        nrecv(&message);  /* here: too long */
    }
    if (strcmp(how, "outside") == 0) {
        message.nh_msg = (char*)"a text that nobody may write, but anybody may send" + zero;
        message.nh_length = 10;
        nrecv(&message);  /* here: outside */
    }
    if (strcmp(how, "beyond") == 0) {
        message.nh_msg = (char*)&nothing - 64;
        message.nh_length = 60 << 20;
        nsend(&message);  /* here: beyond */
    }
    if (strcmp(how, "no message") == 0) nrecv((struct nmsg*)nothing);  /* here: no message */
    if (strcmp(how, "wild") == 0) *(volatile int*)(nothing + 0x123456789000) = 1;  /* here: wild */
    while (strcmp(how, "endless") == 0) ++zero;  /* here: endless */
    if (strcmp(how, "deep") == 0) deeper(1);
    if (strcmp(how, "divide") == 0) room[0] = (char)(7 / zero);  /* here: divide */
    if (strcmp(how, "abort") == 0) abort();  /* here: abort */
    if (strcmp(how, "file") == 0) popen("ls", "r");  /* here: file */
    if (strcmp(how, "kernel") == 0) {
        struct kmsg out = {1, 0, 8, 0, nothing};
        ksend(&out);  /* here: kernel */
    }
    if (strcmp(how, "table") == 0) rpstate(LOCAL, (struct pstate*)nothing, 5);  /* here: table */
    while (strcmp(how, "polls") == 0) ttime();  /* here: polls */
    if (strcmp(how, "pointer") == 0) {
        char* of_here = malloc(8);
        message.nh_node = 1;
        message.nh_msg = (char*)&of_here;
        message.nh_length = 8;
        nsend(&message);  /* here: pointer */
    }
    printf(", finished\n");
    return 3;
}

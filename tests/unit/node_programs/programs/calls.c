/* Calls of trollius.h. The first word names the part that a process plays; each prints what it saw. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <node_programs/trollius.h>

static int runs; /* of this process: its own globals */
static const char* name;

static void failed(const char* what) {
    printf("%s: %s fails with %d\n", name, what, errno);
}

static struct nmsg to(int node, int event, char* body, int length) {
    struct nmsg made;
    memset(&made, 0, sizeof made);
    made.nh_node = node;
    made.nh_event = event;
    made.nh_type = 1;
    made.nh_msg = body;
    made.nh_length = length;
    return made;
}

static int do_ksend(void) {
    struct kmsg message = {5, 1, 6, 0, "hello"};
    if (ksend(&message) != 0) failed("ksend");
    return 1;
}
static int do_krecv(void) {
    char room[4] = "";
    struct kmsg message = {5, 3, 3, 0, room};
    if (krecv(&message) != 0) failed("krecv");
    printf("krecv: '%s' %d bytes, type %d\n", room, message.k_length, message.k_type);
    message.k_flags = KTRY;
    if (krecv(&message) != 0) printf("krecv: %s\n", errno == EWOULDBLOCK ? "would block" : "fails");
    if (ksend(&message) != 0) printf("ksend: %s\n", errno == EWOULDBLOCK ? "would block" : "fails");
    return 2;
}

static int do_client(void) {
    int me = kgetpid();
    char answer[32];
    struct kmsg out = {7, 0, sizeof me, 0, (char*)&me}, in = {-me, 0, sizeof answer, 0, answer};
    if (ksr(&out, &in) != 0) failed("ksr");
    printf("ksr: '%s'\n", answer);
    return getpid() == me ? 0 : 9;
}
static int do_server(void) {
    int client = 0;
    struct kmsg in = {7, 0, sizeof client, 0, (char*)&client};
    if (krecv(&in) != 0) failed("krecv");
    struct kmsg out = {-client, 0, 9, KTRY, "answered"};
    if (ksend(&out) != 0) failed("ksend");
    return 0;
}

static int do_dsend(void) {
    struct nmsg message = to(1, 11, "direct", 7);
    message.nh_flags = NOBUF;
    message.nh_data[7] = 77;
    if (getroute(&message) != 0) failed("getroute");
    if (dsend(&message) != 0) failed("dsend");
    message.nh_length = 5000;
    message.nh_msg = malloc(5000);
    if (dsend(&message) != 0) printf("dsend: %s\n", errno == EMSGLEN ? "too long" : "fails");
    return 0;
}
static int do_drecv(void) {
    char room[16];
    struct nmsg message = to(0, 11, room, sizeof room);
    if (dtry_recv(&message) != 0) printf("dtry_recv: %s\n", errno == EWOULDBLOCK ? "would block" : "fails");
    if (drecv(&message) != 0) failed("drecv");
    printf("drecv: '%s' %d bytes, pouch %d\n", room, message.nh_length, message.nh_data[7]);
    return 0;
}

enum { many = 10000 };
static char many_bytes[many];
static int do_nsend(void) {
    for (int i = 0; i < many; ++i) many_bytes[i] = (char)(i % 100);
    struct nmsg message = to(1, 20, many_bytes, many);
    message.nh_data[0] = -5;
    if (nsend(&message) != 0) failed("nsend");
    message.nh_event = 21;
    message.nh_length = 100;
    if (ntry_send(&message) != 0) printf("ntry_send: %s\n", errno == EWOULDBLOCK ? "would block" : "fails");
    if (nsend(&message) != 0) failed("nsend");
    if (tsend(&message) != 0) failed("tsend");
    message.nh_node = 99;
    if (nsend(&message) != 0) printf("nsend: %s\n", errno == EBADNODE ? "bad node" : "fails");
    return 0;
}
static int do_nrecv(void) {
    struct nmsg message = to(0, 20, many_bytes, many);
    int wrong = 0;
    if (nprobe(&message) != 0) failed("nprobe");
    if (ntry_recv(&message) != 0) printf("ntry_recv: %s\n", errno == EWOULDBLOCK ? "would block" : "fails");
    if (nrecv(&message) != 0) failed("nrecv");
    for (int i = 0; i < many; ++i) wrong += many_bytes[i] != (char)(i % 100);
    printf("nrecv: %d bytes, %d wrong, pouch %d\n", message.nh_length, wrong, message.nh_data[0]);
    message.nh_event = 21;
    while (nprobe(&message) == 0) kyield();
    printf("nprobe: %d bytes\n", message.nh_length);
    message.nh_length = 10;
    if (ntry_recv(&message) != 0) failed("ntry_recv");
    printf("ntry_recv: %d bytes\n", message.nh_length);
    message.nh_length = 200;
    if (trecv(&message) != 0) failed("trecv");
    printf("trecv: %d bytes, event %d\n", message.nh_length, message.nh_event);
    return 0;
}

static int do_family(void) {
    char* words[] = {"calls", "child", "two words", NULL};
    static struct pstate table[64];
    int node = -1, pid = 0, status = 0, second = 0, index = 0, listed = 0;
    if (rploadgo(LOCAL, 1, "calls", RTF_WAIT, words, &pid, NULL) != 0) failed("rploadgo");
    words[1] = "waits";
    if (rploadgo(LOCAL, 1, "calls", RTF_WAIT, words, &second, &index) != 0) failed("rploadgo");
    const int all = rpstate(1, table, 64);
    for (int i = 0; i < all; ++i)
        if (table[i].ps_pid == second) listed = table[i].ps_index;
    printf("rploadgo: index %s\n", index > 1 && index == listed ? "as listed" : "wrong");
    if (rploadgo(LOCAL, 1, "nobody", 0, words, NULL, NULL) != 0)
        printf("rploadgo: %s\n", errno == ENOENT ? "unknown" : "fails");
    if (rpwait(&node, &status, NULL) != 0) failed("rpwait");
    printf("rpwait: n%d, %s\n", node, status == pid ? "the child" : "somebody");
    if (rpdoom(1, SELECT_INDEX, index, SIGUDIE) != 0) failed("rpdoom");
    if (rpwait(NULL, &pid, &status) != 0) failed("rpwait");
    printf("rpwait: %s, status %d\n", pid == second ? "the other" : "somebody", status);
    if (rpwait(NULL, NULL, NULL) != 0) printf("rpwait: %s\n", errno == ENOTPROCESS ? "nobody" : "fails");
    if (rpdoom(1, SELECT_PID, second, SIGUDIE) != 0) printf("rpdoom: %s\n", errno == ENOTPROCESS ? "not a process" : "fails");
    if (rpdoom(1, SELECT_INDEX, 1, SIGUDIE) != 0) printf("rpdoom: %s\n", errno == ESERVICE ? "of the system" : "fails");
    if (rpdoom(1, SELECT_PID, second, 9) != 0)
        printf("rpdoom: %s\n", errno == ENOTPROCESS || errno == EINVAL ? "not so" : "fails");
    return 0;
}
static int do_child(int count, char** words) {
    printf("child: %d words, '%s'\n", count, words[2]);
    return 42;
}
static int do_waits(void) {
    struct nmsg message = to(0, 999, NULL, 0);
    return nrecv(&message);
}

static int do_daemons(void) {
    static struct pstate table[64];
    static struct bfstate packets[4];
    char out[100], in[100];
    int mine = 0;
    const int all = rpstate(LOCAL, table, 64);
    for (int i = 0; i < all; ++i) mine += table[i].ps_pid == kgetpid() && strcmp(table[i].ps_name, "calls") == 0;
    printf("rpstate: %s, %s\n", all > 5 ? "several" : "few", mine == 1 ? "me" : "not me");
    struct nmsg message = to(1, 30, "stays", 6);
    if (nsend(&message) != 0) failed("nsend");
    if (recho(1, "", NULL, 0) != 0) failed("recho"); /* until it is there */
    const int stored = rbfstate(1, packets, 4), swept = rbfsweep1(1, 31), then = rbfsweep1(1, 30), last = rbfsweep(1);
    printf("rbfstate: %d, event %d, %d bytes\n", stored, packets[0].bfs_event, packets[0].bfs_length);
    printf("rbfsweep: %d, then %d, then %d\n", swept, then, last);
    memset(out, 'x', sizeof out);
    if (recho(1, out, in, sizeof out) != 0) failed("recho");
    printf("recho: %s\n", memcmp(out, in, sizeof out) == 0 ? "the same" : "other");
    if (recho(1, out, in, 5000) != 0) printf("recho: %s\n", errno == EMSGLEN ? "too long" : "fails");
    printf("node %d of %d, origin %d, all %d\n", getnodeid(), getncomp(), getorigin(), getnall());
    return 0;
}

/* Each has its own errno and globals while the other fails and counts. */
static int do_errors(int count, char** words) {
    struct nmsg message = to(99, 1, NULL, 0), turn = to(LOCAL, 40 + atoi(words[2]), NULL, 0);
    struct nmsg next = to(LOCAL, 41 - atoi(words[2]), NULL, 0);
    (void)count;
    if (atoi(words[2]) == 0) {
        nsend(&message);
    } else {
        message.nh_node = LOCAL;
        message.nh_event = 12345;
        ntry_recv(&message);
    }
    runs = 10 * (1 + atoi(words[2]));
    for (int i = 0; i < 5; ++i) {
        nsend(&next);
        nrecv(&turn);
        ++runs;
    }
    printf("errno %d, runs %d\n", errno, runs);
    return 0;
}

static void at_end(void* argument) {
    printf("at the end: %s\n", (const char*)argument);
}
static int do_ends(int count, char** words) {
    (void)count;
    atkexit(at_end, "first");
    atkexit(at_end, "second");
    if (strcmp(words[2], "kexit") == 0) kexit(7);
    if (strcmp(words[2], "exit") == 0) exit(8);
    return 9;
}

static int do_globals(void) {
    static int own[100];
    int sum = 0;
    struct nmsg message = to(getnodeid() ^ 1, 50, (char*)&runs, sizeof runs);
    for (int i = 0; i < 100; ++i) own[i] = getnodeid();
    runs = getnodeid();
    if (nsend(&message) != 0) failed("nsend");
    int got = 0;
    struct nmsg from = to(LOCAL, 50, (char*)&got, sizeof got);
    if (nrecv(&from) != 0) failed("nrecv");
    for (int i = 0; i < 100; ++i) sum += own[i];
    printf("n%d: runs %d, sum %d, got %d\n", getnodeid(), runs, sum, got);
    printf("a line in two parts ");
    work_us(100);
    printf("from n%d\n", getnodeid());
    return runs;
}

int main(int argc, char** argv) {
    name = argc > 1 ? argv[1] : "";
    ++runs;
    const struct {
        const char* part;
        int (*plays)(void);
        int (*with_words)(int, char**);
    } parts[] = {{"ksend", do_ksend, 0},   {"krecv", do_krecv, 0}, {"client", do_client, 0},  {"server", do_server, 0},
                 {"dsend", do_dsend, 0},   {"drecv", do_drecv, 0}, {"nsend", do_nsend, 0},    {"nrecv", do_nrecv, 0},
                 {"family", do_family, 0}, {"child", 0, do_child}, {"waits", do_waits, 0},    {"daemons", do_daemons, 0},
                 {"errors", 0, do_errors}, {"ends", 0, do_ends},   {"globals", do_globals, 0}};
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        if (strcmp(parts[i].part, name) != 0) continue;
        return parts[i].plays != NULL ? parts[i].plays() : parts[i].with_words(argc, argv);
    }
    return 99;
}

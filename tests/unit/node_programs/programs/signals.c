/* Signals from C. The first word names the part that a process plays; each prints what it saw. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <node_programs/trollius.h>

static volatile int handled[9];
static int deepest, depth;

static struct nmsg to(int node, int event, void* body, int length) {
    struct nmsg made;
    memset(&made, 0, sizeof made);
    made.nh_node = node;
    made.nh_event = event;
    made.nh_msg = body;
    made.nh_length = length;
    return made;
}

static void count(int signal) {
    ++handled[signal];
}
static void tell(int signal) {
    ++handled[signal];
    printf("handler of %d\n", signal);
}
/* Makes calls of its own in the middle of one that waits. */
static void converse(int signal) {
    char out[100], in[100];
    int number = signal;
    if (++depth > deepest) deepest = depth;
    memset(out, signal, sizeof out);
    if (recho(1, out, in, sizeof out) != 0 || memcmp(out, in, sizeof in) != 0) printf("recho fails\n");
    struct nmsg message = to(LOCAL, 70, &number, sizeof number);
    if (nsend(&message) != 0) printf("nsend fails\n");
    if (signal == SIGA) {
        struct nmsg word = to(LOCAL, 71, &number, sizeof number);
        nrecv(&word); /* until the other has sent the second signal, too */
    }
    --depth;
    ++handled[signal];
}
static void leave(int signal) {
    exit(10 + signal);
}
static void fall(int signal) {
    *(volatile int*)0 = signal; /* here: fall */
}

/* Blocks in nrecv(); a signal comes, its handler runs, and the call is made again. */
static int do_retry(void) {
    char body[16] = "";
    ksignal(SIGA, tell);
    struct nmsg message = to(LOCAL, 60, body, sizeof body);
    const int result = nrecv(&message);
    printf("nrecv: %d '%s', %d handled\n", result, body, handled[SIGA]);
    return 0;
}
static int do_eintr(void) {
    ksignal(SIGA, count);
    const int old = ksigsetretry(0);
    struct nmsg message = to(LOCAL, 61, NULL, 0);
    const int result = nrecv(&message);
    printf("nrecv: %d, %s, %d handled, retry was %#x\n", result, errno == EINTR ? "EINTR" : "other", handled[SIGA], old);
    struct kmsg local = {62, 0, 0, 0, NULL};
    const int again = krecv(&local);
    printf("krecv: %d, %s, %d handled\n", again, errno == EINTR ? "EINTR" : "other", handled[SIGA]);
    return 0;
}
static int do_mask(void) {
    struct kstatus status;
    ksignal(SIGB, tell);
    const int old = ksigblock(sigmask(SIGB));
    kdoom(0, SIGB);
    kdoom(0, SIGB);
    kstate(0, &status);
    printf("mask %d, pending %#x, state %d\n", old, status.ks_signal, status.ks_state);
    const int mask = ksigsetmask(0);
    printf("mask %#x, %d handled\n", mask, handled[SIGB]);
    printf("%s", ksignal(SIGB, SIGUIGN) == tell ? "the old handler\n" : "another handler\n");
    kdoom(0, SIGB);
    printf("%s", ksignal(3, tell) == SIGUERR && errno == EINVAL ? "no signal 3\n" : "a signal 3\n");
    printf("%s", ksignal(SIGB, SIGUDFL) == SIGUIGN ? "ignored\n" : "not ignored\n");
    const int first = ksigretry(sigmask(SIGRELEASE)), then = ksigsetretry(0);
    printf("retry %#x, then %#x\n", first, then);
    return handled[SIGB];
}
static int do_errors(void) {
    struct kstatus status;
    if (kdoom(5, SIGA) != 0) printf("kdoom: %s\n", errno == ENOTPROCESS ? "not a process" : "fails");
    if (kdoom(-5, SIGA) != 0) printf("kdoom: %s\n", errno == ENOTPROCESS ? "not a process" : "fails");
    if (kdoom(263521, SIGA) != 0) printf("kdoom: %s\n", errno == ESERVICE ? "of the system" : "fails");
    if (kdoom(0, 99) != 0) printf("kdoom: %s\n", errno == EINVAL ? "no signal" : "fails");
    if (kstate(5, &status) != 0) printf("kstate: %s\n", errno == ENOTPROCESS ? "not a process" : "fails");
    kstate(263521, &status);
    printf("kstate: priority %d\n", status.ks_priority);
    errno = EBADNODE;
    terror("terror");
    errno = ENOENT;
    terror("terror");
    return 0;
}
static int do_pause(void) {
    ksignal(SIGA, tell);
    const int result = kpause();
    printf("kpause: %d, %s\n", result, errno == EINTR ? "EINTR" : "other");
    return 0;
}
static int do_nested(void) {
    int got[3] = {0};
    ksignal(SIGA, converse);
    ksignal(SIGB, converse);
    int all[2] = {0};
    struct nmsg message = to(LOCAL, 63, all, sizeof all);
    if (nrecv(&message) != 0) printf("nrecv fails\n");
    for (int i = 0; i < 2; ++i) {
        struct nmsg word = to(LOCAL, 70, &got[i], sizeof got[i]);
        nrecv(&word);
    }
    printf("body %d %d; words %d and %d; depth %d; A %d, B %d\n", all[0], all[1], got[0], got[1], deepest, handled[SIGA], handled[SIGB]);
    return 0;
}
static int do_leave(void) {
    struct nmsg message = to(LOCAL, 64, NULL, 0);
    ksignal(SIGC, leave);
    nrecv(&message);
    return 1;
}
static int do_fall(void) {
    struct nmsg message = to(LOCAL, 65, NULL, 0);
    ksignal(SIGC, fall);
    nrecv(&message);
    return 1;
}
static int do_arrested(void) {
    int sum = 0;
    for (int i = 0; i < 5; ++i) {
        char body[4];
        struct nmsg message = to(LOCAL, 66, body, sizeof body);
        if (nrecv(&message) == 0) sum += message.nh_length;
    }
    printf("sum %d\n", sum);
    return 0;
}
/* A loop that only asks daemons, and so never gives a signal the way in by itself. */
static int do_prints(void) {
    ksignal(SIGA, count);
    for (int i = 0; i < 1000 && handled[SIGA] == 0; ++i) {
        struct nmsg message = to(LOCAL, 67, NULL, 0);
        ntry_recv(&message);
        usleep(100);
    }
    printf("%d handled\n", handled[SIGA]);
    return 0;
}
static int do_sleeps(void) {
    ksignal(SIGA, count);
    const double began = ttime();
    kdelay(200000);
    const double slept = ttime() - began;
    printf("slept %d ms, %d handled\n", (int)(slept * 1000 + 0.5), handled[SIGA]);
    return 0;
}

static void nest(int signal) {
    ksigsetmask(0);
    if (++depth < 20) kdoom(0, signal); /* here: nest */
}
static int do_nest(void) {
    ksignal(SIGA, nest);
    kdoom(0, SIGA);
    return 0;
}
static jmp_buf outside;
static void jump(int signal) {
    ksigsetmask(0);
    ++handled[signal];
    longjmp(outside, 1);
}
/* As often as the second word says. */
static int do_jump(int times) {
    ksignal(SIGA, jump);
    setjmp(outside);
    if (handled[SIGA] < times) kdoom(0, SIGA); /* here: jump */
    return handled[SIGA];
}

/* Sends the signals of the other words to the process on n1 whose part is the second word, 3 ms apart. A word `=EVENT` sends a
 * message of 4 bytes instead. */
static int do_sends(int words, char** vector) {
    static struct pstate table[64];
    int pid = 0;
    kdelay(3000);
    const int all = rpstate(1, table, 64);
    for (int i = 0; i < all; ++i)
        if (strcmp(table[i].ps_name, "signals") == 0) pid = table[i].ps_pid;
    for (int i = 2; i < words; ++i) {
        struct nmsg message = to(1, atoi(vector[i] + 1), "abc", 4);
        if (vector[i][0] == '=' ? nsend(&message) : rpdoom(1, SELECT_PID, pid, atoi(vector[i]))) printf("%s fails\n", vector[i]);
        if (strcmp(vector[i], "5") == 0) {
            struct pstate* found = NULL;
            rpstate(1, table, 64);
            for (int j = 0; j < all; ++j)
                if (table[j].ps_pid == pid) found = &table[j];
            printf("%s\n", found != NULL && found->ps_state == 2 && found->ps_event < -1000000 ? "stopped" : "not stopped");
        }
        kdelay(3000);
    }
    return 0;
}

int main(int argc, char** argv) {
    const char* part = argc > 1 ? argv[1] : "";
    const struct {
        const char* part;
        int (*plays)(void);
    } parts[] = {{"retry", do_retry}, {"eintr", do_eintr}, {"mask", do_mask}, {"errors", do_errors}, {"pause", do_pause},
                 {"nested", do_nested}, {"leave", do_leave}, {"fall", do_fall}, {"arrested", do_arrested}, {"prints", do_prints},
                 {"sleeps", do_sleeps}, {"nest", do_nest}};
    if (strcmp(part, "jump") == 0) return do_jump(atoi(argv[2]));
    if (strcmp(part, "sends") == 0) return do_sends(argc, argv);
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; ++i)
        if (strcmp(parts[i].part, part) == 0) return parts[i].plays();
    return 99;
}

/* Makes random calls of trollius.h, most of them sensible and some wrong. The first word is the seed, the second how many
 * generations it may start. campaigns/programs.yaml runs it on random machines: each process ends, or something tells why not. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <trollius.h>

enum { longest = 10000 };
static char body[longest];
static char* volatile nothing;
static volatile int zero;
static unsigned long long dice;
static int children, generations, handled;
static char* name;

static int upto(int end) {
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (int)((dice >> 33) % (unsigned)end);
}
static int rarely(void) {
    return upto(25) == 0;
}
#define ONE_OF(type, ...) (((const type[]){__VA_ARGS__})[upto(sizeof((const type[]){__VA_ARGS__}) / sizeof(type))])

static int event(void) {
    if (rarely()) return ONE_OF(int, INT_MIN + 7, INT_MIN + 10, INT_MIN + 13, INT_MIN + 18, INT_MIN, 0, -kgetpid());
    return 1 + upto(3);
}
static int node(void) {
    return rarely() ? ONE_OF(int, -1, 99, 70000, getorigin()) : ONE_OF(int, LOCAL, 0, 1, getnall() - 2, upto((getnall() - 1)));
}
static int length(void) {
    if (upto(60) == 0) return ONE_OF(int, -1, INT_MAX, INT_MIN, 11000);
    return ONE_OF(int, 0, 1, 64, 1000, 4096, 5000);
}
static char* pointer(void) {
    if (upto(60) == 0) return ONE_OF(char*, nothing, nothing + 0x5000, body + 9990, (char*)"text", nothing - 1, (char*)&dice);
    return body;
}
static struct nmsg message(void) {
    struct nmsg made;
    memset(&made, 0, sizeof made);
    made.nh_node = node();
    made.nh_event = event();
    made.nh_type = ONE_OF(int, 0, 1, 2, 6, -1);
    made.nh_length = length();
    made.nh_flags = rarely() ? upto(INT_MAX) : upto(8) == 0 ? NOBUF : 0;
    made.nh_msg = pointer();
    made.nh_dl_event = event();
    return made;
}

static void send_or_receive(void) {
    typedef int (*call)(struct nmsg*);
    struct nmsg made = message();
    const call quick[] = {nsend, nsend, ntry_send, ntry_recv, ntry_recv, nprobe, getroute, dtry_send, dtry_recv};
    const call slow[] = {nrecv, tsend, trecv, dsend, drecv};
    (upto(12) != 0 ? quick[upto(9)] : slow[upto(5)])(&made);
}
static void meet(void) {
    struct kmsg out = {event(), 0, length(), upto(10) != 0 ? KTRY : 0, pointer()}, in = out;
    in.k_event = event();
    ONE_OF(int, 0, 1) ? (void)(upto(2) ? ksend(&out) : krecv(&out)) : (void)ksr(&out, &in);
}

static void handle(int signal) {
    handled += signal;
    if (upto(4) == 0) recho(LOCAL, "abc", body, 4);
    if (upto(20) == 0) exit(handled);
    if (upto(8) == 0) kdoom(0, ONE_OF(int, SIGA, SIGB, SIGC));
}
static void use_signals(void) {
    static struct pstate table[64];
    struct kstatus status;
    const int signal = 1 + upto(9), mask = upto(256);
    switch (upto(9)) {
        case 0:
        case 1:
            ksignal(signal, ONE_OF(ksighandler, handle, handle, handle, SIGUDFL, SIGUIGN, SIGUERR));
            break;
        case 2:
            kdoom(0, ONE_OF(int, SIGTRACE, SIGC, SIGA, SIGB, 3, 0, 99));
            break;
        case 3:
            upto(2) ? ksigblock(mask & ~sigmask(SIGUDIE)) : ksigsetmask(0);
            break;
        case 4:
            upto(2) ? ksigretry(mask) : ksigsetretry(mask);
            break;
        case 5:
            kstate(rarely() ? upto(500000) : 0, &status);
            break;
        case 6:
            if (rarely()) upto(2) ? (void)kpause() : (void)kdoom(0, ONE_OF(int, SIGARREST, SIGUDIE));
            break;
        default: {
            const int where = node(), count = rpstate(where, table, 64), chosen = count > 0 ? upto(count < 64 ? count : 64) : 0;
            if (count > 0) rpdoom(where, upto(2) ? SELECT_PID : SELECT_INDEX, upto(2) ? table[chosen].ps_pid : table[chosen].ps_index, signal);
        }
    }
}

static const char* file_name(void) {
    static char long_name[300];
    memset(long_name, 'a', sizeof long_name - 1);
    if (upto(6) == 0) return ONE_OF(char*, "../up", "/etc/passwd", "1:one", "99:none", "link/x", "", long_name, "a/../../b");
    return ONE_OF(char*, "one", "two", "below/three", "below");
}
static void use_files(void) {
    struct stat facts;
    const int flags = ONE_OF(int, O_RDONLY, O_RDWR | O_CREAT, O_WRONLY | O_CREAT | O_APPEND, O_WRONLY | O_CREAT | O_TRUNC, O_RDWR | O_LOCK | O_CREAT,
                             O_RDONLY | O_REUSE, O_WRONLY | O_CREAT | O_1WAY, 0x7fffffff);
    const int descriptor = upto(8);
    switch (upto(14)) {
        case 0:
        case 1:
        case 2:
            rfopen(file_name(), flags, 0666);
            break;
        case 3:
            rfwrite(descriptor, pointer(), length());
            break;
        case 4:
            rfread(descriptor == 0 ? 3 : descriptor, body, ONE_OF(int, 0, 10, 4096, 9000));
            break;
        case 5:
            rflseek(descriptor, ONE_OF(int, 0, 100, -5, INT_MAX, INT_MIN), upto(4));
            break;
        case 6:
            if (descriptor > 2) rfclose(descriptor);
            break;
        case 7:
            upto(2) ? rfdup(descriptor) : rfdup2(descriptor, 3 + upto(40));
            break;
        case 8:
            upto(2) ? rfstat(file_name(), &facts) : rffstat(descriptor, &facts);
            break;
        case 9:
            upto(2) ? rfmkdir(file_name(), 0777) : rfrmdir(file_name());
            break;
        case 10:
            upto(2) ? rfunlink(file_name()) : rfrename(file_name(), file_name());
            break;
        case 11:
            upto(2) ? rftruncate(file_name(), upto(9000)) : rfaccess(file_name(), upto(9));
            break;
        case 12:
            upto(2) ? rfchdir(rarely() ? file_name() : "below") : rfgetwd(body, length() % 300);
            break;
        default: {
            FILE* const file = fopen(file_name(), ONE_OF(char*, "r", "w", "a", "r+", "w+", "q"));
            if (file == NULL) break;
            for (int i = upto(300); i > 0; --i) fprintf(file, "line %d\n", i);
            fseek(file, upto(100) - 50, upto(3));
            while (upto(5) != 0 && fgets(body, 100, file) != NULL) {}
            if (upto(4) != 0) fclose(file);
        }
    }
}

static void ask_daemons(void) {
    switch (upto(6)) {
        case 0:
            rpstate(node(), NULL, 0);
            break;
        case 1:
            if (rarely()) rbfsweep(node());
            break;
        case 2:
            rbfstate(node(), NULL, 0);
            break;
        case 3:
            recho(node(), pointer(), body, length());
            break;
        default:
            kstate(0, (struct kstatus*)pointer());
    }
}

static void start(void) {
    char seed[20], rest[20];
    char* words[] = {name, seed, rest, NULL};
    int pid = 0, index = 0;
    sprintf(seed, "%d", upto(1000000));
    sprintf(rest, "%d", generations - 1);
    if (generations > 0 && rploadgo(LOCAL, node(), rarely() ? "./nobody" : name, RTF_WAIT, words, &pid, &index) == 0) ++children;
}

static void goodbye(void) {
    printf("%d handled\n", handled);
}
static void goodbye_to(void* who) {
    if (who == body) printf("the last word\n");
}

static int deeper(int depth) {
    volatile char room[1000];
    room[depth % 1000] = 1;
    return depth < 0 ? 0 : deeper(depth + 1) + room[0];
}
static void go_wrong(void) {
    switch (upto(9)) {
        case 0:
            nothing[upto(5)] = 1;
            break;
        case 1:
            abort();
        case 2:
            handled /= zero;
            break;
        case 3:
            deeper(1);
            break;
        case 4:
            free(body);
            break;
        case 5:
            nrecv((struct nmsg*)nothing);
            break;
        case 6:
            memset(body, 1, sizeof body + 100 + (size_t)zero);
            break;
        case 7:
            _exit(upto(300));
        default:
            exit(upto(300));
    }
}

static void step(void) {
    switch (upto(16)) {
        case 0:
        case 1:
        case 2:
        case 3:
            return send_or_receive();
        case 4:
            return meet();
        case 5:
        case 6:
            return use_signals();
        case 7:
        case 8:
            return use_files();
        case 9:
            return ask_daemons();
        case 10: {
            char* const block = malloc((size_t)upto(5000));
            if (block != NULL) *block = 1;
            if (upto(3) != 0) free(block);
            return;
        }
        case 11:
            upto(2) ? work_us((unsigned)upto(500)) : kdelay((unsigned)upto(20000));
            return kyield();
        case 12:
            return (void)printf("n%d: %d children, errno %d%s", getnodeid(), children, errno, upto(3) ? "\n" : ", ");
        case 13:
            if (upto(3) == 0) start();
            if (children > 0 && upto(6) == 0 && rpwait(NULL, NULL, NULL) == 0) --children;
            return;
        case 14:
            return (void)(upto(2) ? atexit(goodbye) : atkexit(goodbye_to, upto(2) ? body : nothing));
        default:
            if (upto(6) == 0) go_wrong();
    }
}

int main(int argc, char** argv) {
    name = argv[0];
    dice = argc > 1 ? strtoull(argv[1], NULL, 10) * 2 + 1 : 1;
    generations = argc > 2 ? atoi(argv[2]) : 0;
    for (int i = 0; i < 5; ++i) upto(2);
    for (int i = 10 + upto(60); i > 0; --i) step();
    return handled % 100;
}

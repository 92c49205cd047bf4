/* Arrests and releases a process of another node.
 *
 *     arrest NODE
 *
 * The process that it starts there counts, a step each millisecond. Signal 5 stops it, and signal 6 lets it go on; signal 7 makes
 * it report, and signal 4, which it handles, makes it say goodbye. */
#include <stdio.h>
#include <stdlib.h>

#include <node_programs/trollius.h>

static volatile int steps;

static void report(int signal) {
    printf("n%d: signal %d after %d steps\n", getnodeid(), signal, steps);
}
static void say_goodbye(int signal) {
    printf("n%d: signal %d ends it\n", getnodeid(), signal);
    exit(0);
}

static void work(void) {
    ksignal(SIGA, report);
    ksignal(SIGUDIE, say_goodbye);
    while (1) {
        kdelay(1000);
        ++steps;
    }
}

/* "stopped", or how the kernel has it. */
static const char* state_of(int node, int pid) {
    static struct pstate table[64];
    const int all = rpstate(node, table, 64);
    for (int i = 0; i < all && i < 64; ++i) {
        if (table[i].ps_pid != pid) continue;
        return table[i].ps_state == 0 ? "at work" : table[i].ps_state == 2 && table[i].ps_event < 0 ? "stopped" : "waiting";
    }
    return "gone";
}

static void send(int node, int pid, int signal) {
    if (rpdoom(node, SELECT_PID, pid, signal) != 0) terror("rpdoom");
    kdelay(20000);
    printf("n%d: after signal %d it is %s\n", getnodeid(), signal, state_of(node, pid));
}

int main(int argc, char** argv) {
    if (argc < 2) work();
    const int node = atoi(argv[1]);
    int pid = 0, status = 0;
    if (rploadgo(LOCAL, node, argv[0], RTF_WAIT, NULL, &pid, NULL) != 0) {
        terror("rploadgo");
        return 1;
    }
    kdelay(10500);
    send(node, pid, SIGA);
    send(node, pid, SIGARREST);
    send(node, pid, SIGA); /* a handler runs even then */
    send(node, pid, SIGA);
    send(node, pid, SIGRELEASE);
    send(node, pid, SIGA);
    send(node, pid, SIGUDIE);
    rpwait(NULL, NULL, &status);
    printf("n%d: it has ended with status %d\n", getnodeid(), status);
    return status;
}

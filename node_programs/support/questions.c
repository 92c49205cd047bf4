/* Questions of a program about its computer, and settings without an effect on a node: signals never come there. */
#include <program_support_own.h> /* first: it asks for everything that the C library declares */

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "trollius_calls.h"

/* A program may have these of its own. */
#pragma weak gethostname
#pragma weak uname
#pragma weak getppid
#pragma weak getuid
#pragma weak geteuid
#pragma weak getgid
#pragma weak getegid
#pragma weak getrusage
#pragma weak getrlimit
#pragma weak getrlimit64
#pragma weak setrlimit
#pragma weak setrlimit64
#pragma weak times
#pragma weak signal
#pragma weak sigaction
#pragma weak sigprocmask
#pragma weak pthread_sigmask
#pragma weak umask

int gethostname(char* name, size_t bytes) {
    const int length = snprintf(name, bytes, "n%d", getnodeid());
    if ((size_t)length < bytes) return 0;
    errno = ENAMETOOLONG;
    return -1;
}
int uname(struct utsname* its) {
    memset(its, 0, sizeof *its);
    strcpy(its->sysname, "Trollius");
    strcpy(its->release, "2.2");
    strcpy(its->version, "Magicwire");
    strcpy(its->machine, "t800");
    return gethostname(its->nodename, sizeof its->nodename);
}
pid_t getppid(void) {
    return 0;
}
uid_t getuid(void) {
    return 0;
}
uid_t geteuid(void) {
    return 0;
}
gid_t getgid(void) {
    return 0;
}
gid_t getegid(void) {
    return 0;
}

/* A node does not count its processes' times apart, so all time counts as theirs. */
static unsigned long long microseconds(void) {
    return program_own.common == NULL ? 0 : program_own.common->clock_us();
}
int getrusage(__rusage_who_t who, struct rusage* usage) {
    (void)who;
    memset(usage, 0, sizeof *usage);
    usage->ru_utime.tv_sec = (time_t)(microseconds() / 1000000);
    usage->ru_utime.tv_usec = (suseconds_t)(microseconds() % 1000000);
    return 0;
}
clock_t times(struct tms* its) {
    const clock_t ticks = (clock_t)(microseconds() / 10000); /* of sysconf(_SC_CLK_TCK) */
    if (its != NULL) *its = (struct tms){.tms_utime = ticks};
    return ticks;
}
int getrlimit(__rlimit_resource_t which, struct rlimit* its) {
    (void)which;
    its->rlim_cur = its->rlim_max = RLIM_INFINITY;
    return 0;
}
int getrlimit64(__rlimit_resource_t which, struct rlimit64* its) {
    return getrlimit(which, (struct rlimit*)its);
}
int setrlimit(__rlimit_resource_t which, const struct rlimit* its) {
    (void)which, (void)its;
    return 0;
}
int setrlimit64(__rlimit_resource_t which, const struct rlimit64* its) {
    (void)which, (void)its;
    return 0;
}
mode_t umask(mode_t mask) {
    static mode_t own = 022;
    const mode_t old = own;
    own = mask & 0777;
    return old;
}

/* ---- Handlers are kept, and none is ever called ---- */

static sighandler_t handlers[NSIG];
sighandler_t signal(int number, sighandler_t handler) {
    if (number <= 0 || number >= NSIG || number == SIGKILL || number == SIGSTOP) {
        errno = EINVAL;
        return SIG_ERR;
    }
    const sighandler_t old = handlers[number];
    handlers[number] = handler;
    return old;
}
int sigaction(int number, const struct sigaction* restrict what, struct sigaction* restrict was) {
    const sighandler_t old = what != NULL ? signal(number, what->sa_handler) : number > 0 && number < NSIG ? handlers[number] : SIG_ERR;
    if (old == SIG_ERR) return -1;
    if (was != NULL) memset(was, 0, sizeof *was);
    if (was != NULL) was->sa_handler = old;
    return 0;
}
int pthread_sigmask(int how, const sigset_t* restrict set, sigset_t* restrict old) {
    static sigset_t own;
    (void)how;
    if (old != NULL) *old = own;
    if (set != NULL) own = *set;
    return 0;
}
int sigprocmask(int how, const sigset_t* restrict set, sigset_t* restrict old) {
    return pthread_sigmask(how, set, old);
}

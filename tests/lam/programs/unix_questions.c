/* np: 2 */
/* Questions about the computer, and functions of the program's own under names of the C library. */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <unistd.h>

static void handler(int number) {
    (void)number;
}
long random(void) {
    return 3;
}
double drand48(void) {
    return 0.5;
}
int main(int argc, char** argv) {
    int rank, length;
    char host[256], name[MPI_MAX_PROCESSOR_NAME];
    struct utsname its;
    struct rusage usage;
    struct rlimit limit;
    struct tms times_of;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Get_processor_name(name, &length);
    const int told = gethostname(host, sizeof host), known = uname(&its);
    printf("%d: host %d %d\n", rank, told, strcmp(host, name));
    printf("%d: system %d %d\n", rank, known, strcmp(its.nodename, host));
    printf("%d: usage %d %d, %d %d\n", rank, getrusage(RUSAGE_SELF, &usage), usage.ru_utime.tv_usec >= 0, getrlimit(RLIMIT_STACK, &limit),
           times(&times_of) >= 0);
    printf("%d: user %d, ticks %ld\n", rank, (int)getuid() >= 0, sysconf(_SC_CLK_TCK));
    printf("%d: handlers %d", rank, signal(SIGUSR2, handler) == SIG_DFL);
    printf(" %d\n", signal(SIGUSR2, SIG_IGN) == handler);
    printf("%d: own %ld %g\n", rank, random(), drand48());
    MPI_Finalize();
    return 0;
}

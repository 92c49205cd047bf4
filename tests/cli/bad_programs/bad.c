/* Each deed is something that a program must not do, on one line: the tests look for the line. The input stream says which: DEED CANARY. */
#define _GNU_SOURCE
#include <alloca.h>
#include <assert.h>
#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <printf.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <trek_kernel/trek.h>

struct task {
    char deed[32], canary[480];
};

static char room[512];
static jmp_buf gone;
static volatile int zero, sink;
static int* volatile nowhere;

static long by_hand(long number, long a, long b, long c) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
}
static long of_32_bits(long number, long a) {
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a) : "memory");
    return result;
}
static void at_fork(void) { by_hand(SYS_unlink, (long)room, 0, 0); }
static int at_arguments(const struct printf_info* how, size_t count, int* kinds, int* bytes) { return how == 0 || count == 0 || kinds == 0 || bytes == 0; }
static int at_print(FILE* file, const struct printf_info* how, const void* const* values) { at_fork(); return file == 0 || how == 0 || values == 0; }
static void* idle(void* unused) { return unused; }
static int idle_child(void* unused) { return unused != 0; }
static int deeper(int n) { volatile char here[100]; here[0] = (char)n; return deeper(n + 1) + here[0]; }
static int deeper_and_louder(int n) { volatile char here[100]; here[0] = (char)n; snprintf(room, sizeof room, "%d", n); free(malloc(8)); return deeper_and_louder(n + 1) + here[0]; }
__attribute__((noinline)) static void remember_place(void) { setjmp(gone); }
__attribute__((noinline)) static void smash(int bytes) { char small[8]; memset(small, 0x55, (size_t)bytes); sink = small[3]; }

#define DEED(name) else if (strcmp(t.deed, #name) == 0)

void compute_fn(const void* data, unsigned bytes) {
    struct task t;
    memcpy(&t, data, bytes < sizeof t ? bytes : sizeof t);
    char* const path = t.canary;
    char* touch[] = {"/bin/touch", strcat(strcpy(room, path), ".touched"), 0};
    struct timespec day = {86400, 0};
    struct timeval day_us = {86400, 0};
    if (t.deed[0] == 0) return_result(path, 1);
    /* Ends */
    DEED(exit) exit(3);
    DEED(_exit) _exit(3);
    DEED(_Exit) _Exit(0);
    DEED(quick_exit) quick_exit(0);
    DEED(abort) abort();
    DEED(assert) assert(zero == 1);
    DEED(raise) raise(SIGKILL);
    DEED(err) err(0, "the end");
    DEED(pthread_exit) pthread_exit(0);
    DEED(exit_group_by_hand) by_hand(SYS_exit_group, 0, 0, 0);
    DEED(exit_by_syscall) syscall(SYS_exit_group, 0);
    DEED(smashed) smash((int)bytes * 2);
    /* Other programs */
    DEED(execv) execv(touch[0], touch);
    DEED(execve) { extern char** environ; execve(touch[0], touch, environ); }
    DEED(execlp) execlp("touch", "touch", touch[1], (char*)0);
    DEED(execve_by_hand) by_hand(SYS_execve, (long)touch[0], (long)touch, 0);
    DEED(system) sink = system(strcat(strcpy(malloc(1000), "touch "), touch[1]));
    DEED(popen) popen("kill $PPID", "r");
    DEED(posix_spawn) posix_spawn(0, touch[0], 0, 0, touch, 0);
    DEED(fork) { if (fork() == 0) execv(touch[0], touch); }
    DEED(vfork) { if (vfork() == 0) execv(touch[0], touch); }
    DEED(fork_by_hand) by_hand(SYS_fork, 0, 0, 0);
    DEED(clone) clone(idle_child, malloc(4096) + 4096, SIGCHLD, 0);
    DEED(clone_by_hand) by_hand(SYS_clone, SIGCHLD, 0, 0);
    /* Signals and what waits */
    DEED(kill) kill(getpid(), SIGKILL);
    DEED(kill_by_syscall) syscall(SYS_kill, 0, SIGKILL);
    DEED(kill_by_hand) by_hand(SYS_kill, 0, SIGKILL, 0);
    DEED(kill_of_32_bits) of_32_bits(37, 0);
    DEED(sigaction) { struct sigaction ignore = {.sa_handler = SIG_IGN}; sigaction(SIGINT, &ignore, 0); }
    DEED(sigprocmask) { sigset_t all; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, 0); }
    DEED(alarm) alarm(1);
    DEED(setitimer) { struct itimerval soon = {{0, 0}, {0, 1000}}; setitimer(ITIMER_REAL, &soon, 0); }
    DEED(pause) pause();
    DEED(sleep) sleep(86400);
    DEED(usleep) usleep(2000000000);
    DEED(nanosleep) nanosleep(&day, 0);
    DEED(sleep_by_hand) by_hand(SYS_nanosleep, (long)&day, 0, 0);
    DEED(select) select(0, 0, 0, 0, &day_us);
    DEED(pause_for_ever) { for (;;) pause(); }
    /* What the C library would keep and call later */
    DEED(atfork) pthread_atfork(at_fork, 0, at_fork);
    DEED(printf_specifier) register_printf_specifier('d', at_print, at_arguments);
    /* Files */
    DEED(rewind) rewind(stdin);
    DEED(fseek) fseek(stdout, 0, SEEK_SET);
    DEED(fgetpos) { fpos_t place; fgetpos(stdin, &place); }
    DEED(open) open(path, O_WRONLY | O_TRUNC);
    DEED(open_by_hand) by_hand(SYS_open, (long)path, O_WRONLY | O_TRUNC, 0);
    DEED(creat) creat(path, 0600);
    DEED(fopen) fopen(path, "w");
    DEED(freopen) { if (freopen(path, "w", stdout) == 0) return_result(path, 1); }
    DEED(unlink) unlink(path);
    DEED(unlink_by_syscall) syscall(SYS_unlink, path);
    DEED(unlink_by_hand) by_hand(SYS_unlink, (long)path, 0, 0);
    DEED(remove) remove(path);
    DEED(rename) rename(path, touch[1]);
    DEED(mkdir) mkdir(touch[1], 0700);
    DEED(symlink) symlink(path, touch[1]);
    DEED(chmod) chmod(path, 0);
    DEED(truncate) truncate(path, 0);
    DEED(chdir) chdir("/");
    DEED(mkstemp) mkstemp(strcat(room, "XXXXXX"));
    DEED(proc) fopen("/proc/self/maps", "r");
    DEED(write_by_number) write(5, "x", 1);
    DEED(close) { for (int i = 0; i < 10; ++i) close(i); }
    DEED(close_by_hand) { for (int i = 0; i < 10; ++i) by_hand(SYS_close, i, 0, 0); }
    DEED(dup2) dup2(2, 1);
    DEED(ioctl) ioctl(1, TIOCSTI, "x");
    DEED(socket) socket(AF_UNIX, SOCK_STREAM, 0);
    /* The host's memory and process */
    DEED(munmap) munmap((void*)((uintptr_t)environ & ~4095ul), 4096);
    DEED(munmap_by_hand) by_hand(SYS_munmap, (long)((uintptr_t)environ & ~4095ul), 4096, 0);
    DEED(mprotect) mprotect((void*)((uintptr_t)environ & ~4095ul), 4096, PROT_NONE);
    DEED(mmap) mmap((void*)((uintptr_t)environ & ~4095ul), 4096, PROT_READ, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    DEED(brk) sbrk(-4096);
    DEED(ptrace) ptrace(PTRACE_TRACEME, 0, 0, 0);
    DEED(prctl) { prctl(59, 0, 0, 0, 0); by_hand(SYS_unlink, (long)path, 0, 0); }
    DEED(prctl_by_hand) { by_hand(SYS_prctl, 59, 0, 0); by_hand(SYS_unlink, (long)path, 0, 0); }
    DEED(setrlimit) { struct rlimit none = {0, 0}; setrlimit(RLIMIT_FSIZE, &none); }
    DEED(setenv) setenv("PATH", "/nowhere", 1);
    DEED(dlopen) dlopen("libm.so.6", RTLD_NOW);
    DEED(dlsym) dlsym(RTLD_DEFAULT, "unlink");
    /* Threads and locks */
    DEED(pthread_create) { pthread_t thread; pthread_create(&thread, 0, idle, 0); }
    DEED(mutex) { pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(&lock); pthread_mutex_lock(&lock); }
    DEED(semaphore) { sem_t none; sem_init(&none, 0, 0); sem_wait(&none); }
    /* What never ends, or needs too much */
    DEED(endless) __asm__ volatile("1: jmp 1b");
    DEED(endless_work) { while (!zero) ++sink; }
    DEED(endless_fopen) { for (;;) fopen(path, "w"); }
    DEED(endless_by_hand) { for (;;) by_hand(SYS_unlink, (long)path, 0, 0); }
    DEED(endless_malloc) { for (;;) nowhere = malloc(1000); }
    DEED(endless_events) for (;;) trek_event(1, 1);
    DEED(endless_clock) { const clock_t end = clock() + CLOCKS_PER_SEC; while (clock() < end) continue; }
    DEED(recursion) sink = deeper(0);
    DEED(recursion_with_calls) sink = deeper_and_louder(0);
    DEED(alloca) { volatile char* much = alloca(100u << 20); much[0] = 1; }
    DEED(long_jump) { remember_place(); smash(4); longjmp(gone, 1); }
    /* What is no instruction, and no address */
    DEED(null_call) ((void (*)(void))nowhere)();
    DEED(null_write) *nowhere = 1;
    DEED(host_write) *(volatile int*)(uintptr_t)&fopen = 1;
    DEED(breakpoint) __asm__ volatile("int3");
    DEED(halt) __asm__ volatile("hlt");
    DEED(no_instruction) __asm__ volatile("ud2");
    DEED(port) __asm__ volatile("outb %al, $0x80");
    DEED(single_steps) __asm__ volatile("pushf; orl $0x100, (%rsp); popf; nop");
    DEED(divide) sink = 7 / zero;
    /* The processor's state, which is Magicwire's, too */
    DEED(alignment) { __asm__ volatile("pushf; orl $0x40000, (%rsp); popf"); sink = *(volatile int*)(room + 1); }
    DEED(thread_base) { __asm__ volatile("wrfsbase %0" : : "r"(0L)); errno = 1; }
    DEED(no_stack) __asm__ volatile("xor %esp, %esp; push %rax");
    /* The environment is none; the line is told in spite of it */
    DEED(environment) { extern char** environ; environ = 0; unlink(path); }
    DEED(wild_environment) { extern char** environ; environ = (char**)8; unlink(path); }
    else fprintf(stderr, "no deed %s\n", t.deed);
}

void data_generator(void) {
    struct task t;
    memset(&t, 0, sizeof t);
    char line[600] = "";
    if (fgets(line, sizeof line, stdin) != 0) sscanf(line, "%31s %479s", t.deed, t.canary);
    for (unsigned i = 0; i < total_tasks(); ++i) do_task(&t, sizeof t);
}

void result_receiver(void) {
    for (unsigned i = 0; i < total_tasks(); ++i) get_result(0);
}

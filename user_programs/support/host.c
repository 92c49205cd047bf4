/* What no node has: files, other programs, signals, other computers, pages. By these names a program does not reach the C
 * library; the fences (user_programs/include/user_programs/system_fence.hpp) keep away what it reaches otherwise. The types of the functions do not
 * matter, since none looks at an argument: each fails as its kind does. So no header may be included that declares one. They are weak: a
 * program may have a function send() of its own. */
#include <stddef.h>

#pragma GCC optimize("Og") /* nothing here is called often, and -O2 takes twice as long for all these functions */

void program_end(const char* what, const char* advice) __attribute__((noreturn));
int program_refused(const char* function, const char* advice);

extern const char program_no_files[], program_no_network[];
const char program_no_host[] = "a node has no operating system of that kind; remove the call";
static const char no_signals[] = "a transputer has no signals; remove the call";
static const char no_pages[] = "take memory from malloc() and new; they can give all that the node has";
static const char no_wide[] = "print with printf(), puts() or std::cout, which write UTF-8 as it is";
#define no_files program_no_files
#define no_network program_no_network
#define no_host program_no_host

/* As those who include the header wrote it: not with the number that the header appends. */
#define FAILS_AS(name, told, advice)                \
    __attribute__((weak)) long name(void) {         \
        return program_refused(told "()", advice);     \
    }
#define FAILS(name, advice)                         \
    __attribute__((weak)) long name(void) {         \
        return program_refused(#name "()", advice);    \
    }
#define GIVES_NULL(name, advice)                    \
    __attribute__((weak)) void* name(void) {        \
        program_refused(#name "()", advice);           \
        return NULL;                                \
    }
#define GIVES_NULL_AS(name, told, advice)           \
    __attribute__((weak)) void* name(void) {        \
        program_refused(told "()", advice);            \
        return NULL;                                \
    }
#define ENDS(name)                                  \
    __attribute__((weak)) void name(void) {         \
        program_end("calls " #name "()", NULL);        \
    }

/* Files, by name and by number */
FAILS(open, no_files) FAILS_AS(open64, "open", no_files) FAILS(openat, no_files) FAILS_AS(openat64, "openat", no_files)
FAILS(creat, no_files) FAILS_AS(creat64, "creat", no_files) FAILS(unlink, no_files) FAILS(unlinkat, no_files)
FAILS(remove, no_files) FAILS(rename, no_files) FAILS(renameat, no_files) FAILS(renameat2, no_files)
FAILS(mkdir, no_files) FAILS(mkdirat, no_files) FAILS(rmdir, no_files) FAILS(link, no_files) FAILS(linkat, no_files)
FAILS(symlink, no_files) FAILS(symlinkat, no_files) FAILS(chmod, no_files) FAILS(fchmod, no_files)
FAILS(fchmodat, no_files) FAILS(chown, no_files) FAILS(fchown, no_files) FAILS(lchown, no_files)
FAILS(fchownat, no_files) FAILS(truncate, no_files) FAILS_AS(truncate64, "truncate", no_files)
FAILS(ftruncate, no_files) FAILS_AS(ftruncate64, "ftruncate", no_files) FAILS(stat, no_files)
FAILS_AS(stat64, "stat", no_files) FAILS(lstat, no_files) FAILS_AS(lstat64, "lstat", no_files) FAILS(fstat, no_files)
FAILS_AS(fstat64, "fstat", no_files) FAILS(fstatat, no_files) FAILS_AS(fstatat64, "fstatat", no_files)
FAILS(statx, no_files) FAILS(access, no_files) FAILS(faccessat, no_files) FAILS(euidaccess, no_files)
FAILS(readlink, no_files) FAILS(readlinkat, no_files) FAILS(mkstemp, no_files) FAILS_AS(mkstemp64, "mkstemp", no_files)
FAILS(mkostemp, no_files) FAILS(mkstemps, no_files) FAILS(mkfifo, no_files) FAILS(mknod, no_files)
FAILS(utime, no_files) FAILS(utimes, no_files) FAILS(utimensat, no_files) FAILS(futimens, no_files) FAILS(dup, no_files)
FAILS(dup2, no_files) FAILS(dup3, no_files) FAILS(pipe, no_files) FAILS(pipe2, no_files) FAILS(close, no_files)
FAILS(closefrom, no_files) FAILS(close_range, no_files) FAILS(lseek, no_files) FAILS_AS(lseek64, "lseek", no_files)
FAILS(pread, no_files) FAILS_AS(pread64, "pread", no_files) FAILS(pwrite, no_files)
FAILS_AS(pwrite64, "pwrite", no_files) FAILS(readv, no_files) FAILS(fsync, no_files) FAILS(fdatasync, no_files)
FAILS(sync, no_files) FAILS(syncfs, no_files) FAILS(fcntl, no_files) FAILS_AS(fcntl64, "fcntl", no_files)
FAILS(ioctl, no_files) FAILS(flock, no_files) FAILS(lockf, no_files) FAILS(sendfile, no_files)
FAILS(copy_file_range, no_files) FAILS(splice, no_files) FAILS(select, no_files) FAILS(pselect, no_files)
FAILS(poll, no_files) FAILS(ppoll, no_files) FAILS(epoll_create, no_files) FAILS(epoll_create1, no_files)
FAILS(eventfd, no_files) FAILS(signalfd, no_files) FAILS(timerfd_create, no_files) FAILS(inotify_init, no_files)
FAILS(chdir, no_files) FAILS(fchdir, no_files) FAILS(chroot, no_files) FAILS(umask, no_files) FAILS(nftw, no_files)
FAILS(ftw, no_files) FAILS(scandir, no_files) FAILS(statfs, no_files) FAILS(statvfs, no_files)
FAILS(fallocate, no_files) FAILS(posix_fallocate, no_files) GIVES_NULL(fopen, no_files)
GIVES_NULL_AS(fopen64, "fopen", no_files) GIVES_NULL(freopen, no_files) GIVES_NULL_AS(freopen64, "freopen", no_files)
GIVES_NULL(fdopen, no_files) GIVES_NULL(tmpfile, no_files) GIVES_NULL_AS(tmpfile64, "tmpfile", no_files)
GIVES_NULL(fmemopen, no_files) GIVES_NULL(open_memstream, no_files) GIVES_NULL(opendir, no_files)
GIVES_NULL(fdopendir, no_files) GIVES_NULL(getcwd, no_files) GIVES_NULL(realpath, no_files)
GIVES_NULL(mkdtemp, no_files) GIVES_NULL(tmpnam, no_files) GIVES_NULL(tempnam, no_files)
GIVES_NULL(get_current_dir_name, no_files)

/* Other programs and what rules them */
FAILS(execl, no_host) FAILS(execle, no_host) FAILS(execlp, no_host) FAILS(execv, no_host) FAILS(execve, no_host)
FAILS(execvp, no_host) FAILS(execvpe, no_host) FAILS(fexecve, no_host) FAILS(execveat, no_host)
FAILS(posix_spawn, no_host) FAILS(posix_spawnp, no_host) FAILS(system, no_host) FAILS(vfork, no_host)
FAILS(clone, no_host) FAILS(daemon, no_host) FAILS(kill, no_host) FAILS(killpg, no_host) FAILS(raise, no_host)
FAILS(tgkill, no_host) FAILS(sigqueue, no_host) FAILS(pthread_kill, no_host) FAILS(pthread_sigqueue, no_host)
FAILS(pthread_cancel, no_host) FAILS(wait, no_host) FAILS(waitpid, no_host) FAILS(wait3, no_host) FAILS(wait4, no_host)
FAILS(waitid, no_host) FAILS(ptrace, no_host) FAILS(prctl, no_host) FAILS(arch_prctl, no_host)
FAILS(personality, no_host) FAILS(setrlimit, no_host) FAILS_AS(setrlimit64, "setrlimit", no_host)
FAILS(prlimit, no_host) FAILS_AS(prlimit64, "prlimit", no_host) FAILS(getrlimit, no_host)
FAILS_AS(getrlimit64, "getrlimit", no_host) FAILS(getrusage, no_host) FAILS(times, no_host) FAILS(getpriority, no_host)
FAILS(setpriority, no_host) FAILS(nice, no_host) FAILS(sched_setscheduler, no_host) FAILS(sched_setparam, no_host)
FAILS(sched_setaffinity, no_host) FAILS(sched_getaffinity, no_host) FAILS(pthread_setaffinity_np, no_host)
FAILS(setuid, no_host) FAILS(seteuid, no_host) FAILS(setgid, no_host) FAILS(setegid, no_host) FAILS(setreuid, no_host)
FAILS(setregid, no_host) FAILS(setgroups, no_host) FAILS(setpgid, no_host) FAILS(setpgrp, no_host)
FAILS(setsid, no_host) FAILS(reboot, no_host) FAILS(mount, no_host) FAILS(umount, no_host) FAILS(umount2, no_host)
FAILS(pivot_root, no_host) FAILS(swapon, no_host) FAILS(swapoff, no_host) FAILS(sethostname, no_host)
FAILS(gethostname, no_host) FAILS(uname, no_host) FAILS(sysinfo, no_host) FAILS(getpid, no_host) FAILS(getppid, no_host)
FAILS(gettid, no_host) FAILS(getpgrp, no_host) FAILS(getpgid, no_host) FAILS(getsid, no_host) FAILS(getuid, no_host)
FAILS(geteuid, no_host) FAILS(getgid, no_host) FAILS(getegid, no_host) FAILS(unshare, no_host) FAILS(setns, no_host)
FAILS(acct, no_host) FAILS(sysctl, no_host) FAILS(settimeofday, no_host) FAILS(clock_settime, no_host)
FAILS(adjtimex, no_host) FAILS(process_vm_readv, no_host) FAILS(process_vm_writev, no_host) FAILS(setenv, no_host)
FAILS(putenv, no_host) FAILS(unsetenv, no_host) FAILS(clearenv, no_host) FAILS(dlclose, no_host) FAILS(dlinfo, no_host)
FAILS(dladdr, no_host) GIVES_NULL(popen, no_host) GIVES_NULL(dlopen, no_host) GIVES_NULL(dlmopen, no_host)
GIVES_NULL(dlsym, no_host) GIVES_NULL(dlvsym, no_host) GIVES_NULL(getlogin, no_host) GIVES_NULL(getpwnam, no_host)
GIVES_NULL(getpwuid, no_host) GIVES_NULL(getgrnam, no_host) GIVES_NULL(ttyname, no_host)

/* Signals */
FAILS(sigprocmask, no_signals) FAILS(pthread_sigmask, no_signals) FAILS(sigaltstack, no_signals)
FAILS(sigsuspend, no_signals) FAILS(sigwait, no_signals) FAILS(sigwaitinfo, no_signals) FAILS(sigtimedwait, no_signals)
FAILS(sigpending, no_signals) FAILS(sigvec, no_signals) FAILS(siginterrupt, no_signals) FAILS(alarm, no_signals)
FAILS(ualarm, no_signals) FAILS(setitimer, no_signals) FAILS(getitimer, no_signals) FAILS(timer_create, no_signals)
FAILS(timer_settime, no_signals) FAILS(timer_delete, no_signals) GIVES_NULL(bsd_signal, no_signals)
GIVES_NULL(sysv_signal, no_signals) GIVES_NULL(sigset, no_signals)

/* Other computers */
FAILS(socket, no_network) FAILS(socketpair, no_network) FAILS(connect, no_network) FAILS(bind, no_network)
FAILS(listen, no_network) FAILS(accept, no_network) FAILS(accept4, no_network) FAILS(send, no_network)
FAILS(sendto, no_network) FAILS(sendmsg, no_network) FAILS(sendmmsg, no_network) FAILS(recv, no_network)
FAILS(recvfrom, no_network) FAILS(recvmsg, no_network) FAILS(recvmmsg, no_network) FAILS(shutdown, no_network)
FAILS(setsockopt, no_network) FAILS(getsockopt, no_network) FAILS(getsockname, no_network)
FAILS(getpeername, no_network) FAILS(getaddrinfo, no_network) GIVES_NULL(gethostbyname, no_network)
GIVES_NULL(gethostbyaddr, no_network) GIVES_NULL(getservbyname, no_network)

/* Pages of the host's memory */
FAILS(munmap, no_pages) FAILS(mprotect, no_pages) FAILS(pkey_mprotect, no_pages) FAILS(madvise, no_pages)
FAILS(msync, no_pages) FAILS(mlock, no_pages) FAILS(mlock2, no_pages) FAILS(mlockall, no_pages) FAILS(munlock, no_pages)
FAILS(munlockall, no_pages) FAILS(brk, no_pages) FAILS(shmget, no_pages) FAILS(shmctl, no_pages) FAILS(shmdt, no_pages)
FAILS(shm_open, no_pages) FAILS(shm_unlink, no_pages) FAILS(memfd_create, no_pages) FAILS(mincore, no_pages)
FAILS(remap_file_pages, no_pages) FAILS(process_madvise, no_pages) FAILS(mmap, no_pages)
FAILS_AS(mmap64, "mmap", no_pages) FAILS(mremap, no_pages) FAILS(sbrk, no_pages) FAILS(shmat, no_pages)

/* Wide text */
FAILS(wprintf, no_wide) FAILS(fwprintf, no_wide) FAILS(vwprintf, no_wide) FAILS(vfwprintf, no_wide)
FAILS(putwc, no_wide) FAILS(fputwc, no_wide) FAILS(putwchar, no_wide) FAILS(fputws, no_wide) FAILS(wscanf, no_wide)
FAILS(fwscanf, no_wide) FAILS(getwc, no_wide) FAILS(fgetwc, no_wide) FAILS(getwchar, no_wide) FAILS(fwide, no_wide)
GIVES_NULL(fgetws, no_wide)

/* What the C library would keep of the program and call later, for Magicwire as well; its own settings, which are Magicwire's, too */
FAILS(pthread_atfork, no_host) FAILS_AS(__register_atfork, "pthread_atfork", no_host)
FAILS(register_printf_specifier, no_host) FAILS(register_printf_function, no_host)
FAILS(register_printf_modifier, no_host) FAILS(register_printf_type, no_host) FAILS(mallopt, no_pages)
FAILS(malloc_trim, no_pages) FAILS(mtrace, no_pages) FAILS(muntrace, no_pages)

/* There is no place in the console's text, nor in the input stream's, to go back to */
static const char no_place[] = "the console and the input stream have no positions; keep the text in the program's memory";
FAILS_AS(fseek, "fseek", no_place) FAILS_AS(fseeko, "fseek", no_place) FAILS_AS(fseeko64, "fseek", no_place)
FAILS_AS(ftell, "ftell", no_place) FAILS_AS(ftello, "ftell", no_place) FAILS_AS(ftello64, "ftell", no_place)
FAILS(rewind, no_place) FAILS(fgetpos, no_place) FAILS_AS(fgetpos64, "fgetpos", no_place) FAILS(fsetpos, no_place)
FAILS_AS(fsetpos64, "fsetpos", no_place)

/* Their ends are ends of the host's process */
ENDS(err) ENDS(errx) ENDS(verr) ENDS(verrx) ENDS(error) ENDS(error_at_line) ENDS(thrd_exit) ENDS(__assert_perror_fail)
ENDS(__chk_fail)

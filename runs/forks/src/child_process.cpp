#include <forks/child_process.hpp>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include <vocabulary/errors.hpp>

namespace forks {

namespace {
void (*first_in_child)() = nullptr;  // children inherit it, so their own children call it too
}

void call_in_children(void (*call)()) {
    first_in_child = call;
}

pid_t fork_child(const std::string& what, ProcessGroup group) {
    std::fflush(nullptr);
    const pid_t parent = getpid(), child = fork();
    if (child < 0) {
        throw vocabulary::HostError(
            fmt::format("the host cannot start another process for {}: {}; end other programs, or raise the "
                        "limit of processes",
                        what, std::strerror(errno)));
    }
    // Both processes do this: the child may start others at once, and the parent may end it at once.
    if (group == ProcessGroup::Own) setpgid(child, child);
    if (child > 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);  // it ended before that
    if (first_in_child != nullptr) first_in_child();
    return 0;
}

int wait_for_child(pid_t child, double* processor_seconds) {
    int status = 0;
    rusage used{};
    while (wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
    }
    if (processor_seconds != nullptr) {
        *processor_seconds = 0;
        for (const timeval& part : {used.ru_utime, used.ru_stime})
            *processor_seconds += static_cast<double>(part.tv_sec) + static_cast<double>(part.tv_usec) * 1e-6;
    }
    return status;
}

std::string how_it_ended(int status) {
    if (WIFSIGNALED(status)) return fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
    return fmt::format("exit code {}", WEXITSTATUS(status));
}

}  // namespace forks

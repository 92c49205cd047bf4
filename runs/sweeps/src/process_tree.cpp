#include "process_tree.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include <fmt/format.h>

namespace sweeps {
namespace {

// Each thread of a process has children of its own.
std::vector<pid_t> children_of(pid_t process) {
    std::vector<pid_t> all;
    std::error_code gone;
    for (const auto& thread : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", process), gone)) {
        std::ifstream file(thread.path() / "children");
        for (pid_t child = 0; file >> child;) all.push_back(child);
    }
    return all;
}

}  // namespace

std::uint64_t memory_of_tree(pid_t process) {
    std::ifstream file(fmt::format("/proc/{}/statm", process));
    std::uint64_t all = 0, resident = 0;
    file >> all >> resident;
    resident *= static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    for (const pid_t child : children_of(process)) resident += memory_of_tree(child);
    return resident;
}

void kill_tree(pid_t process) {
    kill(process, SIGSTOP);
    for (const pid_t child : children_of(process)) kill_tree(child);
    kill(process, SIGKILL);
}

void adopt_orphans() {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void kill_descendants() {
    constexpr int most_looks = 1000;  // an orphan is found by a later look
    for (int look = 0; look < most_looks; ++look) {
        const std::vector<pid_t> children = children_of(getpid());
        for (const pid_t child : children) kill_tree(child);
        while (waitpid(-1, nullptr, WNOHANG) > 0) {
        }
        if (children.empty()) return;
        usleep(1000);
    }
}

}  // namespace sweeps

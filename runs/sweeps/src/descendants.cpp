#include "descendants.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace sweeps {
namespace {

struct About {
    pid_t parent = 0;
    bool has_ended = false;
};

// "17 (a name) S 5 ...": state and parent. The name may hold anything, so the last ')' ends it.
About about(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string line;
    std::getline(file, line);
    const std::size_t name = line.rfind(") ");
    if (name == std::string::npos || name + 4 >= line.size()) return {0, true};
    About it;
    it.has_ended = line[name + 2] == 'Z' || line[name + 2] == 'X';
    std::from_chars(line.data() + name + 4, line.data() + line.size(), it.parent);
    return it;
}

}  // namespace

void adopt_orphans() {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

std::vector<pid_t> descendants() {
    std::multimap<pid_t, pid_t> children;
    std::map<pid_t, bool> has_ended;
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", failed)) {
        const std::string name = entry.path().filename().string();
        pid_t process = 0;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), process);
        if (error != std::errc() || end != name.data() + name.size()) continue;
        const About it = about(process);
        children.emplace(it.parent, process);
        has_ended[process] = it.has_ended;
    }
    std::vector<pid_t> found, waiting{getpid()};
    while (!waiting.empty()) {
        const pid_t parent = waiting.back();
        waiting.pop_back();
        for (auto [at, end] = children.equal_range(parent); at != end; ++at) {
            waiting.push_back(at->second);
            if (!has_ended[at->second]) found.push_back(at->second);
        }
    }
    return found;
}

std::uint64_t resident_bytes(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/statm");
    std::uint64_t all = 0, resident = 0;
    file >> all >> resident;
    return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

void kill_descendants() {
    constexpr int most_looks = 1000;  // one that starts others meanwhile is found by a later look
    for (int look = 0; look < most_looks; ++look) {
        const std::vector<pid_t> all = descendants();
        for (const pid_t process : all) kill(process, SIGKILL);
        while (waitpid(-1, nullptr, WNOHANG) > 0) {
        }
        if (all.empty()) return;
        usleep(1000);
    }
}

}  // namespace sweeps

#include <tmon_session/forks.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include <farm_programs/loaded_program.hpp>

namespace tmon_session {

void begin_as_fork(pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);  // it ended before that
    farm_programs::watch_after_fork();
}

std::string how_it_ended(int status) {
    if (WIFSIGNALED(status)) return fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
    return fmt::format("exit code {}", WEXITSTATUS(status));
}

Forks::~Forks() {
    for (const Child& child : children_) {
        if (child.from < 0) continue;
        kill(child.process, SIGKILL);
        close(child.from);
        waitpid(child.process, nullptr, 0);
    }
}

bool Forks::start() {
    std::array<int, 2> ends{};
    std::fflush(nullptr);  // else what waits in a buffer comes out twice
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("the host has no pipe left for another future of the run");
    const pid_t parent = getpid(), child = fork();
    if (child < 0) {
        close(ends[0]);
        close(ends[1]);
        throw std::runtime_error("the host cannot start another process for a future of the run");
    }
    if (child == 0) {
        begin_as_fork(parent);
        close(ends[0]);
        for (const Child& other : children_) {
            if (other.from >= 0) close(other.from);
        }
        children_.clear();
        futures_.clear();
        to_parent_ = ends[1];
        return true;
    }
    close(ends[1]);
    children_.push_back({child, ends[0], {}});
    futures_.emplace_back();
    return false;
}

std::size_t Forks::running() const {
    return static_cast<std::size_t>(
        std::count_if(children_.begin(), children_.end(), [](const Child& child) { return child.from >= 0; }));
}

void Forks::wait(std::size_t most_running) {
    while (running() > most_running) listen(-1);
}

void Forks::listen(int most_ms) {
    std::vector<pollfd> places;
    for (const Child& child : children_) places.push_back({child.from, POLLIN, 0});  // poll() leaves out what is negative
    if (poll(places.data(), places.size(), most_ms) < 0) {
        if (errno == EINTR) return;
        throw std::runtime_error("the host cannot wait for the futures of the run");
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i].revents != 0) read_from(i);
    }
}

// The text is whole when the length that leads it says so.
void Forks::read_from(std::size_t number) {
    Child& child = children_[number];
    std::array<char, 65536> piece{};
    const ssize_t got = read(child.from, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) return;
    if (got > 0) {
        child.text.append(piece.data(), static_cast<std::size_t>(got));
        return;
    }
    close(std::exchange(child.from, -1));
    Future& future = futures_[number];
    while (waitpid(child.process, &future.status, 0) < 0 && errno == EINTR) {
    }
    std::uint64_t length = 0;
    if (child.text.size() < sizeof length) return;
    std::memcpy(&length, child.text.data(), sizeof length);
    if (future.status == 0 && child.text.size() == sizeof length + length) future.text = child.text.substr(sizeof length);
    child.text.clear();
}

void Forks::deliver(const std::string& text) {
    const std::uint64_t length = text.size();
    std::string all(sizeof length, '\0');
    std::memcpy(all.data(), &length, sizeof length);
    all += text;
    for (std::size_t at = 0; at < all.size();) {
        const ssize_t written = write(to_parent_, all.data() + at, all.size() - at);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) _exit(1);
        at += static_cast<std::size_t>(written);
    }
    std::fflush(nullptr);
    _exit(0);
}

}  // namespace tmon_session

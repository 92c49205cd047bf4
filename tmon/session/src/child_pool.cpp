#include "child_pool.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>

#include <tmon_session/forks.hpp>
#include <vocabulary/contract.hpp>

namespace tmon_session {
namespace {

constexpr int look_ms = 100;

struct Running {
    std::size_t number = 0;
    pid_t process = 0;
    std::array<int, 2> ends{-1, -1};        // of what it answers, and of its standard error; -1: closed
    std::array<std::string, 2> received{};  // likewise
    bool over() const { return ends[0] < 0 && ends[1] < 0; }
};

void write_all(int to, const std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
        const ssize_t written = ::write(to, bytes.data() + at, bytes.size() - at);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) _exit(1);
        at += static_cast<std::size_t>(written);
    }
}

// First byte: the work is done, or has failed and says why.
[[noreturn]] void be_child(pid_t parent, int answer, int error, const std::function<std::string()>& work) {
    ::setpgid(0, 0);  // with its own children, so that all can be ended, and Ctrl-C does not reach them
    begin_as_fork(parent);
    ::dup2(error, STDERR_FILENO);
    try {
        write_all(answer, "+" + work());
    } catch (const std::exception& failure) {
        write_all(answer, std::string("-") + failure.what());
    }
    std::fflush(stderr);
    _exit(0);
}

Running start(std::size_t number, const std::function<std::string(std::size_t)>& work) {
    int answer[2], error[2];
    if (::pipe2(answer, O_CLOEXEC) != 0)
        throw std::runtime_error("the host has no pipe left for a run in a process of its own");
    if (::pipe2(error, O_CLOEXEC) != 0) {
        ::close(answer[0]), ::close(answer[1]);
        throw std::runtime_error("the host has no pipe left for a run in a process of its own");
    }
    std::fflush(nullptr);
    const pid_t parent = ::getpid(), process = ::fork();
    if (process == 0) be_child(parent, answer[1], error[1], [&] { return work(number); });
    ::close(answer[1]), ::close(error[1]);
    if (process < 0) {
        ::close(answer[0]), ::close(error[0]);
        throw std::runtime_error("the host cannot start another process");
    }
    ::setpgid(process, process);  // by whoever comes first
    return {number, process, {answer[0], error[0]}, {}};
}

void receive(Running& child, std::size_t which) {
    std::array<char, 65536> block;
    const ssize_t got = ::read(child.ends[which], block.data(), block.size());
    if (got > 0) {
        child.received[which].append(block.data(), static_cast<std::size_t>(got));
    } else if (got == 0 || errno != EINTR) {
        ::close(child.ends[which]);
        child.ends[which] = -1;
    }
}

int status_of(pid_t process) {
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

std::string last_line(std::string text) {
    while (!text.empty() && text.back() == '\n') text.pop_back();
    text.erase(0, text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1);
    const std::string name = "magicwire: ";
    return text.starts_with(name) ? text.substr(name.size()) : text;
}

ChildAnswer answer_of(Running& child) {
    const int status = status_of(child.process);
    const std::string& answer = child.received[0];
    if (!answer.empty() && answer[0] == '+' && status == 0) return {ChildAnswer::How::Done, answer.substr(1), {}};
    // A run that the child itself started in a process of its own has said why on standard error.
    std::string why = last_line(child.received[1]);
    if (why.empty() && !answer.empty()) why = answer.substr(1);
    if (why.empty() && WIFSIGNALED(status)) why = std::string("the run was ended: ") + ::strsignal(WTERMSIG(status));
    return {ChildAnswer::How::Failed, {}, why.empty() ? "the run ended without an answer" : why};
}

void end(std::vector<Running>& children) {
    for (Running& child : children) {
        ::kill(-child.process, SIGKILL);
        for (const int fd : child.ends)
            if (fd >= 0) ::close(fd);
        status_of(child.process);
    }
    children.clear();
}

// Until something has come, or it is time to look whether to go on.
void wait_for_any(std::vector<Running>& children) {
    std::vector<pollfd> watched;
    for (const Running& child : children)
        for (const int fd : child.ends) watched.push_back({fd, POLLIN, 0});  // poll() leaves out what is negative
    if (::poll(watched.data(), watched.size(), look_ms) <= 0) return;
    for (std::size_t i = 0; i < watched.size(); ++i)
        if (watched[i].revents != 0) receive(children[i / 2], i % 2);
}

}  // namespace

std::vector<ChildAnswer> run_children(std::size_t count, const std::function<std::string(std::size_t)>& work,
                                      const std::function<bool(std::size_t)>& go_on, std::size_t at_once) {
    EXPECTS(at_once > 0, "child_pool.at_once");
    std::vector<ChildAnswer> answers(count);
    std::vector<Running> running;
    std::size_t next = 0, ended = 0;
    try {
        while (next < count || !running.empty()) {
            if (!go_on(ended)) break;
            while (next < count && running.size() < at_once) {
                running.push_back(start(next, work));
                ++next;
            }
            wait_for_any(running);
            for (auto child = running.begin(); child != running.end();) {
                if (!child->over()) {
                    ++child;
                    continue;
                }
                answers[child->number] = answer_of(*child);
                ++ended;
                child = running.erase(child);
            }
        }
    } catch (...) {
        end(running);
        throw;
    }
    if (count > 0) go_on(ended);
    end(running);
    return answers;
}

void Bytes::take(void* to, std::size_t count) {
    EXPECTS(at_ + count <= bytes_.size(), "child_pool.bytes");
    if (count > 0) std::memcpy(to, bytes_.data() + at_, count);
    at_ += count;
}

}  // namespace tmon_session

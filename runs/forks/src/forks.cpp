#include <forks/forks.hpp>

#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <utility>

#include <vocabulary/contract.hpp>
#include <vocabulary/errors.hpp>

namespace forks {

using vocabulary::ErrorKind;

namespace {

constexpr char done = '+';    // else the kind of the error
constexpr char failed = 'a';  // the first kind

// The last line that a child wrote to this file, without the program's name before it.
std::string last_line(int file) {
    std::string text(4096, '\0');
    struct stat about {};
    const off_t size = fstat(file, &about) == 0 ? about.st_size : 0;
    const ssize_t got = pread(file, text.data(), text.size(), std::max<off_t>(0, size - static_cast<off_t>(text.size())));
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    if (const auto before = text.rfind('\n'); before != std::string::npos) text.erase(0, before + 1);
    const std::string name = "magicwire: ";
    return text.starts_with(name) ? text.substr(name.size()) : text;
}

// A child that ended without an answer. The host kills a process when it has no memory left.
ErrorKind kind_of_end(int status) {
    const bool by_host = WIFSIGNALED(status) && (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGXCPU);
    return by_host ? ErrorKind::Host : ErrorKind::Defect;
}

int file_in_memory() {
    const int file = memfd_create("magicwire.stderr", MFD_CLOEXEC);
    if (file < 0)
        throw vocabulary::HostError(std::string("the host has no file left for the messages of another process: ") +
                                    std::strerror(errno) + "; raise the limit of open files");
    return file;
}

}  // namespace

void throw_failure(const std::string& name, const ChildAnswer& answer) {
    vocabulary::throw_as(answer.kind, name + " failed: " + answer.failure);
}

Forks::~Forks() {
    for (const Child& child : running_) {
        if (child.said >= 0) close(child.said);
        if (!child.from.is_open()) continue;
        kill(group_ == ProcessGroup::Own ? -child.process : child.process, SIGKILL);
        wait_for_child(child.process);
    }
}

bool Forks::start() {
    auto [mine, its] = make_channel();
    Child child;
    child.number = answers_.size();
    if (group_ == ProcessGroup::Own) child.said = file_in_memory();
    try {
        child.process = fork_child("another run", group_);
    } catch (...) {
        if (child.said >= 0) close(child.said);
        throw;
    }
    if (child.process == 0) {
        if (child.said >= 0) {
            dup2(child.said, STDERR_FILENO);
            close(child.said);
        }
        for (const Child& other : running_) {  // they are not its own
            if (other.said >= 0) close(other.said);
        }
        running_.clear();
        answers_.clear();
        to_parent_ = std::move(its);
        return true;
    }
    child.from = std::move(mine);
    running_.push_back(std::move(child));
    answers_.emplace_back();
    return false;
}

std::vector<std::pair<std::size_t, pid_t>> Forks::running_children() const {
    std::vector<std::pair<std::size_t, pid_t>> all;
    for (const Child& child : running_) all.emplace_back(child.number, child.process);
    return all;
}

std::optional<std::pair<std::size_t, ChildAnswer>> Forks::take_ended() {
    if (not_taken_.empty()) return std::nullopt;
    const std::size_t number = not_taken_.back();
    not_taken_.pop_back();
    return std::pair(number, std::exchange(answers_[number], {}));
}

void Forks::wait(std::size_t most_running) {
    while (running() > most_running) listen(-1);
}

void Forks::listen(int most_ms) {
    std::vector<pollfd> ends;
    for (const Child& child : running_) ends.push_back({child.from.handle(), POLLIN, 0});
    if (poll(ends.data(), ends.size(), most_ms) < 0) {
        if (errno == EINTR) return;
        throw vocabulary::HostError(std::string("the host cannot wait for the processes of other runs: ") +
                                    std::strerror(errno));
    }
    for (std::size_t i = 0; i < ends.size(); ++i) {
        if (ends[i].revents != 0 && !running_[i].from.receive_some(running_[i].received)) end(running_[i]);
    }
    std::erase_if(running_, [](const Child& child) { return !child.from.is_open(); });
}

// A child that has handed everything over ends with 0. So the received data is whole then.
void Forks::end(Child& child) {
    child.from.close();
    not_taken_.push_back(child.number);
    const int status = wait_for_child(child.process);
    std::string received = std::exchange(child.received, {});
    const char how = received.empty() || status != 0 ? '\0' : received.front();
    ChildAnswer& answer = answers_[child.number];
    answer.how = how == done ? ChildAnswer::How::Done : ChildAnswer::How::Failed;
    answer.kind = how == '\0' ? kind_of_end(status) : static_cast<ErrorKind>(how - failed);
    const std::string last = child.said < 0 ? std::string() : last_line(child.said);
    if (child.said >= 0) close(std::exchange(child.said, -1));
    if (how == '\0') {
        answer.failure = how_it_ended(status) + (last.empty() ? "" : ": " + last);
    } else {
        received.erase(0, 1);
        (how == done ? answer.bytes : answer.failure) = std::move(received);
    }
}

void Forks::hand_over(char how, const std::string& text) {
    EXPECTS(to_parent_.is_open(), "forks.child");
    std::fflush(nullptr);
    const bool whole = to_parent_.send_bytes(std::string(1, how)) && to_parent_.send_bytes(text);
    _exit(whole ? 0 : 1);
}

void Forks::deliver(const std::string& text) {
    hand_over(done, text);
}

void Forks::fail(const std::exception& why) {
    hand_over(static_cast<char>(failed + static_cast<char>(vocabulary::kind_of(why))), why.what());
}

void Forks::deliver_result(const std::function<std::string()>& work) {
    std::string result;
    try {
        result = work();
    } catch (const std::exception& error) {
        fail(error);
    }
    deliver(result);
}

}  // namespace forks

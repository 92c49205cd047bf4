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

// The last lines that a child wrote to this file, without line feeds at the end.
std::string last_lines(int file) {
    constexpr std::size_t most_bytes = 4096, most_lines = 10;
    std::string text(most_bytes, '\0');
    struct stat about {};
    const off_t size = fstat(file, &about) == 0 ? about.st_size : 0;
    const ssize_t got = pread(file, text.data(), text.size(), std::max<off_t>(0, size - static_cast<off_t>(text.size())));
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    std::size_t begin = text.size();
    for (std::size_t lines = 0; lines < most_lines && begin != std::string::npos && begin > 0; ++lines)
        begin = text.rfind('\n', begin - 1);
    return begin == std::string::npos || begin == 0 ? text : text.substr(begin + 1);
}

// Without the program's name before it.
std::string last_line(const std::string& lines) {
    const auto before = lines.rfind('\n');
    const std::string text = before == std::string::npos ? lines : lines.substr(before + 1), name = "magicwire: ";
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
    child.number = started_++;
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
    if (answers_are_ == Answers::Kept) answers_.emplace_back();
    return false;
}

std::vector<std::pair<std::size_t, pid_t>> Forks::running_children() const {
    std::vector<std::pair<std::size_t, pid_t>> all;
    for (const Child& child : running_) all.emplace_back(child.number, child.process);
    return all;
}

std::optional<std::pair<std::size_t, ChildAnswer>> Forks::take_ended() {
    if (not_taken_.empty()) return std::nullopt;
    std::pair<std::size_t, ChildAnswer> one = std::move(not_taken_.back());
    not_taken_.pop_back();
    return one;
}

void Forks::wait(std::size_t most_running) {
    while (running() > most_running) listen(-1);
}

void Forks::listen(int most_ms, int other) {
    std::vector<pollfd> ends;
    for (const Child& child : running_) ends.push_back({child.from.handle(), POLLIN, 0});
    if (other >= 0) ends.push_back({other, POLLIN, 0});
    if (poll(ends.data(), ends.size(), most_ms) < 0) {
        if (errno == EINTR) return;
        throw vocabulary::HostError(std::string("the host cannot wait for the processes of other runs: ") +
                                    std::strerror(errno));
    }
    for (std::size_t i = 0; i < running_.size(); ++i) {
        if (ends[i].revents != 0 && !running_[i].from.receive_some(running_[i].received)) end(running_[i]);
    }
    std::erase_if(running_, [](const Child& child) { return !child.from.is_open(); });
}

// A child that has handed everything over ends with 0. So the received data is whole then.
void Forks::end(Child& child) {
    child.from.close();
    ChildAnswer answer;
    const int status = wait_for_child(child.process, &answer.processor_seconds);
    std::string received = std::exchange(child.received, {});
    const char how = received.empty() || status != 0 ? '\0' : received.front();
    answer.how = how == done ? ChildAnswer::How::Done : ChildAnswer::How::Failed;
    answer.kind = how == '\0' ? kind_of_end(status) : static_cast<ErrorKind>(how - failed);
    if (child.said >= 0) {
        if (how != done) answer.last_lines = last_lines(child.said);
        close(std::exchange(child.said, -1));
    }
    const std::string last = last_line(answer.last_lines);
    if (how == '\0') {
        answer.failure = how_it_ended(status) + (last.empty() ? "" : ": " + last);
    } else {
        received.erase(0, 1);
        (how == done ? answer.bytes : answer.failure) = std::move(received);
    }
    if (answers_are_ == Answers::Kept) {
        answers_[child.number] = std::move(answer);
    } else {
        not_taken_.emplace_back(child.number, std::move(answer));
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

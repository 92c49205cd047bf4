#include <sweeps/point_command.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <forks/child_process.hpp>
#include <vocabulary/errors.hpp>

#include "process_tree.hpp"

namespace sweeps {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_output = std::size_t{16} << 20, most_messages = 4096;  // bytes
constexpr std::size_t most_lines = 3;                                             // of its messages that are told
constexpr int look_ms = 100, of_signal = 128;

void replace_all(std::string& text, const std::string& what, const std::string& by) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
}

// The alarm of this process does not end it while it waits, which would leave the command behind; it is set again afterwards.
class HostTime {
public:
    HostTime() : seconds_(alarm(0)), began_(Clock::now()) {}
    HostTime(const HostTime&) = delete;
    HostTime& operator=(const HostTime&) = delete;
    ~HostTime() {
        const auto used = static_cast<unsigned>(spent());
        if (seconds_ > 0) alarm(seconds_ > used ? seconds_ - used : 1);
    }
    bool is_over() const { return seconds_ > 0 && spent() >= seconds_; }
    unsigned seconds() const { return seconds_; }

private:
    double spent() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }
    unsigned seconds_;  // 0: no limit
    Clock::time_point began_;
};

struct Pipe {
    int ends[2];
    Pipe() {
        if (pipe2(ends, O_CLOEXEC) != 0)
            throw vocabulary::HostError(fmt::format(
                "the host has no pipe left for a command: {}; raise the limit of open files", std::strerror(errno)));
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe() {
        for (const int end : ends)
            if (end >= 0) close(end);
    }
    void close_write() { close(std::exchange(ends[1], -1)); }
    // False at the end.
    bool read_some(std::string& text) {
        char bytes[65536];
        const ssize_t got = read(ends[0], bytes, sizeof bytes);
        if (got > 0) text.append(bytes, static_cast<std::size_t>(got));
        return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
    }
};

[[noreturn]] void become(const std::vector<std::string>& words, const std::string& program, double seconds, const Pipe& out,
                         const Pipe& messages) {
    const auto whole = static_cast<rlim_t>(std::max(1.0, std::ceil(seconds)));
    const rlimit time{whole, whole + 1};  // the second is SIGKILL, for who ignores SIGXCPU
    setrlimit(RLIMIT_CPU, &time);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(out.ends[1], STDOUT_FILENO);
    dup2(messages.ends[1], STDERR_FILENO);
    close_range(STDERR_FILENO + 1, ~0U, 0);
    std::error_code failed;
    setenv("MAGICWIRE", std::filesystem::read_symlink(program, failed).c_str(), 1);
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(words[0] == "magicwire" ? program.c_str() : arguments[0], arguments.data());
    const std::string why = fmt::format("'{}' cannot be run: {}\n", words[0], std::strerror(errno));
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, why.data(), why.size());
    _exit(of_signal - 1);
}

std::string last_lines(std::string text) {
    for (char& c : text)
        if (c != '\n' && (c < ' ' || c > '~')) c = '?';  // bytes that are no text must not get into a database
    std::vector<std::string> lines;
    while (!text.empty() && lines.size() < most_lines) {
        const std::size_t begin = text.rfind('\n') + 1;  // 0 without one
        if (begin < text.size()) lines.insert(lines.begin(), text.substr(begin));
        text.erase(begin == 0 ? 0 : begin - 1);
    }
    return fmt::format("{}", fmt::join(lines, " | "));
}

class Running {
public:
    Running(const std::vector<std::string>& words, const std::string& program, double seconds) {
        process_ = forks::fork_child("the command of a study", forks::ProcessGroup::Shared);
        if (process_ == 0) become(words, program, seconds, out_, messages_);
        out_.close_write();
        messages_.close_write();
        for (Pipe* one : {&out_, &messages_}) fcntl(one->ends[0], F_SETFL, O_NONBLOCK);
        handle_ = static_cast<int>(syscall(SYS_pidfd_open, process_, 0));
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running() {
        if (handle_ >= 0) close(handle_);
    }

    // Waits a little. False: it has ended.
    bool goes_on() {
        pollfd all[] = {{handle_, POLLIN, 0}, {out_.ends[0], POLLIN, 0}, {messages_.ends[0], POLLIN, 0}};
        if (closed_[0]) all[1].fd = -1;
        if (closed_[1]) all[2].fd = -1;
        poll(all, std::size(all), look_ms);
        read_what_is_there();
        if (waitpid(process_, &status_, WNOHANG) != process_) return true;
        read_what_is_there();
        return false;
    }
    bool prints_too_much() const { return printed.size() > most_output; }
    int status() const { return status_; }

    std::string printed, said;

private:
    void read_what_is_there() {
        for (std::size_t i = 0; i < 2; ++i) {
            std::string& text = i == 0 ? printed : said;
            while (!closed_[i] && !prints_too_much()) {
                const std::size_t before = text.size();
                closed_[i] = !(i == 0 ? out_ : messages_).read_some(text);
                const bool has_grown = text.size() > before;
                if (i == 1 && text.size() > most_messages) text.erase(0, text.size() - most_messages);
                if (!has_grown) break;
            }
        }
    }
    Pipe out_, messages_;
    bool closed_[2] = {false, false};
    pid_t process_ = -1;
    int handle_ = -1, status_ = 0;
};

// The reason to end it; empty: it has ended by itself.
std::string wait_for(Running& running, const HostTime& time) {
    while (running.goes_on()) {
        if (running.prints_too_much())
            return fmt::format("printed more than {} MiB; print what is measured only", most_output >> 20);
        if (time.is_over())
            return fmt::format("did not end within {} s; run the point alone to see why, or raise limits.time", time.seconds());
    }
    const int status = running.status();
    const bool no_time = (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) ||
                         (WIFEXITED(status) && WEXITSTATUS(status) == of_signal + SIGXCPU);
    // No number: what is left of the point's time differs from run to run.
    return no_time ? "took more processor time than its point had left; raise limits.time" : std::string();
}

std::string place_in(const std::string& text, std::size_t byte) {
    const std::string before = text.substr(0, byte);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t begin = before.rfind('\n') + 1;
    return fmt::format("line {}, column {}", line, before.size() - begin + 1);
}

void read_printed(CommandEnd& end, const std::string& name, const std::string& printed) {
    try {
        end.document = nlohmann::ordered_json::parse(printed);
    } catch (const nlohmann::json::parse_error& error) {
        end.why = CommandEnd::Why::Itself;
        const std::string what =
            printed.find_first_not_of(" \t\r\n") == std::string::npos ? "it printed nothing" : "there it is wrong";
        end.failure =
            fmt::format("the command '{}' printed no JSON: {} of its output: {}; print one value, as {{\"kind\": \"none\"}}",
                        name, place_in(printed, error.byte > 0 ? error.byte - 1 : 0), what);
    }
}

}  // namespace

std::vector<std::string> words_of(const Command& command, const Point& point, const std::string& out) {
    std::vector<std::string> words;
    for (std::string word : command.words) {
        if (word == "{settings}") {
            for (const auto& [name, value] : point.settings) words.insert(words.end(), {"--set", name + "=" + value});
            continue;
        }
        replace_all(word, "{out}", out);
        replace_all(word, "{scenario}", point.scenario);
        replace_all(word, "{number}", point.number);
        replace_all(word, "{folder}", point.folder);
        words.push_back(std::move(word));
    }
    return words;
}

CommandEnd run_command(const Command& command, const std::vector<std::string>& words, const std::string& program,
                       double seconds) {
    adopt_orphans();
    CommandEnd end;
    const HostTime time;
    std::string too_much, printed;
    {
        Running running(words, program, seconds);
        too_much = wait_for(running, time);
        const bool ended_here = !too_much.empty();
        kill_descendants();
        const int status = running.status();
        if (ended_here) {
            end.why = CommandEnd::Why::Host;
            end.failure = fmt::format("the command '{}' {}", command.name, too_much);
        } else if (status != 0) {
            end.why = CommandEnd::Why::Itself;
            end.exit_code = WIFSIGNALED(status) ? of_signal + WTERMSIG(status) : WEXITSTATUS(status);
            const std::string said = last_lines(running.said);
            end.failure = fmt::format("the command '{}' ended with {}{}{}", command.name, forks::how_it_ended(status),
                                      said.empty() ? "" : ": ", said);
        }
        printed = std::move(running.printed);
    }
    const bool is_silent = command.may_be_silent && printed.find_first_not_of(" \t\r\n") == std::string::npos;
    if (end.failure.empty() && !is_silent) read_printed(end, command.name, printed);
    return end;
}

}  // namespace sweeps

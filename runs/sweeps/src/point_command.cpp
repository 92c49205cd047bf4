#include <sweeps/point_command.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <forks/child_process.hpp>
#include <vocabulary/errors.hpp>

#include "command_end.hpp"
#include "host_time.hpp"
#include "process_tree.hpp"

namespace sweeps {
namespace {

constexpr std::size_t most_messages = 4096;  // bytes
constexpr std::size_t most_lines = 3;        // of its messages that are told

void replace_all(std::string& text, const std::string& what, const std::string& by) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
}

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
    become_program(words, program);
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
        if (running.prints_too_much()) return too_much_printed();
        if (time.is_over()) return too_long_for_host(time.seconds());
    }
    const int status = running.status();
    const bool no_time = (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) ||
                         (WIFEXITED(status) && WEXITSTATUS(status) == of_signal + SIGXCPU);
    return no_time ? too_much_processor_time : std::string();
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

[[noreturn]] void become_program(const std::vector<std::string>& words, const std::string& program) {
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

std::string too_long_for_host(unsigned seconds) {
    return fmt::format("did not end within {} s; run the point alone to see why, or raise limits.time", seconds);
}

std::string too_much_printed() {
    return fmt::format("printed more than {} MiB; print what is measured only", most_output >> 20);
}

CommandEnd ended_by_limit(const Command& command, const std::string& reason) {
    CommandEnd end;
    end.why = CommandEnd::Why::Host;
    end.failure = fmt::format("the command '{}' {}", command.name, reason);
    return end;
}

CommandEnd ended_by_itself(const Command& command, int exit_code, const std::string& how, const std::string& printed,
                           const std::string& said) {
    CommandEnd end;
    if (exit_code != 0) {
        end.why = CommandEnd::Why::Itself;
        end.exit_code = exit_code;
        const std::string last = last_lines(said);
        end.failure = fmt::format("the command '{}' ended with {}{}{}", command.name, how, last.empty() ? "" : ": ", last);
        return end;
    }
    const bool is_silent = command.may_be_silent && printed.find_first_not_of(" \t\r\n") == std::string::npos;
    if (!is_silent) read_printed(end, command.name, printed);
    return end;
}

CommandEnd run_command(const Command& command, const std::vector<std::string>& words, const std::string& program,
                       double seconds) {
    adopt_orphans();
    const HostTime time;
    Running running(words, program, seconds);
    const std::string too_much = wait_for(running, time);
    kill_descendants();
    if (!too_much.empty()) return ended_by_limit(command, too_much);
    const int status = running.status();
    const int exit_code = WIFSIGNALED(status) ? of_signal + WTERMSIG(status) : WEXITSTATUS(status);
    return ended_by_itself(command, exit_code, forks::how_it_ended(status), running.printed, running.said);
}

}  // namespace sweeps

#include <sweeps/command_servers.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <forks/child_process.hpp>
#include <vocabulary/errors.hpp>

#include "command_end.hpp"
#include "host_time.hpp"
#include "process_tree.hpp"

namespace sweeps {
namespace {

using nlohmann::ordered_json;

constexpr std::uint32_t most_requests = 1000;  // a program that loses memory is started anew before that matters

double processor_seconds_of(pid_t process) {
    clockid_t clock{};
    timespec used{};
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

// The status of a process that has ended and that its parent, which is another one, has not waited for; empty: it goes on. See
// proc(5): the state is the third field of its file, the status the last.
std::optional<int> status_of_ended(pid_t process) {
    std::ifstream file(fmt::format("/proc/{}/stat", process));
    std::string text;
    std::getline(file, text);
    const std::size_t name = text.rfind(") ");
    if (name == std::string::npos) return 0;
    const char state = text[name + 2];
    if (state != 'Z' && state != 'X') return std::nullopt;
    return std::stoi(text.substr(text.rfind(' ') + 1));
}

int wait_for_end(pid_t process) {
    constexpr int most_looks = 2000, pause_us = 1000;
    for (int look = 0; look < most_looks; ++look) {
        if (const auto status = status_of_ended(process)) return *status;
        usleep(pause_us);
    }
    return 0;
}

std::string text_of(int file) {
    struct stat about {};
    std::string text(fstat(file, &about) == 0 ? static_cast<std::size_t>(about.st_size) : 0, '\0');
    const ssize_t got = pread(file, text.data(), text.size(), 0);
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return text;
}

int file_of_messages() {
    const int file = memfd_create("magicwire.served", MFD_CLOEXEC);
    if (file < 0 || fcntl(file, F_SETFL, O_APPEND) != 0)
        throw vocabulary::HostError(
            fmt::format("the host has no file left for the messages of a command: {}; raise the limit of "
                        "open files",
                        std::strerror(errno)));
    return file;
}

// The number of the request that a line answers; empty: none.
std::optional<std::int64_t> request_of(const std::string& line) {
    const ordered_json answer = ordered_json::parse(line, nullptr, false);
    if (!answer.is_object() || !answer.contains("request") || !answer["request"].is_number_integer()) return std::nullopt;
    return answer["request"].get<std::int64_t>();
}

// One request, and the wait for the line that answers it.
struct Request {
    std::uint32_t number;
    bool is_in_line;         // the first line belongs to an earlier request, which has read its begin
    std::string line;        // of the answer, without its end
    std::string too_much;    // the limit that was reached
    bool has_ended = false;  // the process has

    bool is_answered() {
        std::size_t end = line.find('\n');
        for (; end != std::string::npos; end = line.find('\n')) {
            if (!is_foreign(line.substr(0, end))) break;
            is_in_line = false;
            line.erase(0, end + 1);
        }
        if (end == std::string::npos) return false;
        is_in_line = end + 1 < line.size() && line.back() != '\n';
        line.resize(end);
        return true;
    }

private:
    // True for one line more than an earlier request asked for. It belongs to no point.
    bool is_foreign(const std::string& one) const {
        const auto asked = request_of(one);
        return is_in_line ? asked != number : asked && *asked < number;
    }
};
Request answer_of(forks::ChannelEnd& channel, pid_t process, double seconds, const std::string& asked, Request request) {
    const HostTime time;
    const double before = processor_seconds_of(process);
    request.has_ended = !channel.send_bytes(asked);
    while (!request.has_ended && !request.is_answered()) {
        pollfd one{channel.handle(), POLLIN, 0};
        const bool has_some = poll(&one, 1, look_ms) > 0;
        if (has_some) request.has_ended = !channel.receive_some(request.line);
        if (request.line.size() > 2 * most_output) request.too_much = too_much_printed();
        if (!has_some && processor_seconds_of(process) - before > seconds) request.too_much = too_much_processor_time;
        if (!has_some && time.is_over()) request.too_much = too_long_for_host(time.seconds());
        if (!has_some && status_of_ended(process)) request.has_ended = true;  // what it has started may hold the channel
        if (!request.too_much.empty()) break;
    }
    return request;
}

// Empty: the line is no answer to this request.
std::optional<CommandEnd> end_in(const Command& command, const std::string& line, std::uint32_t number) {
    const ordered_json answer = ordered_json::parse(line, nullptr, false);
    const auto is = [&](const char* key, auto has_type) { return answer.contains(key) && has_type(answer[key]); };
    const auto text = [](const ordered_json& value) { return value.is_string(); };
    const auto whole = [](const ordered_json& value) { return value.is_number_integer(); };
    if (!answer.is_object() || !is("request", whole) || !is("exit_code", whole) || !is("printed", text) || !is("said", text))
        return std::nullopt;
    if (answer["request"] != number) return std::nullopt;
    const std::string& printed = answer["printed"].get_ref<const std::string&>();
    if (printed.size() > most_output) return ended_by_limit(command, too_much_printed());
    const int exit_code = answer["exit_code"].get<int>() & 0xff;  // as a process has it
    return ended_by_itself(command, exit_code, fmt::format("exit code {}", exit_code), printed,
                           answer["said"].get_ref<const std::string&>());
}

}  // namespace

CommandServers::CommandServers(const Study& study, std::size_t places, std::string program) : program_(std::move(program)) {
    if (study.maker && serves(study.maker->command)) commands_.push_back(&study.maker->command);
    for (const Command& command : study.commands)
        if (serves(command)) commands_.push_back(&command);
    servers_.resize(places * commands_.size());
    if (servers_.empty()) return;
    void* shared = mmap(nullptr, servers_.size() * sizeof(Use), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        throw vocabulary::HostError(
            fmt::format("the host has no memory for the commands of a study: {}", std::strerror(errno)));
    uses_ = static_cast<Use*>(shared);
    std::uninitialized_default_construct_n(uses_, servers_.size());
}

CommandServers::~CommandServers() {
    for (Server& server : servers_) end(server);
    if (uses_ != nullptr) munmap(uses_, servers_.size() * sizeof(Use));
}

void CommandServers::start(const Command& command, Server& server, Use& use) {
    auto [mine, its] = forks::make_channel();
    server.said = file_of_messages();
    server.process = forks::fork_child("a command of a study that stays", forks::ProcessGroup::Own);
    if (server.process == 0) {
        for (const int standard : {STDIN_FILENO, STDOUT_FILENO}) dup2(its.handle(), standard);
        dup2(server.said, STDERR_FILENO);
        close_range(STDERR_FILENO + 1, ~0U, 0);
        const rlimit no_core{0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        become_program(command.serve, program_);
    }
    server.channel = std::move(mine);
    use = {};
}

void CommandServers::end(Server& server) {
    if (server.process < 0) return;
    kill_tree(server.process);
    kill(-server.process, SIGKILL);
    forks::wait_for_child(std::exchange(server.process, -1));
    server.channel.close();
    close(std::exchange(server.said, -1));
}

void CommandServers::prepare(std::size_t place) {
    for (std::size_t i = 0; i < commands_.size(); ++i) {
        Server& server = servers_[index_of(place, i)];
        Use& use = uses_[index_of(place, i)];
        const bool is_worn = use.is_asked || use.requests >= most_requests;
        if (server.process >= 0 && (is_worn || status_of_ended(server.process))) end(server);
        if (server.process < 0) start(*commands_[i], server, use);
    }
}

void CommandServers::drop(std::size_t place) {
    for (std::size_t i = 0; i < commands_.size(); ++i) end(servers_[index_of(place, i)]);
}

std::vector<pid_t> CommandServers::processes(std::size_t place) const {
    std::vector<pid_t> all;
    for (std::size_t i = 0; i < commands_.size(); ++i)
        if (const pid_t process = servers_[index_of(place, i)].process; process >= 0) all.push_back(process);
    return all;
}

CommandEnd CommandServers::ask(const Command& command, const std::vector<std::string>& words, double seconds, double& used) {
    const auto which =
        std::find_if(commands_.begin(), commands_.end(), [&](const Command* one) { return one->name == command.name; });
    const std::size_t index = index_of(place_, static_cast<std::size_t>(which - commands_.begin()));
    Server& server = servers_[index];
    Use& use = uses_[index];
    use.is_asked = true;  // until it has answered well
    const std::uint32_t number = ++use.requests;
    [[maybe_unused]] const int emptied = ftruncate(server.said, 0);
    const double before = processor_seconds_of(server.process);
    const std::string asked =
        ordered_json{{"request", number}, {"words", words}}.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    const Request request = answer_of(server.channel, server.process, seconds, asked + "\n", {number, use.is_in_line, {}, {}});
    use.is_in_line = request.is_in_line;
    used = std::max(0.0, processor_seconds_of(server.process) - before);
    if (!request.too_much.empty()) {
        kill_tree(server.process);
        return ended_by_limit(command, request.too_much);
    }
    if (request.has_ended) {
        const int status = wait_for_end(server.process);
        const int exit_code = WIFSIGNALED(status) ? of_signal + WTERMSIG(status) : WEXITSTATUS(status);
        const std::string how = forks::how_it_ended(status) + (exit_code == 0 ? " and gave no answer" : "");
        return ended_by_itself(command, std::max(1, exit_code), how, {}, text_of(server.said));
    }
    std::optional<CommandEnd> end = end_in(command, request.line, number);
    if (end) {
        use.is_asked = false;
        return *end;
    }
    CommandEnd wrong;
    wrong.why = CommandEnd::Why::Itself;
    wrong.failure = fmt::format(
        "the command '{}' stays, and gave no answer to request {}: '{}'; write one line, as {{\"request\": {}, "
        "\"exit_code\": 0, \"printed\": \"{{}}\", \"said\": \"\"}}",
        command.name, number, request.line.substr(0, 80), number);
    return wrong;
}

}  // namespace sweeps

#include <trollius_commands/command_run.hpp>

#include <set>
#include <utility>

#include <fmt/format.h>

#include <trollius_commands/command_words.hpp>
#include <trollius_os/services.hpp>
#include <vocabulary/source_position.hpp>

namespace trollius_commands {

using trollius_os::Api;
using trollius_os::Priority;
using trollius_os::Process;

struct CommandRun::State : std::enable_shared_from_this<CommandRun::State> {
    State(trollius_os::Kernel& kernel, Site where, std::unique_ptr<Command> what, std::optional<SimTime> most)
        : host(kernel), site(std::move(where)), command(std::move(what)), time_out(most), text(command->head()) {}

    trollius_os::Kernel& host;
    const Site site;
    const std::unique_ptr<Command> command;
    const std::optional<SimTime> time_out;
    std::string text;
    std::size_t at = 0;  // the step under way
    SimTime since;
    std::set<NodeId> silent;
    bool failed = false, over = false;
    Process *worker = nullptr, *alarm = nullptr;

    Process* create(const char* name, void (State::*code)(Api&)) {
        return host.create({name, Priority::Low, trollius_os::kernel_priority::command, host.costs().service_stack,
                            [self = shared_from_this(), code](Api& api) { (self.get()->*code)(api); }});
    }
    bool start() {
        Process* process = create(command->name(), &State::work);  // an idle host runs it at once
        if (!over) worker = process;
        return process != nullptr;
    }
    std::optional<SimTime> deadline() const {
        const SimTime takes = command->takes(at);
        if (!time_out || takes == SimTime::never()) return std::nullopt;
        return since + *time_out + takes;
    }

    void work(Api& api) {
        for (; at < command->steps(); ++at) {
            if (silent.contains(command->asks(at))) continue;
            since = api.port().now();
            if (alarm == nullptr && deadline()) alarm = create("time-out", &State::watch);
            failed |= !command->step(at, api, text);
            api.settle();
        }
        text += command->tail();
        over = true;
        worker = nullptr;
        if (alarm != nullptr) host.doom(*std::exchange(alarm, nullptr));
    }

    void watch(Api& api) {
        while (!over && deadline()) {
            const SimTime now = api.port().now();
            if (now < *deadline()) {
                const auto rest = static_cast<std::uint64_t>((*deadline() - now).in_ps() / 1'000'000 + 1);
                api.wait_until_clock(api.port().clock_us(Priority::Low) + rest);
                continue;
            }
            host.doom(*std::exchange(worker, nullptr));
            const NodeId node = command->asks(at++);
            silent.insert(node);
            text += fmt::format("{:<6} does not answer\n", node_text(node, site));
            if (!start()) break;
            since = now;
        }
        alarm = nullptr;
    }
};

CommandRun::CommandRun(trollius_os::Kernel& host, const Site& site, std::unique_ptr<Command> command,
                       std::optional<SimTime> time_out)
    : state_(std::make_shared<State>(host, site, std::move(command), time_out)) {
    if (!state_->start())
        throw vocabulary::RequestError(
            fmt::format("the host has no room for the process '{}'; end others with 'doom h'", state_->command->name()));
}

CommandRun::~CommandRun() {
    for (Process* process : {std::exchange(state_->worker, nullptr), std::exchange(state_->alarm, nullptr)})
        if (process != nullptr) state_->host.doom(*process);
}

bool CommandRun::over() const {
    return state_->over;
}
const std::string& CommandRun::text() const {
    return state_->text;
}
bool CommandRun::failed() const {
    return state_->failed;
}

}  // namespace trollius_commands

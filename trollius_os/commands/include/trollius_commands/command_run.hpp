// CommandRun: a command under way. A process of the host takes its steps. A node that does not answer holds up that process;
// the original then hangs. Here a second process, the alarm, ends it after a time-out, and another one goes on with the next
// step. Each has a reply event of its own, so a late answer is never taken for another.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <trollius_commands/command.hpp>
#include <trollius_os/kernel.hpp>

namespace trollius_commands {

class CommandRun {
public:
    // `time_out`: how long a step waits for its answer, in modelled time; none: for ever, as the original does. `host` outlives
    // it. Throws vocabulary::RequestError when the host has no room for the processes.
    CommandRun(trollius_os::Kernel& host, const Site& site, std::unique_ptr<Command> command, std::optional<SimTime> time_out);
    ~CommandRun();  // ends the processes
    CommandRun(const CommandRun&) = delete;
    CommandRun& operator=(const CommandRun&) = delete;

    bool over() const;
    const std::string& text() const;
    bool failed() const;  // a step was refused; silence is no failure, the text has it

private:
    struct State;
    std::shared_ptr<State> state_;  // shared with the processes
};

}  // namespace trollius_commands

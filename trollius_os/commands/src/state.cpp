#include <fmt/format.h>

#include <trollius_commands/command_words.hpp>
#include <trollius_commands/state_lines.hpp>
#include <trollius_os/services.hpp>

#include "commands.hpp"

namespace trollius_commands {
namespace {

// Active, or blocked in a receive or a send. The thesis prints A where LAM prints R.
const char* state_word(std::int32_t state) {
    if (state == static_cast<std::int32_t>(trollius_os::ProcessState::BlockedReceiving)) return "BR";
    return state == static_cast<std::int32_t>(trollius_os::ProcessState::BlockedSending) ? "BS" : "A";
}

class State final : public NodesCommand {
public:
    State(const Words& words, const Site& site) : site_(site) {
        CommandWords given(words, site, "gt", "", state_usage);
        all_ = given.has('g');
        system_ = given.has('t');
        nodes_ = given.take_nodes(true);
        choice_ = given.take_processes();
        given.end();
    }
    const char* name() const override { return "state"; }
    std::string head() const override { return state_head(); }
    bool step(std::size_t number, trollius_os::Api& api, std::string& text) override {
        for (const trollius_os::ProcessLine& line : trollius_os::state(api, asks(number)))
            if (wanted(line)) text += state_line(node_text(asks(number), site_), line);
        return true;
    }

private:
    bool wanted(const trollius_os::ProcessLine& line) const {
        if (!choice_.empty()) return choice_.has(line.pid.value(), line.index);
        return all_ || system_ == (line.priority != 0);
    }
    const Site site_;
    bool all_ = false, system_ = false;
    ProcessChoice choice_;
};

}  // namespace

std::string state_head() {
    return fmt::format("{:<6} {:<6} {:>9} {:>5} {:<23} {}\n", "NODE", "INDEX", "PID", "KPRI", "KSTATE", "PROGRAM");
}

std::string state_line(const std::string& node, const trollius_os::ProcessLine& line) {
    return fmt::format("{:<6} {:<6} {:>9} {:>5} {:<23} {}\n", node, fmt::format("[{}]", line.index), line.pid.value(),
                       line.priority, fmt::format("{} ({}, {:x})", state_word(line.state), line.event.value(), line.type),
                       line.name);
}

std::unique_ptr<Command> make_state(const Words& words, const Site& site) {
    return std::make_unique<State>(words, site);
}

}  // namespace trollius_commands

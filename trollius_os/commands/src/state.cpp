#include <fmt/format.h>

#include <trollius_commands/command_words.hpp>
#include <trollius_commands/state_lines.hpp>
#include <trollius_os/services.hpp>

#include "commands.hpp"

namespace trollius_commands {
namespace {

class State final : public NodesCommand {
public:
    State(const Words& words, const Site& site) : site_(site) {
        CommandWords given(words, site, "gtl", "", state_usage);
        signals_ = given.has('l');
        all_ = given.has('g');
        system_ = given.has('t');
        nodes_ = given.take_nodes(true);
        choice_ = given.take_processes();
        given.end();
    }
    const char* name() const override { return "state"; }
    std::string head() const override {
        return signals_ ? fmt::format("{:<6} {:>9} {:<12} {}\n", "NODE", "PID", "SIGS", "PROGRAM") : state_head();
    }
    bool step(std::size_t number, trollius_os::Api& api, std::string& text) override {
        for (const trollius_os::ProcessLine& line : trollius_os::state(api, asks(number)))
            if (wanted(line)) text += text_of(node_text(asks(number), site_), line);
        return true;
    }

private:
    std::string text_of(const std::string& node, const trollius_os::ProcessLine& line) const {
        if (!signals_) return state_line(node, line.index, line.pid, line.status(), line.name);
        return fmt::format("{:<6} {:>9} {:<12} {}\n", node, line.pid.value(), trollius_os::signal_numbers(line.pending),
                           line.name);
    }
    bool wanted(const trollius_os::ProcessLine& line) const {
        if (!choice_.empty()) return choice_.has(line.pid.value(), line.index);
        return all_ || system_ == (line.priority != 0);
    }
    const Site site_;
    bool all_ = false, system_ = false, signals_ = false;
    ProcessChoice choice_;
};

}  // namespace

std::string state_head() {
    return fmt::format("{:<6} {:<6} {:>9} {:>5} {:<23} {}\n", "NODE", "INDEX", "PID", "KPRI", "KSTATE", "PROGRAM");
}

std::string state_line(const std::string& node, std::optional<std::uint32_t> index, vocabulary::ProcessId pid,
                       const trollius_os::ProcessStatus& status, const std::string& program) {
    return fmt::format("{:<6} {:<6} {:>9} {:>5} {:<23} {}\n", node, index ? fmt::format("[{}]", *index) : std::string(),
                       pid.value(), status.priority, trollius_os::state_text(status), program);
}

std::unique_ptr<Command> make_state(const Words& words, const Site& site) {
    return std::make_unique<State>(words, site);
}

}  // namespace trollius_commands

#include "boot/boot_shell.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <oracle/fault_report.hpp>
#include <vocabulary/errors.hpp>
#include <vocabulary/nearest_name.hpp>

#include "boot/boot_report.hpp"
#include "boot/numbers.hpp"
#include "frame/command.hpp"
#include "frame/interrupt.hpp"
#include "shell/held_process.hpp"
#include "shell/shell_line.hpp"

namespace cli {

using boot_runs::LiveRun;
using vocabulary::RequestError;
using vocabulary::SimTime;

namespace {

constexpr std::size_t most_snapshots = 64;

}  // namespace

BootShell::BootShell(const boot_runs::Plan& plan, const std::optional<t800_assembly::Program>& program, ShellWire& wire)
    : plan_(plan), labels_(program), wire_(wire), live_(plan) {
    for (std::size_t i = live_.node_count(); i-- > 0;) {
        const NodeId node(static_cast<NodeId::value_type>(i));
        if (live_.core(node) != nullptr) node_ = node;
    }
}

std::string BootShell::taken(Words& words) {
    std::string first = std::move(words.front());
    words.erase(words.begin());
    return first;
}

const std::vector<BootShell::Entry>& BootShell::commands() {
    static const std::vector<Entry> all = {
        {"help", "[COMMAND]", "these lines", &BootShell::help},
        {"run", "[until TIME | for TIME]", "runs the machine; without a time, to a breakpoint or the end", &BootShell::run},
        {"step", "[NODE] [COUNT]", "to the node's next instruction, or over COUNT of them", &BootShell::step},
        {"break", "[[NODE] PLACE]", "stops the machine before the node's instruction there; without a place: lists them",
         &BootShell::break_at},
        {"delete", "NUMBER | all", "takes breakpoints away", &BootShell::delete_breakpoint},
        {"registers", "[NODE]", "the process that runs, A, B, C, the floating-point stack, Error, clocks",
         &BootShell::registers},
        {"memory", "[NODE] PLACE [WORDS]", "words of memory", &BootShell::memory},
        {"code", "[NODE] [PLACE] [COUNT]", "instructions; without a place, from the next one on", &BootShell::code},
        {"set", "[NODE] A | B | C | PLACE NUMBER", "changes a register or a word of memory", &BootShell::set},
        {"processes", "[NODE]", "processes of a node: one runs, some are ready, others wait at a place", &BootShell::processes},
        {"waits", "", "processes that wait, with their places, on all nodes", &BootShell::waits},
        {"nodes", "", "the state of each node", &BootShell::nodes},
        {"snapshot", "[NAME]", "keeps this moment", &BootShell::snapshot},
        {"snapshots", "", "lists the snapshots", &BootShell::snapshots},
        {"back", "[NAME]", "goes back to a snapshot (default: the last); later ones are deleted", &BootShell::back},
        {"quit", "", "ends the session", &BootShell::quit},
        {"exit", "", "likewise", &BootShell::quit}};
    return all;
}

std::vector<std::string> BootShell::commands_with_arguments() {
    std::vector<std::string> all;
    for (const Entry& command : commands()) all.push_back(fmt::format("{} {}", command.name, command.arguments));
    return all;
}

void BootShell::serve() {
    catch_interrupts();
    const auto say = [this](ShellAnswer answer) {
        std::fflush(nullptr);  // what the program has printed comes first
        answer.now_ps = live_.now().in_ps();
        wire_.answer(answer);
        if (answer.over) _exit(exit_code::nothing_found);
    };
    say({});
    for (;;) {
        const auto line = wire_.next();
        if (!line) _exit(exit_code::nothing_found);  // nobody asks any more
        interrupted = 0;
        say(obey(*line));
    }
}

ShellAnswer BootShell::obey(const std::string& line) {
    const auto [name, arguments] = command_and_arguments(line);
    std::vector<std::string> names;
    try {
        Words words = words_of(arguments);
        for (const Entry& command : commands()) {
            if (command.name == name) return (this->*command.obey)(words);
            names.emplace_back(command.name);
        }
    } catch (const std::exception& error) {
        return {.ok = false, .text = error.what(), .kind = vocabulary::kind_of(error)};
    }
    const std::string hint = vocabulary::did_you_mean(name, names);
    return {.ok = false, .text = fmt::format("there is no command '{}'{}", name, hint.empty() ? "; see 'help'" : hint)};
}

BootShell::NodeId BootShell::node_of(Words& words) const {
    const std::string digits = words.empty() || words.front()[0] != 'n' ? "" : words.front().substr(1);
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos) return node_;  // a label
    const auto number = number_in<std::uint32_t>(digits);
    if (!number || *number >= live_.node_count())
        throw RequestError(fmt::format("there is no node n{}; the machine has n0 to n{}", digits, live_.node_count() - 1));
    words.erase(words.begin());
    const NodeId node(static_cast<NodeId::value_type>(*number));
    if (live_.core(node) == nullptr) throw RequestError(fmt::format("n{} has a kernel, and no T800 core to look at", *number));
    return node;
}

t800_core::Core& BootShell::core_of(NodeId node) {
    return *live_.core(node);
}

std::size_t BootShell::count_of(Words& words, std::size_t otherwise, std::size_t most) const {
    if (words.empty()) return otherwise;
    const auto count = number_in<std::size_t>(words.back());
    if (!count) return otherwise;
    if (*count == 0 || *count > most) throw RequestError(fmt::format("'{}' must be from 1 to {}", words.back(), most));
    words.pop_back();
    return *count;
}

void BootShell::at_end_of(const Words& words, const char* usage) const {
    if (!words.empty()) throw RequestError(fmt::format("'{}' is one word too many; expected {}", words.front(), usage));
}

void BootShell::not_over() const {
    if (!end_.empty())
        throw RequestError("the run is over" + std::string(snapshots_.empty() ? ", and there is no snapshot to go back to"
                                                                              : "; go back to a snapshot"));
}

void BootShell::needs_memory(NodeId node, std::uint32_t address) const {
    if (!live_.core(node)->is_memory(address, 1))
        throw RequestError(fmt::format("n{} has no memory at #{:08X}", node.value(), address));
}

std::string BootShell::where(NodeId node) {
    const t800_core::Core& core = core_of(node);
    const t800_core::Registers& r = core.registers();
    const std::string state = live_.state_of(node);
    const SimTime ahead = live_.ahead(node);
    const std::string by = ahead > SimTime() ? fmt::format(" ({} ahead)", time_word(ahead)) : "";
    if (!r.running || state != "runs") return fmt::format("n{} {}{}", node.value(), state, by);
    return fmt::format("n{} process #{:08X} ({} priority) at {}{}", node.value(), r.wptr, r.priority != 0 ? "low" : "high",
                       instruction_at(core, labels_, r.iptr), by);
}

ShellAnswer BootShell::stopped(LiveRun::Stop stop) {
    switch (stop) {
        case LiveRun::Stop::Breakpoint:
            node_ = live_.broke().value_or(node_);
            return {.text = where(node_), .data = data_of(node_, "breakpoint")};
        case LiveRun::Stop::Until:
            return {.text = "at " + time_word(live_.now())};
        case LiveRun::Stop::Interrupted:
            return {.ok = false, .text = interrupted_text};
        case LiveRun::Stop::Over:
            break;
    }
    const boot_runs::Result result = live_.result();
    end_ = fmt::format("{}\nrun hash {:016x}", boot_end_text(result, plan_), result.run_hash);
    if (!plan_.faults.faults.empty()) end_ += "\n" + oracle::faults_text(plan_.faults, result.faults);
    return {.text = end_};
}

ShellAnswer BootShell::help(Words& words) {
    std::string text;
    for (const Entry& command : commands()) {
        if (!words.empty() && words.front() != command.name) continue;
        text += fmt::format("{:<36} {}\n", fmt::format("{} {}", command.name, command.arguments), command.help);
    }
    if (text.empty()) throw RequestError("there is no command '" + words.front() + "'; 'help' lists them");
    if (words.empty())
        text +=
            "NODE is n3; without it the node that stopped last. PLACE is #80000070, a label of the source, or LABEL+BYTES.\n";
    return {.text = text};
}

ShellAnswer BootShell::run(Words& words) {
    not_over();
    if (!words.empty() && words.front() != "until" && words.front() != "for")
        throw RequestError("expected 'run', 'run until 12.4ms' or 'run for 0.2ms'");
    const auto time = run_until(fmt::format("{}", fmt::join(words, " ")), live_.now());
    if (time && *time <= live_.now())
        throw RequestError(fmt::format("it is {} already; give a later time", time_word(live_.now())));
    return stopped(live_.go(time.value_or(SimTime::never())));
}

ShellAnswer BootShell::step(Words& words) {
    not_over();
    const NodeId node = node_of(words);
    const std::size_t count = count_of(words, 1, 1'000'000'000);
    at_end_of(words, "step [NODE] [COUNT]");
    node_ = node;
    for (std::size_t i = 0; i < count; ++i) {
        const LiveRun::Stop stop = live_.step(node);
        if (stop != LiveRun::Stop::Breakpoint || live_.broke() != node) return stopped(stop);
        if (interrupted != 0) return stopped(LiveRun::Stop::Interrupted);
        const std::uint32_t here = core_of(node).registers().iptr;
        const auto at_one = [&](const Breakpoint& one) { return one.node == node && one.address == here; };
        if (std::any_of(breakpoints_.begin(), breakpoints_.end(), at_one)) break;
    }
    return stopped(LiveRun::Stop::Breakpoint);
}

// Its code may not be there yet.
std::string BootShell::text_of(const Breakpoint& one) {
    const std::string address = fmt::format("#{:08X}", one.address);
    return fmt::format("{}: n{} {}{}", one.number, one.node.value(), address, one.word == address ? "" : " " + one.word);
}

ShellAnswer BootShell::break_at(Words& words) {
    std::string text;
    if (words.empty()) {
        for (const Breakpoint& one : breakpoints_) text += text_of(one) + "\n";
        return {.text = text.empty() ? "none" : text};
    }
    const NodeId node = node_of(words);
    if (words.empty()) throw RequestError("expected a place: break [NODE] PLACE");
    const std::string word = taken(words);
    const std::uint32_t address = labels_.address_of(word);
    at_end_of(words, "break [NODE] PLACE");
    needs_memory(node, address);
    live_.set_breakpoint(node, address);
    breakpoints_.push_back({++last_number_, node, address, word});
    return {.text = "breakpoint " + text_of(breakpoints_.back())};
}

ShellAnswer BootShell::delete_breakpoint(Words& words) {
    if (words.size() != 1) throw RequestError("expected: delete NUMBER | all");
    const auto number = number_in<std::size_t>(words.front());
    const auto meant = [&](const Breakpoint& one) { return words.front() == "all" || one.number == number; };
    if (words.front() != "all" && std::none_of(breakpoints_.begin(), breakpoints_.end(), meant))
        throw RequestError(fmt::format("there is no breakpoint {}; 'break' lists them", words.front()));
    const std::vector<Breakpoint> before = breakpoints_;
    std::erase_if(breakpoints_, meant);
    for (const Breakpoint& one : before) live_.clear_breakpoint(one.node, one.address);
    for (const Breakpoint& one : breakpoints_) live_.set_breakpoint(one.node, one.address);  // two may lie at one place
    return {};
}

ShellAnswer BootShell::snapshot(Words& words) {
    const auto is_taken = [this](const std::string& name) {
        return std::any_of(snapshots_.begin(), snapshots_.end(), [&](const Snapshot& one) { return one.name == name; });
    };
    std::size_t number = snapshots_.size() + 1;
    while (is_taken(std::to_string(number))) ++number;
    const std::string name = words.empty() ? std::to_string(number) : taken(words);
    at_end_of(words, "snapshot [NAME]");
    if (snapshots_.size() >= most_snapshots) throw RequestError("64 snapshots are kept; go back to one of them first");
    if (name.empty()) throw RequestError("a snapshot needs a name");
    if (is_taken(name)) throw RequestError(fmt::format("there is a snapshot '{}' already", name));
    snapshots_.push_back({name, live_.now()});
    const Snapshot own = snapshots_.back();
    std::fflush(nullptr);
    Resumed resumed;
    try {
        resumed = hold_process(snapshots_.size() - 1);
    } catch (const std::exception&) {
        snapshots_.pop_back();
        throw;
    }
    return answer_of_snapshot(resumed, own.name, time_word(own.at));
}

ShellAnswer BootShell::snapshots(Words& words) {
    at_end_of(words, "snapshots");
    std::string text;
    for (const Snapshot& one : snapshots_) text += fmt::format("{:<12} {}\n", one.name, time_word(one.at));
    return {.text = text.empty() ? "none" : text};
}

ShellAnswer BootShell::back(Words& words) {
    if (snapshots_.empty()) throw RequestError("there is no snapshot to go back to; 'snapshot' takes one");
    const std::string name = words.empty() ? snapshots_.back().name : taken(words);
    at_end_of(words, "back [NAME]");
    std::vector<std::string> names;
    for (const Snapshot& one : snapshots_) names.push_back(one.name);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
        throw RequestError(fmt::format("there is no snapshot '{}'{}", name, vocabulary::did_you_mean(name, names)));
    go_back_to(static_cast<std::size_t>(found - names.begin()));  // snapshot() of that process answers
}

ShellAnswer BootShell::quit(Words& words) {
    at_end_of(words, "quit");
    return {.over = true};
}

}  // namespace cli

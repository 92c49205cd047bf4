// The commands of `magicwire shell` one by one.
#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include <outcome/futures.hpp>
#include <outcome/outputs.hpp>
#include <session/live_change.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"
#include "frame/run_options.hpp"
#include "shell/shell_line.hpp"
#include "shell/shell_looks.hpp"
#include "shell/shell_machine.hpp"

namespace cli {

using vocabulary::SimTime;

namespace {

void no_arguments(const std::string& name, const std::string& arguments) {
    if (!arguments.empty())
        throw vocabulary::RequestError(fmt::format("'{}' takes no argument, and got '{}'", name, arguments));
}

std::string with_length(std::string text, std::size_t length) {
    text.resize(std::max(length, text.size()), ' ');
    return text;
}

}  // namespace

const std::vector<ShellMachine::Command>& ShellMachine::commands() {
    static const std::vector<Command> all = {
        {"help", "[COMMAND]", "these lines", &ShellMachine::help},
        {"status", "", "modelled time, phase, tasks, nodes, records, changes so far", &ShellMachine::status},
        {"run", "[until TIME | for TIME]", "runs the machine; without a time, to the end", &ShellMachine::run},
        {"snapshot", "[NAME]", "keeps this moment", &ShellMachine::snapshot},
        {"snapshots", "", "lists the snapshots", &ShellMachine::snapshots},
        {"back", "[NAME]", "goes back to a snapshot (default: the last); later ones are deleted", &ShellMachine::back},
        {"what-if", "CHANGE, ... [; CHANGE, ...]", "runs the rest unchanged and with each set of changes, side by side",
         &ShellMachine::what_if},
        {"set", "NAME=VALUE, ...", "changes settings from now on: monitor.*, end.*, seed, fault, faults", &ShellMachine::set},
        {"fault", "VERB TARGET ...", "injects a fault, now or at a given time: die n5, cut n0.1 - n1.0 at 12ms for 2ms",
         &ShellMachine::fault},
        {"seed", "NUMBER", "draws the clock drifts again, from now on", &ShellMachine::seed},
        {"state", "[NODES] [all]", "shows processes of nodes as Trollius does; 'all': system processes too",
         &ShellMachine::state},
        {"spread", "", "goes on until the machine has booted", &ShellMachine::spread},
        {"loadgo", "", "goes on until monitor and programs are loaded and started", &ShellMachine::loadgo},
        {"hostmon", "", "shows the part of each node's trace that the host has", &ShellMachine::hostmon},
        {"monctrl", "-b | -e CLASS+CLASS...", "goes on until monitoring has begun; chooses the event classes",
         &ShellMachine::monctrl},
        {"summary", "", "after the end: shows times, totals, losses, run hash", &ShellMachine::summary},
        {"verdict", "", "after the end: shows the verdict from the trace", &ShellMachine::verdict},
        {"result", "", "both", &ShellMachine::summary},
        {"save", "FOLDER", "after the end: writes the files of the run", &ShellMachine::save},
        {"quit", "", "ends the session", &ShellMachine::quit},
        {"exit", "", "likewise", &ShellMachine::quit}};
    return all;
}

ShellAnswer ShellMachine::help(const std::string& arguments) {
    std::string text;
    for (const Command& command : commands()) {
        if (!arguments.empty() && arguments != command.name) continue;
        text += fmt::format("{} {}\n", with_length(fmt::format("{} {}", command.name, command.arguments), 38), command.help);
    }
    if (text.empty()) throw vocabulary::RequestError("there is no command '" + arguments + "'; 'help' lists them");
    if (arguments.empty())
        text += "TIME is modelled: 12.4ms since power-up, or +0.2ms from now. docs/guide/shell.md has examples.\n";
    return {.text = text};
}

ShellAnswer ShellMachine::status(const std::string& arguments) {
    no_arguments("status", arguments);
    if (live_ == nullptr) {
        return {.text = fmt::format("The run has {} after {}. See 'summary' and 'verdict'.\n",
                                    failure_.empty() ? "ended" : "failed", time_word(now()))};
    }
    const LiveStatus what = live_status(live());
    std::string text = status_text(what);
    for (const auto& [at, change] : changes_) text += fmt::format("  changed   at {}: {}\n", time_word(at), change);
    return {.text = text, .data = status_json(what)};
}

ShellAnswer ShellMachine::go(Going going) {
    live();
    if (going.until <= now()) {
        throw vocabulary::RequestError(
            fmt::format("it is {} already; give a later time, or go back to a snapshot", time_word(now())));
    }
    if (going.there && going.there()) return {.text = going.done};
    going_ = std::move(going);
    return {};
}

ShellAnswer ShellMachine::run(const std::string& arguments) {
    const std::optional<SimTime> time = run_until(arguments, now());
    if (!time) return go({});
    return go({.until = *time, .done = "at " + time_word(*time)});
}

ShellAnswer ShellMachine::snapshots(const std::string& arguments) {
    no_arguments("snapshots", arguments);
    std::string text;
    for (const Snapshot& one : snapshots_) text += fmt::format("{} {}\n", with_length(one.name, 12), time_word(one.at));
    return {.text = text.empty() ? "none" : text};
}

ShellAnswer ShellMachine::what_if(const std::string& arguments) {
    live();
    const std::vector<std::string> texts = branches_of(arguments);
    for (const std::string& text : texts)  // before anything is begun
        session::check_changes(scenario_, session::parse_changes(text), now());
    return fork_branches(texts).value_or(ShellAnswer());
}

ShellAnswer ShellMachine::change(const std::vector<scenario::Setting>& changes) {
    live();
    if (changes.empty()) throw vocabulary::RequestError("expected NAME=VALUE, for example seed=2");
    session::change(live(), changes);
    scenario_ = live().scenario();
    std::string text;
    for (const scenario::Setting& one : changes) {
        changes_.emplace_back(now(), one.first + "=" + one.second);
        text += fmt::format("from {} on: {}\n", time_word(now()), changes_.back().second);
    }
    return {.text = text};
}

ShellAnswer ShellMachine::set(const std::string& arguments) {
    return change(session::parse_changes(arguments));
}

ShellAnswer ShellMachine::fault(const std::string& arguments) {
    const std::string text = without_quotes(arguments);
    if (text.empty())
        throw vocabulary::RequestError("expected a fault, for example 'fault die n5'; 'magicwire faults' lists them");
    return change({{"fault", text}});
}

ShellAnswer ShellMachine::seed(const std::string& arguments) {
    return change({{"seed", arguments}});
}

ShellAnswer ShellMachine::state(const std::string& arguments) {
    std::vector<std::string> words = words_of(arguments);
    const bool all = !words.empty() && words.back() == "all";
    if (all) words.pop_back();
    if (words.size() > 1) throw vocabulary::RequestError("expected 'state', 'state n0-7' or 'state n0-7 all'");
    return {.text = state_text(live(), words.empty() ? "" : words[0], all)};
}

ShellAnswer ShellMachine::spread(const std::string& arguments) {
    no_arguments("spread", arguments);
    return go({.there = [this] { return std::string(live().phase()) != "boot"; }, .done = "the machine has booted"});
}

ShellAnswer ShellMachine::loadgo(const std::string& arguments) {
    no_arguments("loadgo", arguments);
    const auto loaded = [this] {
        const std::string phase = live().phase();
        return phase != "boot" && phase != "load";
    };
    return go({.there = loaded, .done = "monitor and programs are loaded and started"});
}

ShellAnswer ShellMachine::hostmon(const std::string& arguments) {
    no_arguments("hostmon", arguments);
    return {.text = received_text(live())};
}

ShellAnswer ShellMachine::monctrl(const std::string& arguments) {
    const std::vector<std::string> words = words_of(arguments);
    if (live().monitors().empty()) throw vocabulary::RequestError("the scenario is not monitored; add a 'monitor:' to it");
    if (words.size() == 2 && words[0] == "-e") return change({{"monitor.events", words[1]}});
    if (!words.empty() && words[0] == "-q")
        throw vocabulary::RequestError(
            "the scenario quits the monitor itself when the farm has ended; let it go on with 'run'");
    if (words.size() != 1 || words[0] != "-b")
        throw vocabulary::RequestError("expected 'monctrl -b' or 'monctrl -e CLASS+CLASS'");
    return go({.there = [this] { return all_monitors_on(live()); }, .done = "monitoring has begun on every node of the farm"});
}

ShellAnswer ShellMachine::summary(const std::string& arguments) {
    no_arguments("summary", arguments);
    std::string text = outcome::summary_text(scenario_, result(), manifest());
    if (!result().observed.console.empty()) text = result().observed.console + "\n" + text;
    return {.text = text, .data = outcome::summary_json(scenario_, result(), manifest(), analysis_->json)};
}

ShellAnswer ShellMachine::verdict(const std::string& arguments) {
    no_arguments("verdict", arguments);
    if (!result().observed.trace) throw vocabulary::RequestError("the run was not monitored, so there is no trace to analyse");
    return {.text = analysis_->text, .data = analysis_->json};
}

ShellAnswer ShellMachine::save(const std::string& arguments) {
    if (arguments.empty()) throw vocabulary::RequestError("expected a folder, for example 'save out'");
    if (std::filesystem::exists(std::filesystem::symlink_status(arguments)))
        throw vocabulary::RequestError(arguments + " exists already and is not replaced; name another folder");
    outcome::write_outputs(arguments, scenario_, result(), manifest(), analysis_->json, false);
    return {.text = "written: " + arguments};
}

ShellAnswer ShellMachine::quit(const std::string& arguments) {
    no_arguments("quit", arguments);
    return {.over = true};
}

// The session's commands again: they repeat a changed run.
outcome::Manifest ShellMachine::manifest() const {
    std::vector<std::string> arguments{"run", options_.file, "--seed", std::to_string(first_seed_)};
    std::string repeat = options_.repeat("run", first_seed_);
    if (!changes_.empty()) {
        std::string lines;
        SimTime reached;
        for (const auto& [at, change] : changes_) {
            if (at > std::exchange(reached, at)) lines += "run until " + time_word(at) + "\\n";
            lines += "set " + change + "\\n";
        }
        repeat = fmt::format("printf %b {} | {}", quoted(lines + "run\\nresult\\n"), options_.repeat("shell", first_seed_));
        for (const auto& [at, change] : changes_) arguments.push_back("at " + time_word(at) + ": " + change);
    }
    return {arguments, version_text, repeat};
}

}  // namespace cli

// The commands of `magicwire shell` one by one.
#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mpi_runs/mpi_end.hpp>
#include <outcome/futures.hpp>
#include <outcome/outputs.hpp>
#include <session/live_change.hpp>
#include <text/shell_words.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"
#include "frame/run_options.hpp"
#include "shell/breakpoints.hpp"
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

std::string with_backslashes(const std::string& line) {
    std::string text;
    for (const char c : line) text += c == '\\' ? std::string("\\\\") : std::string(1, c);
    return text;
}

std::string with_length(std::string text, std::size_t length) {
    text.resize(std::max(length, text.size()), ' ');
    return text;
}

}  // namespace

const std::vector<ShellMachine::Entry>& ShellMachine::commands() {
    static const std::vector<Entry> all = {
        {"help", "[COMMAND]", "these lines", &ShellMachine::help},
        {"status", "", "modelled time, phase, tasks, nodes, records, changes so far", &ShellMachine::status},
        {"run", "[until TIME | for TIME | until verdict]",
         "runs the machine; without a time, to the end; until verdict: until the records so far name a stop",
         &ShellMachine::run},
        {"snapshot", "[NAME]", "keeps this moment", &ShellMachine::snapshot},
        {"snapshots", "", "lists the snapshots", &ShellMachine::snapshots},
        {"back", "[NAME | cut [NUMBER]]",
         "goes back to a snapshot (default: the last); later ones are deleted; cut: then goes on to a breakpoint's cut",
         &ShellMachine::back},
        {"ranks", "", "of an MPI program: node, process, and the call in which each rank is, from the simulator's memory",
         &ShellMachine::ranks},
        {"break", "[list] | [RANKS] PLACE | when PREDICATE | delete NUMBER|all",
         "breakpoints: the run stops when a rank comes to FUNCTION or FILE:LINE, or the host's records show a predicate",
         &ShellMachine::break_when},
        {"step", "[in] [RANK]", "a rank goes on to another line of its function, or to its caller; in: into functions, too",
         &ShellMachine::step},
        {"finish", "[RANK]", "a rank goes on until its function returns", &ShellMachine::finish},
        {"where", "[RANKS]", "the functions in which ranks are, with lines, from the simulator's memory", &ShellMachine::where},
        {"print", "[RANKS] EXPRESSION", "variables of ranks, from the simulator's memory: x, p->size, u[0..99]",
         &ShellMachine::print},
        {"release", "", "after 'back cut': all processes go on", &ShellMachine::release},
        {"what-if", "CHANGE, ... [; CHANGE, ...]", "runs the rest unchanged and with each set of changes, side by side",
         &ShellMachine::what_if},
        {"set", "NAME=VALUE, ...", "changes settings from now on: monitor.*, end.*, seed, fault, faults", &ShellMachine::set},
        {"fault", "VERB TARGET ...", "injects a fault, now or at a given time: die n5, cut n0.1 - n1.0 at 12ms for 2ms",
         &ShellMachine::fault},
        {"seed", "NUMBER", "draws the clock drifts again, from now on", &ShellMachine::seed},
        {"spread", "[-vsScb] [MACHINE]",
         "goes on until the machine has booted; -b: nodes boot their neighbours and set clocks, route tables follow",
         &ShellMachine::spread},
        {"loadgo", "[-v] [-w] [NODES PROGRAM... [-- ARGUMENTS]]",
         "without operands: the session loads monitor and programs. With operands: only these", &ShellMachine::loadgo},
        {"state", "[-g] [-t] [-l] [NODES] [PROCESSES] [at now | at TIME]",
         "asks nodes for their processes by messages; 'at' reads the simulator's memory", &ShellMachine::state},
        {"hostmon", "[NODES -e PREFIX &]", "starts the collector; without operands: shows what has come",
         &ShellMachine::hostmon},
        {"monctrl", "-b | -q | -s | -e CLASS+CLASS...  [-n NUMBER] [NODES]",
         "begins monitoring, quits it, stops it, chooses event classes", &ShellMachine::monctrl},
        {"doom", "[-SIGNAL] NODES [PROCESSES]", "signals processes; SIGNAL is 4, the end", &ShellMachine::by_messages},
        {"tping", "[-v] [-c ROUNDS] [-d SECONDS] [-l BYTES] NODES", "measures round trips", &ShellMachine::by_messages},
        {"bfstate", "[-g] [-l] [-p] [-B LINES] [NODES]", "lists messages stored in nodes", &ShellMachine::by_messages},
        {"buffer", "[-R] [-e EVENT] [-s BYTES] [-u BYTES] NODES", "sets the space of pools, or sweeps them",
         &ShellMachine::by_messages},
        {"sweep", "NODES", "discards stored messages of users", &ShellMachine::by_messages},
        {"cast", "NODES", "makes a cast of nodes, and prints the number that messages go to", &ShellMachine::by_messages},
        {"cstate", "[NODES]", "lists the casts that nodes belong or send to", &ShellMachine::by_messages},
        {"mstate", "[NODES]", "lists what the memory of nodes is used for", &ShellMachine::by_messages},
        {"order", "[MERGE]", "the records so far: sorted by cause, and by merges of time stamps beside it",
         &ShellMachine::order},
        {"why", "TASK | NODE PROCESS",
         "what a task waits for, from the records that the host has; why a process does not go on, from the simulator's memory",
         &ShellMachine::why},
        {"story", "TASK [SUBTASK]", "where a task was, and where it is now, from the records that the host has",
         &ShellMachine::story},
        {"fstate", "[-a] [-F LINES] NODES", "lists the file server's descriptors; -a: those whose real file is open",
         &ShellMachine::by_messages},
        {"tfile", "[-S] [-s DESCRIPTOR] NODES [DIRECTORY]",
         "prints or sets the file server's working directory; -S, -s: closes all descriptors, or one",
         &ShellMachine::by_messages},
        {"links", "[NODES]", "where each link leads, through which switches, and what it does now", &ShellMachine::links},
        {"connect", "NODE.LINK NODE.LINK", "the host connects two free links through the crossbars", &ShellMachine::connect},
        {"disconnect", "NODE.LINK [NODE.LINK]", "the host takes a link's connection away", &ShellMachine::disconnect},
        {"reconfigure", "[-y | -n] SHAPE|MACHINE",
         "sets the crossbars for another network, every node in its place; shows the plan and asks; -y does it, -n does not",
         &ShellMachine::reconfigure},
        {"kill", "%", "ends a suspended command; a command that gets no answer has ended itself", &ShellMachine::kill},
        {"tvmfilter", "-p PREFIX", "filters PREFIX.all into PREFIX.tvm, .usage, .standard and .user", &ShellMachine::tvmfilter},
        {"detrek", "[-v] [-c] [-o] -p PREFIX", "finds the fault in PREFIX.tvm", &ShellMachine::detrek},
        {"summary", "", "after the end: shows times, totals, losses, run hash", &ShellMachine::summary},
        {"verdict", "", "shows the verdict from the trace; in mid-run what master and workers know, and what is late",
         &ShellMachine::verdict},
        {"result", "", "both", &ShellMachine::summary},
        {"save", "FOLDER", "after the end: writes the files of the run", &ShellMachine::save},
        {"quit", "", "ends the session", &ShellMachine::quit},
        {"exit", "", "likewise", &ShellMachine::quit}};
    return all;
}

std::vector<std::string> ShellMachine::commands_with_arguments() {
    std::vector<std::string> all;
    for (const Entry& command : commands()) all.push_back(fmt::format("{} {}", command.name, command.arguments));
    return all;
}

ShellAnswer ShellMachine::help(const std::string& arguments) {
    std::string text;
    for (const Entry& command : commands()) {
        if (!arguments.empty() && arguments != command.name) continue;
        const std::string usage = fmt::format("{} {}", command.name, command.arguments);
        text += with_length(usage, 38) + (usage.size() > 38 ? "\n" + std::string(38, ' ') : "") + " " + command.help + "\n";
    }
    if (text.empty()) throw vocabulary::RequestError("there is no command '" + arguments + "'; 'help' lists them");
    if (arguments.empty())
        text += "TIME is modelled: 12.4ms since power-up, or +0.2ms from now. docs/guide/shell.md has examples.\n";
    return {.text = text};
}

ShellAnswer ShellMachine::status(const std::string& arguments) {
    no_arguments("status", arguments);
    if (live_ == nullptr || stage_ == Stage::Ended) {
        return {.text = fmt::format("The run has {} after {}. See 'summary' and 'verdict'.\n",
                                    failure_.empty() ? "ended" : "failed", time_word(now()))};
    }
    const LiveStatus what = live_status(live());
    std::string text = status_text(what);
    for (const Change& one : changes_) {
        if (one.of_holding && one.line != "release") continue;  // held_text() tells it
        const bool is_set = one.line.starts_with("set ");
        text += fmt::format("  {} at {}: {}\n", is_set ? "changed  " : "command  ", time_word(one.at),
                            one.line.substr(is_set ? 4 : 0));
    }
    return {.text = text + held_text(), .data = status_json(what)};
}

ShellAnswer ShellMachine::go(Going going) {
    live();
    if (going.until <= now()) {
        throw vocabulary::RequestError(
            fmt::format("it is {} already; give a later time, or go back to a snapshot", time_word(now())));
    }
    if (going.there && going.there()) return going.answer ? going.answer() : ShellAnswer{};
    computes_on_ = false;
    leaves_ = going.by_session && stage_ == Stage::Booted && !without_farm();
    going_ = std::move(going);
    return {};
}

ShellAnswer ShellMachine::run(const std::string& arguments) {
    if (words_of(arguments) == std::vector<std::string>{"until", "verdict"}) return run_until_verdict();
    const std::optional<SimTime> time = run_until(arguments, now());
    if (!time && stage_ == Stage::Ended) running();
    if (!time) return go({.ends_when_one_computes_on = true});
    return go({.until = *time,
               .answer = [time] { return ShellAnswer{.text = "at " + time_word(*time)}; },
               .by_session = !by_hand_ && stage_ != Stage::Ended});
}

ShellAnswer ShellMachine::snapshots(const std::string& arguments) {
    no_arguments("snapshots", arguments);
    std::string text;
    for (const Snapshot& one : snapshots_) text += fmt::format("{} {}\n", with_length(one.name, 12), time_word(one.at));
    return {.text = text.empty() ? "none" : text};
}

ShellAnswer ShellMachine::what_if(const std::string& arguments) {
    running();
    if (!scenario_.files.empty())
        throw vocabulary::RequestError("branches would write the same files of the host; leave 'files' out of this session");
    if (without_farm())
        throw vocabulary::RequestError("a machine without a farm has no end to compare; give 'magicwire shell' a scenario");
    const std::vector<std::string> texts = branches_of(arguments);
    for (const std::string& text : texts)  // before anything is begun
        session::check_changes(scenario_, session::parse_changes(text), now());
    return fork_branches(texts).value_or(ShellAnswer());
}

ShellAnswer ShellMachine::change(const std::vector<scenario::Setting>& changes) {
    running();
    if (changes.empty()) throw vocabulary::RequestError("expected NAME=VALUE, for example seed=2");
    session::change(live(), changes);
    scenario_ = live().scenario();
    std::string text;
    for (const scenario::Setting& one : changes) {
        changes_.push_back({now(), now(), "set " + one.first + "=" + one.second});
        if (breakpoints_ && one.first == "monitor.events") breakpoints_->classes_switched();
        text += fmt::format("from {} on: {}={}\n", time_word(now()), one.first, one.second);
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

ShellAnswer ShellMachine::summary(const std::string& arguments) {
    no_arguments("summary", arguments);
    std::string text = outcome::summary_text(scenario_, result(), manifest());
    if (!result().observed.console.empty()) text = result().observed.console + "\n" + text;
    return {.text = text, .data = outcome::summary_json(scenario_, result(), manifest(), analysis_->json)};
}

ShellAnswer ShellMachine::verdict(const std::string& arguments) {
    no_arguments("verdict", arguments);
    if (!analysis_ && live_ != nullptr) return verdict_so_far();
    if (scenario_.mpi) {
        const std::string how = mpi_runs::end_text(result().simulated.mpi->result);
        return {.text = how.empty() ? "all ranks ended with exit code 0" : how};
    }
    if (!result().observed.trace) throw vocabulary::RequestError("the run was not monitored, so there is no trace to analyse");
    return {.text = analysis_->text, .data = analysis_->json};
}

ShellAnswer ShellMachine::ranks(const std::string& arguments) {
    no_arguments("ranks", arguments);
    if (!scenario_.mpi) throw vocabulary::RequestError("the scenario runs no MPI program");
    std::string text = fmt::format("{:<6} {:<5} {:>10}  {}\n", "RANK", "NODE", "PROCESS", "STATE");
    auto lines = nlohmann::ordered_json::array();
    for (const session::RankLine& line : live().farm().ranks()) {
        text += fmt::format("{:<6} {:<5} {:>10}  {}\n", line.rank, fmt::format("n{}", line.node.value()),
                            line.pid ? std::to_string(line.pid->value()) : "-", line.state);
        lines.push_back({{"rank", line.rank}, {"node", line.node.value()}, {"process", nullptr}, {"state", line.state}});
        if (line.pid) lines.back()["process"] = line.pid->value();
    }
    return {.text = text, .data = nlohmann::ordered_json{{"ranks", lines}}.dump()};
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
    return {.over = true, .text = unreceived()};
}

// The session's commands again: they repeat a changed run.
outcome::Manifest ShellMachine::manifest() const {
    std::vector<std::string> arguments{"run", options_.file, "--seed", std::to_string(first_seed_)};
    std::string repeat = options_.repeat("run", first_seed_);
    if (!changes_.empty()) {
        std::string lines;
        SimTime reached;
        for (const Change& one : changes_) {
            if (one.at > std::exchange(reached, one.until)) lines += "run until " + time_word(one.at) + "\\n";
            lines += with_backslashes(one.line) + "\\n";
        }
        repeat = fmt::format(
            "printf %b {} | {}",
            text::shell_word(lines + (changes_.back().line.starts_with("monctrl -q") ? "" : "run\\n") + "result\\n"),
            options_.repeat("shell", first_seed_));
        for (const Change& one : changes_)
            arguments.push_back("at " + time_word(one.at) + ": " + one.line.substr(one.line.starts_with("set ") ? 4 : 0));
    }
    return {arguments, version_text, repeat};
}

}  // namespace cli

// The ranks of an MPI program one by one: where they are, what their variables hold, and stops at places of their code. A rank
// stops in the middle of an event of the machine, so commands that change the machine are refused there.
#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <rank_debugger/rank_debugger.hpp>
#include <vocabulary/source_position.hpp>

#include "shell/break_line.hpp"
#include "shell/breakpoints.hpp"
#include "shell/left_text.hpp"
#include "shell/shell_line.hpp"
#include "shell/shell_machine.hpp"

namespace cli {

using rank_debugger::CodeBreakpoint;
using rank_debugger::RankDebugger;
using rank_debugger::StepKind;
using vocabulary::RequestError;
using Json = nlohmann::ordered_json;

namespace {

std::string line_of(const CodeBreakpoint& one) {
    return fmt::format("{} {}: {}\n{}", one.number,
                       one.ranks.empty()
                           ? "all ranks"
                           : fmt::format("rank{} {}", one.ranks.size() > 1 ? "s" : "", rank_debugger::ranks_text(one.ranks)),
                       one.place, one.note.empty() ? "" : "    note: " + one.note + "\n");
}

Json json_of(const CodeBreakpoint& one) {
    return {{"number", one.number}, {"place", one.place}, {"ranks", one.ranks.empty() ? Json("all") : Json(one.ranks)}};
}

}  // namespace

RankDebugger& ShellMachine::debugger() {
    if (!scenario_.mpi) throw RequestError("the scenario runs no MPI program, so there are no ranks");
    if (debugger_) return *debugger_;
    const session::ParallelProgram& program = live().farm();
    debugger_ = std::make_unique<RankDebugger>(
        RankDebugger::Program{.path = scenario_.mpi->program,
                              .ranks = scenario_.mpi->places.size(),
                              .modules = [&program] { return program.modules(); },
                              .processes = [&program] { return program.processes(); }},
        [this] { return !branch_ && to_cut_ == nullptr && going_.has_value() && live_ != nullptr; },
        [this](const rank_debugger::Answer& where) { stopped_in_rank(where); });
    return *debugger_;
}

// Called in the middle of an event of the machine.
void ShellMachine::stopped_in_rank(const rank_debugger::Answer& where) {
    last_ = std::max(last_, live_->now());
    last_stopped_ = debugger_->stopped_rank();
    Json data = {{"breakpoints", Json::array()}};
    for (const CodeBreakpoint& one : debugger_->all()) {
        const auto& hit = debugger_->hit();
        if (std::find(hit.begin(), hit.end(), one.number) != hit.end()) data["breakpoints"].push_back(json_of(one));
    }
    data.update(Json::parse(where.json));
    ShellAnswer answer{.text = fmt::format("at {}, {}", time_word(now()), where.text), .data = data.dump()};
    if (command_ != nullptr) answer.text += "the command waits no longer; some nodes may not have it yet\n";
    going_.reset();
    command_.reset();
    say(answer);
    in_event_ = true;
    obey_commands();
    in_event_ = false;
    if (stage_ == Stage::Session && !branch_) live_->stop_soon();  // the next moment goes by the command that lets time go on
}

void ShellMachine::refuse_in_event(const std::string& command) const {
    constexpr std::array<std::string_view, 18> looks = {"help",  "status", "run",   "snapshot", "snapshots", "back",
                                                        "ranks", "break",  "step",  "finish",   "where",     "print",
                                                        "order", "why",    "story", "verdict",  "quit",      "exit"};
    if (!in_event_ || std::find(looks.begin(), looks.end(), command) != looks.end()) return;
    throw RequestError(
        fmt::format("rank {} has stopped in the middle of an event of the machine, where '{}' cannot be done; 'run for 1us' "
                    "comes to a moment "
                    "between two events",
                    debugger_->stopped_rank().value_or(0), command));
}

ShellAnswer ShellMachine::break_at(const BreakOrder& order) {
    RankDebugger& its = debugger();
    if (stage_ == Stage::Ended) running();
    const std::size_t number = std::max(place_numbers_, breakpoints_ ? breakpoints_->last_number() : 0) + 1;
    const CodeBreakpoint& made = its.add(number, order.ranks, order.place);
    place_numbers_ = number;
    if (breakpoints_) breakpoints_->numbers_begin_behind(number);
    leave_places();
    return {.text = "breakpoint " + line_of(made), .data = Json{{"breakpoints", Json::array({json_of(made)})}}.dump()};
}

bool ShellMachine::delete_places(std::optional<std::size_t> number) {
    if (!debugger_) return !number;
    const bool found = debugger_->remove(number);
    leave_places();
    return found;
}

std::string ShellMachine::places_text() const {
    std::string text;
    if (!debugger_) return text;
    for (const CodeBreakpoint& one : debugger_->all()) text += line_of(one);
    return text;
}

std::string ShellMachine::with_places(const std::string& breakpoints) const {
    Json data = Json::parse(breakpoints);
    if (debugger_) {
        for (const CodeBreakpoint& one : debugger_->all()) data["breakpoints"].push_back(json_of(one));
    }
    return data.dump();
}

void ShellMachine::leave_places() {
    left_places_->leave(fmt::format("{}\n{}", place_numbers_, debugger_->text()));
}

// In a snapshot: the places that the process before has left. Returns the numbers of those that are new here.
std::vector<std::size_t> ShellMachine::places_from_later() {
    std::vector<std::size_t> added;
    const std::string left = left_places_->read();
    if (left.empty()) return added;
    const std::size_t end = left.find('\n');
    place_numbers_ = std::stoul(left.substr(0, end));
    RankDebugger& its = debugger();
    std::vector<std::size_t> before;
    for (const CodeBreakpoint& one : its.all()) before.push_back(one.number);
    its.take(left.substr(end + 1));
    for (const CodeBreakpoint& one : its.all()) {
        if (std::find(before.begin(), before.end(), one.number) == before.end()) added.push_back(one.number);
    }
    return added;
}

std::vector<std::size_t> ShellMachine::meant_ranks(const std::string& words) {
    const RankDebugger& its = debugger();
    if (words.empty() && its.stopped_rank()) return {*its.stopped_rank()};
    return rank_debugger::parse_ranks(words.empty() ? "all" : words, scenario_.mpi->places.size());
}

ShellAnswer ShellMachine::where(const std::string& arguments) {
    const auto answer = debugger().where(meant_ranks(arguments));
    return {.text = answer.text, .data = answer.json};
}

ShellAnswer ShellMachine::print(const std::string& arguments) {
    const auto [ranks, expression] = rank_debugger::split_ranks(arguments);
    if (expression.empty()) throw RequestError("expected an expression, for example 'print 0-3 x[0..9]'");
    const auto answer = debugger().print(meant_ranks(ranks), expression);
    return {.text = answer.text, .data = answer.json};
}

ShellAnswer ShellMachine::step(const std::string& arguments) {
    const auto [word, rest] = command_and_arguments(arguments);
    return word == "in" ? step_by(rest, StepKind::Into) : step_by(arguments, StepKind::Over);
}

ShellAnswer ShellMachine::finish(const std::string& arguments) {
    return step_by(arguments, StepKind::Out);
}

ShellAnswer ShellMachine::step_by(const std::string& rank_word, StepKind kind) {
    running();
    RankDebugger& its = debugger();
    if (rank_word.empty() && !its.stopped_rank() && !last_stopped_)
        throw RequestError("no rank has stopped so far; name one, for example 'step 0'");
    const auto ranks = rank_word.empty() ? std::vector<std::size_t>{its.stopped_rank().value_or(last_stopped_.value_or(0))}
                                         : meant_ranks(rank_word);
    if (ranks.size() != 1) throw RequestError("one rank at a time makes a step, and the others go on as they would; name one");
    its.step(ranks[0], kind);
    last_stopped_ = ranks[0];
    const std::size_t rank = ranks[0];
    return go({.there = [this] { return debugger_->step_is_over(); },
               .answer = [rank] { return ShellAnswer{.text = fmt::format("rank {} has ended", rank)}; },
               .ends_when_one_computes_on = true});
}

}  // namespace cli

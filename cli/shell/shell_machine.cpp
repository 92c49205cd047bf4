#include "shell/shell_machine.hpp"

#include <unistd.h>
#include <oracle/session_result.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>

#include <fmt/format.h>

#include <host_files/host_files.hpp>
#include <session/live_change.hpp>
#include <vocabulary/errors.hpp>
#include <vocabulary/nearest_name.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"
#include "frame/progress_line.hpp"
#include "frame/run_options.hpp"
#include "runs/live_verdict.hpp"
#include "shell/breakpoints.hpp"
#include "shell/held_process.hpp"
#include "shell/left_text.hpp"
#include "shell/shell_line.hpp"
#include "shell/shell_why.hpp"

namespace cli {

using session::LiveSession;
using vocabulary::SimTime;

namespace {

// Tmon always records interrupts.
trace_record::ClassSet classes_of(const instrumentation::MonitorSettings& monitor) {
    trace_record::ClassSet classes = monitor.classes;
    if (monitor.kind == instrumentation::MonitorKind::Tmon) classes.add(trace_record::EventClass::Clock);
    return classes;
}

}  // namespace

ShellMachine::ShellMachine(const scenario::Scenario& scenario, const ScenarioOptions& options, ShellWire& wire,
                           const ShellOptions& shell)
    : scenario_(scenario),
      options_(options),
      wire_(wire),
      shell_(shell),
      first_seed_(scenario.seed),
      streaming_(scenario.monitor && scenario.farm.nodes > 0 && !scenario.mpi ? std::make_unique<LiveVerdict>(scenario)
                                                                              : nullptr),
      breakpoints_(scenario.monitor && scenario.farm.nodes > 0
                       ? std::make_unique<Breakpoints>(static_cast<std::uint16_t>(scenario.farm.nodes),
                                                       classes_of(*scenario.monitor),
                                                       streaming_ ? &streaming_->feed() : nullptr,
                                                       [this] {
                                                           if (live_ != nullptr && !branch_) live_->stop_soon();
                                                       })
                       : nullptr),
      arrivals_(breakpoints_.get()),
      cut_order_(std::make_unique<LeftText>()),
      left_breakpoints_(std::make_unique<LeftText>()),
      left_places_(std::make_unique<LeftText>()) {
    forks::call_in_children(user_programs::watch_after_fork);
    report_.tell = [this](const user_programs::Diagnosis& diagnosis) {
        notice_ += user_programs::text_of(diagnosis) + "\n";
        computes_on_ = computes_on_ || diagnosis.problem == user_programs::Problem::ComputesOn;
    };
}
ShellMachine::~ShellMachine() = default;

void ShellMachine::serve() {
    catch_interrupts();
    try {
        simulate();
        if (branch_) forks_->deliver(outcome::branch_figures(scenario_, result_, analysed(scenario_, result_.observed)));
    } catch (const std::exception& error) {
        failure_ = error.what();
        failure_kind_ = vocabulary::kind_of(error);
        if (branch_) forks_->fail(error);
    }
    const bool began = live_ != nullptr;
    live_ = nullptr;
    if (debugger_) debugger_->let_go(true);
    debugger_.reset();
    say({.ok = false, .over = !began, .text = failure_, .kind = failure_kind_});
    if (!began) _exit(exit_code::of(failure_kind_));
    going_.reset();
    obey_commands();
    _exit(exit_code::nothing_found);
}

void ShellMachine::simulate() {
    line_ = std::make_unique<ProgressLine>(shell_.progress);
    const auto draw = line_->callback();
    const auto files = scenario_.files.empty() ? nullptr : std::make_unique<host_files::HostFiles>(scenario_.files);
    const session::SessionHooks hooks{.progress =
                                          [&](const session::Progress& now) {
                                              if (branch_) return interrupted == 0;
                                              draw(now);
                                              return true;
                                          },
                                      .feed = scenario_.monitor ? &arrivals_ : nullptr,
                                      .first_moment = {},
                                      .at_moment = [this](LiveSession& live) { return at_moment(live); },
                                      .files = files.get(),
                                      .booted = [this](LiveSession& live) { return booted(live); },
                                      .faults_may_come = true,
                                      .gathered = [this](LiveSession& live) { ended(live); }};
    oracle::run_session(scenario_, result_, hooks);
}

SimTime ShellMachine::at_moment(LiveSession& live) {
    if (stage_ != Stage::Session) {  // hold() looks by itself, and a long quiet time costs nothing
        const SimTime soon = live.now() + SimTime::ms(2);
        const SimTime next =
            going_ ? std::min(going_->until, live.machine().machine().timeline().next_time()) : SimTime::never();
        return next == SimTime::never() ? soon : std::max(soon, next);
    }
    const bool first = live_ == nullptr;
    live_ = &live;
    last_ = live.now();
    if (first) say({});
    if (going_ && !is_over()) return next_moment();
    obey_commands();
    return branch_ ? SimTime::never() : next_moment();
}

bool ShellMachine::is_over() {
    if (to_cut_ != nullptr) return is_over_on_the_way();
    const bool there = now() >= going_->until || (going_->there && going_->there());
    const bool computes_on = computes_on_ && going_->ends_when_one_computes_on && stage_ != Stage::Session;
    const bool at_breakpoint = !branch_ && stopped_at_breakpoint();
    if (!there && !computes_on && !at_breakpoint && interrupted == 0) return false;
    const Going over = *std::exchange(going_, std::nullopt);
    ShellAnswer answer{.ok = false, .text = interrupted_text};
    if (computes_on) answer = answer_that_one_computes_on();
    if (there) answer = over.answer ? over.answer() : ShellAnswer{};
    if (at_breakpoint) answer = answer_of_breakpoints();
    if (at_breakpoint && command_ != nullptr) answer.text += "the command waits no longer; some nodes may not have it yet\n";
    command_.reset();
    say(answer);
    return true;
}

ShellAnswer ShellMachine::answer_that_one_computes_on() const {
    const std::string at = "at " + time_word(now()) + ": ";
    if (command_ != nullptr) return {.ok = false, .text = at + "the command waits no longer for a program that computes on"};
    return {.text = at + "the machine computes on; 'run' goes on with it, and 'why' tells of a process"};
}

bool ShellMachine::booted(LiveSession& live) {
    live_ = &live;
    last_ = booted_at_ = live.now();
    if (branch_ || (!stops_at_boot_ && !without_farm())) return false;
    hold(Stage::Booted);
    return by_hand_;
}

void ShellMachine::ended(LiveSession& live) {
    if (branch_) return;
    analysis_ = analysed(scenario_, result_.observed);
    doubt_analysis();
    if (breakpoints_) breakpoints_->finish();
    last_ = std::max(live.now(), result_.observed.modelled);
    line_.reset();
    const std::string of_breakpoints = stopped_at_breakpoint() ? answer_of_breakpoints().text : std::string();
    const std::string text =
        of_breakpoints + fmt::format("The run has ended after {}: {} of {} {}. See 'summary' and 'verdict'.", time_word(now()),
                                     result_.simulated.counts.results, scenario_.farm.tasks,
                                     scenario_.mpi ? "ranks have ended" : "results came back to the manager");
    if (to_cut_ != nullptr) {
        going_.reset();
        say({.ok = false, .text = end_of_way().text + "\n" + text});
    } else if (command_ != nullptr) {
        notice_ = text + "\n";  // the command goes on
    } else if (std::exchange(going_, std::nullopt)) {
        say({.text = end_of_hostmon() + text});
    }
    hold(Stage::Ended);
}

void ShellMachine::hold(Stage stage) {
    stage_ = stage;
    leaves_ = false;
    while (!leaves_ && !branch_) {
        if (going_ && going_->there && is_over()) continue;
        if (going_) let_time_go_on();
        if (!going_) obey_commands();
    }
    stage_ = Stage::Session;
}

void ShellMachine::let_time_go_on() {
    const SimTime until = going_->until;
    const SimTime last_event = SimTime::never() - SimTime::ps(1);  // none of them is at never()
    bool over = false;                                             // another may have begun on the way to a cut
    live_->machine().run(std::min(until, last_event), going_->step, [this, &over] {
        last_ = std::max(last_, live_->now());
        return over = is_over();
    });
    if (over) return;
    if (until != SimTime::never()) {
        last_ = until;
        is_over();
        return;
    }
    going_.reset();
    if (std::exchange(command_, nullptr) != nullptr) {
        say({.ok = false, .text = "the command hangs: nothing is left that could happen on the machine, and no answer comes"});
    } else {
        const std::string lost = unreceived();
        say({.text = "nothing is left that could happen on the machine" + circuit_deadlock_text(live()) +
                     (lost.empty() ? "" : "\n" + lost)});
    }
}

std::string ShellMachine::unreceived() const {
    std::string text;
    if (live_ == nullptr) return text;
    for (const auto& messages : trollius_hosted::unreceived_messages(live_->machine()))
        text += (text.empty() ? "unreceived: " : "\nunreceived: ") + unreceived_text(messages, live_->machine().host_id());
    return text;
}

SimTime ShellMachine::next_moment() const {
    return std::min(going_->until, now() + going_->step);
}

void ShellMachine::obey_commands() {
    while (!going_ && !branch_) {
        const auto line = wire_.next();
        if (!line) _exit(exit_code::nothing_found);  // nobody asks any more
        interrupted = 0;
        const ShellAnswer answer = obey(*line);
        if (going_ || branch_) return;  // answered when it is there, or by nobody
        say(answer);
        if (answer.over) _exit(exit_code::nothing_found);
    }
}

ShellAnswer ShellMachine::obey(const std::string& line) {
    line_now_ = line;
    const auto [name, arguments] = command_and_arguments(line);
    std::vector<std::string> names;
    try {
        if (debugger_ && debugger_->steps()) debugger_->forget_step();  // something else has ended it
        for (const Entry& command : commands()) {
            if (command.name == name) refuse_in_event(name);
            if (command.name == name) return (this->*command.obey)(arguments);
            names.emplace_back(command.name);
        }
    } catch (const std::exception& error) {
        return {.ok = false, .text = error.what(), .kind = vocabulary::kind_of(error)};
    }
    const std::string hint = vocabulary::did_you_mean(name, names);
    return {.ok = false, .text = fmt::format("there is no command '{}'{}", name, hint.empty() ? "; see 'help'" : hint)};
}

void ShellMachine::say(ShellAnswer answer) {
    answer.now_ps = now().in_ps();
    if (!changes_.empty() && changes_.back().until == SimTime::never()) changes_.back().until = now();
    answer.text.insert(0, std::exchange(notice_, {}));
    if (by_hand_ && result_.observed.console.size() > printed_) {  // what programs have printed meanwhile comes first
        answer.text.insert(0, result_.observed.console.substr(std::exchange(printed_, result_.observed.console.size())));
    }
    if (line_) line_->clear();  // the answer is printed where it stood
    wire_.answer(answer);
}

SimTime ShellMachine::now() const {
    return last_;
}

LiveSession& ShellMachine::live() const {
    if (live_ != nullptr) return *live_;
    throw vocabulary::RequestError("the run failed, and its machine is gone" +
                                   std::string(snapshots_.empty() ? "" : "; go back to a snapshot"));
}

LiveSession& ShellMachine::running() const {
    if (live_ != nullptr && stage_ != Stage::Ended) return *live_;
    throw vocabulary::RequestError(snapshots_.empty() ? "the run has ended, and there is no snapshot to go back to"
                                                      : "the run has ended; go back to a snapshot first");
}

const oracle::SessionResult& ShellMachine::result() const {
    if (analysis_) return result_;
    throw vocabulary::RequestError(failure_.empty() ? "the run has not ended; see 'status', or let it go on with 'run'"
                                                    : "the run failed: " + failure_);
}

ShellAnswer ShellMachine::snapshot(const std::string& arguments) {
    running();
    const std::string name = arguments.empty() ? std::to_string(snapshots_.size() + 1) : arguments;
    if (name.find_first_of(" \t") != std::string::npos) throw vocabulary::RequestError("the name of a snapshot is one word");
    for (const Snapshot& other : snapshots_) {
        if (other.name == name) throw vocabulary::RequestError("there is a snapshot '" + name + "' already; give another name");
    }
    if (snapshots_.size() == most_snapshots)
        throw vocabulary::RequestError(
            fmt::format("there are {} snapshots already, which is the limit; go back to one", most_snapshots));
    snapshots_.push_back({name, now(), changes_.size()});
    for (const auto& monitor : live().monitors()) snapshots_.back().acts.push_back(monitor->acts());
    return hold(snapshots_.size() - 1);
}

ShellAnswer ShellMachine::hold(std::size_t number) {
    const Snapshot own = snapshots_[number];
    Resumed resumed;
    try {
        resumed = hold_process(number);
    } catch (const std::exception&) {
        snapshots_.pop_back();
        throw;
    }
    ShellAnswer answer = answer_of_snapshot(resumed, own.name, time_word(own.at));
    answer.text += breakpoints_from_later();
    const std::string order = cut_order_->take();
    return order.empty() ? answer : go_to_cut(order, answer.text);
}

ShellAnswer ShellMachine::back(const std::string& arguments) {
    if (const auto [word, rest] = command_and_arguments(arguments); word == "cut") return back_to_cut(rest);
    if (snapshots_.empty()) throw vocabulary::RequestError("there is no snapshot to go back to; 'snapshot' takes one");
    std::vector<std::string> names;
    for (const Snapshot& snapshot : snapshots_) names.push_back(snapshot.name);
    const auto found = arguments.empty() ? names.end() - 1 : std::find(names.begin(), names.end(), arguments);
    if (found == names.end()) {
        throw vocabulary::RequestError(
            fmt::format("there is no snapshot '{}'{}", arguments, vocabulary::did_you_mean(arguments, names)));
    }
    go_back_to(static_cast<std::size_t>(found - names.begin()));  // hold() of that snapshot answers
}

}  // namespace cli

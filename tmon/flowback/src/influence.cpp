#include "influence.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <flowback_log/recorder.hpp>

#include "call_reads.hpp"
#include "memory.hpp"
#include "nesting.hpp"
#include "senders.hpp"

namespace tmon_flowback {

Influence::Influence(RecordedRun& run, const EventId& before, Range place) : run_(run), before_(before), place_(place) {
    waiting_.insert(before.process);
}

void Influence::run() {
    while (!waiting_.empty()) pass_process(waiting_.extract(waiting_.begin()).value());
}

void Influence::pass_process(std::uint32_t process) {
    const ProcessLog& log = run_.process(process);
    memory_ = began_with_[process];
    for (const auto& [key, offsets] : came_[process]) {
        const std::string name = key.first >= by_act ? "" : run_.unprepared_entry(process, key.first);
        if (!name.empty()) doubt(name + "() is not prepared");
    }
    std::uint32_t root = nothing;
    for (std::uint32_t i = 0; i < log.intervals().size(); ++i) {
        const Interval& its = log.intervals()[i];
        if (its.parent != nothing) continue;
        if (its.root != root) begin_root(process, root = its.root);
        Arguments arguments;
        const auto& lengths = lengths_[process];
        const auto found = lengths.lower_bound({its.root, 0});
        if (found != lengths.end() && found->first == its.root) arguments.numbers.insert(1);  // the length of a task
        pass_interval(process, i, arguments);
    }
    if (!log.whole()) doubt("the log of " + log.name() + " is not whole");
    RangeSet of_process = memory_;  // without variables of functions that are over
    of_process.cut({first_local, ~std::uint64_t{0} - first_local});
    for (std::uint32_t other = 0; other < run_.processes().size(); ++other) {
        if (other == process || run_.process(other).like() != log.name()) continue;
        const std::vector<Range> ranges = began_with_[other].ranges();
        began_with_[other].add(of_process);
        if (ranges != began_with_[other].ranges()) waiting_.insert(other);
    }
}

void Influence::begin_root(std::uint32_t process, std::uint32_t root) {
    const ProcessLog& log = run_.process(process);
    for (std::uint32_t part = 0; part < log.roots()[root].message.size(); ++part) {
        const Range place = log.roots()[root].message[part];
        memory_.cut(place);
        const auto found = came_[process].find({root, part});
        if (found == came_[process].end()) continue;
        for (const auto& [offset, bytes] : found->second.ranges()) memory_.add({place.first + offset, bytes});
    }
}

// The interval, or one inside it, is the one that was asked about.
bool Influence::holds_the_place(std::uint32_t process, std::uint32_t interval) const {
    if (process != before_.process) return false;
    const auto& intervals = run_.process(process).intervals();
    for (std::uint32_t at = before_.interval; at != nothing; at = intervals[at].parent) {
        if (at == interval) return true;
    }
    return false;
}

// True when its result depends on the place.
bool Influence::pass_interval(std::uint32_t process, std::uint32_t interval, const Arguments& arguments) {
    const ProcessLog& log = run_.process(process);
    const Interval& its = log.intervals()[interval];
    const bool asked = holds_the_place(process, interval);
    const bool comes = std::any_of(came_[process].begin(), came_[process].end(), [&](const auto& each) {
        if (each.first.first < by_act) return false;
        const std::uint64_t at =
            each.first.first == by_act ? log.acts()[each.first.second].offset : log.messages()[each.first.second].offset;
        return at >= its.begin && at <= its.end;
    });
    const bool depends = !memory_.empty() || !arguments.numbers.empty() || arguments.controlled || arguments.all;
    if (!asked && !comes && !depends) return false;
    const std::string& name = run_.program().function(its.function).name;
    if (nesting_ >= most_nesting) {
        doubt(fmt::format("{}() and what it calls are not followed more than {} calls deep", name, most_nesting));
        return false;
    }
    const Emulation& emulation = run_.emulation(process, interval);
    auto& taken = taken_[{process, interval}];
    taken.resize(emulation.events().size());
    if (!emulation.complete() && its.how == Interval::End::Left)
        doubt(fmt::format("interval {} of {}() cannot be run again to its end: {}", interval, name, emulation.stopped()));
    if (emulation.unset_read())
        doubt(fmt::format("{}() reads a variable before it is set, at {}", name, emulation.unset_read()->place));
    Frames frames;
    for (std::uint32_t i = 0; i < emulation.frames().size(); ++i) {
        if (emulation.frames()[i].call != nothing) frames.frame_of_call[emulation.frames()[i].call] = i;
    }
    for (const int number : arguments.numbers) frames.parameters.emplace(0, number);
    if (arguments.controlled || arguments.all) frames.controlled.insert(0);
    Pass pass{process, interval, emulation, taken, frames};
    ++nesting_;
    for (std::uint32_t i = 0; i < emulation.events().size(); ++i) {
        if (asked && interval == before_.interval && i == before_.event) set_memory(process, place_, true);
        step(pass, i);
    }
    --nesting_;
    if (std::find(taken.begin() + emulation.proved(), taken.end(), true) != taken.end() && its.how != Interval::End::Left)
        doubt("a log ends before a statement of the slice, so the process need not have come there");
    return frames.result;
}

bool Influence::depends(const Pass& pass, std::uint32_t frame, const Operand& operand) const {
    return operand.site == 0 ? pass.frames.parameters.count({frame, operand.parameter}) != 0
                             : pass.frames.values.count({frame, operand.site}) != 0;
}

bool Influence::operands_depend(const Pass& pass, std::uint32_t event) const {
    const Event& its = pass.emulation.events()[event];
    const auto& operands = run_.program().site(its.site).operands;
    return std::any_of(operands.begin(), operands.end(), [&](const Operand& each) { return depends(pass, its.frame, each); });
}

// The latest predicate that decided about the event depends; where none did, its function's call.
bool Influence::controlled(const Pass& pass, std::uint32_t event) const {
    const Event& its = pass.emulation.events()[event];
    const auto executed = pass.frames.branches.find(its.frame);
    if (executed != pass.frames.branches.end()) {
        const Site& site = run_.program().site(its.site);
        const auto& deciders = run_.program().function(site.function).deciders;
        const auto found = deciders.find(site.block);
        const std::pair<std::uint32_t, bool>* latest = nullptr;
        if (found != deciders.end()) {
            for (const std::uint32_t branch : found->second) {
                const auto own = executed->second.find(branch);
                if (own != executed->second.end() && (latest == nullptr || own->second.first > latest->first))
                    latest = &own->second;
            }
        }
        if (latest != nullptr) return latest->second;
    }
    return pass.frames.controlled.count(its.frame) != 0;
}

void Influence::set_value(Pass& pass, std::uint32_t event, bool depends) {
    const Event& its = pass.emulation.events()[event];
    if (depends)
        pass.frames.values.emplace(its.frame, its.site);
    else
        pass.frames.values.erase({its.frame, its.site});
}

void Influence::set_memory(std::uint32_t process, Range place, bool depends) {
    memory_.cut(place);
    if (!depends) return;
    memory_.add(place);
    if (run_.process(process).is_shared(place.first, place.second))
        doubt("both processes of the manager share the heap, and no log has the order of their accesses");
}

void Influence::step(Pass& pass, std::uint32_t event) {
    const Event& its = pass.emulation.events()[event];
    const SiteKind kind = run_.program().kind(its.site);
    switch (kind) {
        case SiteKind::Load: {
            const bool reads = memory_.meets(Range{its.address, its.bytes}) || operands_depend(pass, event);
            if (reads) pass.taken[event] = true;
            return set_value(pass, event, reads);
        }
        case SiteKind::Store:
        case SiteKind::Copy:
        case SiteKind::Fill:
            return at_store(pass, event, kind);
        case SiteKind::Branch:
            return at_branch(pass, event);
        case SiteKind::Return:
            return at_return(pass, event);
        case SiteKind::Variable:
            memory_.cut({its.address, its.bytes});
            return;
        case SiteKind::Call:
            return its.extra == nothing ? at_inherited(pass, event) : at_call(pass, event);
        default:
            return;
    }
}

void Influence::at_store(Pass& pass, std::uint32_t event, SiteKind kind) {
    const Event& its = pass.emulation.events()[event];
    const bool whole = operands_depend(pass, event) || controlled(pass, event);
    std::vector<Range> copied;
    if (kind == SiteKind::Copy && !whole) {
        RangeSet source = memory_;
        for (const auto& [first, bytes] : source.cut({its.value, its.bytes}))
            copied.emplace_back(first - its.value + its.address, bytes);
    }
    if (whole || !copied.empty()) pass.taken[event] = true;
    set_memory(pass.process, {its.address, its.bytes}, whole);
    for (const Range& range : copied) set_memory(pass.process, range, true);
}

// `a && b` puts its value into a variable of the compiler, right before the branch that a decides.
void Influence::at_branch(Pass& pass, std::uint32_t event) {
    const Event& its = pass.emulation.events()[event];
    const bool depends = operands_depend(pass, event) || controlled(pass, event);
    pass.frames.branches[its.frame][its.site] = {event, depends};
    if (!depends) return;
    pass.taken[event] = true;
    const int block = run_.program().site(its.site).block;
    for (std::uint32_t i = event; i-- > 0;) {
        const Event& before = pass.emulation.events()[i];
        if (before.frame != its.frame) continue;
        const Site& site = run_.program().site(before.site);
        if (site.block != block) return;
        if (site.kind != SiteKind::Store || !site.operands.empty()) continue;
        const EventId id{pass.process, pass.interval, i};
        if (name_of(run_, id, before.address, before.bytes).name != compilers_variable) continue;
        pass.taken[i] = true;
        set_memory(pass.process, {before.address, before.bytes}, true);
    }
}

void Influence::at_return(Pass& pass, std::uint32_t event) {
    const std::uint32_t frame = pass.emulation.events()[event].frame;
    const bool depends = operands_depend(pass, event) || controlled(pass, event);
    if (depends) pass.taken[event] = true;
    const std::uint32_t call = pass.emulation.frames()[frame].call;
    if (call == nothing)
        pass.frames.result = depends;
    else
        set_value(pass, call, depends);
}

Influence::Arguments Influence::arguments_of(const Pass& pass, std::uint32_t call) const {
    Arguments arguments;
    const Event& its = pass.emulation.events()[call];
    for (const Operand& operand : run_.program().site(its.site).operands) {
        if (!depends(pass, its.frame, operand)) continue;
        if (operand.role >= Operand::argument)
            arguments.numbers.insert(operand.role - Operand::argument);
        else
            arguments.controlled = true;  // which function is called
    }
    arguments.controlled = arguments.controlled || controlled(pass, call);
    return arguments;
}

void Influence::at_inherited(Pass& pass, std::uint32_t event) {
    const Arguments arguments = arguments_of(pass, event);
    set_value(pass, event, false);
    if (arguments.controlled || !arguments.numbers.empty()) pass.taken[event] = true;
    const auto found = pass.frames.frame_of_call.find(event);
    if (found == pass.frames.frame_of_call.end()) return;
    for (const int number : arguments.numbers) pass.frames.parameters.emplace(found->second, number);
    if (arguments.controlled) pass.frames.controlled.insert(found->second);
}

// A function that is not prepared, with known effects: it reads memory that depends on the place.
bool Influence::reads_dependent(const Pass& pass, std::uint32_t call) {
    const CallReads reads = reads_of(run_, {pass.process, pass.interval, call});
    const bool meets = memory_.meets(reads.places);
    if (!reads.doubt.empty()) doubt(reads.doubt);
    return meets;
}

bool Influence::takes_structures(std::uint32_t process, std::uint32_t interval) const {
    return run_.program().function(run_.process(process).intervals()[interval].function).takes_structures;
}

// get_result() and sub_result() tell the length of a message, as a status does.
bool Influence::has_dependent_length(const Pass& pass, std::uint32_t call) const {
    constexpr int part_of_message = static_cast<int>(flowback_log::Effect::PartOfMessage);
    const Event& its = pass.emulation.events()[call];
    const CallDetails& details = pass.emulation.call(its);
    const auto found = lengths_.find(pass.process);
    if (found == lengths_.end()) return false;
    if (run_.program().site(its.site).effect == part_of_message && !details.words.empty()) {
        const std::uint32_t root = run_.process(pass.process).intervals()[pass.interval].root;
        return found->second.count({root, static_cast<std::uint32_t>(details.words.front())}) != 0;
    }
    for (const CallStep& step : details.steps) {
        if (!step.is_act) continue;
        const LoggedAct& act = run_.process(pass.process).acts()[step.number];
        const std::uint32_t came = act.kind == flowback_log::ActKind::Saw
                                       ? run_.process(pass.process).act_of(flowback_log::ActKind::Received, act.peer, act.flow)
                                       : step.number;
        if (found->second.count({by_act, came}) != 0) return true;
    }
    return details.message != nothing && found->second.count({nothing, details.message}) != 0;
}

void Influence::at_call(Pass& pass, std::uint32_t event) {
    const Event& its = pass.emulation.events()[event];
    const Site& site = run_.program().site(its.site);
    const CallDetails& details = pass.emulation.call(its);
    const std::uint32_t callee = run_.interval_of({pass.process, pass.interval, event});
    Arguments arguments = arguments_of(pass, event);
    bool chosen = arguments.controlled || !arguments.numbers.empty();
    if (callee == nothing && details.unknown && (chosen || !memory_.empty()))
        doubt(fmt::format("what {}() at {} does is not known",
                          site.callee.empty() ? "the function called" : run_.shown(site.callee), run_.program().place(site)));
    const bool matters = callee == nothing && !details.unknown && (chosen || !memory_.empty());
    if (matters && reads_dependent(pass, event)) chosen = true;
    if (callee != nothing && !memory_.empty() && takes_structures(pass.process, callee))
        doubt(fmt::format("a structure that {}() takes by value is not followed", run_.shown(site.callee)));
    if (chosen) pass.taken[event] = true;
    bool result = callee == nothing && chosen;
    at_steps(pass, event, arguments, chosen, result);
    const bool length = has_dependent_length(pass, event);
    if (length && !details.wrote.empty()) pass.taken[event] = true;
    for (const Range& range : details.wrote) set_memory(pass.process, range, chosen || length);
    memory_.cut(details.fresh);
    set_value(pass, event, result);
    if (details.message == nothing) return;
    if (run_.process(pass.process).messages()[details.message].passed != flowback_log::Passed::Got) {
        if (at_message(pass.process, details.message, chosen)) pass.taken[event] = true;
        return;
    }
    const LoggedMessage& message = run_.process(pass.process).messages()[details.message];
    memory_.cut(message.place);
    const auto found = came_[pass.process].find({nothing, details.message});
    if (found == came_[pass.process].end()) return;
    for (const auto& [offset, bytes] : found->second.ranges()) memory_.add({message.place.first + offset, bytes});
}

// Forward over what happened inside a call.
void Influence::at_steps(Pass& pass, std::uint32_t event, const Arguments& arguments, bool chosen, bool& result) {
    const std::uint32_t callee = run_.interval_of({pass.process, pass.interval, event});
    for (const CallStep& step : pass.emulation.call(pass.emulation.events()[event]).steps) {
        if (step.is_act) {
            if (at_act(pass.process, step.number, chosen)) take_begin(pass.process, step.number);
            continue;
        }
        Arguments its_own = arguments;
        its_own.all = step.number != callee && chosen;
        const bool gave = pass_interval(pass.process, step.number, its_own);
        if (step.number == callee) result = gave;
    }
}

// A message that the process sends. True: it depends on the place.
bool Influence::at_message(std::uint32_t process, std::uint32_t message, bool chosen) {
    const LoggedMessage& sent = run_.process(process).messages()[message];
    RangeSet offsets;
    RangeSet bytes = memory_;
    for (const auto& [first, count] : bytes.cut(sent.place)) offsets.add({first - sent.place.first, count});
    if (chosen) offsets.add({0, sent.place.second});
    if (!offsets.empty()) tell_receivers(process, message, offsets, chosen);
    return !offsets.empty();
}

void Influence::tell_receivers(std::uint32_t process, std::uint32_t message, const RangeSet& offsets, bool length) {
    const std::uint32_t task = run_.process(process).messages()[message].task;
    const auto fits = [&](const Origin& received) {
        const auto candidates = senders_of(run_, received).candidates;
        const bool ours = std::any_of(candidates.begin(), candidates.end(),
                                      [&](const Sender& each) { return each.process == process && each.message == message; });
        if (ours && candidates.size() > 1) doubt(fmt::format("several calls may have sent task {} or its result", task));
        return ours;
    };
    for (std::uint32_t receiver = 0; receiver < run_.processes().size(); ++receiver) {
        const ProcessLog& log = run_.process(receiver);
        Origin received;
        received.process = receiver;
        for (std::uint32_t i = 0; i < log.messages().size(); ++i) {
            received.message = i;
            if (log.messages()[i].passed != flowback_log::Passed::Got || log.messages()[i].task != task) continue;
            if (fits(received)) give(receiver, {nothing, i}, offsets, length);
        }
        received.message = nothing;
        for (received.root = 0; received.root < log.roots().size(); ++received.root) {
            if (log.roots()[received.root].task != task) continue;
            for (received.part = 0; received.part < log.roots()[received.root].message.size(); ++received.part) {
                if (fits(received)) give(receiver, {received.root, received.part}, offsets, length);
            }
        }
    }
    if (run_.has_losses()) doubt("some logs are not whole, so a receiver may be missing");
}

void Influence::give(std::uint32_t receiver, std::pair<std::uint32_t, std::uint32_t> key, const RangeSet& offsets,
                     bool length) {
    if (length && lengths_[receiver].insert(key).second) waiting_.insert(receiver);
    RangeSet& has = came_[receiver][key];
    const std::vector<Range> before = has.ranges();
    has.add(offsets);
    if (has.ranges() != before) waiting_.insert(receiver);
}

}  // namespace tmon_flowback

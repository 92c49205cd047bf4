// The needs that an event of the slice brings, and those that an interval leaves to what came before it.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include <flowback_log/library_calls.hpp>

#include "call_reads.hpp"
#include "senders.hpp"
#include "slicer.hpp"

namespace tmon_flowback {

void Slicer::need_memory(Pass& pass, Range place) {
    if (run_.process(pass.process).is_shared(place.first, place.second))
        doubt("both processes of the manager share the heap, and no log has the order of their accesses");
    pass.needs.memory.add(place);
}

void Slicer::need_operand(Pass& pass, std::uint32_t frame, const Operand& operand) {
    if (operand.site == 0)
        pass.needs.parameters.emplace(frame, operand.parameter);
    else
        pass.needs.values.emplace(frame, operand.site);
}

void Slicer::need_argument(Pass& pass, std::uint32_t call, int number) {
    const Event& its = pass.emulation.events()[call];
    for (const Operand& operand : run_.program().site(its.site).operands) {
        if (operand.role == Operand::argument + number) need_operand(pass, its.frame, operand);
    }
}

void Slicer::take_call(Pass& pass, std::uint32_t event) {
    if (pass.seen.taken[event]) return;
    pass.seen.taken[event] = true;
    const Event& its = pass.emulation.events()[event];
    const Site& site = run_.program().site(its.site);
    if (site.kind == SiteKind::Call) {  // a pointer decided which function it is
        for (const Operand& operand : site.operands) {
            if (operand.role < Operand::argument) need_operand(pass, its.frame, operand);
        }
    }
    if (run_.program().function(site.function).deciders.count(site.block) != 0)
        pass.needs.decisions.emplace(its.frame, site.block);
    else
        pass.needs.calls.insert(its.frame);
}

// An event that was taken before has had its needs followed, except the memory that a copy passes on.
void Slicer::take(Pass& pass, std::uint32_t event) {
    if (pass.seen.taken[event]) return;
    take_call(pass, event);
    const Event& its = pass.emulation.events()[event];
    const Site& site = run_.program().site(its.site);
    for (const Operand& operand : site.operands) need_operand(pass, its.frame, operand);
    if (site.kind == SiteKind::Load) need_memory(pass, {its.address, its.bytes});
}

// `a && b` and `c ? d : e` put their value into a variable of the compiler. Where a is false, its value is set right before the
// branch that a decides, so that branch has been passed.
void Slicer::need_branch_behind(Pass& pass, std::uint32_t store) {
    const auto& events = pass.emulation.events();
    const Site& site = run_.program().site(events[store].site);
    if (!site.operands.empty()) return;
    if (name_of(run_, pass.id(store), events[store].address, events[store].bytes).name != compilers_variable) return;
    for (std::uint32_t i = store + 1; i < events.size(); ++i) {
        if (events[i].frame != events[store].frame) continue;
        const Site& its = run_.program().site(events[i].site);
        if (its.block != site.block) return;
        if (its.kind != SiteKind::Branch) continue;
        Needs own;
        Pass between{pass.process, pass.interval, pass.emulation, pass.seen, own};
        take(between, i);
        for (std::uint32_t j = i; j-- > store + 1;) step(between, j);
        pass.needs.memory.add(own.memory);
        pass.needs.values.merge(own.values);
        pass.needs.decisions.merge(own.decisions);
        pass.needs.parameters.merge(own.parameters);
        pass.needs.calls.merge(own.calls);
        return;
    }
}

void Slicer::need_reads(Pass& pass, std::uint32_t call) {
    const CallReads reads = reads_of(run_, pass.id(call));
    if (!reads.doubt.empty()) doubt(reads.doubt);
    for (const Range& place : reads.places) need_memory(pass, place);
}

// To whoever called, then to what the process did before.
void Slicer::above(std::uint32_t process, std::uint32_t interval, Needs needs) {
    const ProcessLog& log = run_.process(process);
    for (std::uint32_t at = interval; !needs.empty();) {
        const Interval& its = log.intervals()[at];
        if (its.parent == nothing) {
            // The runtime gave the parameters: the task's length.
            for (std::uint32_t part = 0; !needs.parameters.empty() && part < log.roots()[its.root].message.size(); ++part)
                need_message(process, its.root, part, {log.roots()[its.root].message[part].first, 0});
            return earlier(process, at, needs.memory);
        }
        const auto call = run_.call_of(process, at);
        const std::string& name = run_.program().function(its.function).name;
        if (!call) {
            doubt(fmt::format("{}(), which called {}(), cannot be run again up to there: {}",
                              run_.program().function(log.intervals()[its.parent].function).name, name,
                              run_.emulation(process, its.parent).stopped()));
            return;
        }
        Needs outer;
        outer.memory = std::move(needs.memory);
        Pass pass = pass_over(process, its.parent, outer);
        if (run_.interval_of(*call) == at) {
            if (!needs.calls.empty() || !needs.parameters.empty()) take_call(pass, call->event);
            for (const auto& [frame, number] : needs.parameters) need_argument(pass, call->event, number);
        } else {
            if (!needs.calls.empty() || !needs.parameters.empty()) take(pass, call->event);
            const bool told = run_.site(*call).effect == static_cast<int>(flowback_log::Effect::Told);
            if (!told) doubt(fmt::format("a function that is not prepared called {}()", name));
        }
        const auto& steps = pass.emulation.call(pass.emulation.events()[call->event]).steps;
        bool passed = false;
        for (std::size_t n = steps.size(); n-- > 0;) {
            if (!passed)
                passed = !steps[n].is_act && steps[n].number == at;
            else if (steps[n].is_act)
                at_act(pass, call->event, steps[n].number);
            else
                at_nested(pass, call->event, steps[n].number, false);
        }
        at = its.parent;
        walk(process, at, call->event, outer);
        needs = std::move(outer);
    }
}

// A function of the runtime's that is not prepared leaves no log of its own, though functions that it calls do.
void Slicer::doubt_root(std::uint32_t process, std::uint32_t root) {
    if (const std::string name = run_.unprepared_entry(process, root); !name.empty()) doubt(name + "() is not prepared");
}

// The message that the runtime called the function with.
void Slicer::leave_root(std::uint32_t process, std::uint32_t root, RangeSet& memory) {
    const ProcessLog& log = run_.process(process);
    if (root >= log.roots().size() || memory.empty()) return;
    doubt_root(process, root);
    for (std::uint32_t part = 0; part < log.roots()[root].message.size(); ++part) {
        const Range place = log.roots()[root].message[part];
        for (const auto& [first, bytes] : memory.cut(place)) need_message(process, root, part, {first, bytes});
    }
}

void Slicer::need_message(std::uint32_t process, std::uint32_t root, std::uint32_t part, Range place) {
    Origin origin;
    origin.process = process;
    origin.root = root;
    origin.part = part;
    origin.message_offset = place.first - run_.process(process).roots()[root].message[part].first;
    received(origin, place);
}

// Earlier calls of the process with their messages, and the process whose memory it began with.
void Slicer::earlier(std::uint32_t process, std::uint32_t before, RangeSet& memory) {
    const ProcessLog& log = run_.process(process);
    std::uint32_t root =
        before < log.intervals().size() ? log.intervals()[before].root : static_cast<std::uint32_t>(log.roots().size());
    for (std::uint32_t i = before; i-- > 0 && !memory.empty();) {
        const Interval& its = log.intervals()[i];
        for (; root > its.root; --root) leave_root(process, root, memory);
        if (its.parent != nothing) continue;
        Needs needs;
        needs.memory = std::move(memory);
        pass_finished(process, i, needs);
        memory = std::move(needs.memory);
    }
    for (leave_root(process, root, memory); root > 0; leave_root(process, --root, memory)) {
    }
    if (memory.empty()) return;
    if (log.like().empty()) return at_beginning(process, memory);
    const std::uint32_t like = run_.find_process(log.like());
    if (like == nothing || like == process) {
        doubt("the log of " + log.like() + ", whose memory a process began with, is missing or cannot be used");
        return;
    }
    if (!run_.process(like).whole()) doubt("the log of " + log.like() + " is not whole");
    earlier(like, static_cast<std::uint32_t>(run_.process(like).intervals().size()), memory);
}

// The program's initial values are left. Other memory was written by something that no log has: by a structure passed by value,
// or by code that is not prepared.
void Slicer::at_beginning(std::uint32_t process, const RangeSet& memory) {
    if (run_.program().has_constructors()) doubt("static constructors ran before the log began");
    for (const Range& range : memory.ranges()) {
        if (run_.process(process).global_at(range.first) == nothing)
            doubt("no prepared code wrote some of the memory, as where a structure is passed by value");
    }
}

void Slicer::received(const Origin& message, Range place) {
    if (is_command(run_, message)) return;
    const Senders senders = senders_of(run_, message);
    std::vector<Query> found;
    for (const Sender& each : senders.candidates) {
        const LoggedMessage& sent = run_.process(each.process).messages()[each.message];
        for (const EventId& call : send_calls(run_, each))
            found.push_back({call, {sent.place.first + message.message_offset, place.second}, call, nothing});
    }
    if (found.empty()) doubt("no prepared code in the logs sent " + senders.what);
    if (found.size() > 1) doubt(fmt::format("{} calls may have sent {}, and all are in the slice", found.size(), senders.what));
    if (run_.has_losses()) doubt("some logs are not whole, so another call may have sent " + senders.what);
    queries_.insert(queries_.end(), found.begin(), found.end());
}

}  // namespace tmon_flowback

#include <tmon_flowback/origins.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <flowback_log/library_calls.hpp>

#include "nesting.hpp"

namespace tmon_flowback {

using flowback_log::Range;

const char* name_of(Certainty certainty) {
    constexpr const char* names[] = {"certain", "likely", "unknown"};
    return names[static_cast<std::size_t>(certainty)];
}

// The bytes that are still looked for, and those found.
struct Origins::Search {
    std::vector<Range> open;
    std::vector<Origin> found;
    std::vector<std::string> doubts;
    bool may_have_changed = false;
    std::uint32_t asked = 0;
    unsigned nesting = 0;

    bool done() const { return open.empty(); }

    // Takes what a range of memory covers; `like` says where it comes from.
    void take(Range from, const Origin& like) {
        if (from.second == 0) return;
        std::vector<Range> rest;
        for (const auto& [first, bytes] : open) {
            const std::uint64_t begin = std::max(first, from.first);
            const std::uint64_t end = std::min(first + bytes, from.first + from.second);
            if (begin >= end) {
                rest.emplace_back(first, bytes);
                continue;
            }
            Origin its = like;
            its.address = begin;
            its.bytes = end - begin;
            its.message_offset += begin - from.first;
            its.doubts = doubts;
            its.may_have_changed = may_have_changed;
            found.push_back(std::move(its));
            if (first < begin) rest.emplace_back(first, begin - first);
            if (end < first + bytes) rest.emplace_back(end, first + bytes - end);
        }
        open = std::move(rest);
    }
    void take_all(const Origin& like) {
        for (const Range& each : std::vector<Range>(open)) take(each, like);
    }
    void changed(std::string text) {
        may_have_changed = true;
        doubt(std::move(text));
    }
    void doubt(std::string text) {
        if (std::find(doubts.begin(), doubts.end(), text) == doubts.end()) doubts.push_back(std::move(text));
    }
    bool meets(const std::vector<Range>& ranges) const {
        return std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) {
            return std::any_of(open.begin(), open.end(), [&](const Range& own) {
                return range.first < own.first + own.second && own.first < range.first + range.second;
            });
        });
    }
};

std::vector<Origin> Origins::of(const EventId& before, std::uint64_t address, std::uint64_t bytes, std::uint32_t act) {
    Search search;
    search.open = {{address, bytes}};
    search.asked = before.process;
    if (act != nothing) before_act(search, before, act);
    in_interval(search, before.process, before.interval, before.event);
    if (!search.done()) above(search, before.process, before.interval);
    finish(search.found, before.process);
    return std::move(search.found);
}

std::vector<Origin> Origins::at_end(std::uint32_t process, std::uint64_t address, std::uint64_t bytes) {
    Search search;
    search.open = {{address, bytes}};
    search.asked = process;
    earlier(search, process, static_cast<std::uint32_t>(run_.process(process).intervals().size()));
    finish(search.found, process);
    return std::move(search.found);
}

// Says who was asked. Both processes of the manager share the heap that init_master() began, and their logs have no order
// between them. Globals and variables of functions are a process's own.
void Origins::finish(std::vector<Origin>& found, std::uint32_t process) {
    const ProcessLog& log = run_.process(process);
    for (Origin& each : found) {
        each.asked = process;
        if (!log.is_shared(each.address, each.bytes) || each.kind == Origin::Kind::Received) continue;
        each.may_have_changed = true;
        each.doubts.emplace_back("both processes of the manager share the heap, and no log has the order of their accesses");
    }
}

// Backward through an interval's own events.
void Origins::in_interval(Search& search, std::uint32_t process, std::uint32_t interval, std::uint32_t before) {
    const Emulation& emulation = run_.emulation(process, interval);
    if (const auto& unset = emulation.unset_read(); unset && unset->event < before)
        search.doubt(fmt::format("{}() reads a variable before it is set, at {}",
                                 run_.program().function(run_.process(process).intervals()[interval].function).name,
                                 unset->place));
    for (std::uint32_t i = before; i-- > 0 && !search.done();) {
        const Event& event = emulation.events()[i];
        const EventId id{process, interval, i};
        Origin here;
        here.process = process;
        here.event = id;
        switch (run_.program().kind(event.site)) {
            case SiteKind::Store:
            case SiteKind::Copy:
            case SiteKind::Fill:
                here.kind = Origin::Kind::Event;
                search.take({event.address, event.bytes}, here);
                break;
            case SiteKind::Variable:
                here.kind = Origin::Kind::Unset;
                search.take({event.address, event.bytes}, here);
                break;
            case SiteKind::Call:
                in_call(search, id, nothing);
                break;
            default:
                break;
        }
    }
}

// Backward through what happened inside a call, up to interval `before_nested` (nothing: all of it).
void Origins::in_call(Search& search, const EventId& call, std::uint32_t before_nested) {
    const Emulation& emulation = run_.emulation(call.process, call.interval);
    const Event& event = emulation.events()[call.event];
    if (event.extra == nothing) return;
    const CallDetails& details = emulation.call(event);
    Origin here;
    here.process = call.process;
    here.event = call;
    if (before_nested == nothing) {
        here.kind = Origin::Kind::Event;
        for (const Range& range : details.wrote) search.take(range, here);
        here.kind = details.zeroed ? Origin::Kind::Event : Origin::Kind::Allocated;
        search.take(details.fresh, here);
        if (details.message != nothing) {
            const LoggedMessage& message = run_.process(call.process).messages()[details.message];
            here.kind = Origin::Kind::Received;
            here.message = details.message;
            if (message.passed == flowback_log::Passed::Got) search.take(message.place, here);
        }
    }
    // Nothing is known of the callee, or it was under way: an outer part of a function that is not prepared.
    const bool told =
        run_.program().site(event.site).effect == static_cast<int>(flowback_log::Effect::Told) && !details.unknown;
    const bool around = before_nested != nothing && run_.interval_of(call) == nothing && !told;
    if ((around || (before_nested == nothing && details.unknown && run_.interval_of(call) == nothing)) && !search.done()) {
        const Site& site = run_.program().site(event.site);
        search.changed(fmt::format("what {}() at {} does to memory is not known",
                                   site.callee.empty() ? "the function called" : run_.shown(site.callee),
                                   run_.program().place(site)));
    }
    bool passed = before_nested == nothing;
    for (std::size_t n = details.steps.size(); n-- > 0 && !search.done();) {
        const CallStep& step = details.steps[n];
        if (passed)
            step.is_act ? in_act(search, call, step.number) : in_finished(search, call.process, step.number);
        else
            passed = !step.is_act && step.number == before_nested;
    }
}

// Memory that the library wrote, from a message or from other memory.
void Origins::in_act(Search& search, const EventId& call, std::uint32_t act) {
    const LoggedAct& its = run_.process(call.process).acts()[act];
    Origin here;
    here.kind = its.kind == flowback_log::ActKind::Received ? Origin::Kind::Received : Origin::Kind::Event;
    here.process = call.process;
    here.event = call;
    here.act = act;
    std::uint64_t offset = 0;
    for (const Range& piece : its.to) offset += piece.second;
    for (std::size_t n = its.to.size(); n-- > 0;) {  // of pieces that overlap the last one is left
        offset -= its.to[n].second;
        here.message_offset = offset;
        search.take(its.to[n], here);
    }
}

void Origins::before_act(Search& search, const EventId& call, std::uint32_t act) {
    const Event& event = run_.event(call);
    if (event.extra == nothing) return;
    const CallDetails details = run_.emulation(call.process, call.interval).call(event);
    bool passed = false;
    for (std::size_t n = details.steps.size(); n-- > 0 && !search.done();) {
        const CallStep& step = details.steps[n];
        if (passed)
            step.is_act ? in_act(search, call, step.number) : in_finished(search, call.process, step.number);
        else
            passed = step.is_act && step.number == act;
    }
}

// Through an interval that was over by then. Its postlog says which memory it wrote, so most need not be emulated.
void Origins::in_finished(Search& search, std::uint32_t process, std::uint32_t interval) {
    const Interval& its = run_.process(process).intervals()[interval];
    const std::string& name = run_.program().function(its.function).name;
    const bool left = its.how == Interval::End::Left;
    if (left && !search.meets(its.wrote)) {
        if (its.unknown_inside) search.changed(fmt::format("{}() calls a function whose effects are not known", name));
        return;
    }
    if (search.nesting >= most_nesting) {
        Origin deep;
        deep.process = process;
        deep.why = fmt::format("{}() and what it called wrote it, more than {} calls deep", name, most_nesting);
        for (const Range& range : its.wrote) search.take(range, deep);
        return;
    }
    const Emulation& emulation = run_.emulation(process, interval);
    if (left && !emulation.complete()) {
        Origin unknown;
        unknown.process = process;
        unknown.why = fmt::format("{}() wrote it, and its interval {} cannot be emulated to its end: {}", name, interval,
                                  emulation.stopped());
        for (const Range& range : its.wrote) search.take(range, unknown);
        return;
    }
    if (!left) search.changed(fmt::format("{}() ended without a return, so its log does not say all that it wrote", name));
    std::vector<Range> promised = its.wrote;
    ++search.nesting;
    in_interval(search, process, interval, static_cast<std::uint32_t>(emulation.events().size()));
    --search.nesting;
    Origin unknown;
    unknown.process = process;
    unknown.why = fmt::format("the log says that {}() wrote it, and no statement of its interval {} does", name, interval);
    for (const Range& range : promised) search.take(range, unknown);
}

// From an interval's beginning on: the call that it was, then whoever called.
void Origins::above(Search& search, std::uint32_t process, std::uint32_t interval) {
    const ProcessLog& log = run_.process(process);
    for (std::uint32_t at = interval; !search.done();) {
        const Interval& its = log.intervals()[at];
        if (its.parent == nothing) {
            earlier(search, process, at);
            return;
        }
        const auto call = run_.call_of(process, at);
        if (!call) {
            Origin unknown;
            unknown.process = process;
            unknown.why =
                fmt::format("{}(), which called {}(), cannot be emulated up to there: {}",
                            run_.program().function(log.intervals()[its.parent].function).name,
                            run_.program().function(its.function).name, run_.emulation(process, its.parent).stopped());
            search.take_all(unknown);
            return;
        }
        in_call(search, *call, at);
        in_interval(search, process, its.parent, call->event);
        at = its.parent;
    }
}

// A function of the runtime's that is not prepared leaves no log of its own, though functions that it calls do.
void Origins::doubt_root(Search& search, std::uint32_t process, std::uint32_t root) {
    if (const std::string name = run_.unprepared_entry(process, root); !name.empty())
        search.changed(name + "() is not prepared");
}

// The message of the function's call, earlier calls of the process, and the process whose memory it began with.
void Origins::earlier(Search& search, std::uint32_t process, std::uint32_t before) {
    const ProcessLog& log = run_.process(process);
    if (before < log.intervals().size() && !log.roots().empty()) {
        const std::uint32_t root = log.intervals()[before].root;
        doubt_root(search, process, root);
        for (std::uint32_t part = 0; part < log.roots()[root].message.size(); ++part) {
            Origin here;
            here.kind = Origin::Kind::Received;
            here.process = process;
            here.root = root;
            here.part = part;
            search.take(log.roots()[root].message[part], here);
        }
    }
    std::uint32_t root =
        before < log.intervals().size() ? log.intervals()[before].root : static_cast<std::uint32_t>(log.roots().size());
    for (std::uint32_t i = before; i-- > 0 && !search.done();) {
        const Interval& its = log.intervals()[i];
        while (root > its.root) doubt_root(search, process, --root);
        if (its.parent == nothing) in_finished(search, process, i);
    }
    while (root > 0 && !search.done()) doubt_root(search, process, --root);
    if (search.done()) return;
    const std::uint32_t like = log.like().empty() ? nothing : run_.find_process(log.like());
    if (!log.like().empty() && like == nothing) {
        Origin unknown;
        unknown.process = process;
        unknown.why = "the log of " + log.like() + ", whose memory the process began with, is missing or cannot be used";
        search.take_all(unknown);
    } else if (like != nothing && like != process) {
        if (!run_.process(like).whole()) search.changed("the log of " + log.like() + " is not whole");
        earlier(search, like, static_cast<std::uint32_t>(run_.process(like).intervals().size()));
    } else {
        initial(search);
    }
}

// The process that was asked knows where its globals lie.
void Origins::initial(Search& search) {
    const std::uint32_t process = search.asked;
    const ProcessLog& log = run_.process(process);
    if (run_.program().has_constructors()) search.changed("static constructors ran before the log began");
    for (const Range& range : std::vector<Range>(search.open)) {
        Origin here;
        here.process = process;
        here.global = log.global_at(range.first);
        here.kind = here.global == nothing ? Origin::Kind::Unknown : Origin::Kind::Initial;
        if (here.global == nothing) here.why = "no prepared code of the process wrote it";
        search.take(range, here);
    }
}

}  // namespace tmon_flowback

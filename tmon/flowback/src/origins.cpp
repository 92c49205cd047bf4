#include <tmon_flowback/origins.hpp>

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include <flowback_log/recorder.hpp>

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

    bool done() const { return open.empty(); }

    // Takes what a range of memory covers; `like` says where it comes from.
    void take(Range from, Origin like) {
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
            found.push_back(std::move(its));
            if (first < begin) rest.emplace_back(first, begin - first);
            if (end < first + bytes) rest.emplace_back(end, first + bytes - end);
        }
        open = std::move(rest);
    }
    void take_all(const Origin& like) {
        for (const Range& each : std::vector<Range>(open)) take(each, like);
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

std::vector<Origin> Origins::of(const EventId& before, std::uint64_t address, std::uint64_t bytes) {
    Search search;
    search.open = {{address, bytes}};
    in_interval(search, before.process, before.interval, before.event);
    if (!search.done()) above(search, before.process, before.interval);
    finish(search.found, before.process);
    return std::move(search.found);
}

std::vector<Origin> Origins::at_end(std::uint32_t process, std::uint64_t address, std::uint64_t bytes) {
    Search search;
    search.open = {{address, bytes}};
    earlier(search, process, static_cast<std::uint32_t>(run_.process(process).intervals().size()));
    finish(search.found, process);
    return std::move(search.found);
}

// Says who was asked. What init_master() allocated belongs to both processes of the manager, and their logs have no order
// between them.
void Origins::finish(std::vector<Origin>& found, std::uint32_t process) {
    const std::string& like = run_.process(process).like();
    const std::uint32_t first = like.empty() ? nothing : run_.find_process(like);
    for (Origin& each : found) each.asked = process;
    if (first == nothing || first == process) return;
    if (!shared_) {
        shared_.emplace();
        const ProcessLog& log = run_.process(first);
        for (std::uint32_t i = 0; i < log.intervals().size(); ++i) {
            const Emulation& emulation = run_.emulation(first, i);
            for (const Event& event : emulation.events()) {
                if (run_.program().site(event.site).kind != SiteKind::Call || event.extra == nothing) continue;
                if (emulation.call(event).fresh.second > 0) shared_->push_back(emulation.call(event).fresh);
            }
        }
    }
    for (Origin& each : found) {
        const bool is_shared = std::any_of(shared_->begin(), shared_->end(), [&](const Range& range) {
            return range.first < each.address + each.bytes && each.address < range.first + range.second;
        });
        if (is_shared)
            each.doubts.push_back(
                "both processes of the manager share this memory, and no log has the order of their accesses");
    }
}

// Backward through an interval's own events.
void Origins::in_interval(Search& search, std::uint32_t process, std::uint32_t interval, std::uint32_t before) {
    const Emulation& emulation = run_.emulation(process, interval);
    if (!emulation.unset_reads().empty())
        search.doubt(fmt::format("{} reads a variable before it is set, at {}",
                                 run_.program().function(run_.process(process).intervals()[interval].function).name,
                                 emulation.unset_reads().front()));
    for (std::uint32_t i = before; i-- > 0 && !search.done();) {
        const Event& event = emulation.events()[i];
        const EventId id{process, interval, i};
        Origin here;
        here.process = process;
        here.event = id;
        switch (run_.program().site(event.site).kind) {
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
        here.kind = Origin::Kind::Allocated;
        search.take(details.fresh, here);
        if (details.message != nothing) {
            const LoggedMessage& message = run_.process(call.process).messages()[details.message];
            here.kind = Origin::Kind::Received;
            here.message = details.message;
            if (message.passed == flowback_log::Passed::Got) search.take(message.place, here);
        }
        const Site& site = run_.program().site(event.site);
        if (details.unknown && !search.done())
            search.doubt(fmt::format("what {}() at {} does to memory is not known",
                                     site.callee.empty() ? "the function called" : site.callee, run_.program().place(site)));
    }
    for (std::size_t n = details.nested.size(); n-- > 0 && !search.done();) {
        if (before_nested == nothing || details.nested[n] < before_nested) in_finished(search, call.process, details.nested[n]);
    }
}

// Through an interval that was over by then. Its postlog says which memory it wrote, so most need not be emulated.
void Origins::in_finished(Search& search, std::uint32_t process, std::uint32_t interval) {
    const Interval& its = run_.process(process).intervals()[interval];
    const std::string& name = run_.program().function(its.function).name;
    const bool left = its.how == Interval::End::Left;
    if (left && !search.meets(its.wrote)) {
        if (its.unknown_inside) search.doubt(fmt::format("{}() calls a function whose effects are not known", name));
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
    if (!left) search.doubt(fmt::format("{}() ended without a return, so its log does not say all that it wrote", name));
    std::vector<Range> promised = its.wrote;
    in_interval(search, process, interval, static_cast<std::uint32_t>(emulation.events().size()));
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
        const Emulation& caller = run_.emulation(process, its.parent);
        std::uint32_t call = nothing;
        for (std::uint32_t i = 0; i < caller.events().size() && call == nothing; ++i) {
            const Event& event = caller.events()[i];
            if (run_.program().site(event.site).kind != SiteKind::Call || event.extra == nothing) continue;
            const auto& nested = caller.call(event).nested;
            if (std::find(nested.begin(), nested.end(), at) != nested.end()) call = i;
        }
        if (call == nothing) {
            Origin unknown;
            unknown.process = process;
            unknown.why = fmt::format("{}(), which called {}(), cannot be emulated up to there: {}",
                                      run_.program().function(log.intervals()[its.parent].function).name,
                                      run_.program().function(its.function).name, caller.stopped());
            search.take_all(unknown);
            return;
        }
        in_call(search, {process, its.parent, call}, at);
        in_interval(search, process, its.parent, call);
        at = its.parent;
    }
}

// The message of the function's call, earlier calls of the process, and the process whose memory it began with.
void Origins::earlier(Search& search, std::uint32_t process, std::uint32_t before) {
    const ProcessLog& log = run_.process(process);
    if (before < log.intervals().size() && !log.roots().empty()) {
        const std::uint32_t root = log.intervals()[before].root;
        constexpr const char* entries[] = {"init_master",     "data_generator", "compute_fn",
                                           "result_receiver", "split_fn",       "join_fn"};
        const std::uint32_t entry = log.roots()[root].entry;
        if (entry < std::size(entries) && run_.program().function(log.intervals()[before].function).symbol != entries[entry])
            search.doubt(fmt::format("{}() is not prepared", entries[entry]));
        for (std::uint32_t part = 0; part < log.roots()[root].message.size(); ++part) {
            Origin here;
            here.kind = Origin::Kind::Received;
            here.process = process;
            here.root = root;
            here.part = part;
            search.take(log.roots()[root].message[part], here);
        }
    }
    for (std::uint32_t i = before; i-- > 0 && !search.done();) {
        if (log.intervals()[i].parent == nothing) in_finished(search, process, i);
    }
    if (search.done()) return;
    const std::uint32_t like = log.like().empty() ? nothing : run_.find_process(log.like());
    if (!log.like().empty() && like == nothing && !run_.unusable().empty()) {
        Origin unknown;
        unknown.process = process;
        unknown.why = "the log of " + log.like() + ", whose memory the process began with, cannot be used";
        search.take_all(unknown);
    } else if (like != nothing && like != process) {
        if (!run_.process(like).whole()) search.doubt("the log of " + log.like() + " is not whole");
        earlier(search, like, static_cast<std::uint32_t>(run_.process(like).intervals().size()));
    } else {
        initial(search, process);
    }
}

void Origins::initial(Search& search, std::uint32_t process) {
    const ProcessLog& log = run_.process(process);
    if (run_.program().has_constructors()) search.doubt("static constructors ran before the log began");
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

#include "shared_accesses.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "call_reads.hpp"
#include "nesting.hpp"

namespace tmon_flowback {

using flowback_log::Range;

namespace {

bool frees(const Site& site) {
    return site.callee == "free" || site.callee == "trek_release";
}

}  // namespace

// Intervals in the order of their beginnings: an inner one rarely frees what an outer one allocates later.
Allocations allocations_of(RecordedRun& run, std::uint32_t process) {
    Allocations found;
    const ProcessLog& log = run.process(process);
    for (std::uint32_t root = 0; root < log.roots().size(); ++root) {
        const std::string name = run.unprepared_entry(process, root);
        if (!name.empty()) found.doubts.insert(name + "() is not prepared");
    }
    if (!log.whole()) found.doubts.insert("the log of " + log.name() + " is not whole");
    for (std::uint32_t i = 0; i < log.intervals().size(); ++i) {
        const Emulation& emulation = run.emulation(process, i);
        for (std::uint32_t j = 0; j < emulation.events().size(); ++j) {
            const Event& event = emulation.events()[j];
            if (run.program().kind(event.site) != SiteKind::Call || event.extra == nothing) continue;
            const Site& site = run.program().site(event.site);
            const CallDetails& details = emulation.call(event);
            if (details.fresh.second > 0) {
                const HeapBlock block{details.fresh, {process, i, j}};
                found.all[details.fresh.first] = found.left[details.fresh.first] = block;
            }
            if (frees(site) && !details.words.empty()) found.left.erase(details.words.front());
            if (details.unknown && run.interval_of({process, i, j}) == nothing)
                found.doubts.insert(fmt::format("{}() at {} may allocate memory",
                                                site.callee.empty() ? "the function called" : run.shown(site.callee),
                                                run.program().place(site)));
        }
    }
    return found;
}

std::vector<SharedAccess> SharedAccesses::of(std::uint32_t process) {
    found_.clear();
    own_ = {};
    edge_ = 0;
    const ProcessLog& log = run_.process(process);
    for (std::uint32_t i = 0; i < log.intervals().size(); ++i) {
        if (log.intervals()[i].parent == nothing) in_interval(process, i);
    }
    for (std::uint32_t root = 0; root < log.roots().size(); ++root) {
        const std::string name = run_.unprepared_entry(process, root);
        if (!name.empty()) doubt(name + "() is not prepared");
    }
    if (!log.whole()) doubt("the log of " + log.name() + " is not whole");
    return std::move(found_);
}

void SharedAccesses::in_interval(std::uint32_t process, std::uint32_t interval) {
    const Emulation& emulation = run_.emulation(process, interval);
    const Interval& its = run_.process(process).intervals()[interval];
    const std::string& name = run_.program().function(its.function).name;
    if (!emulation.complete() && its.how == Interval::End::Left)
        doubt(fmt::format("interval {} of {}() cannot be run again to its end: {}", interval, name, emulation.stopped()));
    if (nesting_ >= most_nesting) return doubt(fmt::format("{}() is called more than {} calls deep", name, most_nesting));
    auto end = static_cast<std::uint32_t>(emulation.events().size());
    if (its.how != Interval::End::Left && emulation.proved() < end) {
        end = emulation.proved();
        doubt(fmt::format("the log ends inside {}(), so its last accesses are not known", name));
    }
    ++nesting_;
    for (std::uint32_t i = 0; i < end; ++i) {
        const Event& event = emulation.events()[i];
        const EventId id{process, interval, i};
        switch (run_.program().kind(event.site)) {
            case SiteKind::Load:
                add(id, {event.address, event.bytes}, false);
                break;
            case SiteKind::Copy:
                add(id, {event.value, event.bytes}, false);
                add(id, {event.address, event.bytes}, true);
                break;
            case SiteKind::Store:
            case SiteKind::Fill:
                add(id, {event.address, event.bytes}, true);
                break;
            case SiteKind::Call:
                if (event.extra != nothing) at_call(id);
                break;
            default:
                break;
        }
    }
    --nesting_;
}

void SharedAccesses::at_call(const EventId& call) {
    const Emulation& emulation = run_.emulation(call.process, call.interval);
    const Event& event = emulation.events()[call.event];
    const Site& site = run_.program().site(event.site);
    const CallDetails& details = emulation.call(event);
    for (const std::uint32_t nested : details.nested) {
        const FunctionEntry& function = run_.program().function(run_.process(call.process).intervals()[nested].function);
        if (function.takes_structures)
            doubt(fmt::format("a structure that {}() takes by value is not followed", function.name));
        in_interval(call.process, nested);
    }
    if (run_.interval_of(call) != nothing) return;
    if (details.unknown)
        doubt(fmt::format("what {}() at {} does to memory is not known",
                          site.callee.empty() ? "the function called" : run_.shown(site.callee), run_.program().place(site)));
    const CallReads reads = reads_of(run_, call);
    for (const Range& place : reads.places) add(call, place, false);
    if (!reads.doubt.empty()) doubt(reads.doubt);
    for (const Range& place : details.wrote) add(call, place, true);
    if (frees(site) && !details.words.empty()) {
        // The whole block, as far as it is known.
        const auto block = sizes_.find(details.words.front());
        add(call, {details.words.front(), block == sizes_.end() ? 1 : block->second}, true);
    }
    own_.add(details.fresh);
    if (details.fresh.second > 0) sizes_[details.fresh.first] = details.fresh.second;
    if (details.message == nothing) return;
    const LoggedMessage& message = run_.process(call.process).messages()[details.message];
    if (message.passed != flowback_log::Passed::Got) add(call, message.place, false);
    edge_ = std::max<std::uint64_t>(edge_, details.message + 1);
}

void SharedAccesses::add(const EventId& event, Range place, bool writes) {
    if (!heap_.meets(place)) return;
    RangeSet heap = heap_;
    for (const Range& part : heap.cut(place)) found_.push_back({part, event, edge_, writes, own_.meets(part)});
}

}  // namespace tmon_flowback

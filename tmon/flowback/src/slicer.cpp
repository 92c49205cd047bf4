#include "slicer.hpp"

#include <algorithm>
#include <climits>

#include <fmt/format.h>

#include <flowback_log/recorder.hpp>

#include "nesting.hpp"
#include "senders.hpp"

namespace tmon_flowback {

namespace {

constexpr int part_of_message = static_cast<int>(flowback_log::Effect::PartOfMessage);

}  // namespace

void Slicer::need(const EventId& before, Range place) {
    queries_.push_back({before, place, std::nullopt, nothing});
}

void Slicer::run() {
    for (; !queries_.empty(); queries_.pop_front()) follow(Query(queries_.front()));
}

std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<bool>> Slicer::taken() const {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<bool>> all;
    for (const auto& [where, seen] : seen_) all[where] = seen.taken;
    return all;
}

Slicer::Pass Slicer::pass_over(std::uint32_t process, std::uint32_t interval, Needs& needs) {
    const Emulation& emulation = run_.emulation(process, interval);
    const auto [found, made] = seen_.try_emplace({process, interval});
    Seen& seen = found->second;
    if (made) {
        seen.taken.resize(emulation.events().size());
        for (std::uint32_t i = 0; i < emulation.frames().size(); ++i) {
            if (const std::uint32_t call = emulation.frames()[i].call; call != nothing) seen.frame_of_call[call] = i;
        }
    }
    return {process, interval, emulation, seen, needs};
}

void Slicer::follow(const Query& query) {
    Needs needs;
    Pass pass = pass_over(query.before.process, query.before.interval, needs);
    need_memory(pass, query.place);
    if (query.takes == query.before) {
        take(pass, query.before.event);
        const Event& its = run_.event(query.before);
        if (its.extra != nothing && run_.interval_of(query.before) == nothing) need_reads(pass, query.before.event);
    }
    if (query.takes && query.takes != query.before) queries_.push_back({*query.takes, {0, 0}, query.takes, nothing});
    if (query.before.event >= pass.emulation.proved())
        doubt("a log ends before a statement of the slice, so the process need not have come there");
    if (query.act != nothing) steps_before(pass, query.before.event, query.act);
    walk(query.before.process, query.before.interval, query.before.event, needs);
    above(query.before.process, query.before.interval, std::move(needs));
}

// Backward to the interval's beginning. Left in `needs`: what its caller, or memory from before, must give.
void Slicer::walk(std::uint32_t process, std::uint32_t interval, std::uint32_t before, Needs& needs) {
    Pass pass = pass_over(process, interval, needs);
    if (const auto& unset = pass.emulation.unset_read(); unset && unset->event < before)
        doubt(fmt::format("{}() reads a variable before it is set, at {}",
                          run_.program().function(run_.process(process).intervals()[interval].function).name, unset->place));
    for (std::uint32_t i = before; i-- > 0 && !needs.empty();) step(pass, i);
    for (const auto& [frame, block] : needs.decisions) needs.calls.insert(frame);
    needs.decisions.clear();
    needs.values.clear();
}

void Slicer::step(Pass& pass, std::uint32_t event) {
    const Event& its = pass.emulation.events()[event];
    const SiteKind kind = run_.program().kind(its.site);
    switch (kind) {
        case SiteKind::Load:
            if (pass.needs.values.erase({its.frame, its.site}) > 0) take(pass, event);
            return;
        case SiteKind::Store:
        case SiteKind::Copy:
        case SiteKind::Fill:
            return at_store(pass, event, kind);
        case SiteKind::Branch:
            return at_branch(pass, event);
        case SiteKind::Return:
            return at_return(pass, event);
        case SiteKind::Variable:
            pass.needs.memory.cut({its.address, its.bytes});
            pass.needs.values.erase({its.frame, its.site});
            return;
        case SiteKind::Call:
            return its.extra == nothing ? at_inherited(pass, event) : at_call(pass, event);
        default:
            return;
    }
}

// A copy gives no more than was asked of it.
void Slicer::at_store(Pass& pass, std::uint32_t event, SiteKind kind) {
    const Event& its = pass.emulation.events()[event];
    const std::vector<Range> given = pass.needs.memory.cut({its.address, its.bytes});
    if (given.empty()) return;
    take(pass, event);
    if (kind == SiteKind::Store) need_branch_behind(pass, event);
    if (kind != SiteKind::Copy) return;
    for (const auto& [first, bytes] : given) need_memory(pass, {its.value + (first - its.address), bytes});
}

void Slicer::at_branch(Pass& pass, std::uint32_t event) {
    const Event& its = pass.emulation.events()[event];
    auto& decisions = pass.needs.decisions;
    const auto& deciders = run_.program().function(run_.program().site(its.site).function).deciders;
    bool decides = false;
    for (auto at = decisions.lower_bound({its.frame, INT_MIN}); at != decisions.end() && at->first == its.frame;) {
        const auto& branches = deciders.at(at->second);
        const bool this_one = std::find(branches.begin(), branches.end(), its.site) != branches.end();
        decides = decides || this_one;
        at = this_one ? decisions.erase(at) : std::next(at);
    }
    if (decides) take(pass, event);
}

void Slicer::at_return(Pass& pass, std::uint32_t event) {
    const std::uint32_t call = pass.emulation.frames()[pass.emulation.events()[event].frame].call;
    bool wanted = false;
    if (call == nothing) {
        wanted = std::exchange(pass.needs.result, false);
    } else {
        const Event& its = pass.emulation.events()[call];
        wanted = pass.needs.values.count({its.frame, its.site}) != 0;
    }
    if (wanted) take(pass, event);
}

// The events of the frame have been passed.
void Slicer::at_inherited(Pass& pass, std::uint32_t event) {
    Needs& needs = pass.needs;
    const Event& its = pass.emulation.events()[event];
    bool wanted = needs.values.erase({its.frame, its.site}) > 0;
    const auto found = pass.seen.frame_of_call.find(event);
    if (found != pass.seen.frame_of_call.end()) {
        const std::uint32_t frame = found->second;
        wanted = needs.calls.erase(frame) > 0 || wanted;
        const auto of_frame = [&](auto& all, auto least) {
            return std::pair(all.lower_bound({frame, least}), all.lower_bound({frame + 1, least}));
        };
        const auto [first, last] = of_frame(needs.decisions, INT_MIN);
        wanted = first != last || wanted;
        needs.decisions.erase(first, last);
        const auto [first_value, last_value] = of_frame(needs.values, 0U);
        needs.values.erase(first_value, last_value);
        const auto [begin, end] = of_frame(needs.parameters, INT_MIN);
        std::vector<int> numbers;
        for (auto at = begin; at != end; ++at) numbers.push_back(at->second);
        needs.parameters.erase(begin, end);
        for (const int number : numbers) need_argument(pass, event, number);
        wanted = wanted || !numbers.empty();
    }
    if (wanted) take_call(pass, event);
}

// sub_result() tells the length of a part of the message that the function was called with.
void Slicer::need_length_of_part(Pass& pass, const CallDetails& details) {
    const ProcessLog& log = run_.process(pass.process);
    const std::uint32_t root = log.intervals()[pass.interval].root;
    const std::uint64_t part = details.words.empty() ? 0 : details.words.front();
    if (part >= log.roots()[root].message.size()) return;
    need_message(pass.process, root, static_cast<std::uint32_t>(part), {log.roots()[root].message[part].first, 0});
}

// Memory that the call wrote by itself, or took from a message.
bool Slicer::gives_memory(Pass& pass, std::uint32_t event) {
    const CallDetails& details = pass.emulation.call(pass.emulation.events()[event]);
    RangeSet& memory = pass.needs.memory;
    bool wrote = false;
    for (const Range& range : details.wrote) wrote = !memory.cut(range).empty() || wrote;
    const bool gives = !memory.cut(details.fresh).empty() || wrote;
    if (wrote && run_.program().site(pass.emulation.events()[event].site).effect == part_of_message)
        need_length_of_part(pass, details);
    if (wrote) need_lengths(pass, details);
    if (details.message == nothing) return gives;
    const LoggedMessage& message = run_.process(pass.process).messages()[details.message];
    if (message.passed != flowback_log::Passed::Got) return gives;
    std::vector<Range> needed = memory.cut(message.place);
    if (wrote) needed.emplace_back(message.place.first, 0);  // its length
    for (const auto& [first, bytes] : needed) {
        Origin origin;
        origin.process = pass.process;
        origin.message = details.message;
        origin.message_offset = first - message.place.first;
        received(origin, {first, bytes});
    }
    return gives || !needed.empty();
}

void Slicer::at_call(Pass& pass, std::uint32_t event) {
    const Event& its = pass.emulation.events()[event];
    const CallDetails& details = pass.emulation.call(its);
    const bool wanted = pass.needs.values.erase({its.frame, its.site}) > 0;
    const std::uint32_t callee = run_.interval_of(pass.id(event));
    const bool gives = gives_memory(pass, event);
    if (callee == nothing && details.unknown && (wanted || !pass.needs.memory.empty())) {
        const Site& site = run_.program().site(its.site);
        doubt(fmt::format("what {}() at {} does is not known",
                          site.callee.empty() ? "the function called" : run_.shown(site.callee), run_.program().place(site)));
    }
    if ((gives || wanted) && callee == nothing) {
        take(pass, event);
        need_reads(pass, event);
    } else if (gives || wanted) {
        take_call(pass, event);
    }
    for (std::size_t n = details.steps.size(); n-- > 0;) {
        const CallStep& step = details.steps[n];
        if (step.is_act)
            at_act(pass, event, step.number);
        else
            at_nested(pass, event, step.number, wanted && step.number == callee);
    }
}

void Slicer::at_nested(Pass& pass, std::uint32_t event, std::uint32_t nested, bool wanted) {
    Needs inner;
    inner.memory = std::move(pass.needs.memory);
    inner.result = wanted;
    pass_finished(pass.process, nested, inner);
    pass.needs.memory = std::move(inner.memory);
    if (!inner.calls.empty() || !inner.parameters.empty()) {
        const bool prepared = run_.interval_of(pass.id(event)) == nested;
        prepared ? take_call(pass, event) : take(pass, event);
        if (!prepared) return;
        for (const auto& [frame, number] : inner.parameters) need_argument(pass, event, number);
    }
}

// An interval that was over by then. Its postlog says which memory it wrote, so most need not be emulated.
void Slicer::pass_finished(std::uint32_t process, std::uint32_t interval, Needs& needs) {
    const Interval& its = run_.process(process).intervals()[interval];
    const std::string& name = run_.program().function(its.function).name;
    const bool left = its.how == Interval::End::Left;
    if (left && !needs.result && !needs.memory.meets(its.wrote)) {
        if (its.unknown_inside && !needs.memory.empty())
            doubt(fmt::format("{}() calls a function whose effects are not known", name));
        return;
    }
    const Emulation& emulation = run_.emulation(process, interval);
    if (nesting_ >= most_nesting || (left && !emulation.complete())) {
        doubt(nesting_ >= most_nesting
                  ? fmt::format("{}() and what it called are not followed more than {} calls deep", name, most_nesting)
                  : fmt::format("interval {} of {}() cannot be run again to its end: {}", interval, name, emulation.stopped()));
        for (const Range& range : its.wrote) needs.memory.cut(range);
        needs.result = false;
        return;
    }
    if (!left) doubt(fmt::format("{}() ended without a return, so its log does not say all that it wrote", name));
    ++nesting_;
    walk(process, interval, static_cast<std::uint32_t>(emulation.events().size()), needs);
    --nesting_;
    needs.result = false;
}

}  // namespace tmon_flowback

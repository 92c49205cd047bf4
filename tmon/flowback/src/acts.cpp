#include "acts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "call_reads.hpp"

namespace tmon_flowback {

using flowback_log::ActKind;
using flowback_log::Range;

std::vector<Range> places_of(const std::vector<Range>& pieces, std::uint64_t offset, std::uint64_t bytes) {
    std::vector<Range> places;
    std::uint64_t at = 0;
    for (const auto& [first, count] : pieces) {
        const std::uint64_t begin = std::max(at, offset), end = std::min(at + count, offset + bytes);
        if (begin < end) places.emplace_back(first + (begin - at), end - begin);
        at += count;
        if (at >= offset + bytes) break;
    }
    return places;
}

std::uint64_t bytes_of(const std::vector<Range>& pieces) {
    std::uint64_t all = 0;
    for (const Range& each : pieces) all += each.second;
    return all;
}

Range whole_elements(const LoggedAct& act, std::uint64_t offset, std::uint64_t bytes) {
    const std::uint64_t element = std::max<std::uint64_t>(act.tag, 1);
    const std::uint64_t begin = offset / element * element;
    const std::uint64_t end = (offset + bytes + element - 1) / element * element;
    return {begin, end - begin};
}

std::optional<ActId> sender_of(const RecordedRun& run, const ActId& received, std::string& why) {
    const ProcessLog& log = run.process(received.process);
    const LoggedAct& its = log.acts()[received.act];
    if (its.flow == 0 || !log.rank()) {
        why = fmt::format("which message of rank {} it was is not known: its number is damaged, or was not sent", its.peer);
        return std::nullopt;
    }
    const std::uint32_t sender = run.process_of_rank(its.peer);
    if (sender == nothing) {
        why = fmt::format("there is no log of rank {}, which sent it", its.peer);
        return std::nullopt;
    }
    const std::uint32_t act = run.process(sender).act_of(ActKind::Sent, *log.rank(), its.flow);
    if (act == nothing) {
        why = fmt::format("the log of rank {} does not have message {} to rank {}", its.peer, its.flow, *log.rank());
        return std::nullopt;
    }
    const LoggedAct& sent = run.process(sender).acts()[act];
    const bool told = its.kind == ActKind::Received;  // Saw has no more than the number
    if (told && (sent.tag != its.tag || sent.context != its.context || bytes_of(sent.from) < bytes_of(its.to))) {
        why = fmt::format("message {} of rank {} has another tag, communicator or length in the sender's log", its.flow,
                          its.peer);
        return std::nullopt;
    }
    return ActId{sender, act};
}

std::optional<ActId> receiver_of(const RecordedRun& run, const ActId& sent) {
    const ProcessLog& log = run.process(sent.process);
    const LoggedAct& its = log.acts()[sent.act];
    if (its.flow == 0 || !log.rank()) return std::nullopt;
    const std::uint32_t receiver = run.process_of_rank(its.peer);
    if (receiver == nothing) return std::nullopt;
    const std::uint32_t act = run.process(receiver).act_of(ActKind::Received, *log.rank(), its.flow);
    if (act == nothing) return std::nullopt;
    return ActId{receiver, act};
}

std::vector<DataSource> DataWay::sources(const EventId& call, std::uint32_t act, std::uint64_t offset, std::uint64_t bytes) {
    found_.clear();
    doubts_.clear();
    seen_.clear();
    follow(call, act, {offset, bytes}, {});
    for (DataSource& each : found_) each.doubts = doubts_;
    return std::move(found_);
}

void DataWay::stop(std::string why) {
    DataSource end;
    end.why = std::move(why);
    found_.push_back(std::move(end));
}

void DataWay::follow(const EventId& call, std::uint32_t act, Range part, Way way) {
    if (!seen_.insert({call.process, act, part.first, part.second, way.combined}).second) return;
    const LoggedAct& its = run_.process(call.process).acts()[act];
    if (its.kind == ActKind::Copied) return place(call, act, places_of(its.from, part.first, part.second), way);
    if (its.kind == ActKind::Combined) {
        const Range whole = whole_elements(its, part.first, part.second);
        way.combined = true;
        place(call, act, places_of(its.to, whole.first, whole.second), way);
        return place(call, act, places_of(its.from, whole.first, whole.second), way);
    }
    std::string why;
    const auto sent = sender_of(run_, {call.process, act}, why);
    if (!sent) return stop(std::move(why));
    const auto sender = run_.call_of_act(sent->process, sent->act);
    if (!sender)
        return stop(fmt::format("no prepared code of {} sent it, or its interval cannot be run again so far",
                                run_.with_rank(sent->process)));
    way.received = true;
    if (const std::string doubt = unknown_call(run_, *sender); !doubt.empty()) doubts_.push_back(doubt);
    place(*sender, sent->act, places_of(run_.process(sent->process).acts()[sent->act].from, part.first, part.second), way);
}

// A function of the program that the library called has written it: in an interval inside the call.
bool DataWay::is_inside(const EventId& call, const Origin& origin) {
    if (!origin.event || origin.event->process != call.process) return false;
    const auto& intervals = run_.process(call.process).intervals();
    const Event& event = run_.event(call);
    if (event.extra == nothing) return false;
    const auto& nested = run_.emulation(call.process, call.interval).call(event).nested;
    for (std::uint32_t at = origin.event->interval; at != nothing; at = intervals[at].parent) {
        if (std::find(nested.begin(), nested.end(), at) != nested.end()) return true;
    }
    return false;
}

// The places as they were before the act. What the library itself put there is followed further; memory of the program is the
// end, unless the same call or operation has written it.
void DataWay::place(const EventId& call, std::uint32_t act, const std::vector<Range>& places, Way way) {
    const LoggedAct& own = run_.process(call.process).acts()[act];
    for (const auto& [first, count] : places) {
        for (const Origin& origin : origins_.of(call, first, count, act)) {
            Way its = way;
            its.asked += origin.address - first;
            const bool moved = origin.act != nothing && origin.event;
            const bool goes_on = moved && own.operation != 0 && origin.process == call.process &&
                                 run_.process(origin.process).acts()[origin.act].operation == own.operation;
            if (moved && (*origin.event == call || goes_on || !is_of_program(run_, call, origin.address))) {
                doubts_.insert(doubts_.end(), origin.doubts.begin(), origin.doubts.end());
                follow(*origin.event, origin.act, {origin.message_offset, origin.bytes}, its);
                continue;
            }
            DataSource source;
            source.call = call;
            source.act = act;
            source.place = {origin.address, origin.bytes};
            source.offset = its.asked;
            source.combined = way.combined;
            source.received = way.received;
            source.inside = is_inside(call, origin);
            source.origin = origin;
            DataSource* last = found_.empty() ? nullptr : &found_.back();
            const bool joins = last != nullptr && last->why.empty() && !last->inside && !source.inside && last->call == call &&
                               last->act == act && last->combined == way.combined &&
                               last->place.first + last->place.second == origin.address &&
                               last->offset + last->place.second == its.asked;
            if (joins)
                last->place.second += origin.bytes;
            else
                found_.push_back(std::move(source));
        }
        way.asked += count;
    }
}

std::string unknown_call(RecordedRun& run, const EventId& call) {
    const Event& event = run.event(call);
    if (event.extra == nothing || run.interval_of(call) != nothing) return {};
    const Site& site = run.site(call);
    if (!run.emulation(call.process, call.interval).call(event).unknown) return {};
    return fmt::format("what {}() at {} does to memory is not known",
                       site.callee.empty() ? "the function called" : run.shown(site.callee), run.program().place(site));
}

bool is_of_program(RecordedRun& run, const EventId& before, std::uint64_t address) {
    return rest_of_object(run, before, address).has_value();
}

}  // namespace tmon_flowback

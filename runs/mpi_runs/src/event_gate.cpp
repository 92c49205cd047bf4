#include <mpi_runs/event_gate.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace mpi_runs {
namespace {

using tmon_recovery::EventNo;
using tmon_recovery::Message;
using tmon_recovery::MessageKind;
using tmon_recovery::MessageNo;
using tmon_recovery::ProcessNo;

std::uint64_t hash_with(std::uint64_t hash, bool receive, std::size_t peer, std::uint32_t bytes, std::uint32_t check) {
    const std::array<std::uint64_t, 3> event{(std::uint64_t{peer} << 1U) | std::uint64_t{receive}, bytes, check};
    return (hash * 0x100000001b3U) ^ tmon_recovery::checksum(event.data(), sizeof event);
}

std::string event_text(bool receive, std::size_t peer, std::uint32_t bytes, const std::string& line, bool same_form) {
    return fmt::format("a packet of {} bytes {} rank {}{}{}", bytes & ((1U << Message::kind_shift) - 1), receive ? "of" : "to",
                       peer, line.empty() ? "" : " in the call at " + line, same_form ? ", with other contents" : "");
}

}  // namespace

EventGate::EventGate(const tmon_recovery::EventGraph& graph, const tmon_recovery::RunRecord& record,
                     const tmon_recovery::BreakpointSet& set)
    : graph_(graph), record_(record), set_(set), ranks_(graph.processes()) {
    // A rank without events may never call MPI_Init(), so nobody waits for it.
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        if (graph.events(static_cast<ProcessNo>(rank)) > 0) continue;
        ranks_[rank].is_there = ranks_[rank].reached = true;
        ++reached_;
    }
    for (const tmon_recovery::FailedLooks& its : record.looks)
        if (its.process < ranks_.size()) ranks_[its.process].failed.push_back(its);
    for (const tmon_recovery::ClockRead& its : record.clocks)
        if (its.process < ranks_.size()) ranks_[its.process].clocks.push_back(its.seconds);
}

std::int32_t EventGate::arrive(Rank& its) {
    if (its.event < set_[static_cast<std::size_t>(&its - ranks_.data())] || its.reached) return goes_on;
    its.reached = true;
    ++reached_;
    return stops;
}

std::int32_t EventGate::starts(std::size_t rank, std::uint64_t clock_us) {
    Rank& its = ranks_[rank];
    there_ += its.is_there ? 0 : 1;
    its.is_there = true;
    // From a line all go on together, as their checkpoints lay.
    if (start_ != nullptr && there_ < ranks_.size()) return EventWatch::waits;
    its.begin_us = its.last_us = clock_us;
    if (runs(rank)) return its.reached ? stops : arrive(its);
    reached_ += its.reached ? 0 : 1;
    its.reached = true;
    return stops;
}

std::int32_t EventGate::sends(std::size_t rank, const Packet& packet, std::uint64_t clock_us) {
    if (wants_image(rank)) return hands_image;
    const std::int32_t answer = compare(rank, false, packet, clock_us);
    if (answer != goes_on || start_ == nullptr) return answer;
    if (!is_swallowed(graph_.message_of(static_cast<ProcessNo>(rank), ranks_[rank].event))) return goes_on;
    ++swallowed_;
    return swallows;
}
std::int32_t EventGate::taken(std::size_t rank, const Packet& packet, std::uint64_t clock_us) {
    Rank& its = ranks_[rank];
    its.looks = 0;
    ++its.next_take;
    const std::int32_t answer = compare(rank, true, packet, clock_us);
    if (keeping_ != nullptr && !divergence_) {
        const tmon_recovery::MessageNo number = graph_.message_of(static_cast<ProcessNo>(rank), its.event);
        if (keeping_->log[number] != tmon_recovery::LogRule::None) keeping_->message(number, packet.words, packet.body);
    }
    return answer;
}

bool EventGate::wants_image(std::size_t rank) const {
    if ((keeping_ == nullptr && start_ == nullptr) || divergence_ || ranks_[rank].reached) return false;
    const std::vector<EventNo>& wanted = keeping_ != nullptr ? keeping_->images[rank] : start_->compared[rank];
    const Rank& its = ranks_[rank];
    return its.next_image < wanted.size() && wanted[its.next_image] == its.event;
}
void EventGate::keep(std::size_t rank, std::uint64_t clock_us, user_programs::ProcessImage&& image) {
    Rank& its = ranks_[rank];
    ++its.next_image;
    if (keeping_ == nullptr) {
        const auto where = start_->compare(rank, its.event, image);
        compared_ += where ? 1 : 0;
        if (where && !where->empty()) differences_.push_back({rank, its.event, *where});
        return;
    }
    RankImage kept;
    kept.rank = static_cast<std::uint32_t>(rank);
    kept.after = its.event;
    kept.clocks_read = static_cast<std::uint32_t>(its.next_clock);
    kept.since_us = static_cast<std::uint32_t>(clock_us - its.last_us);
    kept.process = std::move(image);
    keeping_->image(kept);
}
void EventGate::has_no_image(std::size_t rank, const std::string& why) {
    ++ranks_[rank].next_image;
    if (keeping_ != nullptr) keeping_->no_image(rank, ranks_[rank].event, why);
}

void EventGate::begins_at(const ReplayStart& start) {
    start_ = &start;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) ranks_[rank].from = ranks_[rank].event = start.after[rank];
    for (Rank& its : ranks_) there_ += its.is_there ? 1 : 0;
}
std::shared_ptr<const user_programs::ProcessImage> EventGate::begins_from(std::size_t rank) {
    // Another process that the rank starts on its node begins with main().
    if (start_ == nullptr || !runs(rank) || ranks_[rank].from == 0 || std::exchange(ranks_[rank].goes_on, true)) return nullptr;
    RankImage image = start_->image(rank);
    ranks_[rank].next_clock = image.clocks_read;
    return std::make_shared<const user_programs::ProcessImage>(std::move(image.process));
}

// One that is logged, or whose sender does not send it again.
bool EventGate::comes_from_log(MessageNo message) const {
    const Message& its = graph_.messages()[message];
    return start_->log[message] != tmon_recovery::LogRule::None || its.sent <= start_->after[its.from];
}
// It was received before the line, or comes from the log.
bool EventGate::is_swallowed(MessageNo message) const {
    const Message& its = graph_.messages()[message];
    return !runs(its.to) || (its.received != 0 && (its.received <= start_->after[its.to] || comes_from_log(message)));
}
std::span<const std::byte> EventGate::fed(std::size_t rank) {
    ++fed_;
    return start_->messages.content(graph_.message_of(static_cast<ProcessNo>(rank), ranks_[rank].next_take));
}

// The next take of the record, and how often it finds nothing before.
std::int32_t EventGate::takes(std::size_t rank, bool waits, std::uint64_t) {
    Rank& its = ranks_[rank];
    if (wants_image(rank)) return hands_image;
    const auto process = static_cast<ProcessNo>(rank);
    its.next_take = std::max(its.next_take, its.event + 1);
    while (its.next_take <= graph_.events(process) && !graph_.is_receive(process, its.next_take)) ++its.next_take;
    if (its.next_take > graph_.events(process)) return waits ? stops : finds_nothing;
    while (its.next_failed < its.failed.size() && its.failed[its.next_failed].event < its.next_take) ++its.next_failed;
    const bool fails = its.next_failed < its.failed.size() && its.failed[its.next_failed].event == its.next_take;
    if (fails && its.looks < its.failed[its.next_failed].looks) {
        ++its.looks;
        return finds_nothing;
    }
    const MessageNo number = graph_.message_of(process, its.next_take);
    if (start_ != nullptr && comes_from_log(number)) {
        if (!start_->messages.content(number).empty()) return is_fed;
        return diverge(rank, "nothing, as the log lacks the packet");
    }
    return from + static_cast<std::int32_t>(graph_.messages()[number].from);
}

double EventGate::reads_clock(std::size_t rank, double seconds) {
    Rank& its = ranks_[rank];
    return its.next_clock < its.clocks.size() ? its.clocks[its.next_clock++] : seconds;
}

std::string EventGate::recorded_text(std::size_t rank, EventNo event) const {
    const auto process = static_cast<ProcessNo>(rank);
    if (event > graph_.events(process)) return record_.whole() ? "nothing more" : "nothing more, as it was cut off";
    const Message& its = graph_.messages()[graph_.message_of(process, event)];
    const bool receive = graph_.is_receive(process, event);
    const std::uint16_t line = receive ? its.received_line : its.sent_line;
    return event_text(receive, receive ? its.from : its.to, its.bytes, record_.lines[line < record_.lines.size() ? line : 0],
                      false);
}

std::int32_t EventGate::diverge(std::size_t rank, const std::string& came) {
    if (!divergence_)
        divergence_ = fmt::format("the replay diverges at event {} of P{}: the record has {}, and now comes {}",
                                  ranks_[rank].event, rank, recorded_text(rank, ranks_[rank].event), came);
    return stops;
}

std::int32_t EventGate::compare(std::size_t rank, bool receive, const Packet& packet, std::uint64_t clock_us) {
    Rank& its = ranks_[rank];
    if (its.reached || divergence_) return stops;
    const auto process = static_cast<ProcessNo>(rank);
    const EventNo event = ++its.event;
    const std::uint32_t bytes = Message::with_kind(packet.kind, packet.bytes);
    its.hash = hash_with(its.hash, receive, packet.peer, bytes, packet.check);
    its.last_us = clock_us;
    if (event > graph_.events(process)) return diverge(rank, event_text(receive, packet.peer, bytes, *packet.line, false));
    const tmon_recovery::MessageNo number = graph_.message_of(process, event);
    const Message& recorded = graph_.messages()[number];
    const bool same_form = graph_.is_receive(process, event) == receive &&
                           (receive ? recorded.from : recorded.to) == packet.peer && recorded.bytes == bytes;
    if (!same_form || record_.checks[number] != packet.check)
        return diverge(rank, event_text(receive, packet.peer, bytes, *packet.line, same_form));
    return arrive(its);
}

EventGate::Stop EventGate::stop(std::size_t rank) const {
    const Rank& its = ranks_[rank];
    return {its.event, its.hash, its.last_us - its.begin_us, its.reached};
}

std::uint64_t EventGate::recorded_hash(std::size_t rank) const {
    const auto process = static_cast<ProcessNo>(rank);
    std::uint64_t hash = 0;
    for (EventNo event = ranks_[rank].from + 1; event <= set_[rank]; ++event) {
        const tmon_recovery::MessageNo number = graph_.message_of(process, event);
        const Message& its = graph_.messages()[number];
        const bool receive = graph_.is_receive(process, event);
        hash = hash_with(hash, receive, receive ? its.from : its.to, its.bytes, record_.checks[number]);
    }
    return hash;
}

}  // namespace mpi_runs

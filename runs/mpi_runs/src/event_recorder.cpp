#include <mpi_runs/event_recorder.hpp>

#include <algorithm>

namespace mpi_runs {

using tmon_recovery::Message;
using tmon_recovery::MessageKind;
using tmon_recovery::ProcessSpan;

EventRecorder::EventRecorder(const std::string& path, const std::string& manifest, std::size_t ranks)
    : writer_(path, manifest, ranks), ranks_(ranks) {}

// Clocks run evenly. So two pulses that come to all at once say how each one goes beside that of rank 0, whose time is the
// common one.
ProcessSpan EventRecorder::span(const Rank& its) const {
    ProcessSpan span;
    span.begin_ns = static_cast<std::int64_t>(its.begin_us) * 1000;
    span.end_ns = static_cast<std::int64_t>(its.last_us) * 1000;
    const auto since = static_cast<std::int64_t>(its.begin_us - its.first_pulse_us) * 1000;
    span.begin_common_ns = since;
    if (pulses_ < 2 || its.last_pulse_us <= its.first_pulse_us) return span;
    const auto common = static_cast<double>(ranks_.front().last_pulse_us - ranks_.front().first_pulse_us);
    const double faster = common / static_cast<double>(its.last_pulse_us - its.first_pulse_us) - 1;
    span.drift_ppb = static_cast<std::int32_t>(faster * 1e9);
    span.begin_common_ns += static_cast<std::int64_t>(static_cast<double>(since) * faster);
    return span;
}

std::int32_t EventRecorder::starts(std::size_t rank, std::uint64_t clock_us) {
    Rank& its = ranks_[rank];
    its.started = true;
    its.begin_us = its.last_us = clock_us;
    writer_.begins(static_cast<tmon_recovery::ProcessNo>(rank), span(its));
    return goes_on;
}

std::int32_t EventRecorder::sends(std::size_t rank, const Packet& packet, std::uint64_t clock_us) {
    Rank& its = ranks_[rank];
    Sent sent{.check = packet.check};
    sent.message.sent = ++its.events;
    sent.message.from = static_cast<std::uint16_t>(rank);
    sent.message.to = static_cast<std::uint16_t>(packet.peer);
    sent.message.sent_line = writer_.line(*packet.line);
    sent.message.bytes = Message::with_kind(packet.kind, packet.bytes);
    sent.message.sent_ns = static_cast<std::int64_t>(clock_us) * 1000;
    its.last_us = clock_us;
    messages_ += packet.kind == MessageKind::Message;
    under_way_[{rank, packet.peer}].push_back(sent);
    return goes_on;
}

std::int32_t EventRecorder::takes(std::size_t rank, bool waits, std::uint64_t clock_us) {
    Rank& its = ranks_[rank];
    ++its.looks;
    its.ready_us = waits ? clock_us : 0;
    return goes_on;
}

std::int32_t EventRecorder::taken(std::size_t rank, const Packet& packet, std::uint64_t clock_us) {
    Rank& its = ranks_[rank];
    std::deque<Sent>& sent = under_way_[{packet.peer, rank}];
    if (sent.empty()) return goes_on;
    Message message = sent.front().message;
    message.received = ++its.events;
    message.received_line = writer_.line(*packet.line);
    message.received_ns = static_cast<std::int64_t>(clock_us) * 1000;
    if (its.ready_us != 0)
        message.waited_us = static_cast<std::int32_t>(std::min<std::uint64_t>(clock_us - its.ready_us, INT32_MAX));
    if (its.looks > 1)
        writer_.add(tmon_recovery::FailedLooks{static_cast<std::uint16_t>(rank), 0, message.received, its.looks - 1});
    its.looks = 0;
    its.last_us = clock_us;
    writer_.add(message, sent.front().check);
    sent.pop_front();
    return goes_on;
}

void EventRecorder::ends(std::size_t rank, std::uint64_t clock_us) {
    ranks_[rank].last_us = std::max(ranks_[rank].last_us, clock_us);
}

double EventRecorder::reads_clock(std::size_t rank, double seconds) {
    writer_.add(tmon_recovery::ClockRead{static_cast<std::uint32_t>(rank), 0, seconds});
    return seconds;
}

void EventRecorder::pulse(std::span<const std::uint64_t> clocks_us) {
    ++pulses_;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        ranks_[rank].last_pulse_us = clocks_us[rank];
        if (pulses_ > 1) continue;
        ranks_[rank].first_pulse_us = clocks_us[rank];
        ranks_[rank].begin_us = ranks_[rank].last_us = clocks_us[rank];
    }
}

void EventRecorder::finish(const std::string& end) {
    for (const auto& [pair, sent] : under_way_)
        for (const Sent& its : sent) writer_.add(its.message, its.check);
    std::vector<ProcessSpan> spans;
    for (const Rank& its : ranks_) spans.push_back(span(its));
    writer_.finish(spans, end);
}

}  // namespace mpi_runs

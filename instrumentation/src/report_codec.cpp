#include <instrumentation/report_codec.hpp>

#include <algorithm>
#include <cstring>

#include <instrumentation/record_codec.hpp>
#include <vocabulary/contract.hpp>

namespace instrumentation {

using trace_record::LossCause;
using trace_record::LossRange;
using trollius_os::decode;
using trollius_os::Message;
using vocabulary::NodeId;

namespace {

std::uint32_t low_word(std::uint64_t value) {
    return static_cast<std::uint32_t>(value);
}

// The seal keeps damaged messages out; this keeps out messages that another program made.
bool makes_sense(const LossRange& loss) {
    return loss.first_seq <= loss.last_seq && static_cast<std::uint8_t>(loss.cause) < trace_record::loss_causes &&
           !loss.classes.empty();
}

template <class Field>
void put_field(std::byte*& at, Field value) {
    for (std::size_t i = 0; i < sizeof value; ++i) *at++ = static_cast<std::byte>(std::uint64_t{value} >> (8 * i));
}
std::uint32_t get(const std::byte*& at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < sizeof value; ++i) value |= std::to_integer<std::uint32_t>(*at++) << (8 * i);
    return value;
}

LossRange loss_in(const LossReport& report) {
    LossRange loss{report.about.node().value(), report.first_seq, report.last_seq};
    loss.cause = report.about.cause();
    loss.classes = report.about.classes();
    loss.from_us = report.from_us;
    loss.until_us = report.until_us;
    return loss;
}

LossRange loss_at(const std::byte* at, std::uint16_t node) {
    LossRange loss;
    loss.node = node;
    loss.first_seq = get(at);
    loss.last_seq = get(at);
    loss.from_us = get(at);
    loss.until_us = get(at);
    const std::uint32_t about = get(at);
    loss.cause = static_cast<LossCause>(about & 0xFFU);
    loss.classes = trace_record::ClassSet::from_bits(static_cast<std::uint8_t>(about >> 8U));
    return loss;
}

}  // namespace

Message trace_report(NodeId node, std::uint64_t unloaded_us, std::uint32_t first_seq, std::uint32_t last_seq,
                     std::uint32_t records, std::span<std::byte> body) {
    const TraceReport report{{Report::Trace, node.value()}, low_word(unloaded_us), first_seq, records, last_seq};
    return {.data = trollius_os::encode(report), .length = static_cast<std::uint32_t>(body.size()), .body = body};
}

Message loss_report(const LossRange& loss) {
    const LossReport report{ReportWord(loss), low_word(loss.from_us), loss.first_seq, loss.last_seq, low_word(loss.until_us)};
    return {.data = trollius_os::encode(report)};
}

Message losses_report(std::span<const LossRange> losses, std::span<std::byte> body) {
    EXPECTS(!losses.empty() && body.size() >= losses.size() * loss_bytes, "report_codec.losses");
    std::byte* at = body.data();
    for (const LossRange& loss : losses) {
        put_field(at, loss.first_seq);
        put_field(at, loss.last_seq);
        put_field(at, static_cast<std::uint32_t>(loss.from_us));
        put_field(at, static_cast<std::uint32_t>(loss.until_us));
        put_field(at, static_cast<std::uint32_t>(loss.cause) | std::uint32_t{loss.classes.bits()} << 8U);
    }
    const LossesReport report{{Report::Losses, losses.front().node},
                              static_cast<std::uint32_t>(losses.size()),
                              losses.front().first_seq,
                              losses.back().last_seq};
    return {.data = trollius_os::encode(report),
            .length = static_cast<std::uint32_t>(losses.size() * loss_bytes),
            .body = body.first(losses.size() * loss_bytes)};
}

Message end_report(NodeId node, std::uint32_t records, std::uint32_t dropped_messages) {
    const EndReport report{.about = {Report::End, node.value()}, .records = records, .dropped_messages = dropped_messages};
    return {.data = trollius_os::encode(report)};
}

Message heartbeat_report(NodeId node, std::uint64_t before_us) {
    const HeartbeatReport report{{Report::Heartbeat, node.value()}, low_word(before_us)};
    return {.data = trollius_os::encode(report)};
}

std::optional<ReportHead> head_of(const Message& report) {
    if (const auto trace = decode<TraceReport>(report)) {
        if (report.length / trace->records < record_bytes) return {};
        return ReportHead{.what = Report::Trace,
                          .node = trace->about.node(),
                          .first_seq = trace->first_seq,
                          .last_seq = trace->last_seq,
                          .count = trace->records,
                          .unloaded_us = trace->unloaded_us};
    }
    if (const auto losses = decode<LossesReport>(report)) {
        const std::uint32_t count = report.length > 0 ? losses->losses : 0;  // one loss alone has no body
        if (report.length > 0 && report.length / loss_bytes < count) return {};
        return ReportHead{.what = Report::Losses,
                          .node = losses->about.node(),
                          .first_seq = losses->first_seq,
                          .last_seq = losses->last_seq,
                          .count = count};
    }
    if (const auto end = decode<EndReport>(report))
        return ReportHead{.what = Report::End,
                          .node = end->about.node(),
                          .first_seq = end->records,
                          .dropped_messages = end->dropped_messages};
    if (const auto heartbeat = decode<HeartbeatReport>(report))
        return ReportHead{.what = Report::Heartbeat, .node = heartbeat->about.node(), .before_us = heartbeat->before_us};
    return {};
}

std::vector<LossRange> losses_of(const Message& report) {
    const std::optional<ReportHead> head = head_of(report);
    if (!head || head->what != Report::Losses) return {};
    std::vector<LossRange> losses;
    if (report.length == 0) losses.push_back(loss_in(*decode<LossReport>(report)));
    for (std::uint32_t i = 0; i < head->count; ++i)
        losses.push_back(loss_at(report.body.data() + i * loss_bytes, head->node.value()));
    if (!std::all_of(losses.begin(), losses.end(), makes_sense)) losses.clear();
    return losses;
}

}  // namespace instrumentation

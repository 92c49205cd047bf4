#include <instrumentation/report_codec.hpp>

#include <algorithm>
#include <cstring>

#include <instrumentation/record_codec.hpp>
#include <vocabulary/contract.hpp>

namespace instrumentation {

using trace_record::LossCause;
using trace_record::LossRange;
using trollius_os::Message;
using vocabulary::NodeId;

namespace {

std::int32_t word(std::uint64_t value) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
}
std::int32_t first_word(Report what, std::uint16_t node, const LossRange* loss = nullptr) {
    const std::uint32_t about =
        loss == nullptr ? 0 : static_cast<std::uint32_t>(loss->cause) << 4U | loss->classes.bits() << 8U;
    return word(static_cast<std::uint32_t>(what) | about | std::uint32_t{node} << 16U);
}
std::uint32_t unsigned_word(const Message& report, std::size_t number) {
    return static_cast<std::uint32_t>(report.data[number]);
}

// The seal keeps damaged messages out; this keeps out messages that another program made.
bool makes_sense(const LossRange& loss) {
    return loss.first_seq <= loss.last_seq && static_cast<std::uint8_t>(loss.cause) < trace_record::loss_causes &&
           !loss.classes.empty();
}

template <class Field>
void put(std::byte*& at, Field value) {
    for (std::size_t i = 0; i < sizeof value; ++i) *at++ = static_cast<std::byte>(std::uint64_t{value} >> (8 * i));
}
std::uint32_t get(const std::byte*& at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < sizeof value; ++i) value |= std::to_integer<std::uint32_t>(*at++) << (8 * i);
    return value;
}

LossRange loss_in_pouch(const Message& report, std::uint16_t node) {
    LossRange loss{node, unsigned_word(report, 2), unsigned_word(report, 3)};
    loss.cause = static_cast<LossCause>(unsigned_word(report, 0) >> 4U & 0xFU);
    loss.classes = trace_record::ClassSet::from_bits(static_cast<std::uint8_t>(unsigned_word(report, 0) >> 8U));
    loss.from_us = unsigned_word(report, 1);
    loss.until_us = unsigned_word(report, 4);
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
    return {
        .data = {first_word(Report::Trace, node.value()), word(unloaded_us), word(first_seq), word(records), word(last_seq)},
        .length = static_cast<std::uint32_t>(body.size()),
        .body = body};
}

Message loss_report(const LossRange& loss) {
    return {.data = {first_word(Report::Losses, loss.node, &loss), word(loss.from_us), word(loss.first_seq),
                     word(loss.last_seq), word(loss.until_us)}};
}

Message losses_report(std::span<const LossRange> losses, std::span<std::byte> body) {
    EXPECTS(!losses.empty() && body.size() >= losses.size() * loss_bytes, "report_codec.losses");
    std::byte* at = body.data();
    for (const LossRange& loss : losses) {
        put(at, loss.first_seq);
        put(at, loss.last_seq);
        put(at, static_cast<std::uint32_t>(loss.from_us));
        put(at, static_cast<std::uint32_t>(loss.until_us));
        put(at, static_cast<std::uint32_t>(loss.cause) | std::uint32_t{loss.classes.bits()} << 8U);
    }
    return {.data = {first_word(Report::Losses, losses.front().node), word(losses.size()), word(losses.front().first_seq),
                     word(losses.back().last_seq)},
            .length = static_cast<std::uint32_t>(losses.size() * loss_bytes),
            .body = body.first(losses.size() * loss_bytes)};
}

Message end_report(NodeId node, std::uint32_t records, std::uint32_t dropped_messages) {
    return {.data = {first_word(Report::End, node.value()), 0, word(records), 0, word(dropped_messages)}};
}

std::optional<ReportHead> head_of(const Message& report) {
    const auto what = static_cast<Report>(unsigned_word(report, 0) & 0xFU);
    ReportHead head{what, NodeId(static_cast<NodeId::value_type>(unsigned_word(report, 0) >> 16U)), unsigned_word(report, 2)};
    switch (what) {
        case Report::Trace:
            head.unloaded_us = unsigned_word(report, 1);
            head.count = unsigned_word(report, 3);
            head.last_seq = unsigned_word(report, 4);
            if (head.count == 0 || head.last_seq < head.first_seq || report.length / head.count < record_bytes) return {};
            return head;
        case Report::Losses:
            head.count = report.length > 0 ? unsigned_word(report, 1) : 0;
            head.last_seq = unsigned_word(report, 3);
            if (report.length > 0 && report.length / loss_bytes < head.count) return {};
            return head;
        case Report::End:
            head.dropped_messages = unsigned_word(report, 4);
            return head;
    }
    return {};
}

std::vector<LossRange> losses_of(const Message& report) {
    const std::optional<ReportHead> head = head_of(report);
    if (!head || head->what != Report::Losses) return {};
    std::vector<LossRange> losses;
    if (report.length == 0) losses.push_back(loss_in_pouch(report, head->node.value()));
    for (std::uint32_t i = 0; i < head->count; ++i)
        losses.push_back(loss_at(report.body.data() + i * loss_bytes, head->node.value()));
    if (!std::all_of(losses.begin(), losses.end(), makes_sense)) losses.clear();
    return losses;
}

}  // namespace instrumentation

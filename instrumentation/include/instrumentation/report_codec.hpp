// The reports of a node's monitor to hostmon, as messages: records, losses, and its end. The content of the pouch costs
// nothing, since a pouch travels with every header; words 5 to 7 of it are the seal's. Clocks travel with 32 bits and come back
// modulo 2^32 us; hostmon knows the rest (hostmon.cpp).
//
//   Word 0: kind | cause << 4 | classes << 8 | node << 16. Only a report of one loss has cause and classes.
//   Words 1 to 4 of records: when packing began, first sequence number, number in the body, last sequence number.
//   Words 1 to 4 of one loss: clock of the first, first, last, clock of the last.
//   Words 1 to 4 of several losses: number in the body, first of the first, last of the last, 0.
//   Words 1 to 4 of the end: 0, records made, 0, messages that were dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <trace_record/event.hpp>
#include <trace_record/loss_range.hpp>
#include <trollius_os/message.hpp>

namespace instrumentation {

enum class Report : std::int32_t { Trace = 1, Losses = 2, End = 3 };

inline constexpr std::size_t loss_bytes = 20;  // of one loss in a body

trollius_os::Message trace_report(vocabulary::NodeId node, std::uint64_t unloaded_us, std::uint32_t first_seq,
                                  std::uint32_t last_seq, std::uint32_t records, std::span<std::byte> body);
trollius_os::Message loss_report(const trace_record::LossRange& loss);
// Precondition: body has room for them. Ascending, of one node, at least one.
trollius_os::Message losses_report(std::span<const trace_record::LossRange> losses, std::span<std::byte> body);
trollius_os::Message end_report(vocabulary::NodeId node, std::uint32_t records, std::uint32_t dropped_messages);

struct ReportHead {
    Report what = Report::End;
    vocabulary::NodeId node;
    std::uint32_t first_seq = 0, last_seq = 0;
    std::uint32_t count = 0;  // in the body
    std::uint32_t unloaded_us = 0, dropped_messages = 0;
};
// Nothing: it is no report, or its parts do not fit together.
std::optional<ReportHead> head_of(const trollius_os::Message& report);
// The losses of a Losses report; empty when it makes no sense.
std::vector<trace_record::LossRange> losses_of(const trollius_os::Message& report);

}  // namespace instrumentation

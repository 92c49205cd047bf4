// The reports of a node's monitor to hostmon, as messages: records, losses, heartbeats, and its end. The pouch costs nothing,
// because one travels with every header. Its words 5 to 7 belong to the seal. Clocks travel modulo 2^32 us; hostmon restores
// the upper bits (hostmon.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <instrumentation/message_seal.hpp>
#include <trace_record/event.hpp>
#include <trace_record/loss_range.hpp>
#include <trollius_os/message.hpp>

namespace instrumentation {

enum class Report : std::int32_t { Trace = 1, Losses = 2, End = 3, Heartbeat = 4 };

// Word 0 of every report.
struct ReportWord {
    std::uint32_t word = 0;  // kind | cause << 4 | classes << 8 | node << 16

    constexpr ReportWord() = default;
    constexpr ReportWord(Report what, std::uint16_t node)
        : word(static_cast<std::uint32_t>(what) | std::uint32_t{node} << 16U) {}
    // Only a report of a single loss has cause and classes.
    constexpr explicit ReportWord(const trace_record::LossRange& loss) : ReportWord(Report::Losses, loss.node) {
        word |= static_cast<std::uint32_t>(loss.cause) << 4U | std::uint32_t{loss.classes.bits()} << 8U;
    }
    constexpr Report what() const { return static_cast<Report>(word & 0xFU); }
    constexpr trace_record::LossCause cause() const { return static_cast<trace_record::LossCause>(word >> 4U & 0xFU); }
    constexpr trace_record::ClassSet classes() const {
        return trace_record::ClassSet::from_bits(static_cast<std::uint8_t>(word >> 8U));
    }
    constexpr vocabulary::NodeId node() const { return vocabulary::NodeId(static_cast<std::uint16_t>(word >> 16U)); }
};

// Body: the records.
struct TraceReport {
    ReportWord about{};
    std::uint32_t unloaded_us = 0;  // when packing began
    std::uint32_t first_seq = 0;
    std::uint32_t records = 0;  // in the body
    std::uint32_t last_seq = 0;
    constexpr bool sound() const { return about.what() == Report::Trace && records > 0 && first_seq <= last_seq; }
};

// One loss, without a body.
struct LossReport {
    ReportWord about{};
    std::uint32_t from_us = 0, first_seq = 0, last_seq = 0, until_us = 0;
    constexpr bool sound() const { return about.what() == Report::Losses; }
};

// Body: several losses.
struct LossesReport {
    ReportWord about{};
    std::uint32_t losses = 0;     // in the body
    std::uint32_t first_seq = 0;  // first number of the first loss
    std::uint32_t last_seq = 0;   // last number of the last loss
    constexpr bool sound() const { return about.what() == Report::Losses; }
};

struct EndReport {
    ReportWord about{};
    std::uint32_t unused = 0;
    std::uint32_t records = 0;  // made
    std::uint32_t unused_too = 0;
    std::uint32_t dropped_messages = 0;
    constexpr bool sound() const { return about.what() == Report::End; }
};
// Records of this node that come later were made at `before_us` or after it.
struct HeartbeatReport {
    ReportWord about{};
    std::uint32_t before_us = 0;
    constexpr bool sound() const { return about.what() == Report::Heartbeat; }
};
static_assert(Sealable<TraceReport> && Sealable<LossReport> && Sealable<LossesReport> && Sealable<EndReport> &&
              Sealable<HeartbeatReport>);
static_assert(sizeof(HeartbeatReport) == 8 && sizeof(TraceReport) == 20 && sizeof(LossReport) == 20 &&
              sizeof(LossesReport) == 16 && sizeof(EndReport) == 20);

inline constexpr std::size_t loss_bytes = 20;  // size of one loss in a body

trollius_os::Message trace_report(vocabulary::NodeId node, std::uint64_t unloaded_us, std::uint32_t first_seq,
                                  std::uint32_t last_seq, std::uint32_t records, std::span<std::byte> body);
trollius_os::Message loss_report(const trace_record::LossRange& loss);
// Precondition: at least one loss, ascending, of one node, and `body` has room for all.
trollius_os::Message losses_report(std::span<const trace_record::LossRange> losses, std::span<std::byte> body);
trollius_os::Message end_report(vocabulary::NodeId node, std::uint32_t records, std::uint32_t dropped_messages);
trollius_os::Message heartbeat_report(vocabulary::NodeId node, std::uint64_t before_us);

struct ReportHead {
    Report what = Report::End;
    vocabulary::NodeId node;
    std::uint32_t first_seq = 0, last_seq = 0;
    std::uint32_t count = 0;  // in the body
    std::uint32_t unloaded_us = 0, dropped_messages = 0;
    std::uint32_t before_us = 0;
};
// Empty if it is no report or its parts contradict each other.
std::optional<ReportHead> head_of(const trollius_os::Message& report);
// The losses of a Losses report; empty when it is inconsistent.
std::vector<trace_record::LossRange> losses_of(const trollius_os::Message& report);

}  // namespace instrumentation

// LossRange: records that a probe made and that nobody will ever read. A loss is itself a record, with its place and its cause,
// so that no analysis takes "not there" for "did not happen" (docs/formats/trace_file.md).
#pragma once

#include <cstdint>

#include <trace_record/event_class.hpp>

namespace trace_record {

enum class LossCause : std::uint8_t {
    Unknown = 0,      // a gap in the sequence numbers that nobody explained
    BufferFull = 1,   // the node dropped them: both trace buffers were full
    NodeDied = 2,     // they were in the buffers of a node when it stopped
    LinkLost = 3,     // sent, but a link or a node on the way lost them
    Damaged = 4,      // they came, but not as they had left
    Overwritten = 5,  // the node gave them up for newer ones: both trace buffers were full
    Thinned = 6,      // the node gave up detail to keep the tasks' skeleton: both trace buffers were full
    SwitchedOff = 7,  // the class was switched off, and its absence must not look as if nothing had happened
};
inline constexpr std::uint8_t loss_causes = 8;

struct LossRange {
    std::uint16_t node = 0;
    std::uint32_t first_seq = 0;
    std::uint32_t last_seq = 0;  // inclusive
    LossCause cause = LossCause::Unknown;
    ClassSet classes = ClassSet::all();       // classes the lost records may be of; all when unknown
    std::uint64_t from_us = 0, until_us = 0;  // node clock, no lost record is earlier or later; both 0: not known

    friend bool operator==(const LossRange&, const LossRange&) = default;
};

}  // namespace trace_record

// LossRange: records that were made and lost. A loss is itself a record with place and cause, so no analysis takes "not there"
// for "did not happen" (docs/formats/trace_file.md).
#pragma once

#include <cstdint>

#include <trace_record/event_class.hpp>

namespace trace_record {

enum class LossCause : std::uint8_t {
    Unknown = 0,      // an unexplained gap in the sequence numbers
    BufferFull = 1,   // the node dropped them: both trace buffers were full
    NodeDied = 2,     // they were in the buffers of a node when it crashed
    LinkLost = 3,     // sent, but a link or a node on the way lost them
    Damaged = 4,      // they arrived, but changed on the way
    Overwritten = 5,  // the node replaced them by newer ones: both trace buffers were full
    Thinned = 6,      // the node dropped detail and kept the tasks' skeleton: both trace buffers were full
    SwitchedOff = 7,  // their class was off: the events happened but were not recorded
};
inline constexpr std::uint8_t loss_causes = 8;

struct LossRange {
    std::uint16_t node = 0;
    std::uint32_t first_seq = 0;
    std::uint32_t last_seq = 0;  // inclusive
    LossCause cause = LossCause::Unknown;
    ClassSet classes = ClassSet::all();       // possible classes of the lost records; all when unknown
    std::uint64_t from_us = 0, until_us = 0;  // node clock: bounds for the lost records; both 0: unknown

    friend bool operator==(const LossRange&, const LossRange&) = default;
};

}  // namespace trace_record

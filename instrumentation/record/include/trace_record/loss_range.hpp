// LossRange: records that a probe made and nobody will ever read. A loss is itself a record, with its place and its cause, so
// that no analysis takes "not there" for "did not happen" (docs/formats/trace_file.md).
#pragma once

#include <cstdint>

namespace trace_record {

enum class LossCause : std::uint8_t {
    Unknown = 0,     // a gap in the sequence numbers that nobody explained
    BufferFull = 1,  // the node dropped them: both trace buffers were full
    NodeDied = 2,    // they were in the buffers of a node when it stopped
    LinkLost = 3,    // sent, but a link or a node on the way lost them
    Damaged = 4,     // they came, and were not as they had left
};

struct LossRange {
    std::uint16_t node = 0;
    std::uint32_t first_seq = 0;
    std::uint32_t last_seq = 0;  // inclusive
    LossCause cause = LossCause::Unknown;

    friend bool operator==(const LossRange&, const LossRange&) = default;
};

}  // namespace trace_record

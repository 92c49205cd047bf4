// Event <-> its 20 bytes in a node's buffer and on the links: time, kind, missing, peer, task, sub-task, length, little endian.
// Each message carries the node and the first sequence number once. `missing` counts the absent records right before this one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <trace_record/event.hpp>

namespace instrumentation {

inline constexpr std::size_t record_bytes = 20;

// Times beyond 32 bits of microseconds (71 minutes) wrap, as the node's own timer does. The decoder counts the wraps; records
// of a node come in order.
void encode(const trace_record::Event& event, std::span<std::byte, record_bytes> to, std::uint8_t missing = 0);
trace_record::Event decode(std::span<const std::byte, record_bytes> from);
std::uint8_t missing_before(std::span<const std::byte, record_bytes> record);
inline constexpr std::uint32_t most_missing = 255;  // between two records of a message

}  // namespace instrumentation

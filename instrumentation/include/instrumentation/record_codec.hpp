// Event <-> the 20 bytes it takes in a node's buffer and on the links: time, kind, peer, task, sub-task, length, little endian.
// Node and first sequence number travel once a message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <trace_record/event.hpp>

namespace instrumentation {

inline constexpr std::size_t record_bytes = 20;

// Times beyond 32 bits of microseconds (71 minutes) wrap, as the node's own timer does; the decoder counts the wraps, since
// records of a node come in order.
void encode(const trace_record::Event& event, std::span<std::byte, record_bytes> to);
trace_record::Event decode(std::span<const std::byte, record_bytes> from);

}  // namespace instrumentation

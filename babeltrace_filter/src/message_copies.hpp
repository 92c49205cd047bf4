// MessageCopies: own messages in place of those from upstream, with own streams and packets, and final times.
#pragma once

#include <cstdint>

#include <tmon_order/causal_sorter.hpp>

#include "class_copies.hpp"

namespace babeltrace_filter {

// One stream of upstream, and its copy.
struct StreamState {
    std::uint32_t index = 0;  // of the sorter
    std::uint64_t next = 0;   // number of its next message in the sorter
    std::int64_t raw_ns = 0;  // of its newest message
    bt_stream* own = nullptr;
    PacketRef packet;  // own packet that goes on
    const StreamClassCopy* copy = nullptr;
};

// The time of a message by its own clock, in ns from that clock's origin.
struct MessageTime {
    bool known = false;
    std::int64_t ns = 0;
};
// Throws FilterError when the time is beyond what the sorter can have.
MessageTime time_of(const bt_message* message);

const bt_stream* stream_of(const bt_message* message);

class MessageCopies {
public:
    explicit MessageCopies(bt_self_message_iterator* self) : self_(self) {}

    // A copy of a message that is no event. `out_ns`: its time where it has one; not before the stream's clock begins.
    MessageRef copy(const bt_message* from, StreamState& stream, std::int64_t out_ns);
    // The values of an event, behind what is in `image`.
    static void append_event(const bt_event* event, std::string& image);
    // A copy of the event whose values `image` has.
    MessageRef event(const EventClassCopy& of, const std::string& image, const StreamState& stream, std::int64_t out_ns,
                     std::int64_t raw_ns, tmon_order::Assumed assumed);
    MessageRef inactivity(const ClockCopy& clock, std::int64_t out_ns);

private:
    MessageRef stream_edge(const bt_message* from, StreamState& stream, std::uint64_t value, bool begins);
    MessageRef packet_edge(const bt_message* from, StreamState& stream, std::uint64_t value, bool begins);
    MessageRef lost_events(const bt_message* from, StreamState& stream, std::uint64_t value);
    MessageRef lost_packets(const bt_message* from, StreamState& stream, std::uint64_t value);

    bt_self_message_iterator* self_;
};

}  // namespace babeltrace_filter

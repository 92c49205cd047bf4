// Parameters of flt.magicwire.causal: the events that are ends of communications, and the fields that join them
// (docs/guide/babeltrace.md has the table).
#pragma once

#include <babeltrace2/babeltrace.h>

#include <cstdint>
#include <string>
#include <vector>

namespace babeltrace_filter {

using Names = std::vector<std::string>;

struct FilterParameters {
    Names send, receive;                        // names of event classes
    Names send_key, receive_key;                // fields whose values are equal at both ends
    Names send_channel, receive_channel;        // likewise: ends of one channel begin in the order of their numbers
    std::string send_number, receive_number;    // field; empty: none
    std::string send_partner, receive_partner;  // field with the id of the other end's stream; empty: none
    Names barrier_begin, barrier_end;           // names of event classes
    Names group;                                // fields that name a barrier's group; empty: one group a trace
    std::string members;                        // array field with the ids of the group's streams; empty: all of the trace
    std::string instance;                       // field with the number of the barrier; empty: they are counted
    std::int64_t least_latency_ns = 0;
    std::uint64_t give_up_after = 0;      // records; 0: never
    std::uint32_t spare_streams = 1024;   // that may begin after the first event
    std::uint32_t kept_sends = 1U << 16;  // newest sends for which receives may come

    // True when some end names the streams of its other ends, so that the end of a stream tells something.
    bool names_streams() const { return !send_partner.empty() || !receive_partner.empty() || !barrier_begin.empty(); }
};

// Throws FilterError, which names the parameter.
FilterParameters read_parameters(const bt_value* map);

}  // namespace babeltrace_filter

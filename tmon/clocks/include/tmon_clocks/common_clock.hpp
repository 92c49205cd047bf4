// The clock by which the records of all nodes of a stored trace are compared, derived from the trace alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tmon_streams/stream_cursor.hpp>

namespace tmon_clocks {

struct NamedClock {
    tmon_streams::MainClock clock;  // empty: each node's own
    std::string name;               // for people
};

// The clock of one node, to which global interrupts tie the others (clock_adjustment.hpp). Without a recorded interrupt: each
// node's own clock. `interrupts`: all Synchronise records of the trace, in any order. `master`: the node that raised them, if
// the trace says so.
NamedClock common_clock(std::vector<trace_record::Event> interrupts, std::uint16_t nodes, std::optional<std::uint16_t> master);

}  // namespace tmon_clocks

// Observed: a run as seen by a person beside the machine. It holds the data that the host received and printed, and the end of
// the session as seen there. A verdict, and each report that claims to come from the trace, is made from this value alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tmon_streams/collector.hpp>
#include <tmon_streams/trace.hpp>
#include <vocabulary/sim_time.hpp>

namespace session {

struct ObservedNode {
    bool member = false;                 // of the farm; the rest is known for members only
    bool answers = false;                // to `state` after the session
    std::uint32_t dropped_messages = 0;  // damaged or lost, as reported by the node
};

struct Observed {
    tmon_streams::SessionEnd end = tmon_streams::SessionEnd::Unknown;
    std::string diagnosis;         // where the session stood still before the farm ran; empty if it did not
    vocabulary::SimTime modelled;  // from power-up to the end
    vocabulary::SimTime began;     // of a phase: when it got the machine; of any other session: power-up
    vocabulary::SimTime lasted() const { return modelled - began; }
    std::string console;  // output of programs on the host
    // Files that a program saved on the host, the last of each name; a fault may have damaged them on the way.
    std::vector<std::pair<std::string, std::vector<std::byte>>> files;
    std::vector<ObservedNode> nodes;           // without the host
    std::optional<tmon_streams::Trace> trace;  // when monitored
    std::vector<tmon_streams::NodeStatistics> statistics;
    bool streamed = false;                // the records are in the trace file only: SessionHooks::stream
    std::uint64_t unwritten_records = 0;  // received, but without a valid number for SessionHooks::trace
};

}  // namespace session

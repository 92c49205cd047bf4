// The lost records of a node in a history, put back into the gaps.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <tmon_models/program.hpp>
#include <tmon_streams/trace.hpp>

namespace tmon_models {

struct Unrecorded {
    // By step of the program. Each has a number of a gap; those behind the last record of a node without an end mark have 0.
    // Their times are not known.
    std::vector<trace_record::Event> events;
    std::uint64_t numbered = 0;  // so many of them have a number of a gap
};

// In the history in which the node came to this state. The order is one of those that are possible. Empty: the records do not
// allow the state, or it has more than 1000 moves without a record. Cost: the records of the node.
std::optional<Unrecorded> unrecorded(const Program& program, const tmon_streams::Stream& stream, const NodeState& state);

}  // namespace tmon_models

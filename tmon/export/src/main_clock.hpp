// The clock that an export is sorted by, derived from the trace alone.
#pragma once

#include <optional>
#include <vector>

#include <tmon_export/export.hpp>

namespace tmon_export {

// The clock of one node, to which global interrupts tie the others (tmon_clocks/clock_adjustment.hpp). Without a recorded
// interrupt: each node's own clock. `interrupts`: all Synchronise records of the trace, in any order. `master`: the node that
// raised them, if the trace says so.
NamedClock adjusted_clock(std::vector<trace_record::Event> interrupts, std::uint16_t nodes,
                          std::optional<std::uint16_t> master);

}  // namespace tmon_export

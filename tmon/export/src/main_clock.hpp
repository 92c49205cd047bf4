// The clock that an export is sorted by, when the trace itself must give it.
#pragma once

#include <optional>
#include <vector>

#include <tmon_export/export.hpp>

namespace tmon_export {

// The clock of one node, to which the global interrupts tie the others (tmon_clocks/clock_adjustment.hpp). Where no interrupt
// was recorded: each node's own. `interrupts`: all Synchronise records of the trace, in any order. `master`: the node that
// raised them, where the trace says it.
NamedClock adjusted_clock(std::vector<trace_record::Event> interrupts, std::uint16_t nodes,
                          std::optional<std::uint16_t> master);

}  // namespace tmon_export

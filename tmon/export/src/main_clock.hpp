// Which clock an export is sorted by.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tmon_streams/trace_merge.hpp>

namespace tmon_export {

struct Chosen {
    tmon_streams::MainClock clock;  // empty: each node's own
    std::string name;               // for people
};

// True time of the modelled machine, from the entry of oracle.json for each node's clock. Throws vocabulary::InputError as
// tmon_oracle::read_true_clocks() does, and for a file without one for any clock.
Chosen true_clock(const std::string& oracle, std::uint16_t nodes);
// The clock of one node, to which the global interrupts tie the others (tmon_clocks/clock_adjustment.hpp). Where no interrupt
// was recorded: each node's own. `interrupts`: all Synchronise records of the trace, in any order. `master`: the node that
// raised them, where the trace says it.
Chosen adjusted_clock(std::vector<trace_record::Event> interrupts, std::uint16_t nodes, std::optional<std::uint16_t> master);

}  // namespace tmon_export

// The first of the records that contradict each other: the one that no other contradictory record comes before or leads to; and
// what was spoilt there. Private: verdict.cpp decides.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tmon/event_graphs.hpp"
#include "tmon/fault_list.hpp"
#include "tmon/trace.hpp"
#include "tmon/verdict.hpp"

namespace tmon {

struct FirstContradiction {
    Finding finding;
    // The node that made what the record tells of; of what was changed on its way its sender.
    std::uint16_t node = 0;
    bool on_a_link = false;  // what arrived was not what was sent
    Process process = Process::Compute;
    // What the node had when it went wrong; a task that never came back although the node had it, where the number is wrong.
    std::uint32_t task = 0;
    SubTaskId subtask = 0;
    std::vector<StopPlace> beside;  // what it may have had instead, in order; itself may be among them
};

// Nothing when no record contradicts. Cost: of two or more that could be first, the logical time of the trace.
std::optional<FirstContradiction> first_contradiction(const Trace& trace, const EventGraphs& graphs);

// Results that reached node 0 and that it did not wait for, as its records have them: it drops each of them.
std::uint64_t unexpected_results(const Trace& trace, const FarmSpec& spec);

}  // namespace tmon

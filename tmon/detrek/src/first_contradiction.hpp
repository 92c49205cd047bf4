// The first of the records that contradict each other: no other contradictory record comes before it or leads to it. Also what
// was spoilt there. Private: verdict.cpp decides.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <tmon_detrek/event_graphs.hpp>
#include <tmon_detrek/fault_list.hpp>
#include <tmon_detrek/verdict.hpp>
#include <tmon_streams/trace.hpp>

namespace tmon_detrek {

struct FirstContradiction {
    Finding finding;
    // The node that made what the record tells of; when it was changed on its way, its sender.
    std::uint16_t node = 0;
    bool on_a_link = false;  // what arrived was not what was sent
    Process process = Process::Compute;
    // The node's sub-task when it went wrong. Where the number is wrong: a task that never came back although the node had it.
    std::uint32_t task = 0;
    SubTaskId subtask = 0;
    std::vector<StopPlace> beside;  // other candidates for what it had, in order; itself may be among them
};

// Empty when no record contradicts. Cost: the logical time of the trace, when two or more could be first.
std::optional<FirstContradiction> first_contradiction(const tmon_streams::Trace& trace, const EventGraphs& graphs);

// Number of results that reached node 0 and that it did not wait for, from its records. It drops each of them.
std::uint64_t unexpected_results(const tmon_streams::Trace& trace, const farm_spec::FarmSpec& spec);

}  // namespace tmon_detrek

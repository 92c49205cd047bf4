// The first of the records that contradict each other: no other contradictory record comes before it or leads to it. Also the
// task that was spoilt there. Private: verdict.cpp decides.
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
    // The node that made the recorded message; when the message was changed on its way, the sender.
    std::uint16_t node = 0;
    bool on_a_link = false;  // what arrived was not what was sent
    Process process = Process::Compute;
    // The node's sub-task at that moment. Where its number is wrong: a task that the node had and that never came back.
    std::uint32_t task = 0;
    SubTaskId subtask = 0;
    std::vector<StopPlace> beside;  // other candidates for that sub-task, in order; the same one may be among them
};

// The process to name: the maker, or the link's direction when the message was changed on its way.
Process process_of(const FirstContradiction& at);

// Empty when no record contradicts. Cost: the logical time of the trace, when two or more could be first.
std::optional<FirstContradiction> first_contradiction(const tmon_streams::Trace& trace, const EventGraphs& graphs);

// A row for each contradictory record that no other leads to, in order, none twice. These are the unanticipated messages of the
// thesis (Lin 1993, section 3.4.1). Empty when the directions of messages were guessed. Cost: one look at the stream of the
// node for each such record, of which at most 1000 are kept.
std::vector<FaultRow> unanticipated_rows(const tmon_streams::Trace& trace, const EventGraphs& graphs);

// Number of unexpected results at node 0, from its records. Node 0 drops each of them.
std::uint64_t unexpected_results(const tmon_streams::Trace& trace, const farm_spec::FarmSpec& spec);

}  // namespace tmon_detrek

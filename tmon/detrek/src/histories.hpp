// Histories: all that nodes with counted losses may have lost, as sets of events. Each set agrees with the records, with the
// number of lost records of each node, and with the virtual machine (task_messages.hpp). The set of histories may be too large,
// never too small.
//   A finished task may have gone to a node and back without any other trace. Such pairs of records are counted, not listed.
//   The order of events in a gap is one of those that are possible.
//   What silent nodes did is left open; the verdict's rules take it so.
// Private: exhaustion.cpp uses it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <tmon_detrek/event_graphs.hpp>
#include <tmon_streams/trace.hpp>
#include "gap_filling.hpp"

namespace tmon_detrek {

struct History {
    tmon_streams::Trace trace;                // nodes with counted losses have all their records
    std::vector<LostEvent> lost;              // by task, worker, sub-task and event
    std::vector<trace_record::Event> filled;  // the same as records, with numbers of the gaps; by node and number
    std::vector<std::uint32_t> filled_by;     // by node: records that it lost, the uncounted among them
    std::uint64_t unlisted = 0;               // lost records of finished tasks, or of other classes
};

// The work that a search may do. All of it is counted, so an answer is the same on each machine.
struct HistoryBudget {
    std::uint64_t steps = 100'000;    // of the search; in a large machine one counts as several
    std::uint64_t histories = 1000;   // that agree
    std::uint64_t records = 200'000;  // read again, over all histories; some 50 ms
};

// How many of the histories a search has shown.
enum class Shown : std::uint8_t {
    Some,      // the budget ended first
    Recorded,  // all whose events are on record or were lost from a record; a silent node, or a farm at work, leaves others
    All,
};

// Calls `take` for each history, in a fixed order. Needs has_told_losses().
Shown each_history(const tmon_streams::Trace& tasks, const EventGraphs& graphs, const HistoryBudget& budget,
                   const std::function<void(const History&)>& take);

}  // namespace tmon_detrek

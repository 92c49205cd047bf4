// The events that a verdict rests on: the last records of the sub-tasks that it names. Private: the report and its JSON name
// them.
#pragma once

#include <vector>

#include <tmon_detrek/verdict.hpp>
#include <tmon_streams/trace.hpp>

namespace tmon_detrek {

// By node and number; without repetition. trace: a task_view(). On node 0 the last task that it sent, or the last result that
// it took. Empty for an unknown verdict, for one of no fault, and where those records are lost. Cost: one pass over the records
// of the nodes that are named.
std::vector<Event> rests_on(const tmon_streams::Trace& trace, const Analysis& analysis);

}  // namespace tmon_detrek

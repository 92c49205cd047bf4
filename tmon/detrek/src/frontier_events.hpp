// The frontier event of each row of the fault list (thesis, Lin 1993, section 4.2): the last record of the sub-task before it
// stopped. Private: the JSON of a report names them.
#pragma once

#include <optional>
#include <vector>

#include <tmon_detrek/event_graphs.hpp>
#include <tmon_detrek/fault_list.hpp>
#include <tmon_streams/trace.hpp>

namespace tmon_detrek {

// By row; empty where that record was lost, or never made (a task that was not generated). Of several the last. Rows of
// unanticipated messages have none here: their event is a finding. Cost: one pass over the records.
std::vector<std::optional<Event>> frontier_events(const tmon_streams::Trace& trace, const farm_spec::FarmTree& tree,
                                                  const std::vector<FaultRow>& rows);

}  // namespace tmon_detrek

// The classic fault list that the whole truth gives, and what the oracle says of each row of a list that was found from the
// trace. For tests, scores and the oracle file; no analysis reads it.
#pragma once

#include <string>
#include <vector>

#include <tmon/fault_list.hpp>
#include <tmon_session/session.hpp>

namespace tmon_session {

// The trace of a monitor that loses nothing. `dead_are_open`: nodes that crashed gave no end mark, though all their records are
// there; else they look like nodes on which nothing happens any more.
tmon::Trace true_trace(const Scenario& scenario, const SessionResult& result, bool dead_are_open);
std::vector<tmon::FaultRow> true_fault_list(const Scenario& scenario, const SessionResult& result);
// Rows of `found` that the truth does not have.
std::vector<tmon::FaultRow> contradicted(const std::vector<tmon::FaultRow>& found, const std::vector<tmon::FaultRow>& truth);

}  // namespace tmon_session

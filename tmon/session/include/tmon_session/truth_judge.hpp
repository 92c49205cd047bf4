// The classic fault list that the whole truth gives, and what the oracle says of each row of a list that was found from the
// trace. For tests, scores and the oracle file; no analysis reads it.
#pragma once

#include <string>
#include <vector>

#include <tmon/fault_list.hpp>
#include <tmon_session/session.hpp>

namespace tmon_session {

std::vector<tmon::FaultRow> true_fault_list(const Scenario& scenario, const SessionResult& result);
// Rows of `found` that the truth does not have.
std::vector<tmon::FaultRow> contradicted(const std::vector<tmon::FaultRow>& found, const std::vector<tmon::FaultRow>& truth);

}  // namespace tmon_session

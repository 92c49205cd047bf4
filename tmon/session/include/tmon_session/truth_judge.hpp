// The classic fault list that the whole truth gives, and the oracle's judgement of each row of a list found from the trace. For
// tests, scores and the oracle file; no analysis reads it.
#pragma once

#include <string>
#include <vector>

#include <tmon/fault_list.hpp>
#include <tmon_session/session.hpp>

namespace tmon_session {

// Which nodes are taken to have lived to the end.
enum class EndMarks : std::uint8_t { All, NotOfCrashed, NotOfSilent };  // silent: those that did not answer after the run
// The trace of a monitor that loses no record.
tmon::Trace true_trace(const Scenario& scenario, const SessionResult& result, EndMarks marks = EndMarks::All);
std::vector<tmon::FaultRow> true_fault_list(const Scenario& scenario, const SessionResult& result);
// Rows of `found` that the truth does not have.
std::vector<tmon::FaultRow> contradicted(const std::vector<tmon::FaultRow>& found, const std::vector<tmon::FaultRow>& truth);

}  // namespace tmon_session

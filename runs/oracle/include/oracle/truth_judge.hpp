// The classic fault list that the whole truth gives, and the oracle's judgement of each row of a list found from the trace. For
// tests, scores and the oracle file; no analysis reads it.
#pragma once

#include <string>
#include <vector>

#include <oracle/session_result.hpp>
#include <tmon_detrek/fault_list.hpp>

namespace oracle {

// Choice of nodes that count as alive to the end.
enum class EndMarks : std::uint8_t { All, NotOfCrashed, NotOfSilent };  // silent: no answer after the run
// The trace of a monitor that loses no record.
tmon_streams::Trace true_trace(const scenario::Scenario& scenario, const oracle::SessionResult& result,
                               EndMarks marks = EndMarks::All);
std::vector<tmon_detrek::FaultRow> true_fault_list(const scenario::Scenario& scenario, const oracle::SessionResult& result);
// Rows of `found` that the truth does not have.
std::vector<tmon_detrek::FaultRow> contradicted(const std::vector<tmon_detrek::FaultRow>& found,
                                                const std::vector<tmon_detrek::FaultRow>& truth);

}  // namespace oracle

// The report of a scenario of phases: what the host did between the farms, and the summary of each.
#pragma once

#include <string>
#include <vector>

#include <oracle/phases_result.hpp>
#include <outcome/outputs.hpp>

namespace outcome {

// deTrEK's answer for a phase; empty when it was not monitored, or not begun.
struct PhaseVerdict {
    std::string text, json;
};

// A section a phase. Plain text of at most 128 columns, but for long names. `verdicts`: one a phase.
std::string phases_text(const scenario::Scenario& scenario, const oracle::PhasesResult& result,
                        const std::vector<PhaseVerdict>& verdicts, const Manifest& manifest, Totals totals);
// {"schema": "magicwire.phases/1", ...}; each phase has its magicwire.run/1.
std::string phases_json(const scenario::Scenario& scenario, const oracle::PhasesResult& result,
                        const std::vector<PhaseVerdict>& verdicts, const Manifest& manifest);
// FOLDER/summary.json, and FOLDER/phase-1 and so on with the files of a run. Throws as write_outputs(); nothing is left half
// written.
void write_phases(const std::string& folder, const scenario::Scenario& scenario, const oracle::PhasesResult& result,
                  const std::vector<PhaseVerdict>& verdicts, const Manifest& manifest, bool force);

}  // namespace outcome

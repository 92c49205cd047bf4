// Futures of a run: the results of all branches from a common moment, side by side. forks.hpp makes the forks; live_change.hpp
// defines the possible changes.
#pragma once

#include <span>
#include <string>

#include <oracle/session_result.hpp>
#include <scenario/scenario.hpp>
#include <tmon_detrek/detrek.hpp>

namespace outcome {

struct Branch {
    std::string name;     // "unchanged", "1", "2"
    std::string changes;  // as given; empty: none
    std::string figures;  // from branch_figures(); empty: the branch failed
    std::string failure;  // reason of the failure (ChildAnswer::failure)
};

// Figures of a run that has ended, as JSON: modelled time, end of the farm, tasks, records, verdict and run hash. The verdict
// has the first rows of the fault list. Lost records are those that were made and never arrived, according to the truth. They
// include records that died with a node. Cost: one pass over the nodes, and the JSON of the analysis once more.
std::string branch_figures(const scenario::Scenario& scenario, const oracle::SessionResult& result,
                           const tmon_detrek::DetrekResult& analysis);

// Both take figures made by branch_figures(), and throw nlohmann::json::exception for anything else. One line a branch, then
// the changes and the verdict of each. At most 128 columns, except for long changes and verdicts.
std::string futures_text(vocabulary::SimTime from, std::span<const Branch> branches);
// {"schema": "magicwire.futures/1", ...}
std::string futures_json(vocabulary::SimTime from, std::span<const Branch> branches);

}  // namespace outcome

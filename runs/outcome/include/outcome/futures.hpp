// Futures of a run: the results of all branches from a common moment, side by side. How they are forked: forks.hpp. What may
// differ: live_change.hpp.
#pragma once

#include <span>
#include <string>

#include <oracle/session_result.hpp>
#include <scenario/scenario.hpp>
#include <tmon_detrek/detrek.hpp>

namespace outcome {

struct Branch {
    std::string name;     // "unchanged", "1", "2"
    std::string changes;  // as they were given; empty: none
    std::string figures;  // of branch_figures(); empty: it failed
    std::string failure;  // why it failed (ChildAnswer::failure)
};

// Figures of a run that has ended, as JSON: modelled time, how the farm ended, tasks, records, verdict and run hash. With the
// verdict come the first rows of the list of faults. Records lost are those that were made and never came, known from the
// truth. They include those that died with a node. Cost: one pass over the nodes, and the JSON of the analysis once more.
std::string branch_figures(const scenario::Scenario& scenario, const oracle::SessionResult& result,
                           const tmon_detrek::DetrekResult& analysis);

// Both take figures as branch_figures() made them, and throw nlohmann::json::exception for others.
// One line a branch, then the changes and the verdict of each. At most 128 columns but for long changes and verdicts.
std::string futures_text(vocabulary::SimTime from, std::span<const Branch> branches);
// {"schema": "magicwire.futures/1", ...}
std::string futures_json(vocabulary::SimTime from, std::span<const Branch> branches);

}  // namespace outcome

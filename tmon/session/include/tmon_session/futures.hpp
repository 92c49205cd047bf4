// Futures of a run: what came of each branch that went on from a common moment, side by side. How they are forked: forks.hpp;
// what may differ: live_change.hpp.
#pragma once

#include <span>
#include <string>

#include <tmon/detrek.hpp>
#include <tmon_session/scenario.hpp>
#include <tmon_session/session.hpp>

namespace tmon_session {

struct Branch {
    std::string name;     // "unchanged", "1", "2"
    std::string changes;  // as they were asked for; empty: none
    std::string figures;  // of branch_figures(); empty: it failed
    std::string failure;  // why, then (ChildAnswer::failure)
};

// The figures of a run that has ended, as JSON: modelled time, how the farm ended, tasks, records, verdict with the first rows
// of the list of faults, run hash. Records lost are those that were made and never came, known from the truth: those that died
// with a node are among them. Cost: one pass over the nodes, and the JSON of the analysis once more.
std::string branch_figures(const Scenario& scenario, const SessionResult& result, const tmon::DetrekResult& analysis);

// Both take figures as branch_figures() made them; throw nlohmann::json::exception for others.
// One line a branch, then what each was and its verdict. At most 128 columns but for long changes and verdicts.
std::string futures_text(vocabulary::SimTime from, std::span<const Branch> branches);
// {"schema": "magicwire.futures/1", ...}
std::string futures_json(vocabulary::SimTime from, std::span<const Branch> branches);

}  // namespace tmon_session

// The phases of a scenario with the truth observer attached: one result a phase, and one run hash over all of them.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include <oracle/session_result.hpp>
#include <session/phases.hpp>

namespace oracle {

struct PhaseResult {
    SessionResult result;  // its run hash is over its own events
    bool begun = false;
    session::SessionTimes times{};
    std::vector<trollius_hosted::Reconfigured> reconfigured{};  // before it
};

struct PhasesResult {
    std::deque<PhaseResult> phases;
    std::string run_hash;  // over the events of all phases, in true order
    bool all_begun() const { return phases.empty() || phases.back().begun; }
};

// Runs session::run_phases() for a scenario with phases. `hooks`: of every phase; none of its witnesses. One run a process.
void run_phases(const scenario::Scenario& scenario, PhasesResult& result, const session::SessionHooks& hooks = {});

}  // namespace oracle

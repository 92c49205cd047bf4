// The outcome of planted bugs: for people, for programs, and as truth for the oracle, with the best verdict possible from
// messages alone (docs/guide/bugs.md).
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include <oracle/session_result.hpp>
#include <scenario/scenario.hpp>

namespace oracle {

// One line a planted bug; bugs that never struck are named. Empty when none is planted.
std::string bugs_text(const scenario::Scenario& scenario, const oracle::SessionResult& result);
// Each planted bug in the order of planted_bugs(): kind, class, selection, place in its file, and strikes (the first
// thousand). Each strike says how much of its effect is visible. Cost: two analyses of the whole truth if any bug struck.
nlohmann::ordered_json planted_json(const scenario::Scenario& scenario, const oracle::SessionResult& result);

// Why an unfinished farm stands still: each node's process, and the thing it waits for.
std::string standing_text(const oracle::SessionResult& result);
std::string first_standing_text(
    const oracle::SessionResult& result);  // of one process, as "n0: result_receiver() waits"; empty: none
nlohmann::ordered_json standing_json(const oracle::SessionResult& result);

}  // namespace oracle

// The outcome of planted bugs: for people, for programs, and as truth for the oracle, with the verdict that messages alone
// could give (docs/guide/bugs.md).
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include <oracle/session_result.hpp>
#include <scenario/scenario.hpp>

namespace oracle {

// One line a planted bug; bugs that never struck are named. Empty when none is planted.
std::string bugs_text(const scenario::Scenario& scenario, const oracle::SessionResult& result);
// Each planted bug in the order of planted_bugs(): kind, class, selection, place in its file, and strikes (the first thousand).
// Each strike tells how much of it is visible. Cost: two analyses of the whole truth, when something struck.
nlohmann::ordered_json planted_json(const scenario::Scenario& scenario, const oracle::SessionResult& result);

// Why an unfinished farm stands where it stands: which process of which node waits for what.
std::string standing_text(const oracle::SessionResult& result);
nlohmann::ordered_json standing_json(const oracle::SessionResult& result);

}  // namespace oracle

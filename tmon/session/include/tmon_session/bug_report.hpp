// What became of planted bugs: for people, for programs, and as truth for the oracle, with the verdict that messages alone
// could give (docs/bugs.md).
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include <tmon_session/scenario.hpp>
#include <tmon_session/session.hpp>

namespace tmon_session {

// One line a planted bug, what never struck named; empty when none is planted.
std::string bugs_text(const Scenario& scenario, const SessionResult& result);
// Each planted bug in the order of planted_bugs(): kind, class, what it selects, where it is written, its strikes (the first
// thousand), and of each strike what is visible of it. Cost: two analyses of the whole truth, when something struck.
nlohmann::ordered_json planted_json(const Scenario& scenario, const SessionResult& result);

// Why a farm that did not finish stands where it stands: which process of which node waits for what.
std::string standing_text(const SessionResult& result);
nlohmann::ordered_json standing_json(const SessionResult& result);

}  // namespace tmon_session

// The outcome of a fault plan: for people, for programs, and as truth for the oracle.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include <oracle/conservation.hpp>
#include <scenario/scenario.hpp>
#include <session/simulated.hpp>

namespace oracle {

// One line a fault; faults that never happened are named. Empty without a plan.
std::string faults_text(const scenario::Scenario& scenario, const session::FaultEffects& effects);
// A list, in the order of the plan: verb, target, moment, how often it struck, first and last time.
nlohmann::ordered_json faults_json(const scenario::Scenario& scenario, const session::FaultEffects& effects);
// The same with each strike: when, what, and the message it hit.
nlohmann::ordered_json strikes_json(const scenario::Scenario& scenario, const session::FaultEffects& effects);
nlohmann::ordered_json conservation_json(const Conservation& account);

}  // namespace oracle

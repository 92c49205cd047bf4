// The outcome of a fault plan: for people, for programs, and as truth for the oracle.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <oracle/conservation.hpp>
#include <scenario/scenario.hpp>
#include <session/simulated.hpp>
#include <topologies/fault_plan.hpp>

namespace oracle {

// One line a fault, including faults that never struck. Empty without a plan.
std::string faults_text(const scenario::Scenario& scenario, const session::FaultEffects& effects);
// A list, in the order of the plan: verb, target, moment, number of strikes, first and last time.
nlohmann::ordered_json faults_json(const scenario::Scenario& scenario, const session::FaultEffects& effects);
// The same for a run without a scenario.
std::string faults_text(const topologies::FaultPlan& plan, const std::vector<hw_model::FaultTally>& tallies);
nlohmann::ordered_json faults_json(const topologies::FaultPlan& plan, const std::vector<hw_model::FaultTally>& tallies);
// For a scenario, with each strike: time, effect, and the message that was hit.
nlohmann::ordered_json strikes_json(const scenario::Scenario& scenario, const session::FaultEffects& effects);
nlohmann::ordered_json conservation_json(const Conservation& account);

}  // namespace oracle

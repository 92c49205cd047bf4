// One fault as typed by a person: "die n5", "cut n0.1 - n1.0 at 12ms for 2ms", or an entry of a fault plan in braces.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <scenario/scenario.hpp>
#include <topologies/fault_plan.hpp>
#include <vocabulary/sim_time.hpp>

namespace scenario {

// `now`: the moment of a fault that names none. Throws vocabulary::InputError; its position is meaningless.
topologies::Fault fault_of(const Scenario& scenario, const std::string& text, vocabulary::SimTime now);

// The scenario with more faults in its plan. `seed`: for the plan, if the scenario has none yet.
Scenario with_faults(const Scenario& scenario, const std::vector<topologies::Fault>& faults, std::uint64_t seed);

}  // namespace scenario

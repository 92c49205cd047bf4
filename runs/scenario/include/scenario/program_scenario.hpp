// A scenario from the specification of a farm program alone, not monitored. Its machine comes from the topology, its farm from
// the configuration. read_scenario() gives the same for a path that ends with .farm.
#pragma once

#include <scenario/scenario.hpp>

namespace scenario {

// Puts machine and farm of `scenario.farm_program` into the scenario. Throws vocabulary::InputError when the machine cannot be
// read or booted, or is too small.
void apply_program_machine(Scenario& scenario);
void apply_program_farm(Scenario& scenario);

// As read_scenario(), for a specification that has been read already.
Scenario program_scenario(farm_programs::Specification spec, const std::vector<Setting>& settings,
                          std::optional<std::uint64_t> seed, const std::string& faults = {}, const std::string& bugs = {});

}  // namespace scenario

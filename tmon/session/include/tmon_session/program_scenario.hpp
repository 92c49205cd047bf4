// A scenario from the specification of a farm program alone: the machine of its topology, the farm of its configuration, not
// monitored. read_scenario() gives the same for a path that ends with .farm.
#pragma once

#include <tmon_session/scenario.hpp>

namespace tmon_session {

// Puts machine and farm of `scenario.farm_program` into the scenario. Throws vocabulary::InputError when the machine cannot be
// read or booted, or is too small.
void apply_program_machine(Scenario& scenario);
void apply_program_farm(Scenario& scenario);

// As read_scenario(), of a specification that has been read already.
Scenario program_scenario(farm_programs::Specification spec, const std::vector<Setting>& settings,
                          std::optional<std::uint64_t> seed, const std::string& faults = {}, const std::string& bugs = {});

}  // namespace tmon_session

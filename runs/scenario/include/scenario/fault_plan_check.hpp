// Checks that the steps a fault plan waits for can occur in a farm.
#pragma once

#include <farm_spec/farm_spec.hpp>
#include <topologies/fault_plan.hpp>

namespace scenario {

// Throws vocabulary::InputError for a sub-task that cannot occur: a fault waiting for it would never strike, and the run would
// look healthy. `tree_known`: as in check_bugs().
void check_fault_plan(const topologies::FaultPlan& plan, const farm_spec::FarmSpec& farm, bool tree_known = true);

}  // namespace scenario

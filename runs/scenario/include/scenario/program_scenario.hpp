// A scenario from the specification of a farm program alone, not monitored. Its machine comes from the topology, its farm from
// the configuration. read_scenario() gives the same for a path that ends with .farm.
#pragma once

#include <scenario/scenario.hpp>

namespace scenario {

// As read_scenario(), for a specification that is already read.
Scenario program_scenario(farm_programs::Specification spec, const Additions& additions = {});

}  // namespace scenario

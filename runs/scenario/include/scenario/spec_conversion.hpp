// The specification of a farm as the analysis takes it, and the settings that a scenario takes from a specification file.
#pragma once

#include <farm_spec/farm_spec.hpp>
#include <trek_kernel/farm_config.hpp>

namespace scenario {

farm_spec::FarmSpec farm_spec(const trek_kernel::FarmConfig& farm);
// Applies a specification file; values that it leaves out stay.
void take_spec(trek_kernel::FarmConfig& farm, const farm_spec::FarmSpec& spec);

}  // namespace scenario

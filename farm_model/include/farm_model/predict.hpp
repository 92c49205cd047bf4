// A whole farm from its costs: steady state (steady_state.hpp), start-up, end and total time, the best granularity.
#pragma once

#include <farm_model/prediction.hpp>
#include <trek_kernel/farm_config.hpp>

namespace farm_model {

// `costs` are those of what travels in one message: with a granularity g of g tasks. Requires at least one worker.
Prediction predict(const trek_kernel::FarmConfig& config, const Costs& costs);

}  // namespace farm_model

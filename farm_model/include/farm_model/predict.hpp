// Predicts a whole farm from its costs: steady state (steady_state.hpp), start-up, end, total time and best granularity.
#pragma once

#include <farm_model/prediction.hpp>
#include <farm_spec/farm_spec.hpp>

namespace farm_model {

// `costs` are for the content of one message: with a granularity g, for g tasks. Requires at least one worker.
Prediction predict(const farm_spec::FarmSpec& config, const Costs& costs);

// The granularity with the shortest total time, and that time. It takes the costs of bundles of two sizes and assumes a linear
// law between and beyond. It tries all sizes up to 32, then steps of a twentieth. Processor farms only.
struct BestGranularity {
    std::uint32_t granularity = 1;
    double total_s = 0;
};
struct MeasuredBundle {
    std::uint32_t granularity = 1;
    Costs costs;
};
BestGranularity best_granularity(const farm_spec::FarmSpec& config, const MeasuredBundle& one, const MeasuredBundle& other);

}  // namespace farm_model

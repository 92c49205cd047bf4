// A whole farm from its costs: steady state (steady_state.hpp), start-up, end and total time, the best granularity.
#pragma once

#include <farm_model/prediction.hpp>
#include <farm_spec/farm_spec.hpp>

namespace farm_model {

// `costs` are those of one message's content: with a granularity g, of g tasks. Requires at least one worker.
Prediction predict(const farm_spec::FarmSpec& config, const Costs& costs);

// The granularity of the shortest total time, and that time. The costs are those of bundles of two different sizes; of other
// sizes they are taken as linear. Sizes tried: all up to 32, then every twentieth part more. Processor farms only.
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

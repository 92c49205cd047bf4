#include <farm_model/predict.hpp>

#include <algorithm>
#include <cmath>

#include <farm_model/steady_state.hpp>

#include "tree_walk.hpp"

namespace farm_model {

Prediction predict(const trek_kernel::FarmConfig& config, const Costs& costs) {
    const SteadyState state = steady_state(config, costs);
    const double g = config.granularity;
    Prediction prediction;
    prediction.costs = costs;
    prediction.tasks_per_second = state.tasks_per_second * g;
    prediction.critical_node = state.critical;
    prediction.critical_reason = state.reason;
    prediction.busy_of_node = state.busy;
    prediction.speed_up = prediction.tasks_per_second * costs.compute(0) / g;
    for (const double computed : state.computed)
        prediction.tasks_of_node.push_back(computed / state.tasks_per_second * config.tasks);
    prediction.total_s = config.tasks / prediction.tasks_per_second;
    return prediction;
}

}  // namespace farm_model

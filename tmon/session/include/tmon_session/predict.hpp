// What a scenario's farm will do, said before it runs: the formulas of farm_model with overheads that are measured on short
// runs of the scenario's own application, messages, costs and monitor.
#pragma once

#include <string>
#include <vector>

#include <farm_model/prediction.hpp>
#include <tmon_session/scenario.hpp>

namespace tmon_session {

// Of the scenario as it is; `best_tree` must be resolved (resolve_tree.hpp). Deterministic. The overheads are measured in child
// processes, so the caller may run the scenario itself before or after. Throws vocabulary::InputError for a farm of a policy
// that the formulas do not cover, std::runtime_error when a measuring run fails. Cost: under a second of wall time.
farm_model::Prediction predict(const Scenario& scenario);

}  // namespace tmon_session

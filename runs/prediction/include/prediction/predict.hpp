// Predicts a scenario's farm before it runs, with the formulas of farm_model. The overheads come from short runs of the
// scenario's own application, messages, costs and monitor.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <farm_model/prediction.hpp>
#include <oracle/measured.hpp>
#include <scenario/scenario.hpp>

namespace prediction {

// Predicts the scenario as it is; `best_tree` must be resolved (resolve_tree.hpp). Deterministic. The overheads are measured in
// child processes, so the caller may run the scenario itself afterwards, not before. Throws vocabulary::RequestError when a
// measuring run fails. Cost: under a second of wall time.
farm_model::Prediction predict(const scenario::Scenario& scenario);

// The same farm on other trees of the same size, with the same costs.
struct OnTopology {
    std::string name;  // "chain", "binary", "ternary", "best"
    farm_model::Prediction prediction;
    bool wired = false;  // the scenario's machine has the links for it
};
// `names`: those above. Throws vocabulary::InputError for any other name.
std::vector<OnTopology> predict_topologies(const scenario::Scenario& scenario, const std::vector<std::string>& names,
                                           const farm_model::Costs& costs);

// Plain text of at most 128 columns, with the run's figures and the error if there is a run.
std::string prediction_text(const scenario::Scenario& scenario, const farm_model::Prediction& prediction,
                            const oracle::Measured* run, const std::vector<OnTopology>& topologies);
// {"schema": "magicwire.predict/1", ...}
std::string prediction_json(const scenario::Scenario& scenario, const farm_model::Prediction& prediction,
                            const oracle::Measured* run, const std::vector<OnTopology>& topologies);

}  // namespace prediction

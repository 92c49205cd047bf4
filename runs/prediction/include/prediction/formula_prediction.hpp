// Prediction of a farm by formulas, before it runs. It is a part of predict() (predict.hpp), and the starting point for the
// unload sequences of `schedule`.
#pragma once

#include <farm_model/prediction.hpp>
#include <scenario/scenario.hpp>

namespace prediction {

// Throws vocabulary::RequestError where the cost of a task cannot be measured.
farm_model::Prediction formula_prediction(const scenario::Scenario& scenario);

}  // namespace prediction

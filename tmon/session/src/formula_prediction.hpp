// What the formulas say of a farm before any of it has run: a part of predict() (predict.hpp), and what the unload sequences of
// `schedule` begin with.
#pragma once

#include <farm_model/prediction.hpp>
#include <tmon_session/scenario.hpp>

namespace tmon_session {

// Throws std::runtime_error where what a task costs cannot be measured.
farm_model::Prediction formula_prediction(const Scenario& scenario);

}  // namespace tmon_session

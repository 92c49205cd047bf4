// Nodes that a surviving farm gave up, and the tasks issued again for each: from the truth, for summary and oracle.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include <ground_truth/truth.hpp>

namespace outcome {

std::string recovery_text(const ground_truth::Truth& truth);  // a line a node; empty when none was given up
nlohmann::ordered_json recovery_json(const ground_truth::Truth& truth);

}  // namespace outcome

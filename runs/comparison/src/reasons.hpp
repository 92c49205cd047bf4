// Why a run and its prediction differ, from the figures of the run.
#pragma once

#include <string>
#include <vector>

#include <comparison/comparison.hpp>

namespace comparison {

// Predicted by run, less one; empty where one of the two is missing or 0.
std::optional<double> difference(std::optional<double> predicted, std::optional<double> run);

// A sentence for each of rate, formulas' rate, total and start-up that lies more than `agreement` apart.
std::vector<std::string> reasons_of(const Row& row);

}  // namespace comparison

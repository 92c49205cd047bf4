// The figures of a run that a prediction is held against, read off the truth.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <oracle/session_result.hpp>
#include <scenario/scenario.hpp>

namespace oracle {

// Seconds and tasks a second; empty where the run says nothing.
struct Measured {
    // Slope of the line through the results' arrivals, 30 to 85 % of them, as far as tasks were still handed out.
    std::optional<double> tasks_per_second;
    std::optional<double> start_up_s;  // from the first task until the last worker has its first
    std::optional<double> total_s;     // from the first task until result_receiver has returned
    std::vector<double> tasks_of_node;
};
Measured measured(const scenario::Scenario& scenario, const oracle::SessionResult& result);

// The results that the rate is taken from: from the first of these to before the second. Empty when first == second.
struct SteadyWindow {
    std::size_t first = 0, last = 0;
};
// `arrivals` at the manager in order, and when the last task left it; in one unit.
SteadyWindow steady_window(const std::vector<double>& arrivals, double last_task);

}  // namespace oracle

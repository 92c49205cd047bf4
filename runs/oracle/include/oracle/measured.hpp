// Figures of a run, from the truth, to compare a prediction with.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <oracle/session_result.hpp>
#include <scenario/scenario.hpp>

namespace oracle {

// Seconds, and tasks a second; empty where the run gives no figure.
struct Measured {
    // Slope of the line through the results' arrivals, from 30 to 85 % of them, while tasks were still sent out.
    std::optional<double> tasks_per_second;
    std::optional<double> start_up_s;  // from the first task until the last worker has its first
    std::optional<double> total_s;     // from the first task until result_receiver has returned
    std::vector<double> tasks_of_node;
};
Measured measured(const scenario::Scenario& scenario, const oracle::SessionResult& result);

// The results that give the rate: from `first` up to but not including `last`. Empty when both are equal.
struct SteadyWindow {
    std::size_t first = 0, last = 0;
};
// `arrivals`: of results at the manager, ascending. `last_task`: when the last task left the manager, in the same unit.
SteadyWindow steady_window(const std::vector<double>& arrivals, double last_task);

}  // namespace oracle

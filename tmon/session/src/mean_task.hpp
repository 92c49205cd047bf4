// The task that the formulas know: all are alike, and as long as the mean of the scenario's own.
#pragma once

#include <vector>

#include <tmon_session/scenario.hpp>

namespace tmon_session {

struct MeanTask {
    std::vector<double> compute_s;  // by level, as farm_model::Costs::compute_s, of a single task
    trek_kernel::TaskTable table;   // every task is this one, without memory and without bugs
    trek_kernel::SimulatedSizes sizes;
    std::uint32_t looked_at = 0;  // tasks that the mean is of
};

// Of the simulated application from its table; of a program from a run of it on one worker in a child process.
MeanTask mean_task(const Scenario& scenario);

}  // namespace tmon_session

// The task of the formulas: all tasks are alike, and as long as the mean of the scenario's tasks.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <scenario/scenario.hpp>

namespace prediction {

struct MeanTask {
    std::vector<double> compute_s;  // by level, as farm_model::Costs::compute_s, of a single task, on the scenario's workers
    trek_kernel::TaskTable table;   // every task is this one, without memory and bugs; for a T800-20
    trek_kernel::SimulatedSizes sizes;
    std::uint32_t looked_at = 0;  // tasks in the mean
};

// For the simulated application, the mean of its table (the first million tasks). For a program, the mean of a run in a child
// process on a chain, one worker a level, cut after the first 512 results. A program's tasks may differ, so later ones are not
// known. Throws vocabulary::RequestError when that run gives no result.
MeanTask mean_task(const scenario::Scenario& scenario);

// Time of work on n0 of the scenario, or on a worker, divided by its time on a T800-20. All workers count as equal.
double work_factor(const scenario::Scenario& scenario, std::size_t node);
std::int64_t clock_hz_of(const scenario::Scenario& scenario,
                         std::size_t node);  // of n0, or of a worker: the mean of their clocks

// Speeds of the links along the farm's tree, slowest first, each once; of all links between nodes while the tree is to be
// found.
std::vector<std::int64_t> farm_link_speeds(const scenario::Scenario& scenario);

// A table of equal tasks, times in seconds of a T800-20; index: UserProcess.
trek_kernel::TaskTable equal_tasks(const std::array<double, 5>& times_s);

// The scenario on a tree of `workers` workers with equal clocks, and links of the slowest speed in the farm. It keeps nodes,
// links, prices, farm settings and monitor. It drops the rest, such as faults and waveforms.
scenario::Scenario on_small_farm(const scenario::Scenario& scenario, std::size_t arity, std::uint32_t workers);
// Replaces its tree by one with three branches at the manager and three children at each worker, wired directly.
void put_on_three_branches(scenario::Scenario& scenario, std::uint32_t workers);

}  // namespace prediction

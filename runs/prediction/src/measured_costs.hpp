// Costs of a task for the nodes of a farm: measured on small farms of the same application, messages and prices.
#pragma once

#include <farm_model/costs.hpp>
#include <scenario/scenario.hpp>

namespace prediction {

// Runs four to eight small farms, each in a child process. A cost comes from two runs of different length: the difference of
// processor time (or wire time), divided by the difference of tasks. Start and end cancel out.
//
// Processor farm: a chain of two workers. The last worker only computes: a = processor time / its tasks. The first worker's
// processor time beyond its own tasks is bf for each task of the last. Divide and conquer: also a root worker with its leaves;
// the root's time beyond its own tasks is c for each split. A ternary tree of 13 workers with very short tasks shows the rate
// at which one link can pass tasks on. Where n0 has several children, a tree of 39 workers is added. These farms are not
// monitored: the monitor's part follows from its prices (monitored_costs.hpp).
//
// All costs are finite and none is negative. Throws vocabulary::RequestError when a run fails or shows no such costs.
farm_model::Costs measured_costs(const scenario::Scenario& scenario);

}  // namespace prediction

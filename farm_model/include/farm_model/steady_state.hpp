// The steady state of a farm on any tree: while every node always has a task waiting, neither filling nor running dry.
//
// Processor farm (degree 1). A task that node i computes takes a = Te + be of its processor; a forwarded task takes bf.
// Forwarding goes first. With the children c of i:
//
//     F_i = min( sum of lam_c , 1/bf )       lam_i = 1/a + (1 - bf/a) F_i       V_i = (1 - F_i bf) / a
//
// Divide and conquer (degree k > 1), in tasks of the level of i; child c gets k_c of the k sub-tasks of a split:
//
//     F_i = min( lam_c / k_c , 1/c )         lam_i = F_i + (1 - F_i c) / a
//
// With round robin a node waits for the child whose turn it is. So each of n children gets as many tasks as the slowest can
// take: n min(lam_c) instead of the sum. The formulas treat the other policies as flood filling.
//
// A link carries at most 1/Costs::link_s(), the manager 1/bm tasks a second. In a monitored farm every record costs each node
// on its way to n0 relay_s of its processor. See docs/model/prediction.md; Wagner, Sreekantaswamy and Chanson (IEEE TPDS
// 8(5), 1997) have the model of the farm.
//
// It assumes that no node is ever without a task; supply.hpp gives the loss otherwise.
#pragma once

#include <string>
#include <vector>

#include <farm_model/costs.hpp>
#include <farm_spec/farm_spec.hpp>

namespace farm_model {

// All vectors by NodeId, FarmSpec::nodes long; 0 for nodes outside the farm.
struct SteadyState {
    double tasks_per_second = 0;    // at the manager; whole tasks with divide and conquer
    std::vector<double> computed;   // V: tasks (or sub-tasks) a second
    std::vector<double> forwarded;  // F: tasks forwarded a second, by the manager too; divide and conquer: split
    std::vector<double> busy;       // busy share of the processor, 0 to 1
    std::vector<double> records;  // records a second that leave the node towards n0, those from below included; monitored farms
    vocabulary::NodeId critical{0};
    std::string reason;
};

// Requires at least one worker. Cost: linear in the nodes for a regular tree.
SteadyState steady_state(const farm_spec::FarmSpec& config, const Costs& costs);

}  // namespace farm_model

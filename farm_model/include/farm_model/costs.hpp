// The times that a node of a farm spends on a task: the inputs of the formulas. All are measured on short runs of the modelled
// machine (runs/prediction/src/measured_costs.hpp), none is assumed. Times in seconds. "Task" is the content of one message
// pair. With a granularity g it is a bundle of g tasks; with divide and conquer it may be a sub-task.
#pragma once

#include <algorithm>
#include <vector>

namespace farm_model {

struct Costs {
    // Te, computation of one task, by level: [0] at the manager's children, [d] after d splits. The last value holds for all
    // deeper ones; a processor farm has one. At least one value, each >= 0.
    std::vector<double> compute_s{0};
    double execute_s = 0;  // be: of a node's processor, around one computation
    double forward_s = 0;  // bf: of a node's processor, one task down and its result up
    double split_s = 0;    // c: split, join, all sub-tasks down and their results up, for `split_degree` sub-tasks
    double manager_s = 0;  // bm: of the manager's processor, one task and its result
    // Least time from one task to the next at a manager with several branches, when everything waits for it; 0: not measured.
    double manager_pass_s = 0;
    double task_link_s = 0;    // tau_t: of a link, one task down
    double result_link_s = 0;  // tau_r: of a link, one result up
    // Least time from one task to the next over one link, when everything waits for it. Not the wire alone decides, but also
    // the link processes at both its ends. They handle one message pair after the other, and wait for the processor meanwhile.
    double pass_s = 0;
    double fill_s = 0;      // from one task to the next while an empty farm fills
    double hop_down_s = 0;  // h: from a task's arrival at a node until it has arrived at the child
    double hop_up_s = 0;    // the same of a result
    // Monitored farms (facts: each task or result that passes a node's link makes a record there). All 0: not monitored. The
    // probes themselves and a record's way out of its own node are in execute_s, forward_s and split_s.
    double relay_s = 0;          // of a node's processor, one record of a node below on its way to the host
    double manager_relay_s = 0;  // the same of the manager
    double record_link_s = 0;    // of a link, one record
    double link_s() const { return std::max({pass_s, task_link_s, result_link_s}); }
    double manager_limit_s() const { return std::max(manager_s, manager_pass_s); }
    bool monitored() const { return record_link_s > 0; }

    double compute(std::size_t level) const { return level < compute_s.size() ? compute_s[level] : compute_s.back(); }
};

}  // namespace farm_model

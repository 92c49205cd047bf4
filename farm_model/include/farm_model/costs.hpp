// The times that a node of a farm spends on a task: the inputs of the formulas. All are measured in short runs of the modelled
// machine (runs/prediction/src/measured_costs.hpp); none is assumed. Times are in seconds. A "task" is the content of one
// message pair: with a granularity g a bundle of g tasks, with divide and conquer possibly a sub-task.
#pragma once

#include <algorithm>
#include <vector>

namespace farm_model {

struct Costs {
    // Te, computation of one task, by level: [0] at the manager's children, [d] after d splits. The last value also applies to
    // deeper levels; a processor farm has one value. At least one value, each >= 0.
    std::vector<double> compute_s{0};
    double execute_s = 0;  // be: processor time of a node around one computation
    double forward_s = 0;  // bf: processor time of a node for one task down and its result up
    double split_s = 0;    // c: split, join, all sub-tasks down and their results up, for `split_degree` sub-tasks
    double manager_s = 0;  // bm: processor time of the manager for one task and its result
    // Least time between tasks at a manager with several branches, when everything waits for it; 0: not measured.
    double manager_pass_s = 0;
    double task_link_s = 0;    // tau_t: link time of one task down
    double result_link_s = 0;  // tau_r: link time of one result up
    // Least time between tasks over one link, when everything waits for it. It depends on the wire and on the link processes at
    // both ends. They handle one message pair at a time and also wait for the processor.
    double pass_s = 0;
    double fill_s = 0;      // time between tasks while an empty farm fills
    double hop_down_s = 0;  // h: from a task's arrival at a node until it has arrived at the child
    double hop_up_s = 0;    // the same for a result
    // Monitored farms: each task or result over a link makes a record at both ends. All 0: not monitored. execute_s, forward_s
    // and split_s include the probes and a record's way out of its own node.
    double relay_s = 0;          // processor time of a node to forward one record from below to the host
    double manager_relay_s = 0;  // the same for the manager
    double record_link_s = 0;    // link time of one record
    double link_s() const { return std::max({pass_s, task_link_s, result_link_s}); }
    double manager_limit_s() const { return std::max(manager_s, manager_pass_s); }
    bool monitored() const { return record_link_s > 0; }

    double compute(std::size_t level) const { return level < compute_s.size() ? compute_s[level] : compute_s.back(); }
};

}  // namespace farm_model

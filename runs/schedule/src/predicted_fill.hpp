// PredictedFill: the rate at which each node's trace buffers fill, predicted before the farm runs. It follows from the
// predicted task rate (predict.hpp) and the number of records of a task at each place of the tree.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <farm_spec/farm_spec.hpp>
#include <scenario/scenario.hpp>
#include <trace_record/event_class.hpp>

namespace schedule {

// Records a millisecond, by class.
using ClassRates = std::array<double, trace_record::event_classes>;

struct PredictedFill {
    std::string refused;               // reason for having no prediction; empty: there is one
    std::vector<std::string> caveats;  // of the prediction
    std::vector<ClassRates> of_node;   // by NodeId; requested classes that follow from the tasks
    // Requested classes that are not predicted: user events of a program, and starts and ends of processes. Where tasks are
    // divided, messages of the library too, since not all of them belong to tasks.
    trace_record::ClassSet left_out;
};

// Prediction for the farm without probes. Precondition: the scenario is monitored. Runs small farms in child processes, as
// predict() does.
PredictedFill predicted_fill(const scenario::Scenario& scenario);

// Events on each node, by NodeId, for given numbers of computed tasks: of class `task` and, in a processor farm, of class
// `message`.
struct TaskEvents {
    std::vector<double> task, message;
};
TaskEvents events_of_tasks(const farm_spec::FarmSpec& farm, const std::vector<double>& computed);

}  // namespace schedule

// PredictedFill: how fast the trace buffers of each node of a farm fill, predicted before the farm runs. It follows from the
// predicted task rate (predict.hpp) and the number of records that a task makes at each place of the tree.
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
    std::string refused;               // why there is no prediction; empty: there is one
    std::vector<std::string> caveats;  // of the prediction
    std::vector<ClassRates> of_node;   // by NodeId; of the classes that the scenario asks for and that follow from its tasks
    // Asked for, and not predicted: user events of a program, and starts and ends of processes. Where tasks are divided, also
    // the messages of the library, which are not the tasks' alone.
    trace_record::ClassSet left_out;
};

// Prediction for the farm without probes. Precondition: the scenario is monitored. Runs small farms in child processes, as
// predict() does.
PredictedFill predicted_fill(const scenario::Scenario& scenario);

// Events on each node, by NodeId, of a farm whose workers compute so many tasks: of class `task` and, where nothing divides, of
// class `message`.
struct TaskEvents {
    std::vector<double> task, message;
};
TaskEvents events_of_tasks(const farm_spec::FarmSpec& farm, const std::vector<double>& computed);

}  // namespace schedule

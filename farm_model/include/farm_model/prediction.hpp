// A prediction for a farm before it runs, by the formulas: closed forms for a tree of nodes that compute and forward. They are
// checked against the modelled machine by tests/unit/prediction/predict_test.cpp and campaigns/predictions.yaml. Plain
// values; times in seconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <farm_model/costs.hpp>
#include <vocabulary/ids.hpp>

namespace farm_model {

// A run of the farm itself, with fewer tasks if it has many.
struct Pilot {
    std::uint32_t tasks = 0;              // number of tasks run, from the first
    double formula_tasks_per_second = 0;  // rate by the formulas; 0: none, and `formulas_refuse` gives the reason
    std::string formulas_refuse;
};

struct Prediction {
    double tasks_per_second = 0;          // in the steady state
    double start_up_s = 0;                // until the last worker begins its first task
    double total_s = 0;                   // from the first task until result_receiver returns
    std::vector<double> tasks_of_node;    // computed by each node, by NodeId; 0 for the manager and nodes outside the farm
    std::vector<double> busy_of_node;     // share of the processor in use in the steady state, 0 to 1, by NodeId
    vocabulary::NodeId critical_node{0};  // the node whose limit sets the rate
    std::string critical_reason;          // "its processor is full: it computes and forwards", "the link ...", ...
    double speed_up = 0;                  // tasks_per_second * computation time of one task
    std::uint32_t best_granularity = 1;   // tasks in a bundle for the shortest total time (processor farm)
    double best_total_s = 0;              // total time with it; 0: unknown, as for divide and conquer
    std::vector<std::string> caveats;     // known inaccuracies of the formulas here, one sentence each; empty: none
    Costs costs;                          // measured, for the content of one message
    // Rate, start-up, total and tasks come from the pilot, if there is one; everything else comes from the formulas.
    std::optional<Pilot> pilot;
};

}  // namespace farm_model

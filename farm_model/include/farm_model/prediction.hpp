// A prediction for a farm before it runs, by the formulas: closed forms for a tree of nodes that compute and forward. They are
// checked against the modelled machine by tests/unit/prediction/predict_test.cpp and scripts/prediction_campaign. Plain
// values; times in seconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <farm_model/costs.hpp>
#include <vocabulary/ids.hpp>

namespace farm_model {

// A run of the farm itself, shorter where it has many tasks.
struct Pilot {
    std::uint32_t tasks = 0;              // of it, from the first
    double formula_tasks_per_second = 0;  // what the formulas say; 0: nothing, and `formulas_refuse` says why
    std::string formulas_refuse;
};

struct Prediction {
    double tasks_per_second = 0;          // in the steady state
    double start_up_s = 0;                // until the last worker begins its first task
    double total_s = 0;                   // from the first task until result_receiver returns
    std::vector<double> tasks_of_node;    // of all tasks, by NodeId; 0 for the manager and nodes outside the farm
    std::vector<double> busy_of_node;     // share of the processor in use in the steady state, 0 to 1, by NodeId
    vocabulary::NodeId critical_node{0};  // whose limit decides the rate
    std::string critical_reason;          // "its processor is full: it computes and forwards", "the link ...", ...
    double speed_up = 0;                  // tasks_per_second * computation time of one task
    std::uint32_t best_granularity = 1;   // tasks in a bundle for the shortest total time (processor farm)
    double best_total_s = 0;              // with that; 0: not known (divide and conquer)
    std::vector<std::string> caveats;     // where the formulas are known to be off, one sentence each; empty: they hold
    Costs costs;                          // measured, for the content of one message
    // Rate, start-up, total and tasks come from the pilot, where there is one; else all comes from the formulas.
    std::optional<Pilot> pilot;
};

}  // namespace farm_model

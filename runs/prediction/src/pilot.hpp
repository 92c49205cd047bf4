// Pilot: a short run of the scenario's own farm, in a process of its own, before the prediction. It shows costs that no
// formula covers: the user's functions on the manager, the policy, full links, the monitor with its packets. Cost: a run of
// some thousand tasks, for a program up to 40 000.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <scenario/scenario.hpp>

namespace prediction {

struct PilotReading {
    std::uint32_t tasks = 0;  // returned
    bool whole = false;       // all tasks of the farm
    double rate = 0;          // tasks a second as in measured(); 0: too few results
    double computation = 1;   // of the tasks that give the rate, relative to the mean task (mean_task.hpp)
    double start_up_s = 0;
    double total_s = 0;                               // of the whole farm: the pilot's time, and the rest at its rate
    std::vector<double> tasks_of_node, busy_of_node;  // of all tasks; share of the processor
    std::uint32_t critical_node = 0;
    std::string critical_reason;
    std::vector<std::string> doubts;  // reasons why the rest may go at another rate, one sentence each
};

// Runs without planted bugs and faults. Throws vocabulary::RequestError when the farm does not get far enough.
PilotReading pilot(const scenario::Scenario& scenario);

}  // namespace prediction

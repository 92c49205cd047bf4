// Pilot: the scenario's own farm, run for a while in a process of its own before it is predicted. It shows costs that no
// formula has: the user's functions on the manager, the policy, full links, the monitor with its packets. Cost: a run of some
// thousand tasks, for a program up to 40 000.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <scenario/scenario.hpp>

namespace prediction {

struct PilotReading {
    std::uint32_t tasks = 0;  // that came back
    bool whole = false;       // all that there are
    double rate = 0;          // tasks a second as measured() has it; 0: too few results
    double computation = 1;   // of the tasks that the rate is from, by what the mean task (mean_task.hpp) computes
    double start_up_s = 0;
    double total_s = 0;                               // of the whole farm: what a shorter one took, and the rest at its rate
    std::vector<double> tasks_of_node, busy_of_node;  // of all tasks; share of the processor
    std::uint32_t critical_node = 0;
    std::string critical_reason;
    std::vector<std::string> doubts;  // why the rest may go at another rate, one sentence each
};

// Without planted bugs and faults. Throws std::runtime_error when the farm does not come so far.
PilotReading pilot(const scenario::Scenario& scenario);

}  // namespace prediction

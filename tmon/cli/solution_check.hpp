// topology solve --verify: a solution on the modelled machine. Available only where the simulation is built.
#pragma once

#include <string>

#include <topologies/machine_description.hpp>

namespace tmon_cli {

struct SolutionCheck {
    bool good = false;
    std::string text, json;  // tmon_session/network_check.hpp
};

// Builds the machine. That can be done only once a process.
SolutionCheck check_solution(const topologies::MachineDescription& solved, const topologies::MachineDescription& wanted);

}  // namespace tmon_cli

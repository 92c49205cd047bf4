// topology solve --verify: tries a solution on the modelled machine. Available only in builds with the simulation.
#pragma once

#include <string>

#include <topologies/machine_description.hpp>

namespace cli {

struct SolutionCheck {
    bool good = false;
    std::string text, json;  // trollius_hosted/network_check.hpp
};

// Builds the machine, which is possible only once a process.
SolutionCheck check_solution(const topologies::MachineDescription& solved, const topologies::MachineDescription& wanted);

}  // namespace cli

// The output of `magicwire topology solve` and `check`, for people and for programs. Cost: linear in nodes and wires; for a
// check one breadth-first search per node, for the diameter.
#pragma once

#include <cstdint>
#include <string>

#include <topologies/machine_description.hpp>
#include <topologies/solver.hpp>

namespace topologies {

// A solution, with the machines and the seed it came from.
struct SolutionReport {
    const MachineDescription& wanted;
    const MachineDescription& target;
    std::uint64_t seed;
    std::int64_t link_bits_per_second = 0;  // the requested speed; 0: any
};

// Placement with the neighbours of every node, then the settings of every switch. Ends with a line feed.
std::string solution_text(const SolutionReport& from, const Solution& solution);
// Schema "magicwire.solve/1" (docs/formats/command_line.md); for a search without result `found` is false.
std::string solution_json(const SolutionReport& from, const Solution& solution);
std::string not_found_json(const SolutionReport& from, const NotFound& result);

// Summary of a machine that passed check_machine(): nodes, edges, degrees, pieces, diameter.
std::string check_text(const MachineDescription& machine);
std::string check_json(const MachineDescription& machine);  // schema "magicwire.check/1"

}  // namespace topologies

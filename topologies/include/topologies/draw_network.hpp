// The network of a machine as a picture, without its switches: DOT text for graphviz. Nodes and links can show a load, as a
// colour, as a number, and links also as a width. Known shapes keep their form (layout.hpp), graphviz places the nodes of
// others.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <topologies/machine_description.hpp>

namespace topologies {

// Shares of time, 0 to 1.
struct NetworkLoad {
    std::vector<std::optional<double>> of_node;  // by NodeId; empty or beyond the end: not known, drawn grey
    // From one end to the other ("n0.1", "n3.0"; the host is "host"), one direction. What is missing carried nothing.
    std::map<std::pair<std::string, std::string>, double> of_link;
    std::string words;  // under the picture: what the shares are of
};

// Equal machines and loads give equal bytes. The machine must have passed check_machine(). Cost: linear in the wires; graphviz
// takes seconds beyond a few hundred nodes of an unknown shape.
std::string network_dot(const MachineDescription& machine, const std::optional<NetworkLoad>& load = {});

}  // namespace topologies

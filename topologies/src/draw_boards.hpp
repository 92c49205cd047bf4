// The boards of a machine in its picture: frames around their nodes and switches.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <topologies/machine_description.hpp>

namespace topologies {

// Clusters for graphviz, one a board, with the numbers of the slots. `boxes_of`: what the picture draws of a switch, by the
// names of these boxes. Empty for a machine without boards.
std::string boards_dot(const MachineDescription& machine,
                       const std::function<std::vector<std::string>(std::size_t which)>& boxes_of);

}  // namespace topologies

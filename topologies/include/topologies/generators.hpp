// The regular machines of the papers, for any number of nodes: the host is wired to n0.0, n0 is the manager, and link 0 of
// every node leads to its parent. Each can be made `through_switches`: every wire then passes one C004 whose connection makes
// it, 16 wires a switch. A number of nodes that no machine can have throws vocabulary::InputError. Cost: linear in the nodes.
#pragma once

#include <cstddef>

#include <topologies/machine_description.hpp>

namespace topologies {

// n0.1 leads to the root worker n1; the children of worker i are 2i and 2i+1, on its links 1 and 2.
MachineDescription binary_tree(std::size_t node_count, bool through_switches = false);
// As above with the children 3i-1, 3i and 3i+1 on links 1, 2 and 3.
MachineDescription ternary_tree(std::size_t node_count, bool through_switches = false);
// n0.1 - n1.0, n1.1 - n2.0, ...
MachineDescription chain(std::size_t node_count, bool through_switches = false);

}  // namespace topologies

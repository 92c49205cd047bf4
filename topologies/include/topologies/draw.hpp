// A machine as a picture: DOT text for graphviz, with every node, the host, every switch connection, every wire, and a legend.
// Used and free parts differ in colour and in line style. The colours are the palette of Okabe and Ito, which colour-blind
// readers can tell apart. The machine must have passed check_machine(). Cost: linear in the wires; graphviz takes seconds
// beyond a few hundred nodes.
#pragma once

#include <string>

#include <topologies/machine_description.hpp>

namespace topologies {

// Each connection of a switch is a small box on the wires it joins, so the network stays visible. Free ways are dashed lines to
// a box for the switch. A machine with more than `most_free_lines` free ways has them listed below the picture instead. Equal
// machines give equal bytes.
std::string machine_dot(const MachineDescription& machine);

inline constexpr std::size_t most_free_lines = 24;

}  // namespace topologies

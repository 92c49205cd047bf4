// A machine as a picture: DOT text for graphviz, with every node, the host, every switch connection, every wire, and a legend.
// Used and free parts differ in colour and in line style. The colours are the palette of Okabe and Ito, which colour-blind
// readers can tell apart. The machine must have passed check_machine(). Cost: linear in the wires; graphviz takes seconds
// beyond a few hundred nodes.
#pragma once

#include <string>

#include <topologies/machine_description.hpp>

namespace topologies {

// A switch is drawn as one small box for each of its connections, on the wires that it joins. So the network can be seen. Its
// free ways are drawn as broken lines to a box of its own, up to `most_free_lines` of them in the machine. With more, they are
// listed below the picture. Equal machines give equal bytes.
std::string machine_dot(const MachineDescription& machine);

inline constexpr std::size_t most_free_lines = 24;

}  // namespace topologies

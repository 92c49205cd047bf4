// A machine for people and for programs: the output of the verb `describe`. The machine must have passed check_machine(). Cost:
// one breadth-first search per node, for the diameter.
#pragma once

#include <string>

#include <topologies/machine_description.hpp>

namespace topologies {

// Parts, links with the switches on their way, switch settings, diameter. Ends with a line feed.
std::string describe_text(const MachineDescription& machine);
// The same as one JSON value, schema "magicwire.describe/1" (docs/formats/machine_file.md), keys in a fixed order.
std::string describe_json(const MachineDescription& machine);

}  // namespace topologies

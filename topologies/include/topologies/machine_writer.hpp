// MachineDescription -> machine file (docs/formats/machine_file.md), the inverse of machine_parser.hpp. Cost: a sort of the
// wires.
#pragma once

#include <string>

#include <topologies/machine_description.hpp>
#include <topologies/machine_parser.hpp>

namespace topologies {

// The same machine with its wires and connections in the one order in which a file lists them. First the host's wires, then
// direct wires by their lower end, then each switch's wires and connections by way. A wire between two switches belongs to the
// lower one.
MachineDescription canonical_machine(MachineDescription machine);

// Canonical text: equal machines give equal bytes, and parse_machine(write_machine(m)) == canonical_machine(m) for every
// machine that check_machine() accepts. The key `asks` is written only when `asked` leaves something out.
std::string write_machine(const MachineDescription& machine, const Asked& asked = {});

}  // namespace topologies

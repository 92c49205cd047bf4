// Checks of check_machine() that concern the speeds of links and the boards. All throw vocabulary::InputError. Cost: linear.
#pragma once

#include <topologies/machine_checks.hpp>

namespace topologies {

// Every speed is one that a T800 has; 0 stands for the machine's.
void check_speeds(const MachineDescription& machine, const vocabulary::SourcePosition& where);
// The two ends of each wire have the same speed. The wires have been checked: their ends are in the machine.
void check_wire_speeds(const MachineDescription& machine, const MachinePlaces& places);
// Boards have names, none is empty, and each node and each switch is on one at most.
void check_boards(const MachineDescription& machine, const MachinePlaces& places);

}  // namespace topologies

// The speed of each link of a machine, in bit/s. A node or a switch may have a speed of its own; the others have the machine's.
// The two ends of a wire have the same speed (check_machine()), so all wires of a path have it too, however switches are set.
#pragma once

#include <cstdint>
#include <vector>

#include <topologies/machine_description.hpp>

namespace topologies {

// The end must be in the machine. The host's adaptor is set to the speed of its wire. Cost: constant; for an end of the host
// linear in the wires.
std::int64_t link_speed(const MachineDescription& machine, const WireEnd& end);
std::int64_t switch_speed(const MachineDescription& machine, SwitchId which);
// A control connection of the host has the speed of its slowest switch. Along it there must be one.
std::int64_t control_speed(const MachineDescription& machine, const std::vector<SwitchId>& along);

// The speeds of all wires, slowest first, each once; the machine's own speed if it has no wire. Cost: linear in the wires.
std::vector<std::int64_t> wire_speeds(const MachineDescription& machine);

// Speeds that say the same as the machine's become 0, so that equal machines compare equal.
void leave_out_equal_speeds(MachineDescription& machine);

}  // namespace topologies

// Rewiring: a change of the switch settings of a machine that runs, and what it does to the network. Nodes and cables stay.
// Used by the shell's `connect`, `disconnect` and `reconfigure`, and by the phases of a scenario.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <topologies/machine_description.hpp>
#include <topologies/solver.hpp>
#include <topologies/switch_setting.hpp>

namespace topologies {

struct ChangedConnection {
    SwitchId which;
    WayNo a, b;
    friend auto operator<=>(const ChangedConnection&, const ChangedConnection&) = default;
};

struct Rewiring {
    std::vector<SwitchSetting> settings;           // the whole new setting of each switch that changes, in their order
    std::vector<ChangedConnection> removed, made;  // by switch, then by way
    std::size_t kept = 0;                          // connections that stay
    std::vector<Path> cut, joined;                 // links that end, and links that are new or take other switches
    std::vector<NodeId> out_of_reach;              // nodes that the host reaches now, and not afterwards
    // A lower bound of the changed connections, for a network whose links pass a switch at most once. Empty: no search was
    // made.
    std::optional<std::size_t> least_changes;

    std::size_t changes() const { return removed.size() + made.size(); }
    bool fewest() const { return least_changes && changes() == *least_changes; }
};

// The change from the machine's present settings to `becomes`, one entry a switch. Cost: linear in the wires.
Rewiring rewiring(const MachineDescription& now, const std::vector<Connections>& becomes);

// The change that makes the wanted network on the nodes of the same numbers, with as few changed connections as possible. Links
// between wanted nodes and others end. Links among the others stay, unless their connections are in the way. `options`:
// whatever it says, places are kept, changes are few, and any connection of the host may be taken. Throws
// vocabulary::InputError with the solver's reason when there is no solution, or none was found. Cost: that of solve(), twice if
// the others are in the way.
Rewiring rewiring_to(const MachineDescription& now, const MachineDescription& wanted, SolverOptions options = {});

// One link more: `a` and `b` are links of nodes, or host connections. It takes the fewest switches over free cables; of several
// ways the one over the lowest ways. Throws vocabulary::InputError when an end is in use, leads to no switch, or no way is
// free.
Rewiring rewiring_with_link(const MachineDescription& now, const WireEnd& a, const WireEnd& b);
// One link less. `b`: the expected other end; empty: whatever it is. Throws vocabulary::InputError when there is no such link,
// or when it is soldered.
Rewiring rewiring_without_link(const MachineDescription& now, const WireEnd& a, const std::optional<WireEnd>& b);

// The machine after the change.
MachineDescription rewired(MachineDescription machine, const Rewiring& change);

}  // namespace topologies

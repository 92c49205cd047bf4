// Places a wanted network onto a machine with switches. It chooses a target node for each wanted node, links and switches for
// each wanted edge, and the switch settings. Used by `magicwire topology solve`.
//
// Only the network of the wanted machine counts (network.hpp): node numbers are names, and link numbers and switches mean
// nothing. Its memory and clocks are the least that the target's nodes must have. The target keeps its wires, and its settings
// too if they already make the wanted network. Wanted host wires prefer host connections in use at present, then the lowest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <topologies/machine_description.hpp>

namespace topologies {

struct SolverOptions {
    std::uint64_t seed = 1;
    // Wanted node k stays on target node k, as on a running machine. The solver chooses links and settings only.
    bool keep_places = false;
    bool keep_links = false;  // an edge keeps its links of the wanted machine, host connections included
    // Makes and removes as few switch connections as possible.
    bool fewest_changes = false;
    std::vector<LinkNo> host_links = {};    // connections of the host that may be used; empty: connected ones, then the lowest
    bool any_host_link = false;             // any host connection may be used
    std::int64_t link_bits_per_second = 0;  // least speed of all links of the target; 0: any
    std::uint64_t steps = 40'000'000;       // search steps allowed; about 200 ns each on a machine of 75 nodes
};

// Switch connections compared with the target's present ones.
struct SettingChanges {
    std::size_t made = 0, taken_away = 0, kept = 0;
};

struct Solution {
    std::vector<NodeId> place;  // index: wanted node; its node of the target
    // The target renumbered: wanted node k is nk; unused nodes follow in the target's order. It has the target's wires, memory,
    // clocks and control connections, and its switches are set. It passes check_machine(). Its network on the wanted nodes is
    // the wanted one.
    MachineDescription machine;
    std::vector<Path> edges;  // one for each wanted edge, in the names of `machine`, in the order of Network::paths()
    std::uint64_t steps = 0, tries = 0;  // search steps; choices tried by the exact part
    SettingChanges changes;
    // With fewest_changes: a lower bound of the changes, for solutions whose edges pass a switch at most once. A solution with
    // so few changes is the best.
    std::optional<std::size_t> least_changes;
};

// The search ended without a solution: none exists, or it ran out of steps, which proves nothing.
struct NotFound {
    std::size_t edges = 0;     // edges of the wanted network, host wires included
    std::size_t unplaced = 0;  // edges without a place, in the best try
    std::size_t soldered = 0;  // soldered wires between nodes in use that are not wanted, in that best try
    std::uint64_t steps = 0, tries = 0;
    bool impossible = false;  // every possibility was tried: no solution exists
    bool keep_places = false, keep_links = false;
    std::string text() const;  // one sentence with these numbers
};

// Same input, same answer. Throws vocabulary::InputError when the target certainly cannot make the wanted network. Nodes: one
// with more than four links, too many nodes or host wires, or memory, clock or wired links that no free node has. Edges: more
// than wired links, or a piece larger than any piece of the target. Links: slower than requested, or requested host connections
// that are not wired. Both machines must otherwise pass check_machine(). Cost: milliseconds with room to spare, else up to the
// allowed steps.
std::variant<Solution, NotFound> solve(const MachineDescription& wanted, const MachineDescription& target,
                                       const SolverOptions& options = {});

}  // namespace topologies

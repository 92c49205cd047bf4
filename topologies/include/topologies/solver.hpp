// Finds room for a wanted network on a machine with switches. It finds the target node of each wanted node, and the links and
// switches of each wanted edge. It also finds the switch settings that make it so. Used by `magicwire topology solve`.
//
// In the wanted machine node numbers are names; link numbers and switches mean nothing. It counts as the network that its wires
// and settings make (network.hpp). Its memory and clock are the least that a node must have. The target's wires are kept. Where
// its present settings have the wanted network already, they are kept too. Wanted host wires take connections of the host that
// are in use at present, then the lowest.
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
    // Wanted node k goes onto node k of the target: only links and settings are sought (a running machine is reprogrammed).
    bool keep_places = false;
    bool keep_links = false;  // an edge takes the links that it has in the wanted machine, also those of the host
    // As few connections of switches as possible are made and taken away.
    bool fewest_changes = false;
    std::vector<LinkNo> host_links = {};    // connections of the host that may be used; empty: connected ones, then the lowest
    bool any_host_link = false;             // any of them
    std::int64_t link_bits_per_second = 0;  // least speed of the links; 0: any
    std::uint64_t steps = 40'000'000;       // of the search, before it gives up; some 200 ns each on a machine of 75 nodes
};

// Connections of switches, compared with the target's.
struct SettingChanges {
    std::size_t made = 0, taken_away = 0, kept = 0;
};

struct Solution {
    std::vector<NodeId> place;  // index: wanted node; its node of the target
    // The target renumbered: wanted node k is nk, nodes that are not used follow in the target's order. It has the target's
    // wires, memory, clocks and control connections, and its switches are set. It passes check_machine(). Its network on the
    // wanted nodes is the wanted one.
    MachineDescription machine;
    std::vector<Path> edges;  // one for each wanted edge, in the names of `machine`, in the order of Network::paths()
    std::uint64_t steps = 0, tries = 0;  // of the search; choices tried by its exact part
    SettingChanges changes;
    // With fewest_changes: no solution whose edges pass a switch at most once makes and takes away fewer connections. When it
    // is the number of changes, this solution is the best.
    std::optional<std::size_t> least_changes;
};

// The search ended without a solution: there is none, or it gave up, which proves nothing.
struct NotFound {
    std::size_t edges = 0;     // of the wanted network, host wires included
    std::size_t unplaced = 0;  // of these, in the best try
    std::size_t soldered = 0;  // soldered wires between nodes in use that are not wanted, in that best try
    std::uint64_t steps = 0, tries = 0;
    bool impossible = false;  // all was tried: there is no solution
    bool keep_places = false, keep_links = false;
    std::string text() const;  // one sentence with these numbers
};

// Same input, same answer. Throws vocabulary::InputError when the target certainly cannot be the wanted network. Nodes: one
// with more than four links, too many nodes or host wires, or memory, clock or wired links that no free node has. Edges: more
// than wired links, or a piece larger than any piece of the target. Links: slower than asked for, or connections of the host
// that are asked for and not wired. Both machines must otherwise pass check_machine(). Cost: milliseconds where there is room
// to spare, at most the steps allowed.
std::variant<Solution, NotFound> solve(const MachineDescription& wanted, const MachineDescription& target,
                                       const SolverOptions& options = {});

}  // namespace topologies

// The regular networks of the papers, for any number of nodes. The host is wired to the lowest node that has a link to spare,
// at link 0. The wires between nodes take the lowest free link of either end in the order of the shape. If every node uses all
// four links, the machine has no host, or has a gateway node for it. Numbers that no network of T800s can have throw
// vocabulary::InputError. Cost: linear in the nodes, except where stated.
#pragma once

#include <cstddef>
#include <cstdint>

#include <topologies/machine_description.hpp>

namespace topologies {

struct NetworkOptions {
    // Every wire between nodes passes through one C004; a C004 carries 16 wires.
    bool through_switches = false;
    // If no node has a spare link, a last node is added in the middle of n0's first wire. It carries the host.
    bool gateway = false;
};

// n0, the manager, is wired to the host by link 0 and to the root worker n1 by link 1. Link 0 of every worker leads to its
// parent. The children of worker i are 2i and 2i+1, on its links 1 and 2.
MachineDescription binary_tree(std::size_t node_count, bool through_switches = false);
// As above with the children 3i-1, 3i and 3i+1 on links 1, 2 and 3.
MachineDescription ternary_tree(std::size_t node_count, bool through_switches = false);
// n0.1 - n1.0, n1.1 - n2.0, ...
MachineDescription chain(std::size_t node_count, bool through_switches = false);
// The three above, by the number of children of a worker: 3 at most, since one link leads to the parent.
MachineDescription k_ary_tree(std::size_t arity, std::size_t node_count, const NetworkOptions& options = {});

// n0 - n1 - ... - n0. At least 3 nodes.
MachineDescription ring(std::size_t node_count, const NetworkOptions& options = {});
// Node r * columns + c is wired to the next of its row, then to the one below.
MachineDescription mesh(std::size_t rows, std::size_t columns, const NetworkOptions& options = {});
// As the mesh, with the ends of rows and columns joined. Both numbers are at least 3: with 2, two nodes would be wired twice;
// with 1, a node to itself.
MachineDescription torus(std::size_t rows, std::size_t columns, const NetworkOptions& options = {});
// Nodes whose numbers differ in one bit are wired, lowest bit first. 1, 2, 4, 8 or 16 nodes.
MachineDescription hypercube(std::size_t node_count, const NetworkOptions& options = {});
// n0 is wired to all others, 4 at most; with 4 of them the host is wired to n1.
MachineDescription star(std::size_t node_count, const NetworkOptions& options = {});
// Every node is wired to every other. 5 nodes at most.
MachineDescription complete(std::size_t node_count, const NetworkOptions& options = {});
// Binary de Bruijn network: node i is wired to 2i and 2i+1, modulo the number of nodes, a power of two. The first and the last
// node are not wired to themselves. The nodes 0101... and 1010... share one wire, not two.
MachineDescription de_bruijn(std::size_t node_count, const NetworkOptions& options = {});
// A random connected network in which every node has four different neighbours. Equal seeds give equal networks on every host.
// At least 5 nodes. Cost: 20 exchanges of wires for each wire, and 20 searches through the network.
MachineDescription random_regular(std::size_t node_count, std::uint64_t seed, const NetworkOptions& options = {});

}  // namespace topologies

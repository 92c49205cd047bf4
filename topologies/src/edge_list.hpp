// A network as a list of edges, and the machine that is wired like it. Used by the generators.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <topologies/generators.hpp>
#include <topologies/machine_description.hpp>

namespace topologies {

struct EdgeList {
    std::string name;
    std::size_t node_count = 0;
    std::vector<std::pair<std::size_t, std::size_t>> edges;  // at most links_per_node at each node

    void add(std::size_t a, std::size_t b) { edges.emplace_back(a, b); }
};

// Throws vocabulary::InputError unless `count` is in the range. The message names `thing`, which has `count` nodes, and ends
// with `remedy`.
void check_node_count(const char* generator, const char* thing, std::size_t count, std::size_t least, std::size_t most,
                      const std::string& remedy);

// Every edge takes the lowest free link of either end, in their order; link 0 of the host's node is the host's.
MachineDescription wired_like(EdgeList network, const NetworkOptions& options);

// Simple, connected, four edges at each node (at least 5 nodes); a function of the two numbers.
EdgeList random_four_regular(std::size_t node_count, std::uint64_t seed);

}  // namespace topologies

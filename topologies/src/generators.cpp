#include <fmt/format.h>

#include <bit>
#include <set>

#include <topologies/generators.hpp>
#include <topologies/machine_checks.hpp>
#include <vocabulary/source_position.hpp>

#include "edge_list.hpp"

namespace topologies {
namespace {

const std::string change_it = "change their number";

// Workers 1, 2, ... fill the tree level by level: the children of i are arity * (i - 1) + 2 and the arity - 1 after it.
MachineDescription tree(const char* generator, const char* name, std::size_t arity, std::size_t node_count,
                        const NetworkOptions& options) {
    check_node_count(generator, "machine", node_count, 1, most_nodes, change_it);
    EdgeList network{fmt::format("{}_{}", name, node_count), node_count, {}};
    if (node_count > 1) network.add(0, 1);
    for (std::size_t child = 2; child < node_count; ++child) network.add((child - 2) / arity + 1, child);
    return wired_like(std::move(network), options);
}

void check_sides(const char* generator, std::size_t rows, std::size_t columns, std::size_t least) {
    if (rows >= least && columns >= least && rows <= most_nodes && columns <= most_nodes && rows * columns <= most_nodes)
        return;
    throw vocabulary::InputError(
        {generator, 0, 0},
        fmt::format("{} rows of {} nodes asked for, but a {} has at least {} of each and at most {} nodes; change their number",
                    rows, columns, generator, least, most_nodes));
}

void check_power_of_two(const char* generator, std::size_t node_count, std::size_t most, const std::string& why) {
    if (std::has_single_bit(node_count) && node_count <= most) return;
    throw vocabulary::InputError(
        {generator, 0, 0},
        fmt::format("{} nodes asked for, but their number is a power of two and at most {}, since {}; change their number",
                    node_count, most, why));
}

}  // namespace

MachineDescription binary_tree(std::size_t node_count, bool through_switches) {
    return tree("binary_tree", "btree", 2, node_count, {.through_switches = through_switches});
}

MachineDescription ternary_tree(std::size_t node_count, bool through_switches) {
    return tree("ternary_tree", "ttree", 3, node_count, {.through_switches = through_switches});
}

MachineDescription chain(std::size_t node_count, bool through_switches) {
    return tree("chain", "chain", 1, node_count, {.through_switches = through_switches});
}

MachineDescription k_ary_tree(std::size_t arity, std::size_t node_count, const NetworkOptions& options) {
    if (arity < 1 || arity >= links_per_node) {
        throw vocabulary::InputError(
            {"tree", 0, 0},
            fmt::format("{} children a worker asked for, but one of its {} links leads to its parent; ask for 1, 2 or 3", arity,
                        links_per_node));
    }
    constexpr const char* names[] = {"chain", "btree", "ttree"};
    return tree(arity == 1 ? "chain" : "tree", names[arity - 1], arity, node_count, options);
}

MachineDescription ring(std::size_t node_count, const NetworkOptions& options) {
    check_node_count("ring", "ring", node_count, 3, most_nodes, "change their number, or ask for a chain");
    EdgeList network{fmt::format("ring_{}", node_count), node_count, {}};
    for (std::size_t node = 0; node < node_count; ++node) network.add(node, (node + 1) % node_count);
    return wired_like(std::move(network), options);
}

MachineDescription mesh(std::size_t rows, std::size_t columns, const NetworkOptions& options) {
    check_sides("mesh", rows, columns, 1);
    EdgeList network{fmt::format("mesh_{}x{}", rows, columns), rows * columns, {}};
    for (std::size_t node = 0; node < network.node_count; ++node) {
        if (node % columns + 1 < columns) network.add(node, node + 1);
        if (node + columns < network.node_count) network.add(node, node + columns);
    }
    return wired_like(std::move(network), options);
}

MachineDescription torus(std::size_t rows, std::size_t columns, const NetworkOptions& options) {
    check_sides("torus", rows, columns, 3);
    EdgeList network{fmt::format("torus_{}x{}", rows, columns), rows * columns, {}};
    for (std::size_t node = 0; node < network.node_count; ++node) {
        network.add(node, node % columns + 1 < columns ? node + 1 : node + 1 - columns);
        network.add(node, (node + columns) % network.node_count);
    }
    return wired_like(std::move(network), options);
}

MachineDescription hypercube(std::size_t node_count, const NetworkOptions& options) {
    constexpr std::size_t most = 1U << links_per_node;
    if (std::has_single_bit(node_count) && node_count > most)
        throw vocabulary::InputError(
            {"hypercube", 0, 0},
            fmt::format("{} nodes asked for, each of which wants {} links, but a T800 has {}; ask for {} nodes or fewer",
                        node_count, std::bit_width(node_count) - 1, links_per_node, most));
    check_power_of_two("hypercube", node_count, most, "each dimension takes one of the 4 links of a node");
    EdgeList network{fmt::format("hypercube_{}", node_count), node_count, {}};
    for (std::size_t bit = 1; bit < node_count; bit *= 2) {
        for (std::size_t node = 0; node < node_count; ++node) {
            if ((node & bit) == 0) network.add(node, node | bit);
        }
    }
    return wired_like(std::move(network), options);
}

MachineDescription star(std::size_t node_count, const NetworkOptions& options) {
    check_node_count("star", "star", node_count, 1, 1 + links_per_node, "change it, since a node has 4 links");
    EdgeList network{fmt::format("star_{}", node_count), node_count, {}};
    for (std::size_t leaf = 1; leaf < node_count; ++leaf) network.add(0, leaf);
    return wired_like(std::move(network), options);
}

MachineDescription complete(std::size_t node_count, const NetworkOptions& options) {
    check_node_count("complete", "complete network", node_count, 1, 1 + links_per_node, "change it, since a node has 4 links");
    EdgeList network{fmt::format("complete_{}", node_count), node_count, {}};
    for (std::size_t a = 0; a < node_count; ++a) {
        for (std::size_t b = a + 1; b < node_count; ++b) network.add(a, b);
    }
    return wired_like(std::move(network), options);
}

MachineDescription de_bruijn(std::size_t node_count, const NetworkOptions& options) {
    check_power_of_two("debruijn", node_count, most_nodes, "a machine has no more nodes");
    EdgeList network{fmt::format("debruijn_{}", node_count), node_count, {}};
    std::set<std::pair<std::size_t, std::size_t>> present;
    for (std::size_t node = 0; node < node_count; ++node) {
        for (const std::size_t next : {2 * node % node_count, (2 * node + 1) % node_count}) {
            const bool fresh = node != next && present.insert(std::minmax(node, next)).second;
            if (fresh) network.add(node, next);
        }
    }
    return wired_like(std::move(network), options);
}

MachineDescription random_regular(std::size_t node_count, std::uint64_t seed, const NetworkOptions& options) {
    check_node_count("random", "random network", node_count, 1 + links_per_node, most_nodes, change_it);
    EdgeList network = random_four_regular(node_count, seed);
    network.name = fmt::format("random_{}_{}", node_count, seed);
    return wired_like(std::move(network), options);
}

}  // namespace topologies

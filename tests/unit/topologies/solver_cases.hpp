// Wanted networks and targets for the tests of the solver, and the check of a solution that does not rest on the search.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <utility>
#include <variant>
#include <vector>

#include <topologies/machine_checks.hpp>
#include <topologies/network.hpp>
#include <topologies/solver.hpp>

namespace solver_cases {

using topologies::MachineDescription;
using vocabulary::LinkNo;
using vocabulary::NodeId;
using vocabulary::SwitchId;
using vocabulary::WayNo;

using Edges = std::vector<std::pair<std::size_t, std::size_t>>;

inline topologies::NodeLink link(std::size_t node, std::size_t number) {
    return {NodeId(static_cast<NodeId::value_type>(node)), LinkNo(static_cast<LinkNo::value_type>(number))};
}
inline topologies::SwitchWay way(std::size_t which, std::size_t number) {
    return {SwitchId(static_cast<SwitchId::value_type>(which)), WayNo(static_cast<WayNo::value_type>(number))};
}

// A network with these edges, each on the next links of its nodes; `host` lists the nodes that the host is wired to.
inline MachineDescription wanted(std::size_t nodes, const Edges& edges, const std::vector<std::size_t>& host = {}) {
    MachineDescription machine;
    machine.name = "wanted";
    machine.nodes.assign(nodes, {topologies::least_ram_bytes, topologies::least_clock_hz});
    machine.without_host = host.empty();
    machine.unreachable_allowed = true;
    std::vector<std::size_t> next(nodes);
    for (std::size_t h = 0; h < host.size(); ++h) {
        const topologies::HostEnd end{LinkNo(static_cast<LinkNo::value_type>(h))};
        machine.wires.push_back({end, link(host[h], next[host[h]]++)});
    }
    for (const auto& [a, b] : edges) {
        const std::size_t at_a = next[a]++;
        machine.wires.push_back({link(a, at_a), link(b, next[b]++)});
    }
    return machine;
}

// Link l of each node leads to the switch that `choose(node, l)` names. Free ways join each switch to the next by `trunks`
// wires. The host is on the next free way of the first switch. Nothing is connected.
template <class Choose>
MachineDescription target(std::size_t nodes, std::size_t switches, std::size_t trunks, Choose choose) {
    MachineDescription machine;
    machine.name = "target";
    machine.nodes.assign(nodes, {4u << 20, 20'000'000});
    machine.unreachable_allowed = true;
    for (std::size_t s = 0; s < switches; ++s) machine.switches.push_back({"x" + std::to_string(s), {}});
    std::vector<std::size_t> next(switches);
    for (std::size_t n = 0; n < nodes; ++n) {
        for (std::size_t l = 0; l < topologies::links_per_node; ++l) {
            const std::size_t to = choose(n, l);
            machine.wires.push_back({link(n, l), way(to, next[to]++)});
        }
    }
    for (std::size_t s = 0; s + 1 < switches; ++s) {
        for (std::size_t t = 0; t < trunks; ++t) {
            const std::size_t from = next[s]++;
            machine.wires.push_back({way(s, from), way(s + 1, next[s + 1]++)});
        }
    }
    machine.wires.push_back({topologies::HostEnd{}, way(0, next[0]++)});
    topologies::check_machine(machine);
    return machine;
}

// How often each pair of the first `nodes` nodes and the host (numbered `nodes`) are neighbours. A later node may be a
// neighbour by a soldered wire, but no switch may lead there.
inline std::map<std::pair<std::size_t, std::size_t>, std::size_t> neighbours(const MachineDescription& machine,
                                                                             std::size_t nodes) {
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> result;
    const topologies::Network network(machine);
    for (std::size_t n = 0; n < nodes; ++n) {
        for (LinkNo::value_type l = 0; l < topologies::links_per_node; ++l) {
            const auto& far = network.neighbour(NodeId(static_cast<NodeId::value_type>(n)), LinkNo(l));
            if (!far) continue;
            const bool is_host = far->node == network.host();
            if (!is_host && far->node.value() >= nodes) {
                EXPECT_EQ(far->switches, 0u) << "n" << n << " is connected to n" << far->node.value();
                continue;
            }
            ++result[{n, is_host ? nodes : far->node.value()}];
        }
    }
    return result;
}

// The solved machine passes the checks, keeps the wires and parts of the target, and is the wanted network.
inline void expect_solves(const MachineDescription& wanted, const MachineDescription& target,
                          const topologies::Solution& solution) {
    const MachineDescription& machine = solution.machine;
    EXPECT_NO_THROW(topologies::check_machine(machine));
    EXPECT_EQ(neighbours(machine, wanted.nodes.size()), neighbours(wanted, wanted.nodes.size()));
    EXPECT_EQ(machine.wires.size(), target.wires.size());
    EXPECT_EQ(machine.control, target.control);
    ASSERT_EQ(solution.place.size(), wanted.nodes.size());
    for (std::size_t k = 0; k < wanted.nodes.size(); ++k) {
        EXPECT_EQ(machine.nodes[k], target.nodes[solution.place[k].value()]);
        EXPECT_GE(machine.nodes[k].ram_bytes, wanted.nodes[k].ram_bytes);
        EXPECT_GE(machine.nodes[k].clock_hz, wanted.nodes[k].clock_hz);
    }
    // Taking the new numbers back gives the target's wires.
    std::vector<std::size_t> old(target.nodes.size());
    std::vector<bool> placed(target.nodes.size());
    for (std::size_t k = 0; k < solution.place.size(); ++k) {
        old[k] = solution.place[k].value();
        EXPECT_FALSE(placed[old[k]]) << "two nodes on n" << old[k];
        placed[old[k]] = true;
    }
    for (std::size_t s = 0, next = solution.place.size(); s < old.size(); ++s) {
        if (!placed[s]) old[next++] = s;
    }
    for (topologies::Wire wire : machine.wires) {
        for (auto* end : {&wire.a, &wire.b}) {
            if (auto* at = std::get_if<topologies::NodeLink>(end)) at->node = link(old[at->node.value()], 0).node;
        }
        EXPECT_TRUE(std::any_of(target.wires.begin(), target.wires.end(), [&wire](const topologies::Wire& one) {
            return one == wire || (one.a == wire.b && one.b == wire.a);
        }));
    }
}

inline void expect_solvable(const MachineDescription& wanted, const MachineDescription& target,
                            const topologies::SolverOptions& options = {}) {
    const auto answer = topologies::solve(wanted, target, options);
    ASSERT_TRUE(std::holds_alternative<topologies::Solution>(answer)) << std::get<topologies::NotFound>(answer).text();
    expect_solves(wanted, target, std::get<topologies::Solution>(answer));
}

// Random edges between nodes that have fewer than `degree` edges so far.
inline Edges random_edges(std::size_t nodes, std::size_t count, std::size_t degree, std::mt19937& random) {
    Edges edges;
    std::vector<std::size_t> used(nodes);
    for (std::size_t tries = 0; edges.size() < count && tries < 50 * count; ++tries) {
        const std::size_t a = random() % nodes, b = random() % nodes;
        if (a == b || used[a] >= degree || used[b] >= degree) continue;
        ++used[a];
        ++used[b];
        edges.emplace_back(a, b);
    }
    return edges;
}

}  // namespace solver_cases

// Many random networks on the UBC machine and on small machines of all kinds. The network of each solved machine checks the
// solution; it knows nothing of the search.
#include "solver_cases.hpp"

#include <topologies/ubc_machine.hpp>

using namespace solver_cases;  // NOLINT: names of this folder's tests
using topologies::NotFound;
using topologies::Solution;
using topologies::solve;

namespace {

// Nodes that have a link to spare, for the host.
std::vector<std::size_t> host_nodes(std::size_t nodes, const Edges& edges, std::size_t count) {
    std::vector<std::size_t> degree(nodes), result;
    for (const auto& [a, b] : edges) {
        ++degree[a];
        ++degree[b];
    }
    for (std::size_t n = 0; n < nodes && result.size() < count; ++n) {
        if (degree[n] < topologies::links_per_node) result.push_back(n);
    }
    return result;
}

}  // namespace

TEST(SolverProperty, RandomNetworksWithRoomToSpareAreFoundOnTheUbcMachine) {
    std::mt19937 random(1);
    const MachineDescription ubc = topologies::ubc_machine();
    for (int i = 0; i < 150; ++i) {
        const std::size_t nodes = 1 + random() % 75;
        const std::size_t degree = 1 + random() % (nodes > 40 ? 3 : 4);
        const Edges edges = random_edges(nodes, nodes * degree * 9 / 20, degree, random);
        const auto machine = wanted(nodes, edges, host_nodes(nodes, edges, random() % 5));
        SCOPED_TRACE(testing::Message() << "network " << i << ": " << nodes << " nodes, " << edges.size() << " edges");
        expect_solvable(machine, ubc, {.seed = random()});
    }
}

TEST(SolverProperty, WhateverIsFoundOnSmallMachinesIsTrue) {
    std::mt19937 random(2);
    std::size_t found = 0;
    for (int i = 0; i < 400; ++i) {
        const std::size_t sockets = 2 + random() % 6, switches = 2 + random() % 3;
        const auto machine = target(sockets, switches, random() % 3,
                                    [&](std::size_t n, std::size_t l) { return (n + l * (1 + n % 2)) % switches; });
        const std::size_t nodes = 1 + random() % sockets;
        const Edges edges = random_edges(nodes, random() % (2 * nodes), 4, random);
        const auto network = wanted(nodes, edges, host_nodes(nodes, edges, random() % 2));
        SCOPED_TRACE(testing::Message() << "case " << i);
        try {
            const auto answer = solve(network, machine, {.seed = random(), .steps = 200'000});
            if (const auto* solution = std::get_if<Solution>(&answer)) {
                ++found;
                expect_solves(network, machine, *solution);
            } else {
                EXPECT_GT(std::get<NotFound>(answer).unplaced, 0u);
            }
        } catch (const vocabulary::InputError&) {  // certainly impossible
        }
    }
    EXPECT_GT(found, 300u);
}

TEST(SolverProperty, OnOneSwitchEveryNetworkFits) {
    std::mt19937 random(3);
    const auto machine = target(7, 1, 0, [](std::size_t, std::size_t) { return 0; });
    for (int i = 0; i < 200; ++i) {
        const std::size_t nodes = 1 + random() % 7;
        const Edges edges = random_edges(nodes, random() % 15, 4, random);
        expect_solvable(wanted(nodes, edges, host_nodes(nodes, edges, random() % 2)), machine, {.seed = random()});
    }
}

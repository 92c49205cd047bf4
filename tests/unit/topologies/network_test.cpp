#include <gtest/gtest.h>

#include <topologies/end_names.hpp>
#include <topologies/generators.hpp>
#include <topologies/machine_parser.hpp>
#include <topologies/network.hpp>

using topologies::MachineDescription;
using topologies::Network;
using vocabulary::LinkNo;
using vocabulary::NodeId;

namespace {

MachineDescription machine(const std::string& rest) {
    return topologies::parse_machine("version: 1\nname: t\n" + rest, "t.yaml");
}

const std::string two_switches_in_a_row =
    "nodes: {count: 2, ram: 1MiB}\nhost: x0.0\nswitches:\n"
    "  x0: {wires: [n0.0 - 1, n0.1 - 2], connect: [0 - 1, 2 - 3]}\n"
    "  x1: {wires: [n1.2 - 5, x0.3 - 6], connect: [5 - 6]}\n";

}  // namespace

TEST(Network, TellsWhatIsAtTheFarSideOfALink) {
    const Network network(topologies::chain(3));
    const auto& next = network.neighbour(NodeId(1), LinkNo(1));
    ASSERT_TRUE(next);
    EXPECT_EQ(next->node, NodeId(2));
    EXPECT_EQ(next->link, LinkNo(0));
    EXPECT_EQ(next->switches, 0u);
    EXPECT_FALSE(network.neighbour(NodeId(2), LinkNo(1)));
}

TEST(Network, CountsTheHostAsTheNodeAfterTheLastWithLinkZero) {
    const Network network(topologies::chain(3));
    EXPECT_EQ(network.node_count(), 3u);
    EXPECT_EQ(network.host(), NodeId(3));
    EXPECT_EQ(network.neighbour(network.host(), LinkNo(0))->node, NodeId(0));
    EXPECT_EQ(network.neighbour(NodeId(0), LinkNo(0))->node, network.host());
}

TEST(Network, GivesTheHostALinkForEachOfItsConnections) {
    const Network network(machine(
        "nodes: {count: 4, ram: 1MiB}\nhost: [none, n0.0, none, x0.30]\nlinks: [n0.1 - n1.0, n1.1 - n2.0, n2.1 - n3.0]\n"
        "switches: {x0: {wires: [n3.3 - 31], connect: [30 - 31]}}\n"));
    EXPECT_FALSE(network.neighbour(network.host(), LinkNo(0)));
    EXPECT_EQ(network.neighbour(network.host(), LinkNo(1))->node, NodeId(0));
    EXPECT_FALSE(network.neighbour(network.host(), LinkNo(2)));
    const auto& far = network.neighbour(network.host(), LinkNo(3));
    ASSERT_TRUE(far);
    EXPECT_EQ(far->node, NodeId(3));
    EXPECT_EQ(far->link, LinkNo(3));
    EXPECT_EQ(far->switches, 1u);
    EXPECT_EQ(network.neighbour(NodeId(3), LinkNo(3))->link, LinkNo(3));
    EXPECT_EQ(network.routes(network.host())[2], LinkNo(3));
    EXPECT_EQ(network.routes(NodeId(2))[4], LinkNo(1));
    EXPECT_EQ(network.hops(network.host())[2], 2u);
}

TEST(Network, PassesThroughTheHostOnlyWhereNoOtherPathLeads) {
    // A chain with the host at both ends, and n4 by itself at a third connection.
    const Network network(
        machine("nodes: {count: 5, ram: 1MiB}\nhost: [n0.0, n3.1, n4.2]\nlinks: [n0.1 - n1.0, n1.1 - n2.0, n2.1 - n3.0]\n"));
    EXPECT_EQ(network.routes(NodeId(0))[3], LinkNo(1));
    EXPECT_EQ(network.hops(NodeId(0))[3], 3u);
    EXPECT_EQ(network.routes(NodeId(2))[4], LinkNo(1));
    EXPECT_EQ(network.hops(NodeId(2))[4], 3u);
    EXPECT_EQ(network.routes(network.host())[2], LinkNo(1));
    EXPECT_EQ(network.routes(NodeId(4))[1], LinkNo(2));
    EXPECT_EQ(network.hops(NodeId(4))[1], 3u);
    EXPECT_EQ(network.diameter(), 3u);
}

TEST(Network, HasNoWayToTheHostOfANetworkOnItsOwn) {
    const Network network(machine("nodes: {count: 2, ram: 1MiB}\nhost: none\nlinks: [n0.1 - n1.0]\n"));
    EXPECT_FALSE(network.hops(network.host())[0]);
    EXPECT_FALSE(network.routes(NodeId(0))[2]);
    EXPECT_EQ(network.diameter(), 1u);
}

TEST(Network, FollowsWiresThroughSeveralSwitches) {
    const auto description = machine(two_switches_in_a_row);
    const Network network(description);
    const auto& far = network.neighbour(NodeId(0), LinkNo(1));
    ASSERT_TRUE(far);
    EXPECT_EQ(far->node, NodeId(1));
    EXPECT_EQ(far->link, LinkNo(2));
    EXPECT_EQ(far->switches, 2u);
    EXPECT_EQ(network.neighbour(network.host(), LinkNo(0))->switches, 1u);
}

TEST(Network, ListsEveryPathOnceWithItsSwitchesInOrder) {
    const auto description = machine(two_switches_in_a_row);
    const Network network(description);
    ASSERT_EQ(network.paths().size(), 2u);
    EXPECT_EQ(end_name(description, network.paths()[0].a), "n0.0");
    EXPECT_EQ(end_name(description, network.paths()[0].b), "host");
    EXPECT_EQ(end_name(description, network.paths()[1].a), "n0.1");
    EXPECT_EQ(end_name(description, network.paths()[1].b), "n1.2");
    EXPECT_EQ(network.paths()[1].through, (std::vector{topologies::SwitchId(0), topologies::SwitchId(1)}));
}

TEST(Network, ForgetsAPathWhenAConnectionIsTakenAway) {
    auto description = machine(two_switches_in_a_row);
    description.switches[1].connections.clear();
    EXPECT_FALSE(Network(description).neighbour(NodeId(0), LinkNo(1)));
}

TEST(Network, RoutesByTheShortestPathAndTheLowestLink) {
    // A ring of four with a second wire between n0 and n1: n2 is two hops away either way round.
    const Network network(
        machine("nodes: {count: 4, ram: 1MiB}\nhost: n0.3\n"
                "links: [n0.2 - n1.0, n0.1 - n1.3, n1.1 - n2.0, n0.0 - n3.0, n3.1 - n2.1]\n"));
    const auto routes = network.routes(NodeId(0));
    EXPECT_FALSE(routes[0]);
    EXPECT_EQ(routes[1], LinkNo(1));
    EXPECT_EQ(routes[2], LinkNo(0));
    EXPECT_EQ(routes[3], LinkNo(0));
    EXPECT_EQ(routes[4], LinkNo(3));
    EXPECT_EQ(network.routes(NodeId(2))[4], LinkNo(0));
}

TEST(Network, CountsHopsFromTheHostToo) {
    const Network network(topologies::chain(4));
    const auto hops = network.hops(network.host());
    EXPECT_EQ(hops[0], 1u);
    EXPECT_EQ(hops[3], 4u);
    EXPECT_EQ(hops[4], 0u);
}

TEST(Network, LeavesUnreachableNodesWithoutRouteAndDiameter) {
    const Network network(machine("nodes: {count: 3, ram: 1MiB}\nhost: n0.0\nlinks: [n0.1 - n1.0]\nunreachable: allowed\n"));
    EXPECT_FALSE(network.routes(NodeId(0))[2]);
    EXPECT_FALSE(network.hops(NodeId(0))[2]);
    EXPECT_FALSE(network.diameter());
    EXPECT_FALSE(network.farthest_pair());
}

TEST(Network, MeasuresTheDiameterWithoutTheHost) {
    EXPECT_EQ(Network(topologies::chain(6)).diameter(), 5u);
    EXPECT_EQ(Network(topologies::chain(1)).diameter(), 0u);
    EXPECT_EQ(Network(topologies::binary_tree(8)).diameter(), 4u);
    EXPECT_EQ(Network(topologies::binary_tree(16)).diameter(), 6u);
}

TEST(Network, NamesTheLowestOfTheFarthestPairs) {
    const auto pair = Network(topologies::binary_tree(8)).farthest_pair();
    ASSERT_TRUE(pair);
    EXPECT_EQ(pair->a, NodeId(4));
    EXPECT_EQ(pair->b, NodeId(6));
    EXPECT_EQ(pair->hops, 4u);
}

TEST(NetworkDeathTest, AskingForANodeThatIsNotThereIsABrokenContract) {
    const Network network(topologies::chain(2));
    EXPECT_DEATH(network.neighbour(NodeId(9), LinkNo(0)), "network.neighbour_in_machine");
    EXPECT_DEATH(network.routes(NodeId(9)), "network.routes_in_machine");
    EXPECT_DEATH(network.hops(NodeId(9)), "network.hops_in_machine");
}

TEST(NetworkDeathTest, AWireToANodeThatIsNotThereIsABrokenContract) {
    MachineDescription two = topologies::chain(2);
    two.wires.push_back({topologies::NodeLink{NodeId(9), LinkNo(0)}, topologies::NodeLink{NodeId(1), LinkNo(3)}});
    EXPECT_DEATH(Network{two}, "wiring.end_in_machine");
}

TEST(NetworkDeathTest, TwoWiresAtOneLinkAreABrokenContract) {
    MachineDescription two = topologies::chain(2);
    two.wires.push_back(two.wires.back());
    EXPECT_DEATH(Network{two}, "wiring.end_used_once");
}

TEST(EndNamesDeathTest, NamingAWayOfASwitchThatIsNotThereIsABrokenContract) {
    const topologies::SwitchWay way{topologies::SwitchId(0), topologies::WayNo(4)};
    EXPECT_DEATH(topologies::end_name(topologies::chain(2), way), "end_names.switch_in_machine");
}

namespace {

// Walks the casts' routes from one node to all others, each node by its own set. The paths must make a tree.
void expect_a_tree(const Network& network, const std::vector<std::vector<std::optional<LinkNo>>>& routes, NodeId from) {
    const auto hops = network.hops(from);
    std::vector<std::optional<NodeId>> parent(routes.size());
    for (std::size_t to = 0; to < routes.size(); ++to) {
        std::size_t steps = 0;
        for (NodeId at = from; at.value() != to && steps <= routes.size(); ++steps) {
            ASSERT_TRUE(routes[at.value()][to]);
            const NodeId next = network.neighbour(at, *routes[at.value()][to])->node;
            auto& its = parent[next.value()];
            if (!its) its = at;
            EXPECT_EQ(*its, at) << "two branches from n" << from.value() << " meet at n" << next.value();
            at = next;
        }
        EXPECT_EQ(steps, *hops[to]);
    }
}

}  // namespace

TEST(CastRoutes, MakeATreeOfShortestPathsFromEveryNode) {
    std::vector<MachineDescription> machines = {topologies::mesh(4, 5), topologies::ring(7), topologies::hypercube(8),
                                                topologies::chain(5)};
    for (std::uint64_t seed = 1; seed <= 20; ++seed) machines.push_back(topologies::random_regular(24, seed));
    for (const MachineDescription& machine : machines) {
        const Network network(machine);
        std::vector<std::vector<std::optional<LinkNo>>> routes;
        for (std::size_t node = 0; node < network.node_count(); ++node)
            routes.push_back(network.cast_routes(NodeId(static_cast<NodeId::value_type>(node))));
        for (auto& its : routes) its.resize(network.node_count());  // without the host
        for (std::size_t node = 0; node < network.node_count(); ++node)
            expect_a_tree(network, routes, NodeId(static_cast<NodeId::value_type>(node)));
    }
}

TEST(CastRoutes, LeadTheHostToAllNodesAndBack) {
    const Network network(topologies::chain(3));
    EXPECT_EQ(network.cast_routes(network.host())[2], LinkNo(0));
    EXPECT_EQ(network.cast_routes(NodeId(2))[network.host().value()], LinkNo(0));
    EXPECT_FALSE(network.cast_routes(NodeId(1))[1]);
}

TEST(CastRoutesDeath, AreOfANodeOfTheMachine) {
    const Network network(topologies::chain(3));
    EXPECT_DEATH(static_cast<void>(network.cast_routes(NodeId(9))), "network.cast_routes_in_machine");
}

namespace {

// Sum of the weights and number of the links on the way that the nodes' own tables give.
std::pair<std::uint64_t, std::size_t> way_by_tables(const Network& network, NodeId from, NodeId to) {
    std::pair<std::uint64_t, std::size_t> way{0, 0};
    for (NodeId at = from; at != to && way.second <= network.node_count() + 1; ++way.second) {
        const auto link = network.routes(at)[to.value()];
        if (!link) return {0, 0};
        way.first += network.neighbour(at, *link)->weight;
        at = network.neighbour(at, *link)->node;
    }
    return way;
}

NodeId node_of(std::size_t number) {
    return NodeId(static_cast<NodeId::value_type>(number));
}

}  // namespace

TEST(Weights, LeadRoutesRoundAnExpensiveLink) {
    const std::string ring =
        "nodes: {count: 4, ram: 1MiB}\nhost: n0.3\nlinks: [n0.0 - n1.0, n1.1 - n2.0, n2.1 - n3.1, n0.1 - n3.0]\n";
    EXPECT_EQ(Network(machine(ring)).routes(NodeId(0))[1], LinkNo(0));
    const Network dear(machine(ring + "weights: {n1.0 - n0.0: 4}\n"));
    EXPECT_EQ(dear.routes(NodeId(0))[1], LinkNo(1));
    EXPECT_EQ(dear.hops(NodeId(0))[1], 3u);
    EXPECT_EQ(dear.cast_routes(NodeId(0))[1], LinkNo(1));
    EXPECT_EQ(dear.neighbour(NodeId(1), LinkNo(0))->weight, 4u);
    // As heavy as the way round: the way with fewer hops.
    const Network equal(machine(ring + "weights: {default: 2, n0.0 - n1.0: 6}\n"));
    EXPECT_EQ(equal.routes(NodeId(0))[1], LinkNo(0));
    EXPECT_EQ(equal.hops(NodeId(0))[1], 1u);
    EXPECT_EQ(equal.routes(NodeId(1))[0], LinkNo(0));
}

TEST(Weights, ThatAreEqualChangeNoRoute) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        MachineDescription plain = topologies::random_regular(24, seed, {.gateway = true});
        MachineDescription equal = plain, one_leaf = plain;
        equal.weight = 7;
        // The host has one wire, so its weight decides nothing, but the search is the one for unequal weights.
        for (const topologies::Wire& wire : plain.wires)
            if (std::holds_alternative<topologies::HostEnd>(wire.a)) one_leaf.weights.push_back({wire.a, wire.b, 3});
        ASSERT_EQ(one_leaf.weights.size(), 1u);
        const Network a(plain), b(equal), c(one_leaf);
        for (std::size_t from = 0; from <= a.node_count(); ++from) {
            EXPECT_EQ(a.routes(node_of(from)), b.routes(node_of(from)));
            EXPECT_EQ(a.routes(node_of(from)), c.routes(node_of(from)));
            EXPECT_EQ(a.hops(node_of(from)), c.hops(node_of(from)));
            EXPECT_EQ(a.cast_routes(node_of(from)), b.cast_routes(node_of(from)));
        }
    }
}

TEST(Weights, OfRandomNetworksGiveWaysOfLeastWeight) {
    std::uint64_t chance = 5;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        MachineDescription description = topologies::random_regular(16, seed, {.gateway = true});
        for (const topologies::Wire& wire : description.wires)
            description.weights.push_back(
                {wire.b, wire.a, 1 + static_cast<std::uint32_t>((chance = chance * 69069 + 1) >> 8) % 4});
        const Network network(description);
        const std::size_t count = network.node_count() + 1;
        using Length = std::pair<std::uint64_t, std::size_t>;  // weight, hops
        std::vector<std::vector<Length>> least(count, std::vector<Length>(count, {1 << 30, 0}));
        for (std::size_t a = 0; a < count; ++a) {
            least[a][a] = {0, 0};
            for (std::uint8_t link = 0; link < 4; ++link)
                if (const auto& next = network.neighbour(node_of(a), LinkNo(link)))
                    least[a][next->node.value()] = std::min(least[a][next->node.value()], {next->weight, 1});
        }
        for (std::size_t k = 0; k < count; ++k)
            for (std::size_t a = 0; a < count; ++a)
                for (std::size_t b = 0; b < count; ++b)
                    least[a][b] =
                        std::min(least[a][b], {least[a][k].first + least[k][b].first, least[a][k].second + least[k][b].second});
        for (std::size_t a = 0; a < count; ++a) {
            for (std::size_t b = 0; b < count; ++b) {
                EXPECT_EQ(way_by_tables(network, node_of(a), node_of(b)), least[a][b]) << a << " to " << b;
                EXPECT_EQ(network.hops(node_of(a))[b], least[a][b].second);
            }
        }
    }
}

TEST(Weights, LeaveTheHostToNodesThatNoOtherPathReaches) {
    const Network network(
        machine("nodes: {count: 3, ram: 1MiB}\nhost: [n0.0, n2.0]\nlinks: [n0.1 - n1.0, n1.1 - n2.1]\n"
                "weights: {default: 65535, host - n0.0: 1, host.1 - n2.0: 1}\n"));
    EXPECT_EQ(network.routes(NodeId(0))[2], LinkNo(1));
    EXPECT_EQ(network.cast_routes(NodeId(0))[2], LinkNo(1));
}

TEST(Weights, GoThroughSwitchesByTheEndsOfTheLink) {
    auto description = machine(two_switches_in_a_row + "weights: {n1.2 - n0.1: 9}\n");
    EXPECT_EQ(Network(description).neighbour(NodeId(0), LinkNo(1))->weight, 9u);
    EXPECT_EQ(Network(description).paths()[1].weight, 9u);
    description.switches[1].connections.clear();
    EXPECT_FALSE(Network(description).neighbour(NodeId(0), LinkNo(1)));
}

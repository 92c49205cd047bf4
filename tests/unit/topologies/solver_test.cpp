#include <gmock/gmock.h>

#include "input_error_text.hpp"
#include "solver_cases.hpp"

#include <topologies/machine_writer.hpp>
#include <topologies/shapes.hpp>
#include <topologies/ubc_machine.hpp>

using namespace solver_cases;  // NOLINT: names of this folder's tests
using topologies::NotFound;
using topologies::Solution;
using topologies::solve;
using topologies::ubc_machine;

namespace {

MachineDescription shape(const std::string& text) {
    MachineDescription machine = topologies::make_shape(text);
    for (auto& node : machine.nodes) node = {topologies::least_ram_bytes, topologies::least_clock_hz};
    return machine;
}

// All links of all nodes on one switch.
MachineDescription one_switch(std::size_t nodes = 7) {
    return target(nodes, 1, 0, [](std::size_t, std::size_t) { return 0; });
}

Solution solution_of(const MachineDescription& wanted, const MachineDescription& target) {
    return std::get<Solution>(solve(wanted, target));
}

std::string refusal(const MachineDescription& wanted, const MachineDescription& target,
                    const topologies::SolverOptions& options = {}) {
    return input_error_text([&] { solve(wanted, target, options); });
}

}  // namespace

class SolverOnTheUbcMachine : public testing::TestWithParam<const char*> {};

TEST_P(SolverOnTheUbcMachine, GivesExactlyTheWantedNetwork) {
    expect_solvable(shape(GetParam()), ubc_machine());
}

INSTANTIATE_TEST_SUITE_P(Shapes, SolverOnTheUbcMachine,
                         testing::Values("chain:75", "ring:32", "ring:75", "tree:2:63", "tree:2:75", "tree:3:40", "tree:3:75",
                                         "mesh:6x8", "mesh:8x9", "torus:4x5", "hypercube:16", "star:4", "complete:5",
                                         "debruijn:32", "random:32:1"));

TEST(Solver, AHypercubeOf16CanHaveAGateway) {
    MachineDescription cube = topologies::make_shape("hypercube:16", {.gateway = true});
    expect_solvable(cube, ubc_machine());
}

TEST(Solver, SameSeedGivesTheSameMachine) {
    const auto one = solution_of(shape("mesh:6x8"), ubc_machine()), other = solution_of(shape("mesh:6x8"), ubc_machine());
    EXPECT_EQ(topologies::write_machine(one.machine), topologies::write_machine(other.machine));
    EXPECT_EQ(one.steps, other.steps);
}

TEST(Solver, AnotherSeedGivesAnotherMachine) {
    const auto other = solve(shape("mesh:6x8"), ubc_machine(), {.seed = 2});
    EXPECT_NE(topologies::write_machine(solution_of(shape("mesh:6x8"), ubc_machine()).machine),
              topologies::write_machine(std::get<Solution>(other).machine));
}

TEST(Solver, IgnoresTheSettingsThatTheTargetHas) {
    const MachineDescription ring = solution_of(shape("ring:32"), ubc_machine()).machine;
    expect_solvable(shape("tree:2:63"), ring);
}

TEST(Solver, AWantedMachineWithSwitchesCountsAsItsNetwork) {
    MachineDescription ring = topologies::make_shape("ring:6", {.through_switches = true});
    expect_solvable(ring, one_switch());
}

TEST(Solver, HostWiresTakeTheLowestConnectionsOfTheHost) {
    const auto solution = solution_of(wanted(3, {{0, 1}, {1, 2}}, {0, 2}), ubc_machine());
    const topologies::Network network(solution.machine);
    EXPECT_TRUE(network.neighbour(network.host(), LinkNo(0)));
    EXPECT_TRUE(network.neighbour(network.host(), LinkNo(1)));
    EXPECT_FALSE(network.neighbour(network.host(), LinkNo(2)));
    expect_solves(wanted(3, {{0, 1}, {1, 2}}, {0, 2}), ubc_machine(), solution);
}

TEST(Solver, FourHostWiresFit) {
    expect_solvable(wanted(8, {{0, 1}, {2, 3}, {4, 5}, {6, 7}}, {0, 2, 4, 6}), ubc_machine());
}

TEST(Solver, TwoWiresBetweenTheSameNodesAreTwo) {
    expect_solvable(wanted(2, {{0, 1}, {0, 1}, {0, 1}}, {0}), ubc_machine());
}

TEST(Solver, AWireFromANodeToItselfIsOne) {
    expect_solvable(wanted(2, {{0, 0}, {0, 1}}, {0}), one_switch());
}

TEST(Solver, NodesWithoutEdgesAreOnlyPlaced) {
    expect_solvable(wanted(5, {}, {0}), ubc_machine());
}

TEST(Solver, EdgesBetweenSwitchesTakeTheWiresBetweenThem) {
    // Four nodes on either switch, two wires between them: a ring of 8 must cross twice.
    const auto two = target(8, 2, 2, [](std::size_t n, std::size_t) { return n / 4; });
    Edges ring;
    for (std::size_t n = 0; n < 8; ++n) ring.emplace_back(n, (n + 1) % 8);
    expect_solvable(wanted(8, ring), two);
    const auto solution = solution_of(wanted(8, ring), two);
    EXPECT_EQ(std::count_if(solution.edges.begin(), solution.edges.end(), [](auto& path) { return path.through.size() == 2; }),
              2);
}

TEST(Solver, AnEdgeMayPassThreeSwitches) {
    const auto row = target(2, 3, 1, [](std::size_t n, std::size_t) { return 2 * n; });
    expect_solvable(wanted(2, {{0, 1}}), row);
    EXPECT_EQ(solution_of(wanted(2, {{0, 1}}), row).edges.at(0).through.size(), 3u);
}

TEST(Solver, TheHostIsReachedThroughSeveralSwitches) {
    auto row = target(2, 3, 1, [](std::size_t n, std::size_t) { return 1 + n; });
    expect_solvable(wanted(1, {}, {0}), row);
}

TEST(Solver, ASolderedWireCanBeAnEdge) {
    MachineDescription pair = wanted(2, {{0, 1}}, {0});
    pair.name = "pair";
    expect_solvable(wanted(2, {{0, 1}}, {1}), pair);
}

TEST(Solver, ASolderedWireThatNobodyWantsIsKeptAwayFromThePlacedNodes) {
    // n0 - n1 is soldered; n2 and n3 are only on the switch.
    MachineDescription four = target(4, 1, 0, [](std::size_t, std::size_t) { return 0; });
    std::erase_if(four.wires, [](const auto& wire) {
        return wire.a == topologies::WireEnd(link(0, 3)) || wire.a == topologies::WireEnd(link(1, 3));
    });
    four.wires.push_back({link(0, 3), link(1, 3)});
    expect_solvable(wanted(3, {{0, 1}, {1, 2}}, {0}), four);
}

TEST(Solver, UnusedNodesFollowInTheOrderOfTheTarget) {
    const auto solution = solution_of(shape("ring:32"), ubc_machine());
    EXPECT_TRUE(solution.machine.unreachable_allowed);
    std::vector<bool> placed(75);
    for (const NodeId socket : solution.place) placed[socket.value()] = true;
    std::size_t next = 32;
    for (std::size_t s = 0; s < 75; ++s) {
        if (placed[s]) continue;
        EXPECT_EQ(solution.machine.nodes[next++], ubc_machine().nodes[s]);
    }
}

TEST(Solver, ANodeThatWantsMemoryGetsIt) {
    MachineDescription six = shape("chain:6");
    six.nodes[3].ram_bytes = 16u << 20;
    six.nodes[5].ram_bytes = 5u << 20;
    expect_solvable(six, ubc_machine());
}

TEST(Solver, AllNodesOfAKindCanBeAskedFor) {
    MachineDescription machine = shape("chain:65");
    for (auto& node : machine.nodes) node.ram_bytes = 4u << 20;
    expect_solvable(machine, ubc_machine());
}

TEST(Solver, KeptPlacesStay) {
    const topologies::SolverOptions keep{.keep_places = true};
    const auto answer = solve(shape("chain:32"), ubc_machine(), keep);
    const auto& solution = std::get<Solution>(answer);
    expect_solves(shape("chain:32"), ubc_machine(), solution);
    for (std::size_t k = 0; k < 32; ++k) EXPECT_EQ(solution.place[k].value(), k);
}

TEST(Solver, TheInterruptMasterIsTheWantedOne) {
    MachineDescription machine = shape("chain:6");
    machine.interrupt_master = NodeId(2);
    EXPECT_EQ(solution_of(machine, ubc_machine()).machine.interrupt_master, NodeId(2));
}

TEST(Solver, TheTargetsInterruptMasterKeepsItsWires) {
    MachineDescription seven = one_switch();
    seven.interrupt_master = NodeId(4);
    const auto solution = solution_of(wanted(7, {{0, 1}}), seven);
    EXPECT_EQ(solution.place[solution.machine.interrupt_master->value()], NodeId(4));
}

TEST(SolverRefuses, ANodeWithFiveLinks) {
    EXPECT_EQ(refusal(wanted(6, {{0, 1}, {0, 2}, {0, 3}, {0, 4}}, {0}), ubc_machine()),
              "wanted: n0 wants 5 links (one of them to the host), but a T800 has 4; give it fewer neighbours");
    EXPECT_EQ(refusal(wanted(6, {{1, 0}, {1, 2}, {1, 3}, {1, 4}, {1, 5}}, {0}), ubc_machine()),
              "wanted: n1 wants 5 links, but a T800 has 4; give it fewer neighbours");
}

TEST(SolverRefuses, MoreNodesThanThereAre) {
    EXPECT_EQ(refusal(shape("chain:76"), ubc_machine()), "chain_76: wants 76 nodes, but ubc_75 has 75; ask for fewer nodes");
}

TEST(SolverRefuses, MoreHostWiresThanThereAre) {
    EXPECT_EQ(refusal(wanted(2, {}, {0, 1}), one_switch()),
              "wanted: wants 2 host connections, but target has 1; take away host wires");
}

TEST(SolverRefuses, MoreMemoryThanAnyNodeHas) {
    MachineDescription six = shape("chain:6");
    six.nodes[3].ram_bytes = 32u << 20;
    EXPECT_EQ(refusal(six, ubc_machine()),
              "chain_6: n3 wants 32MiB of RAM and 2 links, but ubc_75 has no such node; ask for less or for fewer such nodes");
}

TEST(SolverRefuses, MoreLargeNodesThanThereAre) {
    MachineDescription machine = shape("chain:20");
    for (std::size_t n = 4; n < 20; ++n) machine.nodes[n].ram_bytes = 8u << 20;
    EXPECT_EQ(refusal(machine, ubc_machine()),
              "chain_20: n4 to n19 want at least 8MiB of RAM and 1 link, but ubc_75 has only 15 such nodes; ask for less or "
              "for fewer such nodes");
}

TEST(SolverRefuses, AFasterClockThanAnyNodeHas) {
    MachineDescription six = shape("chain:6");
    six.nodes[0].clock_hz = 30'000'000;
    EXPECT_EQ(refusal(six, ubc_machine()),
              "chain_6: n0 wants 30MHz and 2 links, but ubc_75 has no such node; ask for less or for fewer such nodes");
}

TEST(SolverRefuses, MoreEdgesThanWiredLinks) {
    MachineDescription two = wanted(2, {{0, 1}});
    two.name = "pair";
    EXPECT_EQ(refusal(wanted(2, {{0, 1}, {0, 1}}), two),
              "wanted: its 2 edges take 4 links of the nodes, but on pair only 2 are wired; ask for fewer edges");
}

TEST(SolverRefuses, MoreConnectedNodesThanAnyPieceHas) {
    const auto apart = target(8, 2, 0, [](std::size_t n, std::size_t) { return n / 4; });
    EXPECT_EQ(refusal(shape("chain:5"), apart),
              "chain_5: wants 5 nodes that are connected, but the wires of target join at most 4; ask for smaller pieces");
}

TEST(SolverRefuses, APlaceThatCannotBeKept) {
    MachineDescription machine = shape("chain:75");
    machine.nodes[74].ram_bytes = 2u << 20;
    EXPECT_EQ(refusal(machine, ubc_machine(), {.keep_places = true}),
              "chain_75: n74 wants 2MiB of RAM and 1 link, but n74 of ubc_75 has 1MiB of RAM, 20MHz and 4 links; let it move, "
              "or ask for less");
}

TEST(SolverGivesUp, AndSaysThatThisProvesNothing) {
    const auto answer = solve(shape("random:75"), ubc_machine(), {.steps = 20'000});
    const auto& nothing = std::get<NotFound>(answer);
    EXPECT_FALSE(nothing.impossible);
    EXPECT_GE(nothing.steps, 20'000u);
    EXPECT_LT(nothing.steps, 21'000u);
    EXPECT_EQ(nothing.text(), "not found after " + std::to_string(nothing.steps) + " steps; " +
                                  std::to_string(nothing.unplaced) +
                                  " of 150 edges could not be placed; nothing proves it impossible");
}

TEST(SolverProves, ThatARingCannotCrossAThinWireTwice) {
    const auto thin = target(8, 2, 1, [](std::size_t n, std::size_t) { return n / 4; });
    Edges ring;
    for (std::size_t n = 0; n < 8; ++n) ring.emplace_back(n, (n + 1) % 8);
    for (const bool keep : {false, true}) {
        const auto answer = solve(wanted(8, ring), thin, {.keep_places = keep});
        const auto& nothing = std::get<NotFound>(answer);
        EXPECT_TRUE(nothing.impossible);
        EXPECT_THAT(nothing.text(), testing::StartsWith(keep ? "impossible with the places kept" : "impossible, proven in "));
    }
}

TEST(SolverProves, ThatASolderedWireIsInTheWay) {
    MachineDescription pair = wanted(2, {{0, 1}}, {0});
    EXPECT_TRUE(std::get<NotFound>(solve(wanted(2, {}, {0}), pair)).impossible);
}

// Each of these ended "not found" after 40 million steps of annealing.
class SolverWithPlacesKept : public testing::TestWithParam<std::pair<const char*, bool>> {};

TEST_P(SolverWithPlacesKept, FindsOrProvesInAHundredTries) {
    const auto& [network, fits] = GetParam();
    const auto answer = solve(shape(network), ubc_machine(), {.keep_places = true});
    if (fits) {
        ASSERT_TRUE(std::holds_alternative<Solution>(answer)) << std::get<NotFound>(answer).text();
        expect_solves(shape(network), ubc_machine(), std::get<Solution>(answer));
        EXPECT_LT(std::get<Solution>(answer).tries, 160U);
    } else {
        ASSERT_TRUE(std::holds_alternative<NotFound>(answer));
        EXPECT_TRUE(std::get<NotFound>(answer).impossible) << std::get<NotFound>(answer).text();
        EXPECT_LT(std::get<NotFound>(answer).tries, 160U);
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, SolverWithPlacesKept,
                         testing::Values(std::pair("ring:75", true), std::pair("mesh:5x15", true), std::pair("tree:2:16", true),
                                         std::pair("chain:16", true), std::pair("chain:75", true), std::pair("mesh:4x4", false),
                                         std::pair("mesh:6x8", false), std::pair("mesh:8x8", false),
                                         std::pair("tree:3:40", false), std::pair("tree:2:63", false)));

class SolverOnItsOwnAnswer : public testing::TestWithParam<const char*> {};

TEST_P(SolverOnItsOwnAnswer, ChangesNothing) {
    for (const bool fewest : {false, true}) {
        MachineDescription set = solution_of(shape(GetParam()), ubc_machine()).machine;
        for (const bool keep : {false, true}) {
            const auto answer = solve(shape(GetParam()), set, {.seed = 7, .keep_places = keep, .fewest_changes = fewest});
            const auto& solution = std::get<Solution>(answer);
            MachineDescription again = solution.machine;
            again.name = set.name;
            again.unreachable_allowed = set.unreachable_allowed;
            EXPECT_EQ(topologies::write_machine(again), topologies::write_machine(set));
            EXPECT_EQ(solution.changes.made + solution.changes.taken_away, 0U);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, SolverOnItsOwnAnswer, testing::Values("tree:2:16", "ring:32", "mesh:6x8", "tree:2:63"));

TEST(Solver, BeginsWithWhatIsConnectedWhereverTheNodesAre) {
    const MachineDescription ring = solution_of(shape("ring:32"), ubc_machine()).machine;
    MachineDescription turned = ring;  // node n is n + 1 now
    for (auto& wire : turned.wires) {
        for (auto* end : {&wire.a, &wire.b}) {
            if (auto* at = std::get_if<topologies::NodeLink>(end))
                at->node = NodeId(static_cast<NodeId::value_type>((at->node.value() + 1) % 75));
        }
    }
    std::rotate(turned.nodes.begin(), turned.nodes.end() - 1, turned.nodes.end());
    const auto solution = solution_of(shape("ring:32"), turned);
    EXPECT_EQ(solution.changes.made, 0U);
    EXPECT_EQ(solution.changes.taken_away, 0U);
    expect_solves(shape("ring:32"), turned, solution);
}

TEST(Solver, FewestChangesKeepWhatAnotherNetworkHasInCommon) {
    const MachineDescription chain = std::get<Solution>(solve(shape("chain:75"), ubc_machine(), {.keep_places = true})).machine;
    const auto answer = solve(shape("ring:75"), chain, {.keep_places = true, .fewest_changes = true});
    const auto& solution = std::get<Solution>(answer);
    expect_solves(shape("ring:75"), chain, solution);
    EXPECT_LE(solution.changes.made + solution.changes.taken_away, 6U);
    EXPECT_EQ(solution.least_changes, solution.changes.made + solution.changes.taken_away);
}

TEST(Solver, KeepsTheLinksThatAreWanted) {
    const MachineDescription tree = topologies::make_shape("tree:2:16");
    const auto answer = solve(shape("tree:2:16"), ubc_machine(), {.keep_links = true});
    const auto& solution = std::get<Solution>(answer);
    expect_solves(shape("tree:2:16"), ubc_machine(), solution);
    const topologies::Network is(solution.machine), should(tree);
    for (std::size_t n = 0; n < 16; ++n) {
        for (LinkNo::value_type l = 0; l < topologies::links_per_node; ++l) {
            const NodeId node(static_cast<NodeId::value_type>(n));
            const auto &one = is.neighbour(node, LinkNo(l)), &other = should.neighbour(node, LinkNo(l));
            ASSERT_EQ(one.has_value(), other.has_value()) << "n" << n << "." << int{l};
            if (!one) continue;
            EXPECT_EQ(one->link, other->link);
            EXPECT_EQ(one->node == is.host(), other->node == should.host());
            if (one->node != is.host()) {
                EXPECT_EQ(one->node, other->node);
            }
        }
    }
}

TEST(Solver, TakesTheConnectionOfTheHostThatItIsTold) {
    for (LinkNo::value_type port = 0; port < topologies::host_connections; ++port) {
        const auto answer = solve(shape("chain:6"), ubc_machine(), {.host_links = {LinkNo(port)}});
        const topologies::Network network(std::get<Solution>(answer).machine);
        for (LinkNo::value_type l = 0; l < topologies::host_connections; ++l)
            EXPECT_EQ(network.neighbour(network.host(), LinkNo(l)).has_value(), l == port);
    }
}

TEST(SolverRefuses, AConnectionOfTheHostThatIsNotWired) {
    EXPECT_EQ(refusal(wanted(2, {{0, 1}}, {0}), one_switch(), {.host_links = {LinkNo(3)}}),
              "wanted: host.3 is to be used, but target has nothing wired to it; name another connection of the host");
    EXPECT_EQ(refusal(wanted(2, {{0, 1}}, {0, 1}), ubc_machine(), {.host_links = {LinkNo(3)}}),
              "wanted: wants 2 connections of the host, but may use only 1; name more of them");
}

TEST(SolverRefuses, FasterLinksThanThereAre) {
    MachineDescription slow = one_switch();
    slow.link_bits_per_second = 10'000'000;
    EXPECT_EQ(refusal(wanted(2, {{0, 1}}), slow, {.link_bits_per_second = 20'000'000}),
              "wanted: wants links of 20Mbit/s, but those of target run at 10Mbit/s; ask for less");
}

TEST(Solver, TakesWeightsWasteAndBootOrderAlong) {
    MachineDescription wanted = shape("ring:4");
    const topologies::Network ring(wanted);
    wanted.weight = 2;
    wanted.weights = {{ring.paths()[1].a, ring.paths()[1].b, 9}};
    wanted.waste = {vocabulary::NodeId(2)};
    wanted.boot_order = {vocabulary::NodeId(0)};
    const auto nodes_of = [](const topologies::Path& path) {
        return std::pair(std::get<topologies::NodeLink>(path.a).node, std::get<topologies::NodeLink>(path.b).node);
    };
    const MachineDescription solved = solution_of(wanted, ubc_machine()).machine;
    EXPECT_EQ(solved.weight, 2u);
    EXPECT_EQ(solved.waste, wanted.waste);
    EXPECT_EQ(solved.boot_order, wanted.boot_order);
    ASSERT_EQ(solved.weights.size(), 1u);
    const topologies::Network network(solved);
    std::size_t heavy = 0;
    for (const topologies::Path& path : network.paths()) {
        if (path.weight == 2) continue;
        ++heavy;
        EXPECT_EQ(path.weight, 9u);
        EXPECT_EQ(nodes_of(path), nodes_of(ring.paths()[1]));
    }
    EXPECT_EQ(heavy, 1u);
}

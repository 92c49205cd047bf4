// Contracts inside the component: no machine file and no caller from outside reaches these.
#include <gtest/gtest.h>

#include <topologies/generators.hpp>

#include "annealing.hpp"
#include "edge_list.hpp"
#include "solver_target.hpp"
#include "wiring.hpp"

TEST(EndIndexDeathTest, AnIndexBehindTheLastEndIsABrokenContract) {
    const topologies::EndIndex ends(topologies::chain(2));
    EXPECT_DEATH(ends.end(ends.size()), "wiring.index_in_machine");
}

TEST(EdgeListDeathTest, AFifthEdgeAtANodeIsABrokenContract) {
    topologies::EdgeList star{.name = "star", .node_count = 6, .edges = {}};
    for (std::size_t far = 1; far < star.node_count; ++far) star.add(0, far);
    EXPECT_DEATH(topologies::wired_like(star, {}), "edge_list.four_links_a_node");
}

TEST(EdgeListDeathTest, AnEdgeFromANodeToItselfIsABrokenContract) {
    const topologies::EdgeList loop{.name = "loop", .node_count = 2, .edges = {{0, 1}, {1, 1}}};
    EXPECT_DEATH(topologies::wired_like(loop, {}), "edge_list.four_links_a_node");
}

TEST(EdgeListDeathTest, AGatewayOfAnEmptyNetworkIsABrokenContract) {
    EXPECT_DEATH(topologies::wired_like({}, {.gateway = true}), "edge_list.gateway_has_an_edge");
}

TEST(AnnealingDeathTest, AnEdgeWithoutALinkToSitOnIsABrokenContract) {
    topologies::SeatingProblem problem;  // one socket and the host, whose links lead nowhere
    problem.net.resize(2 * topologies::links_per_node);
    problem.wanted = 1;
    problem.place = {0};
    problem.edges = {{0, problem.wanted}};
    EXPECT_DEATH(topologies::Annealing(problem, 1).one_try(100), "annealing.sit_first.room");
}

TEST(SolverTargetDeathTest, AConnectionBetweenTwoSwitchesIsABrokenContract) {
    using vocabulary::LinkNo, vocabulary::NodeId, vocabulary::SwitchId, vocabulary::WayNo;
    topologies::MachineDescription target = topologies::chain(2);
    const topologies::NodeLink near{NodeId(0), LinkNo(1)}, far{NodeId(1), LinkNo(0)};
    std::erase(target.wires, topologies::Wire{near, far});
    target.switches = {{"x0", {}}, {"x1", {}}};
    target.wires.push_back({near, topologies::SwitchWay{SwitchId(0), WayNo(5)}});
    target.wires.push_back({far, topologies::SwitchWay{SwitchId(1), WayNo(5)}});

    const topologies::WantedGraph one_edge{.nodes = 2, .edges = {{0, 1}}, .links = {{1, 0}}};
    topologies::SolverTarget solver(target);
    const topologies::SeatingProblem problem = solver.problem(topologies::chain(2), one_edge, {}, {});
    const std::size_t near_link = 1, far_link = topologies::links_per_node;
    const topologies::Seating seating{.place = {0, 1}, .links = {{near_link, far_link}}, .trunks = {{}}};
    EXPECT_DEATH(solver.settings(problem, seating), "solver.connection_in_one_switch");
}

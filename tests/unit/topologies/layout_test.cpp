#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <topologies/draw_network.hpp>
#include <topologies/layout.hpp>
#include <topologies/machine_parser.hpp>
#include <topologies/shapes.hpp>
#include <topologies/solver.hpp>
#include <topologies/ubc_machine.hpp>

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using topologies::Layout;
using topologies::layout_of;
using topologies::make_shape;

namespace {

std::optional<Layout> laid_out(const std::string& shape, bool gateway = true) {
    return layout_of(topologies::Network(make_shape(shape, {.gateway = gateway})));
}

double apart(const topologies::Place& a, const topologies::Place& b) {
    return std::hypot(a.x - b.x, a.y - b.y);
}

// The least distance between two nodes.
double closest(const Layout& layout) {
    double least = 1e9;
    for (std::size_t a = 0; a < layout.places.size(); ++a)
        for (std::size_t b = 0; b < a; ++b) least = std::min(least, apart(layout.places[a], layout.places[b]));
    return least;
}

}  // namespace

TEST(Layout, EveryShapeIsRecognisedByItsWires) {
    for (const char* shape : {"chain:6", "chain:40", "ring:16", "tree:2:15", "tree:3:40", "mesh:4x4", "mesh:3x5", "torus:4x4",
                              "torus:3x5", "hypercube:8", "hypercube:16", "star:5", "complete:5"}) {
        const auto layout = laid_out(shape);
        ASSERT_TRUE(layout) << shape;
        EXPECT_EQ(layout->shape, shape);
        EXPECT_GT(closest(*layout), 0.5) << shape;
    }
}

TEST(Layout, ARingIsACircleWhoseNeighboursAreEquallyFarApart) {
    const auto ring = laid_out("ring:12");
    ASSERT_TRUE(ring);
    const double first = apart(ring->places[0], ring->places[1]);
    for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(apart(ring->places[i], ring->places[(i + 1) % 12]), first, 1e-9);
}

TEST(Layout, ATorusIsAGridWhoseWiresRoundTheEdgeAreKnown) {
    const auto torus = laid_out("torus:3x4");
    ASSERT_TRUE(torus);
    EXPECT_EQ(torus->places[5], (topologies::Place{1, -1}));
    EXPECT_THAT(torus->wraps, SizeIs(3 + 4));
    EXPECT_EQ(laid_out("mesh:3x4")->wraps.size(), 0U);
}

TEST(Layout, WiresOfAHypercubeLeadThroughNoNode) {
    const auto cube = laid_out("hypercube:16");
    ASSERT_TRUE(cube);
    for (std::size_t a = 0; a < 16; ++a)
        for (std::size_t bit = 1; bit < 16; bit *= 2)
            for (std::size_t c = 0; c < 16; ++c) {
                const std::size_t b = a ^ bit;
                if (a > b || c == a || c == b) continue;
                const auto &p = cube->places[a], &q = cube->places[b], &r = cube->places[c];
                const double along = ((r.x - p.x) * (q.x - p.x) + (r.y - p.y) * (q.y - p.y)) / std::pow(apart(p, q), 2);
                if (along < 0 || along > 1) continue;
                const double beside = std::abs((q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x)) / apart(p, q);
                EXPECT_GT(beside, 0.25) << a << " - " << b << " through " << c;
            }
}

TEST(Layout, ATreeHasItsLayersAndParentsAboveTheirChildren) {
    const auto tree = laid_out("tree:2:15");
    ASSERT_TRUE(tree);
    EXPECT_EQ(tree->places[0].y, 0);
    EXPECT_EQ(tree->places[1].y, -1);
    EXPECT_EQ(tree->places[14].y, -4);
    EXPECT_EQ(tree->places[2].x, (tree->places[4].x + tree->places[5].x) / 2);
}

TEST(Layout, AGatewayIsKnown) {
    EXPECT_EQ(laid_out("torus:4x4")->gateway, topologies::NodeId(16));
    EXPECT_FALSE(laid_out("ring:16")->gateway);
    EXPECT_FALSE(laid_out("torus:4x4", false)->gateway);
}

TEST(Layout, AShapeOnTheCrossbarsOfAnotherMachineIsRecognised) {
    auto wanted = make_shape("mesh:3x4");
    for (auto& node : wanted.nodes) node.ram_bytes = 1U << 20;
    const auto answer = topologies::solve(wanted, topologies::ubc_machine());
    const auto* solution = std::get_if<topologies::Solution>(&answer);
    ASSERT_NE(solution, nullptr);
    const auto layout = layout_of(topologies::Network(solution->machine));
    ASSERT_TRUE(layout);
    EXPECT_EQ(layout->shape, "mesh:3x4");
}

TEST(Layout, AnotherNetworkHasNone) {
    EXPECT_FALSE(laid_out("random:12:1"));
    EXPECT_FALSE(laid_out("debruijn:16"));
}

TEST(NetworkDot, ALoadIsShownByColourWidthAndNumber) {
    const auto machine = make_shape("chain:3");
    topologies::NetworkLoad load;
    load.of_node = {0.5, 0.95, std::nullopt};
    load.of_link[{"n0.1", "n1.0"}] = 0.31;
    load.of_link[{"n1.0", "n0.1"}] = 0.02;
    load.words = "shares of a test";
    const std::string dot = topologies::network_dot(machine, load);
    EXPECT_THAT(dot, HasSubstr("label=\"n1\\n95%\""));
    EXPECT_THAT(dot, HasSubstr("\"n0\" -- \"n1\" [color=\"#21918c\", penwidth=4.5, dir=forward, arrowsize=0.6, label=<"));
    EXPECT_THAT(dot, HasSubstr(">31%</TD>"));
    EXPECT_THAT(dot, HasSubstr("\"n1\" -- \"n2\" [color=\"#999999\", penwidth=1, style=dashed]"));
    EXPECT_THAT(dot, HasSubstr("shares of a test"));
    EXPECT_EQ(dot, topologies::network_dot(machine, load));
}

TEST(NetworkDot, AWireRoundTheEdgeIsTwoStubsThatNameTheOtherNode) {
    const std::string dot = topologies::network_dot(make_shape("torus:3x3", {.gateway = true}));
    EXPECT_THAT(dot, HasSubstr("n3 round to n5"));
    EXPECT_THAT(dot, Not(HasSubstr("\"n3\" -- \"n5\"")));
}

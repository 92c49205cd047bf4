// Every shape: its row of the table, its written form, and the network that comes out. This has the edges, the diameter and the
// links of the network of that name.
#include "input_error_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>

#include <topologies/machine_checks.hpp>
#include <topologies/machine_parser.hpp>
#include <topologies/machine_writer.hpp>
#include <topologies/network.hpp>
#include <topologies/shapes.hpp>

using topologies::links_per_node;
using topologies::MachineDescription;
using topologies::make_shape;
using topologies::Network;
using topologies::NetworkOptions;
using topologies::NodeLink;
using topologies::Path;
using topologies::Shape;
using topologies::shapes;
using vocabulary::LinkNo;
using vocabulary::NodeId;

namespace {

struct Expected {
    std::string shape;
    std::size_t nodes, edges, diameter;
    bool full;  // all links in use
};

std::string text(std::size_t n) {
    return std::to_string(n);
}

// The manager, then a heap-like tree of workers; the manager is one hop above the root. The two deepest leaves lie 2h apart
// once the second child of the root worker reaches the last level, else one level less.
std::size_t tree_diameter(std::size_t arity, std::size_t nodes) {
    if (nodes < 3 || arity == 1) return nodes - 1;
    std::size_t height = 0;
    std::size_t level_begin = 0;
    std::size_t level_size = 1;
    for (; level_begin + level_size < nodes - 1; ++height) {
        level_begin += level_size;
        level_size *= arity;
    }
    const bool second_child_too = nodes - 2 >= level_begin + level_size / arity;
    return std::max(height + 1, second_child_too ? 2 * height : 2 * height - 1);
}

std::vector<Expected> rings_and_trees() {
    std::vector<Expected> result;
    for (const std::size_t n : {3u, 4u, 5u, 32u, 75u, 1001u}) result.push_back({"ring:" + text(n), n, n, n / 2, false});
    for (const std::size_t n : {1u, 2u, 6u, 100u}) result.push_back({"chain:" + text(n), n, n - 1, n - 1, false});
    for (const std::size_t arity : {1u, 2u, 3u}) {
        for (const std::size_t n : {1u, 2u, 3u, 4u, 5u, 6u, 14u, 40u, 41u, 63u, 64u, 65u, 66u, 300u}) {
            result.push_back({"tree:" + text(arity) + ":" + text(n), n, n - 1, tree_diameter(arity, n), false});
        }
    }
    return result;
}

std::vector<Expected> grids() {
    std::vector<Expected> result;
    for (const auto& [r, c] :
         std::vector<std::pair<std::size_t, std::size_t>>{{1, 1}, {1, 7}, {7, 1}, {2, 2}, {6, 8}, {5, 3}}) {
        result.push_back({"mesh:" + text(r) + "x" + text(c), r * c, r * (c - 1) + c * (r - 1), r + c - 2, false});
    }
    for (const auto& [r, c] : std::vector<std::pair<std::size_t, std::size_t>>{{3, 3}, {3, 4}, {4, 4}, {6, 5}, {8, 8}}) {
        result.push_back({"torus:" + text(r) + "x" + text(c), r * c, 2 * r * c, r / 2 + c / 2, true});
    }
    return result;
}

std::vector<Expected> others() {
    std::vector<Expected> result;
    for (const std::size_t d : {0u, 1u, 2u, 3u, 4u}) {
        const std::size_t n = std::size_t{1} << d;
        result.push_back({"hypercube:" + text(n), n, d * n / 2, d, d == 4});
    }
    for (std::size_t n = 1; n <= 5; ++n) {
        result.push_back({"star:" + text(n), n, n - 1, std::min<std::size_t>(n - 1, 2), false});
        result.push_back({"complete:" + text(n), n, n * (n - 1) / 2, n > 1 ? 1u : 0u, n == 5});
    }
    for (std::size_t k = 0; k <= 9; ++k) {
        const std::size_t n = std::size_t{1} << k;
        result.push_back({"debruijn:" + text(n), n, k == 0 ? 0 : 2 * n - 3, k, false});
    }
    return result;
}

std::vector<Expected> every_shape() {
    std::vector<Expected> result = rings_and_trees();
    for (const auto& list : {grids(), others()}) result.insert(result.end(), list.begin(), list.end());
    return result;
}

std::size_t edges(const Network& network) {
    return static_cast<std::size_t>(std::count_if(network.paths().begin(), network.paths().end(), [](const Path& path) {
        return std::holds_alternative<NodeLink>(path.a) && std::holds_alternative<NodeLink>(path.b);
    }));
}

// Two nodes are neighbours once, and none is its own.
bool is_simple(const Network& network) {
    std::set<std::pair<NodeId, NodeId>> seen;
    for (const Path& path : network.paths()) {
        const auto* a = std::get_if<NodeLink>(&path.a);
        const auto* b = std::get_if<NodeLink>(&path.b);
        if (a == nullptr || b == nullptr) continue;
        if (a->node == b->node || !seen.insert(std::minmax(a->node, b->node)).second) return false;
    }
    return true;
}

std::size_t free_links(const Network& network) {
    std::size_t result = 0;
    for (std::size_t n = 0; n < network.node_count(); ++n) {
        for (std::size_t link = 0; link < links_per_node; ++link) {
            if (!network.neighbour(NodeId(static_cast<NodeId::value_type>(n)), LinkNo(static_cast<LinkNo::value_type>(link))))
                ++result;
        }
    }
    return result;
}

std::string error(const std::string& shape, const NetworkOptions& options = {}) {
    return input_error_text([&] { make_shape(shape, options); });
}

}  // namespace

TEST(Shapes, HaveTheNodesEdgesAndDiameterOfTheFormula) {
    for (const Expected& expected : every_shape()) {
        SCOPED_TRACE(expected.shape);
        const Network network(make_shape(expected.shape));
        EXPECT_EQ(network.node_count(), expected.nodes);
        EXPECT_EQ(edges(network), expected.edges);
        EXPECT_EQ(network.diameter(), expected.diameter);
        EXPECT_TRUE(is_simple(network));
    }
}

TEST(Shapes, AreRealisableDirectAndThroughSwitches) {
    for (const Expected& expected : every_shape()) {
        for (const bool through_switches : {false, true}) {
            const MachineDescription machine = make_shape(expected.shape, {.through_switches = through_switches});
            EXPECT_NO_THROW(topologies::check_machine(machine)) << expected.shape;
            EXPECT_EQ(machine.switches.size(), through_switches ? (expected.edges + 15) / 16 : 0) << expected.shape;
        }
    }
}

TEST(Shapes, WriteToAFileThatReadsBackAsTheSameMachine) {
    for (const Expected& expected : every_shape()) {
        for (const NetworkOptions& options : {NetworkOptions{}, NetworkOptions{true, false}, NetworkOptions{false, true}}) {
            const MachineDescription machine = make_shape(expected.shape, options);
            EXPECT_EQ(topologies::parse_machine(topologies::write_machine(machine), "w.yaml"), machine) << expected.shape;
        }
    }
}

TEST(Shapes, WireTheHostToTheLowestNodeWithALinkToSpare) {
    const auto host_of = [](const std::string& shape) {
        const Network network(make_shape(shape));
        return *network.neighbour(network.host(), LinkNo(0));
    };
    for (const std::string shape : {"ring:5", "chain:3", "tree:3:40", "mesh:6x8", "hypercube:8", "star:4", "debruijn:16"}) {
        EXPECT_EQ(host_of(shape).node, NodeId(0)) << shape;
        EXPECT_EQ(host_of(shape).link, LinkNo(0)) << shape;
    }
    EXPECT_EQ(host_of("star:5").node, NodeId(1));
    EXPECT_EQ(host_of("star:5").link, LinkNo(0));
}

TEST(Shapes, AreWithoutHostExactlyWhenNoLinkIsToSpare) {
    for (const Expected& expected : every_shape()) {
        SCOPED_TRACE(expected.shape);
        const MachineDescription machine = make_shape(expected.shape);
        const Network network(machine);
        EXPECT_EQ(machine.without_host, expected.full);
        EXPECT_EQ(free_links(network) == 0 && machine.without_host, expected.full);
        EXPECT_EQ(network.neighbour(network.host(), LinkNo(0)).has_value(), !expected.full);
    }
}

TEST(Shapes, PutAGatewayIntoTheFirstWireOfN0WhenNoLinkIsToSpare) {
    for (const std::string shape : {"hypercube:16", "torus:4x5", "complete:5", "random:12:3"}) {
        SCOPED_TRACE(shape);
        const Network plain(make_shape(shape));
        const MachineDescription machine = make_shape(shape, {.gateway = true});
        EXPECT_NO_THROW(topologies::check_machine(machine));
        const Network network(machine);
        const NodeId gateway(static_cast<NodeId::value_type>(plain.node_count()));
        ASSERT_EQ(network.node_count(), plain.node_count() + 1);
        EXPECT_EQ(network.neighbour(network.host(), LinkNo(0))->node, gateway);
        EXPECT_EQ(network.neighbour(NodeId(0), LinkNo(0))->node, gateway);
        EXPECT_EQ(network.neighbour(gateway, LinkNo(2))->node, plain.neighbour(NodeId(0), LinkNo(0))->node);
        EXPECT_EQ(edges(network), edges(plain) + 1);
    }
}

TEST(Shapes, HaveNoGatewayWhereALinkIsToSpare) {
    EXPECT_EQ(make_shape("mesh:3x3", {.gateway = true}), make_shape("mesh:3x3"));
}

TEST(Shapes, AreNamedAfterTheirNumbers) {
    EXPECT_EQ(make_shape("tree:1:5").name, "chain_5");
    EXPECT_EQ(make_shape("tree:2:63").name, "btree_63");
    EXPECT_EQ(make_shape("mesh:6x8", {.through_switches = true}).name, "mesh_6x8_c004");
    EXPECT_EQ(make_shape("random:24:7", {.gateway = true}).name, "random_24_7_gateway");
}

TEST(Shapes, WireADimensionOfAHypercubeToTheLinkOfItsNumber) {
    const Network network(make_shape("hypercube:16"));
    for (std::size_t n = 0; n < 16; ++n) {
        for (std::size_t bit = 0; bit < 4; ++bit) {
            const auto& far =
                network.neighbour(NodeId(static_cast<NodeId::value_type>(n)), LinkNo(static_cast<LinkNo::value_type>(bit)));
            EXPECT_EQ(far->node.value(), n ^ (std::size_t{1} << bit));
            EXPECT_EQ(far->link.value(), bit);
        }
    }
}

TEST(Shapes, WireNodeIOfADeBruijnNetworkTo2iAnd2iPlus1) {
    const Network network(make_shape("debruijn:32"));
    for (std::size_t n = 0; n < 32; ++n) {
        const auto hops = network.hops(NodeId(static_cast<NodeId::value_type>(n)));
        for (const std::size_t next : {2 * n % 32, (2 * n + 1) % 32}) EXPECT_EQ(hops[next], n == next ? 0u : 1u) << n;
    }
}

TEST(RandomRegular, GivesEveryNodeFourDifferentNeighboursAndOnePiece) {
    for (const std::size_t n : {5u, 6u, 7u, 8u, 9u, 24u, 75u, 500u}) {
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            SCOPED_TRACE("random:" + text(n) + ":" + std::to_string(seed));
            const MachineDescription machine = topologies::random_regular(n, seed);
            EXPECT_NO_THROW(topologies::check_machine(machine));
            const Network network(machine);
            EXPECT_EQ(edges(network), 2 * n);
            EXPECT_EQ(free_links(network), 0u);
            EXPECT_TRUE(is_simple(network));
            const auto hops = network.hops(NodeId(0));
            EXPECT_EQ(std::count(hops.begin(), hops.end(), std::nullopt), 1);  // the host
            EXPECT_TRUE(machine.without_host);
        }
    }
}

TEST(RandomRegular, IsTheSameForTheSameSeedAndAnotherForAnother) {
    EXPECT_EQ(make_shape("random:24:7"), topologies::random_regular(24, 7));
    EXPECT_EQ(make_shape("random:24"), make_shape("random:24:1"));
    EXPECT_NE(make_shape("random:24:7").wires, make_shape("random:24:8").wires);
}

TEST(RandomRegular, IsTheSameOnEveryHost) {
    const std::string written = topologies::write_machine(make_shape("random:8:1"));
    EXPECT_EQ(written.substr(written.find("links:")),
              "links:\n  - n0.0 - n3.0\n  - n0.1 - n4.0\n  - n0.2 - n5.0\n  - n0.3 - n7.0\n"
              "  - n1.0 - n3.1\n  - n1.1 - n4.1\n  - n1.2 - n6.0\n  - n1.3 - n7.1\n"
              "  - n2.0 - n3.2\n  - n2.1 - n5.1\n  - n2.2 - n6.1\n  - n2.3 - n7.2\n"
              "  - n3.3 - n7.3\n  - n4.2 - n5.2\n  - n4.3 - n6.2\n  - n5.3 - n6.3\n");
}

TEST(RandomRegular, IsFarSmallerThanTheCircleItBeginsWith) {
    // A random network of 500 nodes with 4 links each is about log3(500) = 6 hops wide; the circle it begins with, 125.
    EXPECT_LE(*Network(make_shape("random:500:1")).diameter(), 9u);
}

TEST(Shapes, HaveAnExampleThatWorksAndOneLineThatSaysWhatTheyAre) {
    std::set<std::string> names;
    for (const Shape& shape : shapes()) {
        EXPECT_TRUE(names.insert(shape.name).second) << shape.name;
        EXPECT_TRUE(shape.example.starts_with(shape.name + ":")) << shape.name;
        EXPECT_NO_THROW(make_shape(shape.example)) << shape.example;
        EXPECT_FALSE(shape.what.empty());
        EXPECT_NE(shape.what.back(), '.') << shape.name;
    }
    EXPECT_EQ(names.size(), 10u);
}

TEST(BadShape, WithAnUnknownName) {
    EXPECT_EQ(error("mehs:6x8"), "shape 'mehs:6x8': there is no shape 'mehs', did you mean 'mesh'?");
    EXPECT_EQ(error("blob"),
              "shape 'blob': there is no shape 'blob'; name one of chain, ring, tree, mesh, torus, hypercube, star, complete, "
              "debruijn, random");
    EXPECT_EQ(error(""),
              "shape '': there is no shape ''; name one of chain, ring, tree, mesh, torus, hypercube, star, complete, "
              "debruijn, random");
}

TEST(BadShape, WithTooFewOrTooManyNumbers) {
    EXPECT_EQ(error("mesh"),
              "shape 'mesh': 0 numbers given, which a mesh does not take; write mesh:ROWSxCOLUMNS, as in 'mesh:6x8'");
    EXPECT_EQ(error("tree:2"),
              "shape 'tree:2': 1 number given, which a tree does not take; write tree:CHILDREN:NODES, as in 'tree:2:63'");
    EXPECT_EQ(error("ring:3:4"),
              "shape 'ring:3:4': 2 numbers given, which a ring does not take; write ring:NODES, as in 'ring:32'");
    EXPECT_EQ(
        error("random:9:1:1"),
        "shape 'random:9:1:1': 3 numbers given, which a random does not take; write random:NODES[:SEED], as in 'random:24:7'");
}

TEST(BadShape, WithAWordThatIsNoNumber) {
    EXPECT_EQ(error("mesh:6:8"), "shape 'mesh:6:8': '6:8' is no whole number; write mesh:ROWSxCOLUMNS, as in 'mesh:6x8'");
    for (const std::string word : {"", "-3", "+3", "3.0", " 3", "three", "99999999999999999999"}) {
        EXPECT_EQ(error("ring:" + word),
                  "shape 'ring:" + word + "': '" + word + "' is no whole number; write ring:NODES, as in 'ring:32'");
    }
}

TEST(BadShape, WithNumbersThatNoMachineHas) {
    EXPECT_EQ(error("ring:2"), "ring: 2 nodes asked for, but a ring has 3 to 16384; change their number, or ask for a chain");
    EXPECT_EQ(error("chain:0"), "chain: 0 nodes asked for, but a machine has 1 to 16384; change their number");
    EXPECT_EQ(error("tree:4:63"),
              "tree: 4 children a worker asked for, but one of its 4 links leads to its parent; ask for 1, 2 or 3");
    EXPECT_EQ(
        error("mesh:0x3"),
        "mesh: 0 rows of 3 nodes asked for, but a mesh has at least 1 of each and at most 16384 nodes; change their number");
    EXPECT_EQ(error("mesh:4294967296x4294967296"),
              "mesh: 4294967296 rows of 4294967296 nodes asked for, but a mesh has at least 1 of each and at most 16384 nodes; "
              "change their number");
    EXPECT_EQ(
        error("torus:2x5"),
        "torus: 2 rows of 5 nodes asked for, but a torus has at least 3 of each and at most 16384 nodes; change their number");
    EXPECT_EQ(error("hypercube:32"),
              "hypercube: 32 nodes asked for, each of which wants 5 links, but a T800 has 4; ask for 16 nodes or fewer");
    EXPECT_EQ(error("hypercube:12"),
              "hypercube: 12 nodes asked for, but their number is a power of two and at most 16, since each dimension takes "
              "one of the 4 "
              "links of a node; change their number");
    EXPECT_EQ(error("star:6"), "star: 6 nodes asked for, but a star has 1 to 5; change it, since a node has 4 links");
    EXPECT_EQ(error("complete:6"),
              "complete: 6 nodes asked for, but a complete network has 1 to 5; change it, since a node has 4 links");
    EXPECT_EQ(error("debruijn:24"),
              "debruijn: 24 nodes asked for, but their number is a power of two and at most 16384, since a machine has no more "
              "nodes; "
              "change their number");
    EXPECT_EQ(error("random:4"), "random: 4 nodes asked for, but a random network has 5 to 16384; change their number");
    EXPECT_EQ(error("torus:128x128", {.gateway = true}),
              "gateway: 16385 nodes asked for, but a machine has 1 to 16384; ask for one node fewer, or for no gateway");
}

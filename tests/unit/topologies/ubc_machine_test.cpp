#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include <topologies/machine_checks.hpp>
#include <topologies/machine_parser.hpp>
#include <topologies/machine_writer.hpp>
#include <topologies/ubc_machine.hpp>

using topologies::HostEnd;
using topologies::links_per_node;
using topologies::MachineDescription;
using topologies::NodeLink;
using topologies::SwitchWay;
using topologies::ubc_blocks;
using topologies::ubc_crossbars;
using topologies::ubc_design;
using topologies::ubc_machine;
using topologies::ubc_nodes;
using topologies::Wire;

namespace {

// Way and far end of every wire at a crossbar.
std::vector<std::pair<SwitchWay, topologies::WireEnd>> ways(const MachineDescription& machine) {
    std::vector<std::pair<SwitchWay, topologies::WireEnd>> result;
    for (const Wire& wire : machine.wires) {
        if (const auto* way = std::get_if<SwitchWay>(&wire.a)) result.emplace_back(*way, wire.b);
        if (const auto* way = std::get_if<SwitchWay>(&wire.b)) result.emplace_back(*way, wire.a);
    }
    return result;
}

template <class End>
std::array<std::size_t, ubc_crossbars> ways_to() {
    std::array<std::size_t, ubc_crossbars> count{};
    for (const auto& [way, far] : ways(ubc_machine())) count[way.which.value()] += std::holds_alternative<End>(far) ? 1 : 0;
    return count;
}

std::size_t in_common(std::size_t a, std::size_t b) {
    const auto &one = ubc_design()[a], &other = ubc_design()[b];
    return static_cast<std::size_t>(std::count_if(one.begin(), one.end(), [&other](std::size_t crossbar) {
        return std::find(other.begin(), other.end(), crossbar) != other.end();
    }));
}

}  // namespace

TEST(UbcDesign, BlocksHaveFourDifferentCrossbars) {
    for (const auto& block : ubc_design()) {
        EXPECT_EQ(std::set<std::size_t>(block.begin(), block.end()).size(), links_per_node);
        for (const std::size_t crossbar : block) EXPECT_LT(crossbar, ubc_crossbars);
    }
}

TEST(UbcDesign, EachCrossbarIsInSixBlocks) {
    std::array<std::size_t, ubc_crossbars> blocks{};
    for (const auto& block : ubc_design()) {
        for (const std::size_t crossbar : block) ++blocks[crossbar];
    }
    for (const std::size_t count : blocks) EXPECT_EQ(count, 6u);
}

TEST(UbcDesign, EachPairOfCrossbarsIsInTwoBlocks) {
    std::array<std::array<std::size_t, ubc_crossbars>, ubc_crossbars> together{};
    for (const auto& block : ubc_design()) {
        for (const std::size_t a : block) {
            for (const std::size_t b : block) ++together[a][b];
        }
    }
    for (std::size_t a = 0; a < ubc_crossbars; ++a) {
        for (std::size_t b = 0; b < ubc_crossbars; ++b) EXPECT_EQ(together[a][b], a == b ? 6u : 2u) << a << " " << b;
    }
}

TEST(UbcDesign, EachTwoBlocksHaveOneOrTwoCrossbarsInCommon) {
    for (std::size_t a = 0; a < ubc_blocks; ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            EXPECT_GE(in_common(a, b), 1u) << a << " " << b;
            EXPECT_LE(in_common(a, b), 2u) << a << " " << b;
        }
    }
}

TEST(UbcMachine, HasThePartsOfTheThesis) {
    const MachineDescription machine = ubc_machine();
    EXPECT_EQ(machine.nodes.size(), 75u);
    EXPECT_EQ(machine.switches.size(), 10u);
    EXPECT_EQ(machine.control.size(), 2u);
    std::set<HostEnd> connections;
    for (const Wire& wire : machine.wires) {
        if (const auto* host = std::get_if<HostEnd>(&wire.a)) connections.insert(*host);
    }
    EXPECT_EQ(connections.size(), 4u);
}

TEST(UbcMachine, MemoryGoesFromOneToSixteenMebibytes) {
    const MachineDescription machine = ubc_machine();
    std::set<std::uint64_t> sizes;
    for (const auto& node : machine.nodes) sizes.insert(node.ram_bytes);
    EXPECT_EQ(*sizes.begin(), 1u << 20);
    EXPECT_EQ(*sizes.rbegin(), 16u << 20);
    EXPECT_EQ(std::count_if(machine.nodes.begin(), machine.nodes.end(), [](auto& n) { return n.ram_bytes >= 4u << 20; }), 65);
}

TEST(UbcMachine, EveryLinkOfEveryNodeIsWired) {
    std::set<NodeLink> links;
    for (const auto& [way, far] : ways(ubc_machine())) {
        if (const auto* link = std::get_if<NodeLink>(&far)) links.insert(*link);
    }
    EXPECT_EQ(links.size(), ubc_nodes * links_per_node);
}

TEST(UbcMachine, EachCrossbarHasThirtyNodeWays) {
    for (const std::size_t count : ways_to<NodeLink>()) EXPECT_EQ(count, 30u);
}

TEST(UbcMachine, AllWaysAreInUse) {
    std::set<SwitchWay> used;
    for (const auto& [way, far] : ways(ubc_machine())) used.insert(way);
    EXPECT_EQ(used.size(), ubc_crossbars * topologies::ways_per_switch);
}

TEST(UbcMachine, TheHostReachesFourCrossbars) {
    const auto host = ways_to<HostEnd>();
    EXPECT_EQ(std::count(host.begin(), host.end(), 1u), 4);
    EXPECT_EQ(std::count(host.begin(), host.end(), 0u), 6);
}

TEST(UbcMachine, EightWiresBetweenCrossbarsTouchAllOfThem) {
    const auto trunks = ways_to<SwitchWay>();
    const auto host = ways_to<HostEnd>();
    std::size_t ends = 0;
    for (std::size_t x = 0; x < ubc_crossbars; ++x) {
        EXPECT_EQ(trunks[x], 2 - host[x]);
        ends += trunks[x];
    }
    EXPECT_EQ(ends, 16u);
}

TEST(UbcMachine, EachNodeIsOnTheCrossbarsOfItsBlock) {
    std::vector<std::set<std::size_t>> crossbars(ubc_nodes);
    for (const auto& [way, far] : ways(ubc_machine())) {
        if (const auto* link = std::get_if<NodeLink>(&far)) crossbars[link->node.value()].insert(way.which.value());
    }
    for (std::size_t n = 0; n < ubc_nodes; ++n) {
        const auto& block = ubc_design()[n % ubc_blocks];
        EXPECT_EQ(crossbars[n], std::set<std::size_t>(block.begin(), block.end())) << n;
    }
}

TEST(UbcMachine, EachCrossbarGetsLinksOfAllNumbers) {
    std::array<std::array<std::size_t, links_per_node>, ubc_crossbars> count{};
    for (const auto& [way, far] : ways(ubc_machine())) {
        if (const auto* link = std::get_if<NodeLink>(&far)) ++count[way.which.value()][link->link.value()];
    }
    for (const auto& one : count) {
        for (const std::size_t links : one) EXPECT_GE(links, 6u);
    }
}

TEST(UbcMachine, EachCrossbarIsOnOneControlConnection) {
    std::vector<std::size_t> seen(ubc_crossbars);
    for (const auto& line : ubc_machine().control) {
        EXPECT_EQ(line.size(), 5u);
        for (const auto which : line) ++seen[which.value()];
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1u), 10);
}

TEST(UbcMachine, PassesTheChecks) {
    EXPECT_NO_THROW(topologies::check_machine(ubc_machine()));
}

TEST(UbcMachine, TheShippedFileIsItsCanonicalText) {
    std::ifstream file(MAGICWIRE_SOURCE_DIR "/topologies/machines/ubc_75.yaml");
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_EQ(text.str().substr(text.str().find('\n') + 1), topologies::write_machine(ubc_machine()));  // after the comment
    EXPECT_EQ(topologies::parse_machine(text.str(), "ubc_75.yaml"), ubc_machine());
}

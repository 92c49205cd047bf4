#include "input_error_text.hpp"

#include <gtest/gtest.h>

#include <topologies/generators.hpp>
#include <topologies/machine_checks.hpp>
#include <topologies/machine_parser.hpp>
#include <topologies/machine_writer.hpp>
#include <topologies/network.hpp>

using topologies::binary_tree;
using topologies::canonical_machine;
using topologies::chain;
using topologies::check_machine;
using topologies::HostEnd;
using topologies::links_per_node;
using topologies::MachineDescription;
using topologies::Network;
using topologies::NodeLink;
using topologies::parse_machine;
using topologies::Path;
using topologies::SwitchWay;
using topologies::ternary_tree;
using topologies::write_machine;
using vocabulary::LinkNo;
using vocabulary::NodeId;
using vocabulary::SwitchId;

namespace {

NodeId node(std::size_t n) {
    return NodeId(static_cast<NodeId::value_type>(n));
}

// Every link of every node leads to the same place in both machines.
void expect_same_network(const Network& a, const Network& b) {
    ASSERT_EQ(a.node_count(), b.node_count());
    for (std::size_t n = 0; n <= a.node_count(); ++n) {
        for (LinkNo::value_type link = 0; link < links_per_node; ++link) {
            const auto& one = a.neighbour(node(n), LinkNo(link));
            const auto& other = b.neighbour(node(n), LinkNo(link));
            ASSERT_EQ(one.has_value(), other.has_value()) << n << "." << int(link);
            if (!one) continue;
            EXPECT_EQ(one->node, other->node);
            EXPECT_EQ(one->link, other->link);
        }
    }
}

}  // namespace

TEST(Generators, BinaryTreePutsTheChildrenOnLinksOneAndTwo) {
    const Network network(binary_tree(75));
    EXPECT_EQ(network.neighbour(node(0), LinkNo(1))->node, node(1));
    for (std::size_t i = 1; 2 * i + 1 < 75; ++i) {
        EXPECT_EQ(network.neighbour(node(i), LinkNo(1))->node, node(2 * i));
        EXPECT_EQ(network.neighbour(node(i), LinkNo(2))->node, node(2 * i + 1));
        EXPECT_EQ(network.neighbour(node(2 * i), LinkNo(0))->node, node(i));
    }
}

TEST(Generators, TernaryTreePutsTheChildrenOnLinksOneToThree) {
    const Network network(ternary_tree(41));
    EXPECT_EQ(network.neighbour(node(0), LinkNo(1))->node, node(1));
    for (std::size_t i = 1; 3 * i + 1 < 41; ++i) {
        for (LinkNo::value_type link = 1; link <= 3; ++link) {
            EXPECT_EQ(network.neighbour(node(i), LinkNo(link))->node, node(3 * i - 2 + link));
        }
    }
}

TEST(Generators, ChainRunsFromLinkOneToLinkZero) {
    const Network network(chain(6));
    for (std::size_t i = 0; i + 1 < 6; ++i) {
        EXPECT_EQ(network.neighbour(node(i), LinkNo(1))->node, node(i + 1));
        EXPECT_EQ(network.neighbour(node(i), LinkNo(1))->link, LinkNo(0));
    }
}

TEST(Generators, MakeRealisableMachinesOfEverySize) {
    for (const std::size_t count : {1u, 2u, 3u, 4u, 16u, 17u, 18u, 75u, 1024u}) {
        for (const bool through_switches : {false, true}) {
            EXPECT_NO_THROW(check_machine(binary_tree(count, through_switches))) << count;
            EXPECT_NO_THROW(check_machine(ternary_tree(count, through_switches))) << count;
            EXPECT_NO_THROW(check_machine(chain(count, through_switches))) << count;
        }
    }
}

TEST(Generators, SwitchesMakeTheSameNetworkWithOneSwitchAPath) {
    expect_same_network(Network(binary_tree(75)), Network(binary_tree(75, true)));
    expect_same_network(Network(ternary_tree(40)), Network(ternary_tree(40, true)));
    expect_same_network(Network(chain(33)), Network(chain(33, true)));
    const Network network(binary_tree(75, true));
    for (const Path& path : network.paths()) {
        const bool to_host = std::holds_alternative<HostEnd>(path.b);
        EXPECT_EQ(path.through.size(), to_host ? 0u : 1u);
    }
}

TEST(Generators, UseAsManySwitchesAsTheWiresNeed) {
    EXPECT_EQ(binary_tree(17, true).switches.size(), 1u);
    EXPECT_EQ(binary_tree(18, true).switches.size(), 2u);
    EXPECT_EQ(binary_tree(1024, true).switches.size(), 64u);
    EXPECT_EQ(chain(1, true).switches.size(), 0u);
}

TEST(Generators, RefuseSizesThatNoMachineHas) {
    EXPECT_EQ(input_error_text([] { binary_tree(0); }),
              "binary_tree: 0 nodes asked for, but a machine has 1 to 16384; change their number");
    EXPECT_EQ(input_error_text([] { chain(17000); }),
              "chain: 17000 nodes asked for, but a machine has 1 to 16384; change their number");
    EXPECT_EQ(input_error_text([] { ternary_tree(0, true); }),
              "ternary_tree: 0 nodes asked for, but a machine has 1 to 16384; change their number");
}

TEST(MachineWriter, WhatItWritesParsesBackToTheSameMachine) {
    for (const auto& machine : {binary_tree(75), binary_tree(75, true), ternary_tree(40, true), chain(1), chain(33, true)}) {
        EXPECT_EQ(parse_machine(write_machine(machine), "w.yaml"), machine);
    }
}

TEST(MachineWriter, KeepsOverridesSpeedsAndIdleSwitches) {
    MachineDescription machine = chain(3);
    machine.nodes[1].ram_bytes = 65537;
    machine.nodes[2].clock_hz = 17'500'000;
    machine.link_bits_per_second = 5'000'000;
    machine.switches.push_back({"spare", {}});
    machine.wires.push_back({NodeLink{node(1), LinkNo(3)}, SwitchWay{SwitchId(0), topologies::WayNo(31)}});
    machine.switches.push_back({"bare", {}});
    machine.nodes.push_back({1u << 20, 20'000'000});
    machine.unreachable_allowed = true;
    EXPECT_EQ(write_machine(machine),
              "version: 1\nname: chain_3\nnodes:\n  count: 4\n  ram: 4MiB\n  clock: 20MHz\n  override:\n"
              "    n1: {ram: 65537 bytes}\n    n2: {clock: 17500kHz}\n    n3: {ram: 1MiB}\n"
              "link_speed: 5Mbit/s\nhost: n0.0\nlinks:\n  - n0.1 - n1.0\n  - n1.1 - n2.0\n"
              "switches:\n  spare:\n    wires: [n1.3 - 31]\n  bare: {}\nunreachable: allowed\n");
    EXPECT_EQ(parse_machine(write_machine(machine), "w.yaml"), machine);
}

TEST(MachineWriter, KeepsConnectionsOfTheHostControlAndInterrupts) {
    const MachineDescription machine = parse_machine(
        "version: 1\nname: t\nnodes: {count: 2, ram: 1MiB}\nlinks: [n1.0 - n0.1]\ninterrupts: {master: n1}\n"
        "switches:\n  x0: {wires: [n1.3 - 30, host.3 - 31, n0.0 - 1, host.1 - 2], connect: [1 - 2]}\n  x1: {}\n  x2: {}\n"
        "control: [[x2, x0], [x1]]\n",
        "t.yaml");
    const std::string written = write_machine(machine);
    EXPECT_EQ(written,
              "version: 1\nname: t\nnodes: {count: 2, ram: 1MiB, clock: 20MHz}\nlink_speed: 20Mbit/s\n"
              "host: [none, x0.2, none, x0.31]\nlinks:\n  - n0.1 - n1.0\n"
              "switches:\n  x0:\n    wires: [n0.0 - 1, n1.3 - 30]\n    connect: [1 - 2]\n  x1: {}\n  x2: {}\n"
              "control: [[x2, x0], [x1]]\ninterrupts: {master: n1}\n");
    EXPECT_EQ(parse_machine(written, "w.yaml"), canonical_machine(machine));
}

TEST(MachineWriter, KeepsANetworkOnItsOwn) {
    const std::string text =
        "version: 1\nname: t\nnodes: {count: 1, ram: 1MiB, clock: 20MHz}\nlink_speed: 20Mbit/s\nhost: none\n";
    EXPECT_EQ(write_machine(parse_machine(text, "t.yaml")), text);
}

TEST(MachineWriter, GivesOneTextWhateverTheOrderOfTheWires) {
    const std::string text =
        "version: 1\nname: t\nnodes: {count: 2, ram: 1MiB}\nhost: x0.0\nswitches:\n"
        "  x0: {wires: [n0.0 - 1, n0.1 - 2], connect: [1 - 0, 3 - 2]}\n"
        "  x1: {wires: [x0.3 - 6, n1.2 - 5], connect: [6 - 5]}\n";
    const MachineDescription machine = parse_machine(text, "t.yaml");
    const std::string written = write_machine(machine);
    EXPECT_NE(written.find("  x0:\n    wires: [n0.0 - 1, n0.1 - 2, x1.6 - 3]\n    connect: [0 - 1, 2 - 3]\n"),
              std::string::npos)
        << written;
    EXPECT_EQ(parse_machine(written, "w.yaml"), canonical_machine(machine));
    EXPECT_EQ(write_machine(parse_machine(written, "w.yaml")), written);
}

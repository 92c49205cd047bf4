// The nodes look for their neighbours, after the host has sent the configuration messages of a machine file.
#include <trollius_hosted/neighbour_look_up.hpp>

#include <gtest/gtest.h>

#include <topologies/generators.hpp>
#include <topologies/machine_parser.hpp>

#include "switched_machines.hpp"
#include "test_multicomputer.hpp"

namespace {

using topologies::LinkLevel;
using trollius_hosted::discover_network;
using vocabulary::LinkNo;
using vocabulary::NodeId;

class NeighbourLookUp : public testing::TestWithParam<LinkLevel> {
protected:
    void build(const topologies::MachineDescription& description) {
        hw_model::MachineOptions options;
        options.links = GetParam();
        machine = std::make_unique<hw_model::Machine>("machine", description, test_support::standard_costs(), 1, options);
    }
    bool sees_what_is_described() { return discover_network(*machine) == topologies::Network(machine->description()); }
    std::unique_ptr<hw_model::Machine> machine;
};

// Six nodes in a ring through three switches in a row, and links and ways that lead nowhere.
topologies::MachineDescription cascaded_ring() {
    return topologies::parse_machine(
        "version: 1\n"
        "name: ring\n"
        "nodes: {count: 4, ram: 1MiB}\n"
        "host: n0.0\n"
        "links: [n0.1 - n1.0, n1.1 - n2.0]\n"
        "switches:\n"
        "  x0: {wires: [n2.1 - 31, n3.0 - 0, n1.3 - 9], connect: [31 - 5, 0 - 6]}\n"
        "  x1: {wires: [x0.5 - 1, x0.6 - 2, n3.1 - 3, n0.2 - 4], connect: [1 - 2, 3 - 8]}\n"
        "  x2: {wires: [x1.8 - 8, n0.3 - 30], connect: [8 - 30]}\n",
        "ring.yaml");
}

}  // namespace

TEST_P(NeighbourLookUp, SeesDirectWires) {
    build(topologies::binary_tree(15));
    EXPECT_TRUE(sees_what_is_described());
}

TEST_P(NeighbourLookUp, SeesNothingThroughSwitchesThatNobodyHasProgrammed) {
    build(topologies::chain(4, true));
    const auto seen = discover_network(*machine);
    EXPECT_FALSE(seen == topologies::Network(machine->description()));
    EXPECT_TRUE(seen.neighbour(NodeId(0), LinkNo(0))) << "the host is wired directly";
    EXPECT_FALSE(seen.neighbour(NodeId(1), LinkNo(0)));
}

TEST_P(NeighbourLookUp, SeesExactlyTheNetworkOfTheMachineFileOnceTheSwitchesAreProgrammed) {
    build(topologies::binary_tree(40, true));
    EXPECT_TRUE(test_support::program_switches(*machine).empty());
    EXPECT_TRUE(sees_what_is_described());
}

TEST_P(NeighbourLookUp, SeesThroughSeveralSwitchesInARow) {
    build(cascaded_ring());
    EXPECT_TRUE(test_support::program_switches(*machine).empty());
    const auto seen = discover_network(*machine);
    EXPECT_TRUE(seen == topologies::Network(machine->description()));
    EXPECT_EQ(seen.neighbour(NodeId(2), LinkNo(1)), (trollius_hosted::DiscoveredNetwork::Seen{NodeId(3), LinkNo(0)}));
    EXPECT_FALSE(seen.neighbour(NodeId(1), LinkNo(3)));
}

TEST_P(NeighbourLookUp, NoticesAnOutputThatIsStuck) {
    build(topologies::chain(4, true));
    machine->link_switch(vocabulary::SwitchId(0)).stick(vocabulary::WayNo(1), std::optional<vocabulary::WayNo>());
    EXPECT_FALSE(test_support::program_switches(*machine).empty());
    EXPECT_FALSE(sees_what_is_described());
}

TEST_P(NeighbourLookUp, CanBeRepeated) {
    build(topologies::chain(4, true));
    EXPECT_FALSE(sees_what_is_described());
    test_support::program_switches(*machine);
    EXPECT_TRUE(sees_what_is_described()) << "what nobody took before was withdrawn";
    EXPECT_TRUE(sees_what_is_described());
}

TEST_P(NeighbourLookUp, NeedsNoHost) {
    auto description = topologies::chain(5, true);
    std::erase_if(description.wires, [](const topologies::Wire& wire) {
        return std::holds_alternative<topologies::HostEnd>(wire.a) || std::holds_alternative<topologies::HostEnd>(wire.b);
    });
    description.without_host = true;
    build(description);
    test_support::program_switches(*machine);
    EXPECT_TRUE(sees_what_is_described());
}

TEST_P(NeighbourLookUp, SeesAllConnectionsOfTheHost) {
    auto description = topologies::chain(4);
    description.wires.push_back({topologies::HostEnd{LinkNo(2)}, topologies::NodeLink{NodeId(3), LinkNo(3)}});
    build(description);
    EXPECT_TRUE(sees_what_is_described());
    EXPECT_NE(machine->node(machine->host()).link(LinkNo(2)), nullptr);
    EXPECT_EQ(machine->node(machine->host()).link(LinkNo(1)), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Levels, NeighbourLookUp, testing::Values(LinkLevel::Message, LinkLevel::Byte),
                         [](const auto& level) { return level.param == LinkLevel::Byte ? "Byte" : "Message"; });

#include <gtest/gtest.h>

#include <topologies/machine_parser.hpp>
#include <topologies/machine_writer.hpp>

using topologies::HostEnd;
using topologies::MachineDescription;
using topologies::NodeDescription;
using topologies::NodeLink;
using topologies::parse_machine;
using topologies::SwitchWay;
using topologies::Wire;
using vocabulary::LinkNo;
using vocabulary::NodeId;
using vocabulary::SwitchId;
using vocabulary::WayNo;

namespace {

MachineDescription parse(const std::string& text) {
    return parse_machine("version: 1\nname: t\n" + text, "m.yaml");
}

}  // namespace

TEST(MachineParser, ReadsNodesLinksAndHost) {
    const auto machine =
        parse("nodes: {count: 2, ram: 1MiB, clock: 25MHz}\nlink_speed: 10Mbit/s\nhost: n1.3\nlinks: [n0.1 - n1.0]\n");
    EXPECT_EQ(machine.name, "t");
    EXPECT_EQ(machine.nodes, (std::vector<NodeDescription>(2, {1u << 20, 25'000'000})));
    EXPECT_EQ(machine.link_bits_per_second, 10'000'000);
    ASSERT_EQ(machine.wires.size(), 2u);
    EXPECT_EQ(machine.wires[0], (Wire{HostEnd{}, NodeLink{NodeId(1), LinkNo(3)}}));
    EXPECT_EQ(machine.wires[1], (Wire{NodeLink{NodeId(0), LinkNo(1)}, NodeLink{NodeId(1), LinkNo(0)}}));
}

TEST(MachineParser, TakesTheUsualClockAndLinkSpeedWhenNoneIsGiven) {
    const auto machine = parse("nodes: {count: 1, ram: 1MiB}\nhost: n0.0\n");
    EXPECT_EQ(machine.nodes[0].clock_hz, 20'000'000);
    EXPECT_EQ(machine.link_bits_per_second, 20'000'000);
    EXPECT_FALSE(machine.unreachable_allowed);
}

TEST(MachineParser, OverridesSingleNodes) {
    const auto machine = parse(
        "nodes: {count: 3, ram: 1MiB, override: {n1: {ram: 16MiB}, n2: {clock: 30MHz}}}\nhost: n0.0\nlinks: [n0.1-n1.0, "
        "n1.1-n2.0]\n");
    EXPECT_EQ(machine.nodes[0], (NodeDescription{1u << 20, 20'000'000}));
    EXPECT_EQ(machine.nodes[1], (NodeDescription{16u << 20, 20'000'000}));
    EXPECT_EQ(machine.nodes[2], (NodeDescription{1u << 20, 30'000'000}));
}

TEST(MachineParser, TellsWhichNodesRunMachineCode) {
    const auto machine = parse(
        "nodes: {count: 3, ram: 1MiB, core: t800, override: {n1: {core: kernel}}}\nhost: n0.0\nlinks: [n0.1-n1.0, "
        "n1.1-n2.0]\n");
    EXPECT_EQ(machine.nodes[0].core, topologies::NodeCore::T800);
    EXPECT_EQ(machine.nodes[1].core, topologies::NodeCore::Kernel);
    const std::string text = topologies::write_machine(machine);
    EXPECT_EQ(topologies::parse_machine(text, "again.yaml"), topologies::canonical_machine(machine)) << text;
}

TEST(MachineParser, ReadsSwitchesInFileOrder) {
    const auto machine = parse(
        "nodes: {count: 2, ram: 1MiB}\nhost: east.7\nswitches:\n"
        "  east: {wires: [n0.0 - 0], connect: [0 - 7]}\n"
        "  back: {wires: [n0.1 - 1, n1.0 - 2], connect: [1 - 2]}\n");
    ASSERT_EQ(machine.switches.size(), 2u);
    EXPECT_EQ(machine.switches[0].name, "east");
    EXPECT_EQ(machine.switches[1].connections, (std::vector{std::pair(WayNo(1), WayNo(2))}));
    EXPECT_EQ(machine.wires[0], (Wire{HostEnd{}, SwitchWay{SwitchId(0), WayNo(7)}}));
    EXPECT_EQ(machine.wires[3], (Wire{NodeLink{NodeId(1), LinkNo(0)}, SwitchWay{SwitchId(1), WayNo(2)}}));
}

TEST(MachineParser, ReadsTheConnectionsOfTheHostInTheirOrder) {
    const auto machine = parse(
        "nodes: {count: 2, ram: 1MiB}\nhost: [n0.0, none, null, x0.30]\nlinks: [n0.1 - n1.0]\n"
        "switches: {x0: {wires: [n1.3 - 31], connect: [30 - 31]}}\n");
    EXPECT_FALSE(machine.without_host);
    EXPECT_EQ(machine.wires[0], (Wire{HostEnd{}, NodeLink{NodeId(0), LinkNo(0)}}));
    EXPECT_EQ(machine.wires[1], (Wire{HostEnd{LinkNo(3)}, SwitchWay{SwitchId(0), WayNo(30)}}));
}

TEST(MachineParser, TakesConnectionsOfTheHostAmongTheWiresOfASwitchToo) {
    const auto machine = parse(
        "nodes: {count: 2, ram: 1MiB}\nlinks: [n0.1 - n1.0]\n"
        "switches: {x0: {wires: [host - 1, host.2 - 31, n0.0 - 0], connect: [0 - 1]}}\n");
    EXPECT_EQ(machine.wires[1], (Wire{HostEnd{}, SwitchWay{SwitchId(0), WayNo(1)}}));
    EXPECT_EQ(machine.wires[2], (Wire{HostEnd{LinkNo(2)}, SwitchWay{SwitchId(0), WayNo(31)}}));
}

TEST(MachineParser, ReadsANetworkOnItsOwn) {
    const auto machine = parse("nodes: {count: 3, ram: 1MiB}\nhost: none\nlinks: [n0.1 - n1.0]\n");
    EXPECT_TRUE(machine.without_host);
    EXPECT_EQ(machine.wires.size(), 1u);
}

TEST(MachineParser, ReadsControlConnectionsAndTheMasterOfTheInterrupts) {
    const auto machine = parse(
        "nodes: {count: 2, ram: 1MiB}\nhost: n0.0\nlinks: [n0.1 - n1.0]\nswitches: {x0: {}, x1: {}, x2: {}}\n"
        "control: [[x2, x0], [x1]]\ninterrupts: {master: n1}\n");
    EXPECT_EQ(machine.control, (std::vector<std::vector<SwitchId>>{{SwitchId(2), SwitchId(0)}, {SwitchId(1)}}));
    EXPECT_EQ(machine.interrupt_master, NodeId(1));
}

TEST(MachineParser, LeadsOneControlConnectionToAllSwitchesWhenTheFileNamesNone) {
    const auto machine = parse("nodes: {count: 1, ram: 1MiB}\nhost: n0.0\nswitches: {x0: {}, x1: {}}\n");
    EXPECT_TRUE(machine.control.empty());
    EXPECT_FALSE(machine.interrupt_master);
    EXPECT_EQ(topologies::control_of(machine), (std::vector<std::vector<SwitchId>>{{SwitchId(0), SwitchId(1)}}));
    EXPECT_TRUE(topologies::control_of(parse("nodes: {count: 1, ram: 1MiB}\nhost: n0.0\n")).empty());
}

TEST(MachineParser, AllowsWiredWaysThatAreNotConnected) {
    EXPECT_NO_THROW(parse("nodes: {count: 1, ram: 1MiB}\nhost: n0.0\nswitches: {x0: {wires: [n0.1 - 0]}}\n"));
}

TEST(MachineParser, AllowsUnreachableNodesWhenTheFileSaysSo) {
    EXPECT_TRUE(parse("nodes: {count: 2, ram: 1MiB}\nhost: n0.0\nunreachable: allowed\n").unreachable_allowed);
}

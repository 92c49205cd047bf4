// Machines that a program made, for which no file has places.
#include "input_error_text.hpp"

#include <gtest/gtest.h>

#include <topologies/end_names.hpp>
#include <topologies/generators.hpp>
#include <topologies/machine_checks.hpp>
#include <topologies/network.hpp>

using topologies::chain;
using topologies::check_machine;
using topologies::HostEnd;
using topologies::is_machine_name;
using topologies::is_switch_name;
using topologies::MachineDescription;
using topologies::Network;
using topologies::node_list;
using topologies::NodeLink;
using topologies::SwitchWay;
using topologies::Wire;
using topologies::WireEnd;
using vocabulary::LinkNo;
using vocabulary::NodeId;
using vocabulary::SwitchId;
using vocabulary::WayNo;

namespace {

std::string error(const MachineDescription& machine) {
    return input_error_text([&] { check_machine(machine); });
}

NodeLink link(unsigned node, unsigned no) {
    return {NodeId(static_cast<NodeId::value_type>(node)), LinkNo(static_cast<LinkNo::value_type>(no))};
}
SwitchWay way(unsigned which, unsigned no) {
    return {SwitchId(static_cast<SwitchId::value_type>(which)), WayNo(static_cast<WayNo::value_type>(no))};
}

}  // namespace

TEST(MachineChecks, NameTheMachineWhenThereIsNoFile) {
    MachineDescription machine = chain(3);
    machine.wires.push_back({link(2, 1), link(1, 1)});
    EXPECT_EQ(error(machine), "machine 'chain_3': 'n1.1' is already wired; give each wire its own link");
}

TEST(MachineChecks, RefusePartsThatDoNotExist) {
    MachineDescription machine = chain(2);
    machine.wires.push_back({link(0, 2), link(7, 0)});
    EXPECT_EQ(error(machine), "machine 'chain_2': a wire ends at a node or switch that the machine does not have; remove it");
    machine.wires.back() = {link(0, 2), way(0, 0)};
    EXPECT_EQ(error(machine), "machine 'chain_2': a wire ends at a node or switch that the machine does not have; remove it");
    machine.wires.pop_back();
    machine.switches = {{"x0", {{WayNo(0), WayNo(32)}}}};
    machine.wires.push_back({link(0, 2), way(0, 0)});
    EXPECT_EQ(error(machine), "machine 'chain_2': x0 has no way 32; a C004 has ways 0 to 31");
}

TEST(MachineChecks, RefuseValuesOutOfRange) {
    MachineDescription machine = chain(2);
    machine.nodes[1].ram_bytes = 1024;
    EXPECT_EQ(error(machine), "machine 'chain_2': a node cannot have 1KiB of RAM; write 64KiB to 2GiB");
    machine = chain(2);
    machine.nodes[1].clock_hz = 1000;
    EXPECT_EQ(error(machine), "machine 'chain_2': a processor cannot run at 1kHz; write 1MHz to 100MHz");
    machine = chain(2);
    machine.link_bits_per_second = 1;
    EXPECT_EQ(error(machine), "machine 'chain_2': a T800 link cannot run at 1bit/s; write 5Mbit/s, 10Mbit/s or 20Mbit/s");
    machine = chain(2);
    machine.name = "a b";
    EXPECT_EQ(error(machine),
              "machine 'a b': 'a b' is no machine name; begin with a letter and use letters, digits, _, . and -");
}

TEST(MachineChecks, RefuseAMachineWithoutNodesHostOrDistinctSwitches) {
    MachineDescription machine;
    machine.name = "none";
    EXPECT_EQ(error(machine), "machine 'none': 0 nodes, but a machine has 1 to 16384; change their number");
    machine.nodes.resize(1, {1u << 20, 20'000'000});
    EXPECT_EQ(error(machine),
              "machine 'none': no wire leads to the host; add e.g. 'host: n0.0', or 'host: none' for a "
              "network on its own");
    machine.switches = {{"x0", {}}, {"x0", {}}};
    EXPECT_EQ(error(machine), "machine 'none': 'x0' cannot name a switch, or names two; use one such as x0");
}

TEST(MachineChecks, AskForNoHostOfANetworkOnItsOwn) {
    MachineDescription machine = chain(3);
    std::erase_if(machine.wires, [](const Wire& wire) { return std::holds_alternative<HostEnd>(wire.a); });
    machine.without_host = true;
    EXPECT_EQ(error(machine), "no InputError was thrown");
    machine.wires.clear();
    EXPECT_EQ(error(machine), "no InputError was thrown");
    machine.wires.push_back({link(1, 1), HostEnd{LinkNo(2)}});
    EXPECT_EQ(error(machine),
              "machine 'chain_3': 'host.2' is wired, but the machine has no host; remove this wire, or the line "
              "'host: none'");
}

TEST(MachineChecks, AreContentWithAnyOfTheHostsConnections) {
    MachineDescription machine = chain(3);
    for (Wire& wire : machine.wires) {
        if (std::holds_alternative<HostEnd>(wire.a)) wire.a = HostEnd{LinkNo(3)};
    }
    EXPECT_EQ(error(machine), "no InputError was thrown");
}

TEST(MachineChecks, RefuseControlAndInterruptsOfPartsThatDoNotExist) {
    MachineDescription machine = chain(2, true);
    machine.control = {{SwitchId(0), SwitchId(1)}};
    EXPECT_EQ(error(machine),
              "machine 'chain_2_c004': a control connection leads to a switch that the machine does not have; remove it");
    machine.control = {{SwitchId(0), SwitchId(0)}};
    EXPECT_EQ(error(machine), "machine 'chain_2_c004': a control connection leads to x0 already; name each switch once");
    machine.control.clear();
    machine.interrupt_master = NodeId(2);
    EXPECT_EQ(error(machine),
              "machine 'chain_2_c004': n2 cannot be the interrupt master, because the machine has no such node; name another");
}

TEST(MachineChecks, RefuseToBootANetworkOnItsOwn) {
    MachineDescription machine = chain(2);
    EXPECT_NO_THROW(topologies::check_bootable(machine, {"m.yaml", 0, 0}));
    machine.without_host = true;
    EXPECT_EQ(input_error_text([&] {
                  topologies::check_bootable(machine, {"m.yaml", 0, 0});
              }),
              "m.yaml: machine 'chain_2' is a network without a host, so it cannot be booted; wire it to a host, as in 'host: "
              "n0.0', or solve it onto a machine that has one");
}

TEST(MachineChecks, TakeTimeInProportionToTheSwitchesOnAPath) {
    // Node to node through 4000 switches: following the path anew from each connection would take minutes.
    MachineDescription machine = chain(2);
    for (unsigned s = 0; s < 4000; ++s) {
        std::string name = "x";
        machine.switches.push_back({name.append(std::to_string(s)), {{WayNo(0), WayNo(1)}}});
        machine.wires.push_back({s == 0 ? WireEnd(link(0, 2)) : WireEnd(way(s - 1, 1)), way(s, 0)});
    }
    machine.wires.push_back({way(3999, 1), link(1, 2)});
    EXPECT_NO_THROW(check_machine(machine));
    EXPECT_EQ(Network(machine).neighbour(NodeId(0), LinkNo(2))->switches, 4000u);
}

TEST(EndNames, ShortenRunsOfNodes) {
    const auto ids = [](std::initializer_list<unsigned> numbers) {
        std::vector<NodeId> result;
        for (const unsigned n : numbers) result.push_back(NodeId(static_cast<NodeId::value_type>(n)));
        return node_list(result);
    };
    EXPECT_EQ(ids({}), "");
    EXPECT_EQ(ids({4}), "n4");
    EXPECT_EQ(ids({4, 5}), "n4 and n5");
    EXPECT_EQ(ids({4, 5, 6}), "n4 to n6");
    EXPECT_EQ(ids({0, 2, 3, 4, 5, 7}), "n0, n2 to n5 and n7");
}

TEST(EndNames, NumberTheConnectionsOfTheHostFromTheSecondOn) {
    EXPECT_EQ(end_name({}, HostEnd{}), "host");
    EXPECT_EQ(end_name({}, HostEnd{LinkNo(1)}), "host.1");
    EXPECT_EQ(end_name({}, HostEnd{LinkNo(3)}), "host.3");
}

TEST(EndNames, KnowWhatMayNameAMachineOrASwitch) {
    EXPECT_TRUE(is_machine_name("btree-8.v2"));
    EXPECT_FALSE(is_machine_name(""));
    EXPECT_FALSE(is_machine_name("null"));
    EXPECT_TRUE(is_switch_name("north"));
    EXPECT_TRUE(is_switch_name("n3a"));
    EXPECT_FALSE(is_switch_name("n3"));
    EXPECT_FALSE(is_switch_name("a-b"));
}

TEST(MachineChecks, RefuseWeightsAndBootOrdersOfMachinesWithoutAFile) {
    MachineDescription machine = chain(2);
    machine.weight = 0;
    EXPECT_EQ(error(machine), "machine 'chain_2': a link cannot have the weight 0; write 1 to 65535");
    machine.weight = 1;
    machine.weights = {{link(0, 1), link(7, 0), 2}};
    EXPECT_EQ(
        error(machine),
        "machine 'chain_2': no link joins 'n0.1' and an end of no node, so nothing has this weight; name the two ends of a "
        "link, as 'magicwire describe' lists them");
    machine.weights = {{link(0, 1), link(1, 0), 70000}};
    EXPECT_EQ(error(machine), "machine 'chain_2': a link cannot have the weight 70000; write 1 to 65535");
    machine.weights.clear();
    machine.boot_order = {NodeId(4)};
    EXPECT_EQ(error(machine),
              "machine 'chain_2': n4 cannot be in the boot order, because the machine has no such node; name another");
}

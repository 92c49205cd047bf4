// Speeds of links: read, checked, written, described; where the two ends of a wire differ, the error says which.
#include "input_error_text.hpp"

#include <gmock/gmock.h>

#include <topologies/describe.hpp>
#include <topologies/draw.hpp>
#include <topologies/generators.hpp>
#include <topologies/link_speeds.hpp>
#include <topologies/machine_checks.hpp>
#include <topologies/machine_parser.hpp>
#include <topologies/machine_writer.hpp>
#include <topologies/solver.hpp>

namespace link_speed_cases {

using testing::ElementsAre;
using testing::HasSubstr;
using topologies::HostEnd;
using topologies::LinkNo;
using topologies::MachineDescription;
using topologies::NodeId;
using topologies::NodeLink;
using topologies::SwitchId;
using topologies::SwitchWay;
using topologies::WayNo;

namespace {

const std::string head = "version: 1\nname: t\n";

MachineDescription parsed(const std::string& text) {
    return topologies::parse_machine(head + text, "m.yaml");
}
std::string error(const std::string& text) {
    return input_error_text([&] { parsed(text); });
}
std::int64_t speed(const MachineDescription& machine, unsigned node, unsigned link) {
    return topologies::link_speed(
        machine, NodeLink{NodeId(static_cast<NodeId::value_type>(node)), LinkNo(static_cast<LinkNo::value_type>(link))});
}

// n0 - n1 directly at 20 Mbit/s, n1 - n2 through x0 at 10 Mbit/s.
const std::string mixed =
    "nodes:\n  count: 3\n  ram: 4MiB\n  override:\n"
    "    n1: {link_speed: [20Mbit/s, 20Mbit/s, 10Mbit/s, 20Mbit/s]}\n    n2: {link_speed: 10Mbit/s}\n"
    "host: n0.0\nlinks: [n0.1 - n1.0]\n"
    "switches:\n  x0: {link_speed: 10Mbit/s, wires: [n1.2 - 0, n2.0 - 1], connect: [0 - 1]}\n";

}  // namespace

TEST(LinkSpeeds, AreThoseOfTheMachineUnlessANodeOrASwitchHasItsOwn) {
    const MachineDescription machine = parsed(mixed);
    EXPECT_EQ(speed(machine, 0, 1), 20'000'000);
    EXPECT_EQ(speed(machine, 1, 0), 20'000'000);
    EXPECT_EQ(speed(machine, 1, 2), 10'000'000);
    for (unsigned link = 0; link < 4; ++link) EXPECT_EQ(speed(machine, 2, link), 10'000'000);
    EXPECT_EQ(topologies::link_speed(machine, SwitchWay{SwitchId(0), WayNo(17)}), 10'000'000);
    EXPECT_THAT(topologies::wire_speeds(machine), ElementsAre(10'000'000, 20'000'000));
}

TEST(LinkSpeeds, OfAllNodesAreSaidOnce) {
    const MachineDescription machine = parsed(
        "nodes: {count: 2, ram: 4MiB, link_speed: [5Mbit/s, 10Mbit/s, 10Mbit/s, 10Mbit/s], override: {n1: {ram: 1MiB}}}\n"
        "link_speed: 20Mbit/s\nhost: n0.0\nlinks: [n0.1 - n1.1]\n");
    EXPECT_EQ(speed(machine, 1, 1), 10'000'000);
    EXPECT_EQ(speed(machine, 1, 0), 5'000'000);
    EXPECT_EQ(topologies::link_speed(machine, HostEnd{}), 5'000'000) << "the host's adaptor takes the speed of its wire";
}

TEST(LinkSpeeds, ThatDifferAtTheEndsOfAWireAreAnErrorThatNamesBoth) {
    EXPECT_EQ(
        error("nodes: {count: 2, ram: 4MiB, override: {n1: {link_speed: 10Mbit/s}}}\nhost: n0.0\nlinks:\n  - n0.1 - n1.0\n"),
        "m.yaml:6:12: 'n1.0' runs at 10Mbit/s, but 'n0.1' at the other end of this wire at 20Mbit/s; give both ends the "
        "same 'link_speed'");
    EXPECT_EQ(error("nodes: {count: 2, ram: 4MiB}\nhost: n0.0\nlinks: [n0.1 - n1.0]\nswitches:\n"
                    "  x0: {link_speed: 5Mbit/s, wires: [n1.1 - 7]}\n"),
              "m.yaml:7:44: 'x0.7' runs at 5Mbit/s, but 'n1.1' at the other end of this wire at 20Mbit/s; give both ends the "
              "same 'link_speed'");
    EXPECT_EQ(error("nodes: {count: 1, ram: 4MiB}\nlink_speed: 5Mbit/s\nhost: n0.0\nswitches:\n  x0: {}\n"
                    "  x1: {link_speed: 10Mbit/s, wires: [x0.3 - 7]}\n"),
              "m.yaml:8:45: 'x1.7' runs at 10Mbit/s, but 'x0.3' at the other end of this wire at 5Mbit/s; give both ends the "
              "same 'link_speed'");
}

TEST(LinkSpeeds, MustBeThoseOfAT800) {
    EXPECT_EQ(error("nodes: {count: 1, ram: 4MiB, link_speed: 15Mbit/s}\nhost: n0.0\n"),
              "m.yaml:3:42: a T800 link cannot run at 15Mbit/s; write 5Mbit/s, 10Mbit/s or 20Mbit/s");
    EXPECT_EQ(
        error("nodes: {count: 1, ram: 4MiB, link_speed: [20Mbit/s, 20Mbit/s, 20Mbit/s]}\nhost: n0.0\n"),
        "m.yaml:3:42: 3 speeds of links, but a T800 has 4 links; give one speed for all, or one for each of links 0 to 3");
    EXPECT_EQ(error("nodes: {count: 1, ram: 4MiB, link_speed: [20Mbit/s, 20Mbit/s, 20Mbit/s, 1]}\nhost: n0.0\n").substr(0, 12),
              "m.yaml:3:73:");
    MachineDescription machine = topologies::chain(2);
    machine.nodes[0].link_bits_per_second[3] = 7;
    EXPECT_THAT(input_error_text([&] { topologies::check_machine(machine); }), HasSubstr("cannot run at 7bit/s"));
}

TEST(LinkSpeeds, AreWrittenOnceOrAsAList) {
    const std::string text = topologies::write_machine(parsed(mixed));
    EXPECT_THAT(text,
                HasSubstr("    n1: {link_speed: [20Mbit/s, 20Mbit/s, 10Mbit/s, 20Mbit/s]}\n    n2: {link_speed: 10Mbit/s}\n"));
    EXPECT_THAT(text, HasSubstr("  x0:\n    link_speed: 10Mbit/s\n    wires:"));
    EXPECT_EQ(topologies::parse_machine(text, "again.yaml"), topologies::canonical_machine(parsed(mixed)));
    MachineDescription slow = topologies::chain(2);
    for (auto& node : slow.nodes) node.link_bits_per_second.fill(10'000'000);
    EXPECT_THAT(topologies::write_machine(slow),
                HasSubstr("nodes: {count: 2, ram: 4MiB, clock: 20MHz, link_speed: 10Mbit/s}\n"));
}

TEST(LinkSpeeds, ThatSayTheSameAsTheMachineMakeNoDifference) {
    MachineDescription told = topologies::chain(3);
    for (auto& node : told.nodes) node.link_bits_per_second.fill(told.link_bits_per_second);
    EXPECT_EQ(topologies::canonical_machine(told), topologies::chain(3));
    EXPECT_EQ(topologies::write_machine(told), topologies::write_machine(topologies::chain(3)));
}

TEST(LinkSpeeds, AreDescribedAndDrawn) {
    const MachineDescription machine = parsed(mixed);
    const std::string text = topologies::describe_text(machine);
    EXPECT_THAT(text, HasSubstr("links     2 between nodes: 1 at 20Mbit/s, 1 at 10Mbit/s\n"));
    EXPECT_THAT(text, HasSubstr("1 T800 at 20MHz with 4MiB RAM, links 0 to 3 at 20Mbit/s, 20Mbit/s, 10Mbit/s, 20Mbit/s: n1\n"));
    EXPECT_THAT(text, HasSubstr("1 T800 at 20MHz with 4MiB RAM, links at 10Mbit/s: n2\n"));
    EXPECT_THAT(text, HasSubstr("  from  to    speed     through\n  n0.0  host  20Mbit/s  wire\n  n0.1  n1.0  20Mbit/s  wire\n"
                                "  n1.2  n2.0  10Mbit/s  x0\n"));
    EXPECT_THAT(text, HasSubstr("x0: 2 of 32 ways wired, 1 connection, at 10Mbit/s\n"));
    const std::string json = topologies::describe_json(machine);
    EXPECT_THAT(json, HasSubstr("\"bits_per_second\": 10000000"));
    const std::string dot = topologies::machine_dot(machine);
    EXPECT_THAT(dot, HasSubstr("links at 10Mbit/s and 20Mbit/s"));
    EXPECT_THAT(dot, HasSubstr("headlabel=\"\", label=\"10Mbit/s\"]"));
}

TEST(LinkSpeeds, OfATargetMustAllBeAsFastAsAskedFor) {
    const MachineDescription target = parsed(mixed);
    EXPECT_EQ(input_error_text([&] { topologies::solve(topologies::chain(2), target, {.link_bits_per_second = 20'000'000}); }),
              "chain_2: wants links of 20Mbit/s, but some of t run at 10Mbit/s; ask for less");
    const auto answer = topologies::solve(topologies::chain(3), target, {.link_bits_per_second = 10'000'000});
    EXPECT_TRUE(std::holds_alternative<topologies::Solution>(answer));
}

TEST(LinkSpeedsDeathTest, OfEndsThatTheMachineLacks) {
    const MachineDescription machine = topologies::chain(2);
    EXPECT_DEATH(speed(machine, 2, 0), "link_speeds.link_in_machine");
    EXPECT_DEATH(topologies::switch_speed(machine, SwitchId(0)), "link_speeds.switch_in_machine");
    EXPECT_DEATH(topologies::control_speed(machine, {}), "link_speeds.control_of_a_switch");
}

TEST(ProcessorTypes, SetTheClock) {
    const MachineDescription machine = parsed(
        "nodes: {count: 3, ram: 4MiB, type: T800-17, override: {n1: {type: T800-30}, n2: {clock: 21MHz}}}\nhost: n0.0\n"
        "links: [n0.1 - n1.0, n1.1 - n2.0]\n");
    EXPECT_EQ(machine.nodes[0].clock_hz, 17'500'000);
    EXPECT_EQ(machine.nodes[1].clock_hz, 30'000'000);
    EXPECT_EQ(machine.nodes[2].clock_hz, 21'000'000);
    EXPECT_EQ(parsed("nodes: {count: 1, ram: 4MiB, type: T800-25, clock: 25MHz}\nhost: n0.0\n").nodes[0].clock_hz, 25'000'000);
}

TEST(ProcessorTypes, ThatTheModelLacksOrThatContradictTheClockAreErrors) {
    EXPECT_EQ(
        error("nodes: {count: 1, ram: 4MiB, type: T414-20}\nhost: n0.0\n"),
        "m.yaml:3:36: the model has no processor 'T414-20', only T800s; write T800-17, T800-20, T800-25 or T800-30. A T414 "
        "or T425 has no floating-point unit, a T414 links that answer later");
    EXPECT_EQ(error("nodes: {count: 1, ram: 4MiB, clock: 20MHz, type: T800-25}\nhost: n0.0\n"),
              "m.yaml:3:50: a T800-25 runs at 25MHz, but 'clock' is 20MHz; leave out one of the two");
}

TEST(SwitchRevisions, AreReadAndWritten) {
    const std::string text =
        "nodes: {count: 2, ram: 4MiB}\nhost: n0.0\nlinks: [n0.1 - n1.0]\nswitches:\n  x0: {revision: A}\n  x1: {revision: B}\n";
    const MachineDescription machine = parsed(text);
    EXPECT_EQ(machine.switches[0].revision, topologies::SwitchRevision::A);
    EXPECT_EQ(machine.switches[1].revision, topologies::SwitchRevision::B);
    EXPECT_THAT(topologies::write_machine(machine), HasSubstr("  x0:\n    revision: A\n  x1: {}\n"));
    EXPECT_EQ(topologies::parse_machine(topologies::write_machine(machine), "again.yaml"), machine);
    EXPECT_THAT(topologies::describe_text(machine), HasSubstr("x0: 0 of 32 ways wired, 0 connections, revision A\n"));
}

}  // namespace link_speed_cases

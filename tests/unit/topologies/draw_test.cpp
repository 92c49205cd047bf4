#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <topologies/draw.hpp>
#include <topologies/machine_parser.hpp>
#include <topologies/ubc_machine.hpp>

using testing::HasSubstr;
using testing::Not;
using topologies::machine_dot;

namespace {

// n0 - n1 through x0 and x1, the host at n0, n1.3 on a free way of x1.
const char* const two_switches = R"(version: 1
name: two
nodes: {count: 3, ram: 4MiB}
host: n0.0
links: [n0.2 - n2.0]
switches:
  x0:
    wires: [n0.1 - 0, x1.5 - 1]
    connect: [0 - 1]
  x1:
    wires: [n1.0 - 6, n1.3 - 31]
    connect: [5 - 6]
)";

std::string two() {
    return machine_dot(topologies::parse_machine(two_switches, "two.yaml"));
}

// The line that begins with `begin`, without its indent.
std::string line(const std::string& dot, const std::string& begin) {
    const auto at = dot.find("  " + begin);
    return at == std::string::npos ? "" : dot.substr(at + 2, dot.find('\n', at) - at - 2);
}

}  // namespace

TEST(Draw, AConnectionIsABoxOnTheWiresThatItJoins) {
    EXPECT_THAT(line(two(), "\"x0 0-1\" ["), HasSubstr("shape=box"));
    EXPECT_THAT(line(two(), "\"n0\" -- \"x0 0-1\""), HasSubstr("#0072B2\", style=solid"));
}

TEST(Draw, AWireBetweenSwitchesLooksDifferent) {
    EXPECT_THAT(line(two(), "\"x1 5-6\" -- \"x0 0-1\""), HasSubstr("#D55E00\", style=bold"));
}

TEST(Draw, AFreeWireIsABrokenLineToTheSwitch) {
    EXPECT_THAT(line(two(), "\"n1\" -- \"x1\""), HasSubstr("#999999\", style=dashed"));
    EXPECT_THAT(line(two(), "\"x1\" ["), HasSubstr("x1: 2 of 3 wired ways connected"));
    EXPECT_EQ(line(two(), "\"x0\" ["), "") << "no way of x0 is free";
}

TEST(Draw, ADirectWireJoinsTheNodesWithTheirLinkNumbers) {
    EXPECT_THAT(line(two(), "\"n0\" -- \"n2\""), HasSubstr("taillabel=\"2\", headlabel=\"0\""));
}

TEST(Draw, TheHostIsDrawnWithItsWire) {
    EXPECT_THAT(line(two(), "\"host\" -- \"n0\""), HasSubstr("#009E73"));
}

TEST(Draw, TheLegendNamesWhatIsThere) {
    for (const char* words : {"wire of a node, in use", "wire between switches, in use", "wire of the host, in use", "free"})
        EXPECT_THAT(two(), HasSubstr(words));
    const std::string pair = machine_dot(topologies::read_machine(MAGICWIRE_SOURCE_DIR "/topologies/machines/pair.yaml"));
    EXPECT_THAT(pair, Not(HasSubstr("between switches")));
}

TEST(Draw, AMachineWithoutHostHasNone) {
    const auto machine = topologies::parse_machine(
        "version: 1\nname: pair\nnodes: {count: 2, ram: 4MiB}\nhost: none\nlinks: [n0.1 - n1.0]\n", "pair.yaml");
    EXPECT_THAT(machine_dot(machine), Not(HasSubstr("host")));
}

TEST(Draw, ANodeThatNothingIsConnectedToLooksUnused) {
    const std::string dot = machine_dot(topologies::ubc_machine());
    EXPECT_THAT(line(dot, "\"n7\" ["), HasSubstr("dashed"));
    EXPECT_THAT(line(two(), "\"n1\" ["), Not(HasSubstr("dashed")));
}

TEST(Draw, ManyFreeWaysAreListedNotDrawn) {
    auto machine = topologies::ubc_machine();
    machine.switches[0].connections = {{topologies::WayNo(0), topologies::WayNo(1)}};
    const std::string dot = machine_dot(machine);
    EXPECT_THAT(dot, Not(HasSubstr("style=dashed, penwidth")));
    EXPECT_THAT(dot, HasSubstr("x0: 2 of 32 wired ways connected"));
    EXPECT_THAT(dot, HasSubstr(" host.3"));
}

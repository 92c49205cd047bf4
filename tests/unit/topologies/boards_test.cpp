// Boards: groups of nodes and switches that are shown together.
#include "input_error_text.hpp"

#include <gmock/gmock.h>

#include <topologies/describe.hpp>
#include <topologies/draw.hpp>
#include <topologies/generators.hpp>
#include <topologies/machine_checks.hpp>
#include <topologies/machine_parser.hpp>
#include <topologies/machine_writer.hpp>
#include <topologies/solver.hpp>

namespace board_cases {

using testing::HasSubstr;
using testing::Not;
using topologies::MachineDescription;

namespace {

const std::string machine_text =
    "version: 1\nname: t\nnodes: {count: 3, ram: 4MiB}\nhost: n0.0\nlinks: [n0.1 - n1.0]\n"
    "switches: {x0: {wires: [n1.1 - 0, n2.0 - 1], connect: [0 - 1]}}\n";

MachineDescription parsed(const std::string& boards) {
    return topologies::parse_machine(machine_text + boards, "m.yaml");
}
std::string error(const std::string& boards) {
    return input_error_text([&] { parsed(boards); });
}
const std::string two_boards = "boards:\n  left: {slots: [n1, none, n0], switches: [x0]}\n  right: {slots: [n2]}\n";

}  // namespace

TEST(Boards, HaveSlotsAndSwitches) {
    const MachineDescription machine = parsed(two_boards);
    ASSERT_EQ(machine.boards.size(), 2u);
    EXPECT_EQ(machine.boards[0].name, "left");
    EXPECT_EQ(machine.boards[0].slots.size(), 3u);
    EXPECT_FALSE(machine.boards[0].slots[1]);
    EXPECT_EQ(machine.boards[0].slots[2], topologies::NodeId(0));
}

TEST(Boards, AreWrittenInTheirOrder) {
    const std::string text = topologies::write_machine(parsed(two_boards));
    EXPECT_THAT(text,
                HasSubstr("boards:\n  left:\n    slots: [n1, none, n0]\n    switches: [x0]\n  right:\n    slots: [n2]\n"));
    EXPECT_EQ(topologies::parse_machine(text, "again.yaml"), topologies::canonical_machine(parsed(two_boards)));
}

TEST(Boards, AreDescribedWithTheirSlots) {
    EXPECT_THAT(topologies::describe_text(parsed(two_boards)),
                HasSubstr("\nBoards\n  left: 2 of 3 slots, x0\n    slot 0   n1\n    slot 1   empty\n    slot 2   n0\n"
                          "  right: 1 of 1 slot\n    slot 0   n2\n"));
    EXPECT_THAT(topologies::describe_text(parsed("")), Not(HasSubstr("Boards")));
    EXPECT_THAT(topologies::describe_json(parsed(two_boards)), HasSubstr("\"name\": \"left\""));
}

TEST(Boards, AreFramesInThePicture) {
    const std::string dot = topologies::machine_dot(parsed(two_boards));
    EXPECT_THAT(dot, HasSubstr("layout=fdp"));
    EXPECT_THAT(dot, HasSubstr("subgraph \"cluster_left\" {"));
    EXPECT_THAT(dot, HasSubstr("    \"n0\" [xlabel=\"slot 2\"];\n    \"x0 0-1\";\n  }\n"));
    EXPECT_THAT(topologies::machine_dot(parsed("")), HasSubstr("layout=neato"));
}

TEST(Boards, HoldEachPartOnce) {
    EXPECT_EQ(error("boards:\n  a: {slots: [n0, n1]}\n  b: {slots: [none, n0]}\n"),
              "m.yaml:9:21: node 'n0' is on board 'a' already; name it once");
    EXPECT_EQ(error("boards:\n  a: {slots: [n0, n0]}\n"), "m.yaml:8:19: node 'n0' is on board 'a' already; name it once");
    EXPECT_EQ(error("boards:\n  a: {switches: [x0]}\n  b: {switches: [x0]}\n"),
              "m.yaml:9:18: switch 'x0' is on board 'a' already; name it once");
}

TEST(Boards, HoldWhatTheMachineHas) {
    EXPECT_EQ(error("boards: {a: {slots: [n3]}}\n"),
              "m.yaml:7:22: there is no node 'n3': the machine has n0 to n2; name one of these or raise 'count'");
    EXPECT_EQ(error("boards: {a: {switches: [x1]}}\n"), "m.yaml:7:25: unknown switch 'x1', did you mean 'x0'?");
    EXPECT_EQ(error("boards: {a: {slots: [none]}}\n"),
              "m.yaml:7:10: board 'a' holds nothing; name nodes in 'slots' or switches in 'switches', or remove it");
    EXPECT_EQ(error("boards: {1a: {slots: [n0]}}\n"),
              "m.yaml:7:10: '1a' cannot name a board; begin with a letter and use letters, digits, _, . and -");
    EXPECT_EQ(error("boards: {a: {slot: [n0]}}\n"), "m.yaml:7:14: unknown key 'slot', did you mean 'slots'?");
}

TEST(Boards, OfNoFileAreCheckedToo) {
    const auto refused = [](topologies::BoardDescription one, topologies::BoardDescription other) {
        MachineDescription machine = topologies::chain(2);
        machine.boards = {std::move(one), std::move(other)};
        return input_error_text([&] { topologies::check_machine(machine); });
    };
    const topologies::BoardDescription first{"a", {topologies::NodeId(0)}, {}};
    EXPECT_EQ(refused(first, {"a", {topologies::NodeId(1)}, {}}),
              "machine 'chain_2': two boards are called 'a'; give each its own name");
    EXPECT_EQ(refused(first, {"b", {topologies::NodeId(2)}, {}}),
              "machine 'chain_2': a board has a node that the machine does not have; remove it");
    EXPECT_EQ(refused(first, {"b", {}, {topologies::SwitchId(0)}}),
              "machine 'chain_2': a board has a switch that the machine does not have; remove it");
}

// A solution renumbers the nodes, and each stays in its slot.
TEST(Boards, KeepTheirNodesWhenTheseAreRenumbered) {
    MachineDescription target = parsed(two_boards);
    target.nodes[2].ram_bytes = 8u << 20;
    MachineDescription wanted = topologies::chain(1);
    wanted.without_host = true;
    wanted.wires.clear();
    wanted.nodes[0].ram_bytes = 8u << 20;
    const auto answer = topologies::solve(wanted, target);
    const auto& solved = std::get<topologies::Solution>(answer).machine;
    EXPECT_EQ(solved.boards[1].slots[0], topologies::NodeId(0)) << "n2 of the target is n0 of the solution";
    EXPECT_EQ(solved.boards[0].slots[2], topologies::NodeId(1));
}

}  // namespace board_cases

// Every error in a machine file, by the whole text of its message.
#include "input_error_text.hpp"

#include <gtest/gtest.h>

#include <topologies/machine_parser.hpp>

namespace bad_machine_cases {

namespace {

std::string error(const std::string& text) {
    return input_error_text([&] { topologies::parse_machine(text, "m.yaml"); });
}

const std::string head = "version: 1\nname: t\n";
// Eight nodes, of which n0 and n1 are wired; further lines begin at line 7.
const std::string eight = head + "nodes: {count: 8, ram: 4MiB}\nunreachable: allowed\nhost: n0.0\nlinks:\n  - n0.1 - n1.0\n";

std::string with_link(const std::string& wire) {
    return error(eight + "  - " + wire + "\n");
}
std::string with_nodes(const std::string& nodes) {
    return error(head + "nodes: {" + nodes + "}\nhost: n0.0\n");
}
std::string with_host(const std::string& host) {
    return error(head + "nodes: {count: 2, ram: 4MiB}\nhost: " + host + "\nlinks: [n0.1 - n1.0]\n");
}
std::string with_control(const std::string& control) {
    return error(eight + "switches: {x0: {}, x1: {}, x2: {}}\ncontrol: " + control + "\n");
}
std::string with_switch(const std::string& settings) {
    return error(eight + "switches:\n  x0: {" + settings + "}\n");
}

}  // namespace

TEST(BadMachine, WithAnotherVersion) {
    EXPECT_EQ(error("version: 2\nfuture: 1\n"),
              "m.yaml:1:10: this program reads version 1 of the machine file, not '2'; write 'version: 1'");
    EXPECT_EQ(error("name: t\n"), "m.yaml:1:1: key 'version' is missing in the file; add 'version: ...'");
}

TEST(BadMachine, WithUnknownKeys) {
    EXPECT_EQ(error(eight + "link_sped: 20Mbit/s\n"), "m.yaml:8:1: unknown key 'link_sped', did you mean 'link_speed'?");
    EXPECT_EQ(with_nodes("count: 1, rom: 4MiB"), "m.yaml:3:19: unknown key 'rom', did you mean 'ram'?");
    EXPECT_EQ(with_nodes("count: 1, ram: 4MiB, override: {n0: {size: 1}}"),
              "m.yaml:3:46: unknown key 'size'; the keys here are ram, clock, type, link_speed, core");
    EXPECT_EQ(with_switch("wire: []"), "m.yaml:9:8: unknown key 'wire', did you mean 'wires'?");
}

TEST(BadMachine, WithABadName) {
    EXPECT_EQ(error("version: 1\nname: 8 nodes\nnodes: {count: 1, ram: 4MiB}\nhost: n0.0\n"),
              "m.yaml:2:7: '8 nodes' is no machine name; begin with a letter and use letters, digits, _, . and -");
}

TEST(BadMachine, WithTooFewOrTooManyNodes) {
    EXPECT_EQ(with_nodes("count: 0, ram: 4MiB"),
              "m.yaml:3:16: 'count' is '0', but must be a whole number from 1 to 16384; write a number in that range");
    EXPECT_EQ(with_nodes("count: 16385, ram: 4MiB"),
              "m.yaml:3:16: 'count' is '16385', but must be a whole number from 1 to 16384; write a number in that range");
    EXPECT_EQ(with_nodes("ram: 4MiB"), "m.yaml:3:8: key 'count' is missing in 'nodes'; add 'count: ...'");
}

TEST(BadMachine, WithImpossibleMemoryOrClock) {
    EXPECT_EQ(with_nodes("count: 1"), "m.yaml:3:8: key 'ram' is missing in 'nodes'; add 'ram: ...'");
    EXPECT_EQ(with_nodes("count: 1, ram: 63KiB"), "m.yaml:3:24: a node cannot have 63KiB of RAM; write 64KiB to 2GiB");
    EXPECT_EQ(with_nodes("count: 1, ram: 2049MiB"), "m.yaml:3:24: a node cannot have 2049MiB of RAM; write 64KiB to 2GiB");
    EXPECT_EQ(with_nodes("count: 1, ram: 4MB"),
              "m.yaml:3:24: '4MB' may count in 1000 or in 1024; write MiB for 1024, or a number of bytes");
    EXPECT_EQ(with_nodes("count: 1, ram: 4MiB, clock: 2GHz"),
              "m.yaml:3:37: a processor cannot run at 2GHz; write 1MHz to 100MHz");
    EXPECT_EQ(with_nodes("count: 1, ram: 4MiB, override: {n0: {ram: 1}}"),
              "m.yaml:3:51: a node cannot have 1 bytes of RAM; write 64KiB to 2GiB");
}

TEST(BadMachine, WithOverridesOfNodesThatAreNotThere) {
    EXPECT_EQ(with_nodes("count: 2, ram: 4MiB, override: {n2: {ram: 1MiB}}"),
              "m.yaml:3:41: there is no node 'n2': the machine has n0 to n1; name one of these or raise 'count'");
    EXPECT_EQ(with_nodes("count: 1, ram: 4MiB, override: {N0: {ram: 1MiB}}"),
              "m.yaml:3:41: unknown node or switch 'N0', did you mean 'n0'?");
}

TEST(BadMachine, WithALinkSpeedThatAT800LacksOrAWordThatIsNone) {
    EXPECT_EQ(error(eight + "link_speed: 15Mbit/s\n"),
              "m.yaml:8:13: a T800 link cannot run at 15Mbit/s; write 5Mbit/s, 10Mbit/s or 20Mbit/s");
    EXPECT_EQ(error(head + "nodes: {count: 1, ram: 1MiB}\nhost: n0.0\nunreachable: alowed\n"),
              "m.yaml:5:14: 'unreachable' is 'alowed', did you mean 'allowed'?");
}

TEST(BadMachine, WithoutHost) {
    EXPECT_EQ(
        error(head + "nodes: {count: 1, ram: 1MiB}\n"),
        "m.yaml:1:1: key 'host' is missing: the machine needs a host; add the link that it is wired to, as in 'host: n0.0'");
}

TEST(BadMachine, WithAnEmptyHost) {
    EXPECT_EQ(error(head + "nodes: {count: 1, ram: 1MiB}\nhost:\n"),
              "m.yaml:5:1: 'host' must be one value, but is empty; write a single word or number");
}

TEST(BadMachine, WithAListOfHostConnectionsOfWhichNoneIsWired) {
    for (const std::string list : {"[]", "[none, null]"}) {
        EXPECT_EQ(with_host(list),
                  "m.yaml:4:7: no wire leads to the host; add e.g. 'host: n0.0', or 'host: none' for a network on its own");
    }
}

TEST(BadMachine, WithMoreHostConnectionsThanAHostHas) {
    EXPECT_EQ(with_host("[n0.0, n0.1, n0.2, n0.3, n1.0]"), "m.yaml:4:32: 5 connections of the host, but it has 4; remove some");
}

TEST(BadMachine, WithAHostConnectionToAnEndThatIsNotThere) {
    EXPECT_EQ(with_host("[n0.0, n2.0]"),
              "m.yaml:4:14: there is no node 'n2': the machine has n0 to n1; name one of these or raise 'count'");
    EXPECT_EQ(
        with_host("[n0.0, nine]"),
        "m.yaml:4:14: 'nine' names no link; write a node and its link as in 'n3.1', or a switch and its way as in 'x0.17'");
    EXPECT_EQ(with_host("[n0.0, [n1.0]]"),
              "m.yaml:4:14: an entry of 'host' must be one value, but is a list; write a single word or number");
}

TEST(BadMachine, WithAHostConnectionThatIsWiredToTheHost) {
    EXPECT_EQ(with_host("[n0.0, host.2]"),
              "m.yaml:4:14: the host is wired by a key of its own; write 'host: n0.0', or 'host: [n0.0, n5.3]' for several "
              "connections, at the top level");
    EXPECT_EQ(error(eight + "switches: {x0: {wires: [host.1 - 0, host.2 - 1], connect: [0 - 1]}}\n"),
              "m.yaml:5:7: 'host.1' leads back to the host, to 'host.2'; lead each to a node");
}

TEST(BadMachine, WithTwoHostConnectionsToOneLink) {
    EXPECT_EQ(with_host("[n0.0, n0.0]"),
              "m.yaml:4:14: 'n0.0' is already wired at line 4, column 8; give each wire its own link");
}

TEST(BadMachine, WithAHostConnectionWiredTwice) {
    EXPECT_EQ(with_switch("wires: [host - 3]"),
              "m.yaml:9:16: 'host' is already wired at line 5, column 7; give each wire its own connection of the host");
    EXPECT_EQ(with_switch("wires: [host.2 - 3, host.2 - 4]"),
              "m.yaml:9:28: 'host.2' is already wired at line 9, column 16; give each wire its own connection of the host");
}

TEST(BadMachine, WithAHostConnectionThatIsNotThere) {
    for (const std::string name : {"host.4", "host.x", "host."}) {
        EXPECT_EQ(with_switch("wires: [" + name + " - 3]"),
                  "m.yaml:9:16: there is no '" + name +
                      "': the host has connections 'host' (which is 0) to 'host.3'; use one of these");
    }
}

TEST(BadMachine, WithoutHostButWithAWireToIt) {
    EXPECT_EQ(error(head + "nodes: {count: 1, ram: 1MiB}\nhost: none\nswitches: {x0: {wires: [host.1 - 0]}}\n"),
              "m.yaml:5:25: 'host.1' is wired, but the machine has no host; remove this wire, or the line 'host: "
              "none'");
}

TEST(BadMachine, WithControlConnectionsThatAreNoListOfLists) {
    EXPECT_EQ(with_control("x0"),
              "m.yaml:9:10: 'control' must be a list, but is the text 'x0'; write lines that begin with '- ', or '[a, b]'");
    EXPECT_EQ(
        with_control("[x0, x1, x2]"),
        "m.yaml:9:11: an entry of 'control' must be a list, but is the text 'x0'; write lines that begin with '- ', or '[a, "
        "b]'");
    EXPECT_EQ(with_control("[[[x0]]]"),
              "m.yaml:9:12: an entry of an entry of 'control' must be one value, but is a list; write a single word or number");
}

TEST(BadMachine, WithControlConnectionsThatLeadToNoSwitch) {
    EXPECT_EQ(with_control("[]"),
              "m.yaml:9:10: 'control' lists no connection; list the switches along each, as in '[[x0, x1], [x2]]', or leave "
              "the key out for one connection to all switches");
    EXPECT_EQ(with_control("[[x0, x1, x2], []]"),
              "m.yaml:9:10: control connection 1 leads to no switch; name some, or leave it out");
    EXPECT_EQ(with_control("[[x0], [y1]]"), "m.yaml:9:18: unknown switch 'y1', did you mean 'x1'?");
    EXPECT_EQ(with_control("[[crossbar]]"), "m.yaml:9:12: unknown switch 'crossbar'; the machine has x0, x1, x2");
    EXPECT_EQ(error(eight + "control: [[x0]]\n"), "m.yaml:8:12: unknown switch 'x0'; the machine has none");
}

TEST(BadMachine, WithASwitchOnTwoControlConnectionsOrOnNone) {
    EXPECT_EQ(with_control("[[x0, x1], [x2, x1]]"),
              "m.yaml:9:26: a control connection leads to x1 already at line 9, column 16; name each switch once");
    EXPECT_EQ(with_control("[[x0], [x2]]"),
              "m.yaml:9:10: no control connection leads to x1, so the host cannot program it; add it to one");
}

TEST(BadMachine, WithMoreControlConnectionsThanAHostHas) {
    EXPECT_EQ(with_control("[[x0], [x1], [x2]]"),
              "m.yaml:9:10: 3 control connections, but the host has 2; put all switches on these");
}

TEST(BadMachine, WithAMasterOfTheInterruptsThatIsNotThere) {
    EXPECT_EQ(error(eight + "interrupts: {master: n8}\n"),
              "m.yaml:8:22: there is no node 'n8': the machine has n0 to n7; name one of these or raise 'count'");
    EXPECT_EQ(error(eight + "interrupts: {master: host}\n"),
              "m.yaml:8:22: unknown node or switch 'host'; the machine has nodes n0 to n7");
    EXPECT_EQ(error(eight + "interrupts: {maser: n0}\n"), "m.yaml:8:14: unknown key 'maser', did you mean 'master'?");
    EXPECT_EQ(error(eight + "interrupts: {}\n"), "m.yaml:8:13: key 'master' is missing in 'interrupts'; add 'master: ...'");
    EXPECT_EQ(error(eight + "interrupts: n0\n"),
              "m.yaml:8:13: 'interrupts' must be a map, but is the text 'n0'; write lines of 'key: value', or '{key: value}'");
}

TEST(BadMachine, WithANodeOutOfRange) {
    EXPECT_EQ(with_link("n1.1 - n9.0"),
              "m.yaml:8:12: there is no node 'n9': the machine has n0 to n7; name one of these or raise 'count'");
    EXPECT_EQ(with_link("n1.1 - n99999999999.0"),
              "m.yaml:8:12: there is no node 'n99999999999': the machine has n0 to n7; name one of these or raise 'count'");
    EXPECT_EQ(error(head + "nodes: {count: 1, ram: 1MiB}\nhost: n1.0\n"),
              "m.yaml:4:7: there is no node 'n1': the machine has only n0; name one of these or raise 'count'");
}

TEST(BadMachine, WithAnUnknownName) {
    EXPECT_EQ(with_link("N1.1 - n2.0"), "m.yaml:8:5: unknown node or switch 'N1', did you mean 'n1'?");
    EXPECT_EQ(with_link("crossbar.1 - n2.0"), "m.yaml:8:5: unknown node or switch 'crossbar'; the machine has nodes n0 to n7");
    EXPECT_EQ(error(eight + "switches: {}\n"), "no InputError was thrown");
    EXPECT_EQ(with_switch("wires: [crossbar.1 - 2]"),
              "m.yaml:9:16: unknown node or switch 'crossbar'; the machine has nodes n0 to n7 and switches x0");
}

TEST(BadMachine, WithAFifthLink) {
    EXPECT_EQ(with_link("n1.4 - n2.0"), "m.yaml:8:5: there is no link 'n1.4': a T800 has links 0 to 3; use one of these");
    EXPECT_EQ(with_link("n1.x - n2.0"), "m.yaml:8:5: there is no link 'n1.x': a T800 has links 0 to 3; use one of these");
}

TEST(BadMachine, WithALinkWiredTwice) {
    EXPECT_EQ(with_link("n2.0 - n0.1"),
              "m.yaml:8:12: 'n0.1' is already wired at line 7, column 5; give each wire its own link");
    EXPECT_EQ(with_link("n0.0 - n2.0"), "m.yaml:8:5: 'n0.0' is already wired at line 5, column 7; give each wire its own link");
}

TEST(BadMachine, WithAWireThatHasNotTwoEnds) {
    EXPECT_EQ(with_link("n1.1"), "m.yaml:8:5: 'n1.1' names 1 end, but a wire has two; write it as in 'n0.1 - n1.0'");
    EXPECT_EQ(with_link("n1.1 -"), "m.yaml:8:5: 'n1.1 -' names 1 end, but a wire has two; write it as in 'n0.1 - n1.0'");
    EXPECT_EQ(with_link("n1.1 - n2.0 - n3.0"),
              "m.yaml:8:5: 'n1.1 - n2.0 - n3.0' names 3 ends, but a wire has two; write it as in 'n0.1 - n1.0'");
    EXPECT_EQ(with_link("[n1.1, n2.0]"),
              "m.yaml:8:5: an entry of 'links' must be one value, but is a list; write a single word or number");
}

TEST(BadMachine, WithAWireOfAnEndToItself) {
    EXPECT_EQ(with_link("n1.1 - n1.1"), "m.yaml:8:12: 'n1.1' is wired to itself; a wire has two different ends");
}

TEST(BadMachine, WithAnEndThatIsNoLink) {
    EXPECT_EQ(with_link("n1 - n2.0"),
              "m.yaml:8:5: 'n1' names no link; write a node and its link as in 'n3.1', or a switch and its way as in 'x0.17'");
    EXPECT_EQ(with_link("host - n2.0"),
              "m.yaml:8:5: the host is wired by a key of its own; write 'host: n0.0', or 'host: [n0.0, n5.3]' for several "
              "connections, at the top level");
}

TEST(BadMachine, WithASwitchAmongTheDirectWires) {
    EXPECT_EQ(error(eight + "  - n1.1 - x0.3\nswitches: {x0: {}}\n"),
              "m.yaml:8:12: 'x0.3' is a way of a switch; move this wire to 'wires' of x0, as in 'n0.1 - 3'");
}

TEST(BadMachine, WithASwitchNamedLikeSomethingElse) {
    for (const std::string name : {"n3", "host", "0", "x.1"}) {
        EXPECT_EQ(
            error(eight + "switches: {" + name + ": {}}\n"),
            "m.yaml:8:12: '" + name +
                "' cannot name a switch; begin with a letter, use letters, digits and _, and neither a node's name nor 'host', "
                "as in 'x0'");
    }
}

TEST(BadMachine, WithAWayAbove31) {
    EXPECT_EQ(with_switch("wires: [n1.1 - 32]"), "m.yaml:9:23: '32' is no way of a C004; its ways are 0 to 31");
    EXPECT_EQ(with_switch("wires: ['n1.1 - 32']"), "m.yaml:9:24: '32' is no way of a C004; its ways are 0 to 31");
    EXPECT_EQ(with_switch("connect: [0 - 77]"), "m.yaml:9:22: '77' is no way of a C004; its ways are 0 to 31");
    EXPECT_EQ(with_switch("wires: [n1.1 - x0.2]"), "m.yaml:9:23: 'x0.2' is no way of a C004; its ways are 0 to 31");
    EXPECT_EQ(with_switch("wires: [x0.40 - 2]"), "m.yaml:9:19: '40' is no way of a C004; its ways are 0 to 31");
}

TEST(BadMachine, WithAWayUsedTwice) {
    EXPECT_EQ(with_switch("wires: [n1.1 - 3, n2.1 - 3]"),
              "m.yaml:9:33: 'x0.3' is already wired at line 9, column 23; give each wire its own way");
    EXPECT_EQ(with_switch("wires: [n1.1 - 3, n2.1 - 4, n3.1 - 5], connect: [3 - 4, 5 - 3]"),
              "m.yaml:9:64: way 3 of x0 is already connected at line 9, column 57; give each way one connection");
    EXPECT_EQ(with_switch("wires: [n1.1 - 3], connect: [3 - 3]"),
              "m.yaml:9:37: way 3 of x0 is connected to itself; name two different ways");
}

TEST(BadMachine, WithAConnectionOfAWayThatHasNoWire) {
    EXPECT_EQ(with_switch("wires: [n1.1 - 3], connect: [3 - 4]"),
              "m.yaml:9:37: way 4 of x0 has no wire; add one to 'wires' of x0, as in 'n0.1 - 4', or remove this connection");
    EXPECT_EQ(with_switch("wires: [n1.1 - 3], connect: [3]"),
              "m.yaml:9:37: '3' names 1 end, but a connection has two; write it as in '0 - 1'");
}

TEST(BadMachine, WithAConnectionThatLeadsNowhere) {
    EXPECT_EQ(
        error(eight + "switches:\n  x0: {wires: [n1.1 - 3, x1.5 - 4], connect: [3 - 4]}\n  x1: {}\n"),
        "m.yaml:9:47: connection '3 - 4' of x0 leads to x1.5, which is connected to no other way; connect x1.5, or remove this "
        "connection");
}

TEST(BadMachine, WithALoopOfSwitches) {
    EXPECT_EQ(error(eight + "switches:\n  x0: {wires: [x1.0 - 0, x1.1 - 1], connect: [0 - 1]}\n  x1: {connect: [0 - 1]}\n"),
              "m.yaml:9:47: connection '0 - 1' of x0 belongs to a loop of switches that ends at no node; remove it, or wire "
              "one of its ways to a node");
    EXPECT_EQ(with_switch("wires: [x0.0 - 1], connect: [0 - 1]"),
              "m.yaml:9:37: connection '0 - 1' of x0 belongs to a loop of switches that ends at no node; remove it, or wire "
              "one of its ways to a node");
}

TEST(BadMachine, WithNodesThatTheHostCannotReach) {
    const std::string start = head + "nodes: {count: 8, ram: 4MiB}\nhost: n0.0\n";
    EXPECT_EQ(error(start + "links: [n0.1 - n1.0, n0.2 - n4.0]\n"),
              "m.yaml:4:7: the host cannot reach n2, n3 and n5 to n7; wire and connect them, or add 'unreachable: allowed'");
    EXPECT_EQ(error(head + "nodes: {count: 1, ram: 4MiB}\nhost: x0.0\nswitches: {x0: {wires: [n0.0 - 1]}}\n"),
              "m.yaml:4:7: the host cannot reach n0; wire and connect it, or add 'unreachable: allowed'");
    EXPECT_EQ(error(start + "unreachable: error\n"),
              "m.yaml:4:7: the host cannot reach n1 to n7; wire and connect them, or add 'unreachable: allowed'");
}

TEST(BadMachine, ThatIsNoFile) {
    EXPECT_EQ(input_error_text([] { topologies::read_machine("no/machine.yaml"); }),
              "no/machine.yaml: cannot be read: No such file or directory; check the path");
}

TEST(BadMachine, WithWeightsOfNoLink) {
    const auto with_weights = [](const std::string& weights) { return error(eight + "weights: {" + weights + "}\n"); };
    EXPECT_EQ(with_weights("n0.1 - n2.0: 3"),
              "m.yaml:8:11: no link joins 'n0.1' and 'n2.0', so nothing has this weight; name the two ends of a link, as "
              "'magicwire describe' lists them");
    EXPECT_EQ(with_weights("n0.1 - n1.0: 3, n1.0 - n0.1: 3"),
              "m.yaml:8:27: this link has a weight already at line 8, column 11; give it one");
    EXPECT_EQ(with_weights("n0.1: 3"), "m.yaml:8:11: 'n0.1' names 1 end, but a link has two; write it as in 'n0.1 - n1.0'");
    EXPECT_EQ(with_weights("n0.1 - n9.0: 3"),
              "m.yaml:8:18: there is no node 'n9': the machine has n0 to n7; name one of these or raise 'count'");
    EXPECT_EQ(
        error(eight + "switches: {x0: {}}\nweights: {n0.1 - x0.3: 3}\n"),
        "m.yaml:9:18: 'x0.3' is a way of a switch, and a weight is that of a whole link; name its two ends, as in 'n0.1 - "
        "n1.0'");
}

TEST(BadMachine, WithWasteOrBootOrderOfOtherNodes) {
    EXPECT_EQ(error(eight + "waste: [n3, n8]\n"),
              "m.yaml:8:13: there is no node 'n8': the machine has n0 to n7; name one of these or raise 'count'");
    EXPECT_EQ(error(eight + "waste: [n3, n3]\n"),
              "m.yaml:8:13: n3 is among the nodes that do not compute already; name it once");
    EXPECT_EQ(error(eight + "boot_order: [n1, n0]\n"),
              "m.yaml:8:14: no neighbour of this node stands before it in the boot order");
    EXPECT_EQ(error(eight + "boot_order: [n0, n1, n0]\n"), "m.yaml:8:22: this node is in the boot order already");
}

}  // namespace bad_machine_cases

// Every error in a fault plan, by the whole text of its message.
#include "input_error_text.hpp"

#include <gtest/gtest.h>

#include <topologies/fault_plan.hpp>
#include <topologies/machine_parser.hpp>

namespace {

std::string error(const std::string& text, const std::string& machine = "btree_8_c004") {
    const auto description = topologies::read_machine(MAGICWIRE_SOURCE_DIR "/topologies/machines/" + machine + ".yaml");
    return input_error_text([&] { topologies::parse_fault_plan(text, "p.faults", description); });
}
// The entry begins in column 6 of line 2.
std::string with(const std::string& entry, const std::string& machine = "btree_8_c004") {
    return error("version: 1\nfaults: [{" + entry + "}]\n", machine);
}

}  // namespace

TEST(BadFaultPlan, WithAnotherVersion) {
    EXPECT_EQ(error("version: 2\nnew: 1\n"),
              "p.faults:1:10: this program reads version 1 of the fault plan, not '2'; write 'version: 1'");
    EXPECT_EQ(error("faults: []\n"), "p.faults:1:1: key 'version' is missing in the file; add 'version: ...'");
}

TEST(BadFaultPlan, WithoutItsList) {
    EXPECT_EQ(error("version: 1\n"), "p.faults:1:1: key 'faults' is missing in the file; add 'faults: ...'");
    EXPECT_EQ(error("version: 1\nfaults: {}\n"),
              "p.faults:2:9: 'faults' must be a list, but is a map; write lines that begin with '- ', or '[a, b]'");
}

TEST(BadFaultPlan, WithAnUnknownKey) {
    EXPECT_EQ(error("version: 1\nseeds: 1\nfaults: []\n"), "p.faults:2:1: unknown key 'seeds', did you mean 'seed'?");
    EXPECT_EQ(with("die: n5, att: 1ms"), "p.faults:2:20: unknown key 'att', did you mean 'at'?");
    EXPECT_EQ(with("die: n5, at: 1ms, factor: 3"),
              "p.faults:2:29: unknown key 'factor'; the keys here are die, at, when, on, rate");
    EXPECT_EQ(with("die: n5, on: {task: 1, stop: start}"), "p.faults:2:34: unknown key 'stop', did you mean 'step'?");
    EXPECT_EQ(with("memory: n5, size: 512KiB, at: 1ms"), "p.faults:2:37: unknown key 'at'; the keys here are memory, size");
    EXPECT_EQ(with("stick: n1.1 - n2.0, at: 1ms, for: 1ms"),
              "p.faults:2:40: unknown key 'for'; the keys here are stick, direction, at, when, on, rate");
}

TEST(BadFaultPlan, WithASeedOutOfRange) {
    EXPECT_EQ(error("version: 1\nseed: -1\nfaults: []\n"),
              "p.faults:2:7: 'seed' is '-1', but must be a whole number from 0 to 9223372036854775807; write a number in that "
              "range");
}

TEST(BadFaultPlan, WithAnUnknownVerb) {
    EXPECT_EQ(with("dye: n5, at: 1ms"), "p.faults:2:11: unknown verb 'dye', did you mean 'die'?");
    EXPECT_EQ(with("explode: n5, at: 1ms"),
              "p.faults:2:11: unknown verb 'explode'; the verbs are die, halt, slow, cut, stick, flip, lose_acknowledge, "
              "switch_stuck, miswire, memory");
    EXPECT_EQ(with(""), "p.faults:2:10: a fault without a verb; write one of 'magicwire faults'");
    EXPECT_EQ(with("die: n5, halt: n5, at: 1ms"),
              "p.faults:2:20: 'die' and 'halt' are two verbs, but a fault has one; write two entries");
}

TEST(BadFaultPlan, WithANodeThatTheMachineHasNot) {
    EXPECT_EQ(with("die: n8, at: 1ms"),
              "p.faults:2:16: machine 'btree_8_c004' has no node 'n8': it has n0 to n7; name one of these");
    EXPECT_EQ(with("die: n5, on: {task: 1, node: host, step: start}"),
              "p.faults:2:40: machine 'btree_8_c004' has no node 'host': it has n0 to n7; name one of these");
}

TEST(BadFaultPlan, WithALinkThatTheMachineHasNot) {
    EXPECT_EQ(with("cut: n1.1, at: 1ms"),
              "p.faults:2:16: 'n1.1' names 1 end, but a link has two; write it as in 'n0.1 - n1.0'");
    EXPECT_EQ(with("cut: n1.1 - n2.9, at: 1ms"),
              "p.faults:2:23: machine 'btree_8_c004' has no wire at 'n2.9', did you mean "
              "'n2.0'?");
    EXPECT_EQ(with("cut: everything - n2.0, at: 1ms"),
              "p.faults:2:16: machine 'btree_8_c004' has no wire at 'everything'; 'magicwire describe' prints its links");
    EXPECT_EQ(with("cut: n1.1 - n3.0, at: 1ms"),
              "p.faults:2:16: 'n1.1' and 'n3.0' are not the two ends of a link: 'n1.1' leads "
              "to 'n2.0'; write 'n1.1 - n2.0'");
    EXPECT_EQ(with("cut: x0.2 - n3.0, at: 1ms"),
              "p.faults:2:16: 'x0.2' and 'n3.0' are not the two ends of a link: 'x0.2' leads "
              "to 'n1.1'; write 'x0.2 - n1.1'");
    EXPECT_EQ(with("cut: n1.1 - n2.0, direction: forwards, at: 1ms"),
              "p.faults:2:40: 'direction' is 'forwards', did you mean 'forward'?");
}

TEST(BadFaultPlan, WithAWayThatTheMachineHasNot) {
    EXPECT_EQ(with("switch_stuck: x0, at: 1ms"),
              "p.faults:2:25: 'x0' names no way of a switch; write the switch and its way as in 'x0.17'");
    EXPECT_EQ(with("switch_stuck: x1.5, at: 1ms"),
              "p.faults:2:25: machine 'btree_8_c004' has no switch 'x1', did you mean 'x0'?");
    EXPECT_EQ(with("switch_stuck: x0.32, at: 1ms"), "p.faults:2:28: '32' is no way of a C004; its ways are 0 to 31");
    EXPECT_EQ(with("switch_stuck: x0.31, at: 1ms"),
              "p.faults:2:25: nothing is wired to 'x0.31', so nothing can go wrong there; "
              "'magicwire describe' prints the ways in use");
    EXPECT_EQ(with("switch_stuck: x0.5, at: 1ms", "btree_8"),
              "p.faults:2:25: machine 'btree_8' has no switches; remove this fault");
    EXPECT_EQ(with("miswire: x0.5, to: 32, at: 1ms"),
              "p.faults:2:30: 'to' is '32', but must be a whole number from 0 to 31; write a number in that range");
}

TEST(BadFaultPlan, WithoutAMomentOrWithTwo) {
    EXPECT_EQ(with("die: n5"),
              "p.faults:2:10: 'die' does not say when; add 'at: 12ms', 'when: {task: 49, step: start}' or 'rate: "
              "1e-6' (per second)");
    EXPECT_EQ(with("die: n5, at: 1ms, rate: 1"),
              "p.faults:2:29: 'at' and 'rate' are two moments, but this fault has one; remove one of the two");
    EXPECT_EQ(with("die: n5, on: {task: 1, step: start}, rate: 1"),
              "p.faults:2:48: 'on' and 'rate' are two moments, but this fault has one; remove one of the two");
    EXPECT_EQ(with("flip: n1.1 - n2.0, at: 1ms, on: {task: 1, step: start}"),
              "p.faults:2:39: 'at' and 'on' are two moments, but this fault has one; remove one of the two");
}

TEST(BadFaultPlan, WithABadTime) {
    EXPECT_EQ(with("die: n5, at: 12"), "p.faults:2:24: '12' has no unit; write ps, ns, us, ms or s, as in '20us'");
}

TEST(BadFaultPlan, WithABadStep) {
    EXPECT_EQ(with("die: n5, when: {task: 1, step: start}, on: {task: 1, step: start}"),
              "p.faults:2:50: 'on' and 'when' mean the same; keep one of the two");
    EXPECT_EQ(with("die: n5, when: {task: 1, step: start}, rate: 1"),
              "p.faults:2:50: 'when' and 'rate' are two moments, but this fault has one; remove one of the two");
    EXPECT_EQ(with("die: n5, when: {step: start}"), "p.faults:2:26: key 'task' is missing in 'when'; add 'task: ...'");
    EXPECT_EQ(with("die: n5, on: {step: start}"), "p.faults:2:24: key 'task' is missing in 'on'; add 'task: ...'");
    EXPECT_EQ(with("die: n5, on: {task: 1}"), "p.faults:2:24: key 'step' is missing in 'on'; add 'step: ...'");
    EXPECT_EQ(with("die: n5, on: {task: 1, step: sent}"), "p.faults:2:40: 'step' is 'sent', did you mean 'send'?");
    EXPECT_EQ(with("die: n5, on: {task: -1, step: start}"),
              "p.faults:2:31: 'task' is '-1', but must be a whole number from 0 to 4294967295; write a number in that range");
    EXPECT_EQ(with("die: n5, on: {task: 1, subtask: 01x0, step: start}"),
              "p.faults:2:43: '01x0' is no sub-task; write its 1 to 8 hexadecimal digits, as in '0110'");
}

TEST(BadFaultPlan, WithARateOutOfRange) {
    EXPECT_EQ(with("flip: n1.1 - n2.0, rate: 1.5"),
              "p.faults:2:36: 'rate' is '1.5', but must be above 0 and at most 1 per byte; write such a number");
    EXPECT_EQ(with("die: n5, rate: 0"),
              "p.faults:2:26: 'rate' is '0', but must be above 0 and at most 1000000 per second; write such a number");
    EXPECT_EQ(with("die: n5, rate: often"), "p.faults:2:26: 'rate' is 'often', but must be a number; write one such as 12.5");
}

TEST(BadFaultPlan, WithAnEndThatCannotBe) {
    EXPECT_EQ(with("cut: n1.1 - n2.0, at: 2ms, until: 2ms"),
              "p.faults:2:45: the fault ends at 2ms, but begins at 2ms; write a later end");
    EXPECT_EQ(with("cut: n1.1 - n2.0, at: 2ms, until: 3ms, for: 1ms"),
              "p.faults:2:50: 'until' and 'for' both say when the fault ends; remove one of the two");
    EXPECT_EQ(with("cut: n1.1 - n2.0, at: 2ms, for: 0ms"),
              "p.faults:2:43: a fault must last longer than 0; write a longer time");
    EXPECT_EQ(with("flip: n1.1 - n2.0, at: 2ms, for: 1ms"),
              "p.faults:2:39: without a rate this fault strikes one packet, so it has no end; add 'rate: 1e-6' or remove this");
}

TEST(BadFaultPlan, WithAFactorOrASizeOutOfRange) {
    EXPECT_EQ(with("slow: n5, at: 1ms"), "p.faults:2:10: key 'factor' is missing in an entry of 'faults'; add 'factor: ...'");
    EXPECT_EQ(with("slow: n5, factor: 0.5, at: 1ms"),
              "p.faults:2:29: 'factor' is '0.5', but a slow node takes 1 to 1000000 times as long; write such a number");
    EXPECT_EQ(with("memory: n5, size: 5MiB"),
              "p.faults:2:29: n5 has 4MiB by its description, so a smaller memory is 64KiB to 4MiB; write one of that size");
    EXPECT_EQ(with("memory: n5, size: 512KB"),
              "p.faults:2:29: '512KB' may count in 1000 or in 1024; write KiB for 1024, or a number of bytes");
    EXPECT_EQ(error("version: 1\nfaults:\n  - {memory: n5, size: 1MiB}\n  - {memory: n5, size: 2MiB}\n"),
              "p.faults:4:5: n5 has two sizes of memory in this plan; remove one of the two");
}

// Correct fault plans: the meaning of each verb and each moment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <topologies/fault_plan.hpp>
#include <topologies/machine_parser.hpp>

namespace {

using topologies::FaultDirection;
using vocabulary::SimTime;

const topologies::MachineDescription& machine() {
    static const auto value = topologies::read_machine(MAGICWIRE_SOURCE_DIR "/topologies/machines/btree_8_c004.yaml");
    return value;
}
const topologies::MachineDescription& direct() {
    static const auto value = topologies::read_machine(MAGICWIRE_SOURCE_DIR "/topologies/machines/btree_8.yaml");
    return value;
}
topologies::FaultPlan plan_of(const std::string& entry, const topologies::MachineDescription& of = machine()) {
    return topologies::parse_fault_plan("version: 1\nfaults:\n  - {" + entry + "}\n", "p.faults", of);
}
topologies::Fault fault(const std::string& entry, const topologies::MachineDescription& of = machine()) {
    return plan_of(entry, of).faults.at(0);
}

}  // namespace

TEST(FaultPlan, TakesTheExampleOfEveryVerb) {
    for (const auto& verb : topologies::fault_verbs()) {
        const auto found = fault(std::string(verb.example));
        EXPECT_EQ(found.verb, verb.verb) << verb.name;
        EXPECT_EQ(&topologies::info_of(verb.verb), &verb) << verb.name;
        EXPECT_THAT(topologies::fault_text(found), testing::StartsWith(std::string(verb.name))) << verb.name;
    }
}

TEST(FaultPlan, HasASeedOfItsOwn) {
    EXPECT_EQ(plan_of("die: n5, at: 1ms").seed, 1U);
    EXPECT_EQ(topologies::parse_fault_plan("version: 1\nseed: 7\nfaults: []\n", "p", machine()).seed, 7U);
}

TEST(FaultPlan, StrikesAtATimeOnAStepOrAtARate) {
    EXPECT_EQ(fault("die: n5, at: 12ms").at, SimTime::ms(12));
    const auto on = fault("halt: n5, on: {task: 49, subtask: 0110, node: n3, step: finish}").on;
    ASSERT_TRUE(on);
    EXPECT_EQ(*on, (topologies::FaultEvent{49, 0x110, topologies::NodeId(3), topologies::FaultStep::Finish}));
    EXPECT_EQ(fault("die: n5, rate: 0.25").rate, 0.25);
    const auto from = fault("flip: n1.1 - n2.0, rate: 1e-6, at: 2ms, until: 3ms");
    EXPECT_EQ(from.rate, 1e-6);
    EXPECT_EQ(from.at, SimTime::ms(2));
    EXPECT_EQ(from.until, SimTime::ms(3));
    EXPECT_EQ(fault("slow: n1, factor: 2.5, at: 0s, for: 4us").duration, SimTime::us(4));
}

TEST(FaultPlan, FindsACableInBothOrders) {
    const auto one = fault("cut: n1.1 - n2.0, at: 1ms", direct()), other = fault("cut: n2.0 - n1.1, at: 1ms", direct());
    EXPECT_EQ(one.wire, other.wire);
    EXPECT_NE(one.along, other.along);
    EXPECT_EQ(one.direction, FaultDirection::Both);
    EXPECT_EQ(fault("cut: host - n0.0, at: 1ms").target, "host - n0.0");
}

TEST(FaultPlan, StrikesALinkThroughASwitchAtTheCableOfItsFirstEnd) {
    const auto by_path = fault("cut: n1.1 - n2.0, direction: forward, at: 1ms"),
               by_cable = fault("cut: n1.1 - x0.2, direction: forward, at: 1ms");
    EXPECT_EQ(by_path.wire, by_cable.wire);
    EXPECT_EQ(by_path.along, by_cable.along);
    EXPECT_EQ(by_path.direction, FaultDirection::Forward);
    EXPECT_NE(fault("cut: n2.0 - n1.1, at: 1ms").wire, by_path.wire);
}

TEST(FaultPlan, TakesAStuckSwitchOutputForTheCableOfThatWay) {
    const auto stuck = fault("switch_stuck: x0.2, at: 1ms"), cable = fault("stick: x0.2 - n1.1, direction: forward, at: 1ms");
    EXPECT_EQ(stuck.wire, cable.wire);
    EXPECT_EQ(stuck.along, cable.along);
    EXPECT_EQ(stuck.direction, cable.direction);
}

TEST(FaultPlan, NamesEachWireThatNeedsATapOnce) {
    const auto plan = topologies::parse_fault_plan(
        "version: 1\nfaults:\n  - {cut: n2.0 - n1.1, at: 1ms}\n  - {flip: n1.1 - n2.0, rate: 1}\n  - {die: n3, at: 1ms}\n"
        "  - {stick: n0.1 - n1.0, at: 1ms}\n",
        "p", direct());
    EXPECT_THAT(plan.wires(), testing::ElementsAre(plan.faults[3].wire, plan.faults[0].wire));
}

TEST(FaultPlan, SaysEachFaultInWords) {
    const auto words = [](const std::string& entry) {
        const auto found = fault(entry);
        return topologies::fault_text(found) + " " + topologies::moment_text(found);
    };
    EXPECT_EQ(words("die: n5, at: 12ms"), "die n5 at 12ms");
    EXPECT_EQ(words("halt: n5, when: {task: 49, node: n5, step: start}"), "halt n5 when task 49 starts on n5");
    EXPECT_EQ(words("halt: n5, on: {task: 49, node: n5, step: start}"), "halt n5 when task 49 starts on n5");
    EXPECT_EQ(words("halt: n5, on: {task: 49, subtask: 10, step: receive}"),
              "halt n5 when task 49, sub-task 0010, is received");
    EXPECT_EQ(words("slow: n5, factor: 3, at: 1s, for: 2ms"), "slow n5 by 3 at 1s for 2ms");
    EXPECT_EQ(words("flip: n1.1 - n2.0, direction: backward, rate: 0.5, on: {task: 1, node: n2, step: send}"),
              "flip n1.1 - n2.0 backward at 0.5 per byte from when task 1 is sent by n2");
    EXPECT_EQ(words("cut: n1.1 - n2.0, rate: 2, until: 3us"), "cut n1.1 - n2.0 at 2 per second until 3us");
    EXPECT_EQ(words("miswire: x0.5, to: 9, at: 1ns"), "miswire x0.5 to 9 at 1ns");
    EXPECT_EQ(words("memory: n5, size: 512KiB"), "memory n5 of 512KiB from power-up");
}

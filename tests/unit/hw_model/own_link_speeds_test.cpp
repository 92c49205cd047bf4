// Links of one machine at speeds of their own, at both levels, with and without C004s in the way. And revisions of C004s.
#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "hw_bench.hpp"
#include "sent_message.hpp"

namespace own_link_speeds {

using hw_model::LinkLevel;
using hw_test::LinkNo;
using hw_test::NodeId;
using hw_test::SentMessage;
using hw_test::Side;
using hw_test::SimTime;
using topologies::NodeLink;
using topologies::SwitchId;
using topologies::SwitchWay;
using topologies::WayNo;

namespace {

constexpr std::uint32_t long_message = 100'000;
constexpr std::int64_t slow = 10'000'000;

NodeLink link_of(std::size_t node, unsigned link) {
    return {NodeId(static_cast<NodeId::value_type>(node)), LinkNo(static_cast<LinkNo::value_type>(link))};
}

// Six nodes: pair i is nodes 2i and 2i+1, joined by links 1 and 0. Pair 0 runs at the machine's 20 Mbit/s, pair 1 at 10 by its
// nodes, pair 2 at 10 too. With `switched`, each pair has a C004 of its own speed in the way.
topologies::MachineDescription three_pairs(bool switched) {
    topologies::MachineDescription machine = topologies::chain(6);
    machine.wires.clear();
    machine.without_host = machine.unreachable_allowed = true;
    for (std::size_t pair = 0; pair < 3; ++pair) {
        const NodeLink a = link_of(2 * pair, 1), b = link_of(2 * pair + 1, 0);
        if (pair > 0) {
            machine.nodes[2 * pair].link_bits_per_second[1] = slow;
            machine.nodes[2 * pair + 1].link_bits_per_second[0] = slow;
        }
        if (!switched) {
            machine.wires.push_back({a, b});
            continue;
        }
        const SwitchId id(static_cast<SwitchId::value_type>(pair));
        machine.switches.push_back({"x" + std::to_string(pair), {{WayNo(3), WayNo(29)}}, pair > 0 ? slow : 0});
        machine.wires.push_back({a, SwitchWay{id, WayNo(3)}});
        machine.wires.push_back({b, SwitchWay{id, WayNo(29)}});
    }
    return machine;
}

struct Bench {
    Bench(bool switched, LinkLevel level)
        : machine("machine", three_pairs(switched), hw_test::costs(), 1, {.links = level}), script(machine.timeline()) {
        machine.connect_switches();
    }
    Side side(std::size_t pair, bool second) {
        auto& node = machine.node(NodeId(static_cast<NodeId::value_type>(2 * pair + (second ? 1 : 0))));
        return {*node.link(LinkNo(second ? 0 : 1)), node.processor};
    }
    SentMessage& send(std::size_t pair, bool back = false) {
        SentMessage& message = messages.emplace_back(machine.timeline(), side(pair, back), side(pair, !back), long_message);
        script.at(SimTime::us(100), [&message] {
            message.receive();
            message.send();
        });
        return message;
    }
    // Nanoseconds.
    static double byte_of(const SentMessage& message) {
        return (message.arrived() - SimTime::us(100)).in_seconds() * 1e9 / long_message;
    }

    hw_model::Machine machine;
    hw_test::Script script;
    std::deque<SentMessage> messages;
};

class OwnLinkSpeeds : public testing::TestWithParam<LinkLevel> {};
INSTANTIATE_TEST_SUITE_P(Level, OwnLinkSpeeds, testing::Values(LinkLevel::Message, LinkLevel::Byte),
                         [](const auto& level) { return level.param == LinkLevel::Byte ? "Byte" : "Message"; });

}  // namespace

// Bit times of a byte: turn-rounds of 11.5 at 20 Mbit/s; packets of 11 at 10 Mbit/s (timing_model.md). A bit takes twice as
// long.
TEST_P(OwnLinkSpeeds, AreKeptByDirectWires) {
    Bench bench(false, GetParam());
    const auto& fast = bench.send(0);
    const auto& own = bench.send(1);
    hw_test::run_machine(SimTime::s(10));
    EXPECT_NEAR(Bench::byte_of(fast), 11.5 * 50, 1);
    EXPECT_NEAR(Bench::byte_of(own), 11 * 100, 1);
}

// With a C004 both turn-rounds and two passes of 1.75 bits: 15 bits at 20 Mbit/s, 13.5 at 10.
TEST_P(OwnLinkSpeeds, AreKeptThroughSwitches) {
    Bench bench(true, GetParam());
    const auto& fast = bench.send(0);
    const auto& own = bench.send(1);
    hw_test::run_machine(SimTime::s(10));
    EXPECT_NEAR(Bench::byte_of(fast), 15 * 50, 1);
    EXPECT_NEAR(Bench::byte_of(own), 13.5 * 100, 1);
}

// A packet, the turn-round of data and a pass: 11 + 5 + 1.75 bits at 10 Mbit/s.
TEST_P(OwnLinkSpeeds, AreKeptBothWays) {
    Bench bench(true, GetParam());
    const auto& there = bench.send(2);
    const auto& back = bench.send(2, true);
    hw_test::run_machine(SimTime::s(10));
    EXPECT_NEAR(Bench::byte_of(there), 17.75 * 100, 2);
    EXPECT_NEAR(Bench::byte_of(back), 17.75 * 100, 2);
}

// With turn-rounds of as many bits at both speeds, a link at 10 Mbit/s takes exactly twice as long.
TEST_P(OwnLinkSpeeds, TakeTwiceAsLongWhenTheTurnRoundsAreEqual) {
    auto costs = hw_test::costs();
    for (const char* which : {"data", "acknowledge"}) {
        for (const char* speed : {"10", "20"}) costs.set(std::string("link.turn_round_") + speed + "_" + which, 6, "this test");
    }
    hw_model::Machine machine("machine", three_pairs(true), costs, 1, {.links = GetParam()});
    machine.connect_switches();
    const auto fast = machine.link_timing(NodeId(0), LinkNo(1)), own = machine.link_timing(NodeId(2), LinkNo(1));
    EXPECT_EQ(own.byte_one_way[1], fast.byte_one_way[1] * 2);
    EXPECT_EQ(own.byte_both_ways[1], fast.byte_both_ways[1] * 2);
    hw_test::Script script(machine.timeline());
    std::deque<SentMessage> messages;
    for (std::uint16_t node : {0, 2}) {
        auto &from = machine.node(NodeId(node)), &to = machine.node(NodeId(static_cast<NodeId::value_type>(node + 1)));
        auto& message = messages.emplace_back(machine.timeline(), Side{*from.link(LinkNo(1)), from.processor},
                                              Side{*to.link(LinkNo(0)), to.processor}, long_message);
        script.at(SimTime::us(100), [&message] {
            message.receive();
            message.send();
        });
    }
    hw_test::run_machine(SimTime::s(10));
    const SimTime since = SimTime::us(100);
    EXPECT_NEAR((messages[1].arrived() - since).in_seconds() / (messages[0].arrived() - since).in_seconds(), 2, 1e-4);
}

TEST(OwnLinkSpeedsOfAMachine, LeaveTheTimingOfTheMachineAlone) {
    hw_model::Machine machine("machine", three_pairs(false), hw_test::costs(), 1);
    EXPECT_EQ(machine.link_timing().byte_one_way[0], SimTime::ns(575));
    EXPECT_EQ(machine.link_timing(NodeId(0), LinkNo(1)).byte_one_way[0], SimTime::ns(575));
    EXPECT_EQ(machine.link_timing(NodeId(2), LinkNo(1)).byte_one_way[0], SimTime::ns(1100));
    EXPECT_EQ(machine.link_timing(NodeId(2), LinkNo(0)).byte_one_way[0], SimTime::ns(575));
}

TEST(OwnLinkSpeedsDeathTest, OfALinkThatTheMachineLacks) {
    hw_model::Machine machine("machine", three_pairs(false), hw_test::costs(), 1);
    EXPECT_DEATH(machine.link_timing(NodeId(7), LinkNo(0)), "machine.link_timing.link");
}

TEST(RevisionOfASwitch, IsThatOfTheMachine) {
    auto description = three_pairs(true);
    description.switches[1].revision = topologies::SwitchRevision::A;
    hw_model::Machine machine("machine", description, hw_test::costs(), 1);
    EXPECT_EQ(machine.link_switch(SwitchId(0)).revision(), hw_model::LinkSwitch::Revision::B);
    EXPECT_EQ(machine.link_switch(SwitchId(1)).revision(), hw_model::LinkSwitch::Revision::A);
}

// Two bytes of request, both on the line and on the configuration link, at the speed of the slowest switch of the line.
TEST(ControlLineOfASlowSwitch, IsSlower) {
    auto description = three_pairs(true);
    description.control = {{SwitchId(0)}, {SwitchId(1), SwitchId(2)}};
    hw_model::Machine machine("machine", description, hw_test::costs(), 1);
    std::vector<SimTime> answered(2);
    for (std::uint16_t which : {0, 1})
        machine.configure(SwitchId(which), {2, 0}, 1,
                          [&answered, &machine, which](auto) { answered[which] = machine.timeline().now(); });
    hw_test::run_machine(SimTime::ms(50));
    // 6 bytes down, 2 fed, one reply on the configuration link, 5 up: 14 bytes of 0.575 or 1.1 us.
    EXPECT_NEAR((answered[1] - answered[0]).in_seconds() * 1e6, 14 * (1.1 - 0.575), 0.01);
}

}  // namespace own_link_speeds

#include <gtest/gtest.h>

#include "switch_bench.hpp"

using hw_model::Machine;
using hw_test::NodeId;
using hw_test::Priority;
using hw_test::run_machine;
using hw_test::SimTime;

TEST(Machine, HasRoomForThousandAndTwentyFourNodes) {
    Machine machine("machine", topologies::binary_tree(1024), hw_test::costs(), 1);
    EXPECT_EQ(machine.node_count(), 1024u);
    EXPECT_NE(machine.node(NodeId(1023)).link(hw_test::LinkNo(0)), nullptr);
    run_machine(SimTime::ms(1));
    EXPECT_TRUE(machine.timeline().empty());
}

TEST(Machine, GivesEveryNodeAClockErrorWithinTheBoundsOfTheTable) {
    Machine machine("machine", topologies::chain(64), hw_test::costs(), 42);
    std::uint64_t least = 1'000'000, most = 0;
    for (std::uint16_t i = 0; i < 64; ++i) {
        const std::uint64_t clock = machine.node(NodeId(i)).processor.clock_us(Priority::High);
        least = std::min(least, clock);
        most = std::max(most, clock);
    }
    EXPECT_LE(most, 2000u);
    EXPECT_GT(most - least, 1000u);
    EXPECT_EQ(machine.node(machine.host()).processor.clock_us(Priority::High), 0u);
}

TEST(Machine, FiresWhatIsPostedBetweenTwoRuns) {
    Machine machine("machine", topologies::chain(2), hw_test::costs(), 1);
    hw_test::Script script(machine.timeline());
    int fired = 0;
    script.at(SimTime::us(10), [&] { ++fired; });
    run_machine(SimTime::us(500));
    EXPECT_EQ(fired, 1);
    // SystemC's time is 500 us now, the timeline's still 10. An event soon after the timeline's own time must not be lost.
    script.at(machine.timeline().now() + SimTime::us(20), [&] { ++fired; });
    script.at(machine.timeline().now() + SimTime::us(25), [&] { ++fired; });
    run_machine(SimTime::us(10));
    EXPECT_EQ(fired, 3);
    EXPECT_TRUE(machine.timeline().empty());
}

TEST(Machine, RunsAProcessThatIsStartedBetweenTwoRuns) {
    Machine machine("machine", topologies::chain(2), hw_test::costs(), 1);
    hw_test::Script script(machine.timeline());
    script.at(SimTime::us(10), [] {});
    run_machine(SimTime::us(500));
    auto& node = machine.node(NodeId(0));
    hw_model::Fiber* self = nullptr;
    bool done = false;
    hw_model::Fiber fiber(Priority::Low, node.arena, [&] {
        for (int i = 0; i < 10; ++i) self->use(vocabulary::Cycles(100));
        done = true;
    });
    self = &fiber;
    node.processor.start(fiber);
    run_machine(SimTime::us(100));
    EXPECT_TRUE(done);
}

TEST(Machine, HasALinkWhereAWireLeadsToAnIdleWayForTheHostMayConnectItLater) {
    topologies::MachineDescription description = topologies::chain(2, true);
    description.switches[0].connections.clear();
    Machine machine("machine", description, hw_test::costs(), 1);
    EXPECT_NE(machine.node(NodeId(1)).link(hw_test::LinkNo(0)), nullptr);
    EXPECT_EQ(machine.node(NodeId(1)).link(hw_test::LinkNo(1)), nullptr);
    run_machine(SimTime::us(1));
}

TEST(MachineDeathTest, ProgrammingASwitchThatIsOnNoControlLineIsABrokenContract) {
    auto description = hw_test::two_nodes_and_a_switch();
    description.switches.push_back({"x1", {}});
    description.control = {{hw_test::SwitchId(0)}};
    Machine machine("machine", description, hw_test::costs(), 1);
    EXPECT_DEATH(machine.configure(hw_test::SwitchId(1), {3}, 0, {}), "machine.configure.switch_on_a_control_line");
}

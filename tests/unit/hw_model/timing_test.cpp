// Times stated for a T800-20 on nodes of other clocks, and the cycles that links take of each memory.
#include <gtest/gtest.h>

#include "hw_bench.hpp"

using hw_model::stated_cycles;
using hw_model::work_factor;
using hw_test::Cycles;
using hw_test::SimTime;

TEST(StatedWork, IsInCyclesOfAT800_20RoundedUp) {
    EXPECT_EQ(stated_cycles(SimTime()), Cycles(0));
    EXPECT_EQ(stated_cycles(SimTime::ps(1)), Cycles(1));
    EXPECT_EQ(stated_cycles(SimTime::us(60)), Cycles(1200));
    EXPECT_EQ(stated_cycles(SimTime::ps(60'000'001)), Cycles(1201));
}

TEST(StatedWork, TakesAsLongAsClockAndMemoryMakeIt) {
    topologies::CostTable costs = hw_test::costs();
    EXPECT_EQ(work_factor(hw_model::processor_timing(costs), 20'000'000), 1);
    EXPECT_EQ(work_factor(hw_model::processor_timing(costs), 10'000'000), 2);
    costs.set("memory.external_access", 5, "test");
    EXPECT_DOUBLE_EQ(work_factor(hw_model::processor_timing(costs), 10'000'000), 2 * 230.0 / 155);
}

TEST(StatedWork, LastsLongerOnASlowerProcessor) {
    hw_model::Timeline timeline;
    const hw_model::ProcessorTiming timing = hw_model::processor_timing(hw_test::costs());
    hw_model::Processor fast("fast", hw_test::NodeId(0), 25'000'000, timing, timeline);
    hw_model::Processor slow("slow", hw_test::NodeId(1), 10'000'000, timing, timeline);
    EXPECT_EQ(fast.lasts(SimTime::us(100)), SimTime::us(80));
    EXPECT_EQ(slow.lasts(SimTime::us(100)), SimTime::us(200));
}

TEST(LinkTiming, TakesAnAccessOfTheMemoryForEachWord) {
    topologies::CostTable costs = hw_test::costs();
    for (const int access : {1, 3, 4, 5, 6}) {
        costs.set("memory.external_access", access, "test");
        const hw_model::LinkTiming timing = hw_model::link_timing(costs, 20'000'000);
        EXPECT_EQ(timing.stolen_on_chip, Cycles(1));
        EXPECT_EQ(timing.stolen_external, Cycles(access));
    }
}

TEST(LinkTimingDeathTest, ARateThatTheT800DoesNotHaveIsABrokenContract) {
    EXPECT_DEATH(hw_model::link_timing(hw_test::costs(), 15'000'000), "link_timing.bit_rate");
}

TEST(ProcessorTimingDeathTest, AnAccessThatTheT800DoesNotHaveIsABrokenContract) {
    topologies::CostTable costs = hw_test::costs();
    for (const int access : {2, 7}) {
        costs.set("memory.external_access", access, "test");
        EXPECT_DEATH(hw_model::processor_timing(costs), "processor_timing.external_access");
    }
}

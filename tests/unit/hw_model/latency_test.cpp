// Interrupt latency, analyse, reset, clocks that stop, and what slow memory does to costs.
#include <gmock/gmock.h>

#include "hw_bench.hpp"

using hw_model::LongInstruction;
using hw_test::LoneProcessor;
using hw_test::Priority;
using hw_test::SimTime;
using testing::ElementsAre;
using testing::Pair;

// start_process 16, preempt_latency 19 (at most 58, 78 with the floating-point unit busy), resume_preempted 17 cycles.

namespace {

// The time from the wake of a high-priority process at 10 us, which cuts a use of that kind, to its first act.
SimTime latency(LongInstruction what, std::int64_t use = 1000) {
    LoneProcessor bench;
    auto& high = bench.start(Priority::High, [&] {
        bench.use(100);  // pays its own start
        bench.wait();
        bench.use(10);
        bench.note("high");
    });
    bench.start(Priority::Low, [&] {
        bench.use(use, false, what);
        bench.note("low");
    });
    bench.script.at(SimTime::us(10), [&] { bench.processor.make_ready(high); });
    bench.run();
    return bench.log.front().second - SimTime::us(10) - bench.cycles(10);
}

}  // namespace

TEST(InterruptLatency, IsTypicalWhenTheLowOneCanBeCutAnywhere) {
    EXPECT_EQ(latency(LongInstruction::No), SimTime::ns(50 * 19));
}

TEST(InterruptLatency, IsTheMaximumInALongInstruction) {
    EXPECT_EQ(latency(LongInstruction::Integer), SimTime::ns(50 * 58));
}

TEST(InterruptLatency, IsLongerWhileTheFloatingPointUnitIsBusy) {
    EXPECT_EQ(latency(LongInstruction::FloatingPoint), SimTime::ns(50 * 78));
}

TEST(InterruptLatency, WaitsNoLongerThanTheInstructionLasts) {
    // Starts at 116 cycles, 16 for its own start; ends 20 cycles after the wake at 200.
    EXPECT_EQ(latency(LongInstruction::FloatingPoint, 200 + 20 - 116 - 16), SimTime::ns(50 * (19 + 20)));
}

TEST(InterruptLatency, LeavesTheLowOneTheInstructionThatWasFinishedMeanwhile) {
    LoneProcessor bench;
    auto& high = bench.start(Priority::High, [&] {
        bench.use(84);
        bench.wait();
        bench.use(10);
    });
    bench.start(Priority::Low, [&] {
        bench.use(984, false, LongInstruction::Integer);
        bench.note("low");
    });
    bench.script.at(SimTime::us(10), [&] { bench.processor.make_ready(high); });
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre(Pair("low", bench.cycles(100 + 1000 + 19 + 10 + 17))));
}

TEST(InterruptLatency, IsTypicalForALowOneThatWakesTheHighOneItself) {
    LoneProcessor bench;
    auto& high = bench.start(Priority::High, [&] {
        bench.use(84);
        bench.wait();
        bench.use(10);
        bench.note("high");
    });
    bench.start(Priority::Low, [&] {
        bench.use(84, false, LongInstruction::Integer);
        bench.processor.make_ready(high);
        bench.use(200, false, LongInstruction::Integer);
    });
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre(Pair("high", bench.cycles(200 + 19 + 10))));
}

TEST(Analyse, HaltsAnIdleProcessorAtOnce) {
    LoneProcessor bench;
    bench.processor.analyse();
    EXPECT_TRUE(bench.processor.halted());
}

TEST(Analyse, LetsAHighOneRunUntilItWaits) {
    LoneProcessor bench;
    bench.start(Priority::High, [&] {
        bench.use(984);
        bench.note("before");
        bench.use(1000);
        bench.note("last act");
        bench.wait();
    });
    bench.start(Priority::Low, [&] { bench.note("next"); });
    bench.script.at(SimTime::us(10), [&] { bench.processor.analyse(); });
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre(Pair("before", bench.cycles(1000)), Pair("last act", bench.cycles(2000))));
    EXPECT_TRUE(bench.processor.halted());
}

TEST(Analyse, HaltsALoneLoopWithinThreeTimeslicePeriods) {
    for (const std::int64_t asked : {100, 1023, 5000}) {
        LoneProcessor bench;
        bench.start(Priority::Low, [&] {
            bench.use(400'000, true);
            bench.note("end of the loop");
        });
        bench.script.at(SimTime::us(asked), [&] { bench.processor.analyse(); });
        bench.script.at(SimTime::us(asked + 3 * 1024), [&] { EXPECT_TRUE(bench.processor.halted()); });
        bench.run();
        EXPECT_TRUE(bench.log.empty());
        EXPECT_LE(bench.processor.busy_so_far(), SimTime::us(asked + 3 * 1024));
        EXPECT_GE(bench.processor.busy_so_far(), SimTime::us(asked));
    }
}

TEST(Analyse, WaitsForTheEndOfCodeWithoutALoop) {
    LoneProcessor bench;
    bench.start(Priority::Low, [&] { bench.use(200'000); });
    bench.script.at(SimTime::us(10), [&] { bench.processor.analyse(); });
    bench.script.at(SimTime::us(10'000), [&] { EXPECT_FALSE(bench.processor.halted()); });
    bench.run();
    EXPECT_TRUE(bench.processor.halted());
    EXPECT_EQ(bench.processor.busy_so_far(), bench.cycles(200'016));
}

TEST(Analyse, LetsAHighOneThatCutsALowOneFinish) {
    LoneProcessor bench;
    auto& high = bench.start(Priority::High, [&] {
        bench.wait();
        bench.use(100);
        bench.note("high");
    });
    bench.start(Priority::Low, [&] {
        bench.use(200'000);
        bench.note("low");
    });
    bench.script.at(SimTime::us(10), [&] { bench.processor.analyse(); });
    bench.script.at(SimTime::us(20), [&] { bench.processor.make_ready(high); });
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre(Pair("high", SimTime::us(20) + bench.cycles(16 + 19 + 100))));
    EXPECT_TRUE(bench.processor.halted());
}

TEST(Reset, EndsEveryActivity) {
    LoneProcessor bench;
    const auto worker = [&](const char* name) {
        return [&bench, name] {
            bench.use(1000, true);
            bench.note(name);
        };
    };
    auto& running = bench.start(Priority::Low, worker("running"));
    auto& queued = bench.start(Priority::Low, worker("queued"));
    auto& waiting = bench.start(Priority::High, [&] {
        bench.wait();
        bench.note("waiting");
    });
    bench.script.at(SimTime::us(10), [&] { bench.processor.reset(); });
    bench.script.at(SimTime::us(20), [&] { bench.processor.make_ready(waiting); });
    bench.run();
    EXPECT_TRUE(bench.log.empty());
    EXPECT_TRUE(running.ended());
    EXPECT_TRUE(queued.ended());
    EXPECT_TRUE(waiting.ended());
    EXPECT_EQ(bench.processor.busy_so_far(), SimTime::us(10));
}

TEST(Reset, LetsNewActivitiesRunAfterAHalt) {
    LoneProcessor bench;
    bench.processor.halt();
    bench.script.at(SimTime::us(10), [&] {
        bench.processor.reset();
        bench.start(Priority::Low, [&] {
            bench.use(84);
            bench.note("booted");
        });
    });
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre(Pair("booted", SimTime::us(10) + bench.cycles(100))));
}

TEST(Reset, StopsBothClocksUntilTheyAreStarted) {
    LoneProcessor bench;
    bench.script.at(SimTime::us(100), [&] { bench.processor.reset(); });
    bench.script.at(SimTime::us(300), [&] {
        EXPECT_FALSE(bench.processor.clocks_run());
        EXPECT_EQ(bench.processor.clock_us(Priority::High), 100u);
        EXPECT_EQ(bench.processor.clock_us(Priority::Low), 64u);
        bench.processor.start_clocks(6400);
    });
    bench.script.at(SimTime::us(370), [&] {
        EXPECT_EQ(bench.processor.clock_us(Priority::High), 6470u);
        EXPECT_EQ(bench.processor.clock_us(Priority::Low), 6464u);
    });
    bench.run();
}

TEST(Reset, LetsAWaitForAClockThatStandsStillNeverEnd) {
    LoneProcessor bench;
    bench.processor.reset();
    bench.start(Priority::High, [&] {
        bench.processor.wake_at_clock_us(5, bench.self());
        bench.wait();
        bench.note("woken");
    });
    bench.run();
    EXPECT_TRUE(bench.log.empty());
}

TEST(Reset, DoesNotReviveADeadOne) {
    LoneProcessor bench;
    bench.processor.crash();
    bench.processor.reset();
    EXPECT_TRUE(bench.processor.crashed());
}

namespace {

SimTime time_of_code(double access) {
    topologies::CostTable table = hw_test::costs();
    table.set("memory.external_access", access, "test");
    LoneProcessor bench(table);
    bench.start(Priority::Low, [&] {
        bench.use(1'000'000);
        bench.note("done");
    });
    bench.run();
    return bench.log.front().second - bench.cycles(16);  // the switch is microcode
}

}  // namespace

TEST(MemoryTiming, LeavesCostsAsStatedWithExternalMemoryOfThreeCycles) {
    EXPECT_EQ(time_of_code(3), SimTime::us(50'000));
}

TEST(MemoryTiming, ScalesCodeByTheTableOfTheDataSheet) {
    // 195/155, 230/155 and 260/155 of the time, and 100/155 on chip; to the picosecond a cycle.
    EXPECT_EQ(time_of_code(4), SimTime::ps(62'903) * 1'000'000);
    EXPECT_EQ(time_of_code(5), SimTime::ps(74'193) * 1'000'000);
    EXPECT_EQ(time_of_code(6), SimTime::ps(83'870) * 1'000'000);
    EXPECT_EQ(time_of_code(1), SimTime::ps(32'258) * 1'000'000);
}

TEST(MemoryTiming, MovesABlockWithTwoAccessesAWordWhateverCodeCosts) {
    for (const double access : {1., 3., 4., 5., 6.}) {
        topologies::CostTable table = hw_test::costs();
        table.set("memory.external_access", access, "test");
        const auto timing = hw_model::processor_timing(table);
        // In real time: the rate in uses, slowed by what code costs. 4 bytes in two accesses of 50 ns a cycle.
        const double rate = 13.3 * hw_model::block_move_factor(timing) * static_cast<double>(timing.code_percent_stated) /
                            static_cast<double>(timing.code_percent);
        EXPECT_NEAR(rate, 4 / (2 * access * 0.05), 0.003 * rate);
    }
}

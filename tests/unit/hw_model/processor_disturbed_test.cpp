// Disturbances of a processor from outside: links that take memory cycles, a slowed clock, a halt.
#include <gmock/gmock.h>

#include "hw_bench.hpp"

using hw_test::Cycles;
using hw_test::LoneProcessor;
using hw_test::Priority;
using hw_test::SimTime;
using testing::ElementsAre;
using testing::Pair;

// start_process 16, preempt_latency 19 and resume_preempted 17 cycles of 50 ns, as in topologies/costs/t800.yaml.

TEST(ProcessorSteal, EndsTheUseThatIsGoingOnThatMuchLater) {
    for (const Priority priority : {Priority::High, Priority::Low}) {
        LoneProcessor bench;
        bench.start(priority, [&] {
            bench.use(1000);
            bench.note("first");
            bench.use(100);
            bench.note("second");
        });
        bench.script.at(SimTime::us(10), [&] { bench.processor.steal(Cycles(300)); });
        bench.script.at(SimTime::us(20), [&] { bench.processor.steal(Cycles(120)); });
        bench.run();
        EXPECT_THAT(bench.log, ElementsAre(Pair("first", bench.cycles(1436)), Pair("second", bench.cycles(1536))));
        EXPECT_EQ(bench.processor.totals().stolen, bench.cycles(420));
        EXPECT_EQ(bench.processor.busy_so_far(), bench.cycles(1536));
    }
}

TEST(ProcessorSteal, CarriesALittleToTheNextUse) {
    for (const Priority priority : {Priority::High, Priority::Low}) {
        LoneProcessor bench;
        bench.start(priority, [&] {
            bench.use(1000);
            bench.note("first");
            bench.use(100);
            bench.note("second");
        });
        bench.script.at(SimTime::us(10), [&] { bench.processor.steal(Cycles(42)); });
        bench.run();
        EXPECT_THAT(bench.log, ElementsAre(Pair("first", bench.cycles(1016)), Pair("second", bench.cycles(1158))));
    }
}

TEST(ProcessorSteal, AlsoDelaysWhatHasBeenDelayedAlready) {
    for (const Priority priority : {Priority::High, Priority::Low}) {
        LoneProcessor bench;
        bench.start(priority, [&] {
            bench.use(84);
            bench.note("done");
        });
        bench.script.at(SimTime::us(2), [&] { bench.processor.steal(Cycles(100)); });
        bench.script.at(SimTime::us(7), [&] { bench.processor.steal(Cycles(80)); });  // would have ended at 5 us
        bench.run();
        EXPECT_THAT(bench.log, ElementsAre(Pair("done", bench.cycles(280))));
    }
}

TEST(ProcessorSteal, CostsAnIdleProcessorNothing) {
    LoneProcessor bench;
    auto& late = bench.start(Priority::Low, [&] {
        bench.wait();
        bench.use(84);
        bench.note("done");
    });
    bench.script.at(SimTime::us(10), [&] { bench.processor.steal(Cycles(50)); });
    bench.script.at(SimTime::us(20), [&] { bench.processor.make_ready(late); });
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre(Pair("done", SimTime::us(20) + bench.cycles(16 + 16 + 84))));
    EXPECT_EQ(bench.processor.totals().stolen, SimTime());
}

TEST(ProcessorSteal, GoesWithTheUseThatIsPreempted) {
    LoneProcessor bench;
    auto& high = bench.start(Priority::High, [&] {
        bench.wait();
        bench.use(100);
        bench.note("high");
    });
    bench.start(Priority::Low, [&] {
        bench.use(1000);
        bench.note("low");
    });
    bench.script.at(SimTime::us(5), [&] { bench.processor.steal(Cycles(40)); });
    bench.script.at(SimTime::us(10), [&] { bench.processor.make_ready(high); });
    bench.script.at(SimTime::us(12), [&] { bench.processor.steal(Cycles(70)); });
    bench.run();
    const SimTime high_done = SimTime::us(10) + bench.cycles(16 + 19 + 100 + 70);
    const SimTime low_done = bench.cycles(16 + 1000 + 40) + bench.cycles(16 + 19 + 100 + 70 + 17);
    EXPECT_THAT(bench.log, ElementsAre(Pair("high", high_done), Pair("low", low_done)));
    const auto totals = bench.processor.totals();
    EXPECT_EQ(totals.high_busy, bench.cycles(16 + 19 + 100 + 70));
    EXPECT_EQ(totals.low_busy, bench.cycles(16 + 1000 + 40 + 17));
}

TEST(ProcessorSteal, LosesNothingToTimeslicesAndCountsNothingTwice) {
    LoneProcessor bench;
    for (const char* name : {"a", "b"}) {
        bench.start(Priority::Low, [&bench, name] {
            bench.use(200'000, true);
            bench.note(name);
        });
    }
    for (int i = 1; i <= 400; ++i) bench.script.at(SimTime::us(37 * i), [&] { bench.processor.steal(Cycles(11)); });
    bench.run();
    const auto switches = static_cast<std::int64_t>(bench.processor.totals().dispatches);
    EXPECT_EQ(bench.log.back().second, bench.cycles(400'000 + 16 * switches + 400 * 11));
    EXPECT_EQ(bench.processor.totals().stolen, bench.cycles(400 * 11));
    EXPECT_EQ(bench.processor.totals().low_busy, bench.log.back().second);
}

TEST(ProcessorSteal, ShowsInTheExpectedEndAtOnce) {
    LoneProcessor bench;
    bench.start(Priority::High, [&] { bench.use(84); });
    EXPECT_EQ(bench.processor.use_end(), bench.cycles(100));
    bench.processor.steal(Cycles(5));
    EXPECT_EQ(bench.processor.use_end(), bench.cycles(105));
    bench.run();
}

TEST(ProcessorSteal, IsForgottenWithAUseThatIsStopped) {
    LoneProcessor bench;
    auto& doomed = bench.start(Priority::High, [&] { bench.use(1000); });
    bench.start(Priority::High, [&] {
        bench.use(84);
        bench.note("next");
    });
    bench.script.at(SimTime::us(10), [&] {
        bench.processor.steal(Cycles(500));
        bench.processor.stop(doomed);
    });
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre(Pair("next", SimTime::us(10) + bench.cycles(100))));
}

TEST(ProcessorBusy, IsExactInTheMiddleOfAUse) {
    for (const Priority priority : {Priority::High, Priority::Low}) {
        LoneProcessor bench;
        bench.start(priority, [&] { bench.use(984); });
        bench.script.at(SimTime::us(20), [&] { EXPECT_EQ(bench.processor.busy_so_far(), SimTime::us(20)); });
        bench.script.at(SimTime::us(80), [&] { EXPECT_EQ(bench.processor.busy_so_far(), SimTime::us(50)); });
        bench.run();
        EXPECT_EQ(bench.processor.busy_so_far(), SimTime::us(50));
    }
}

TEST(ProcessorBusy, EndsWithTheUseOfAStoppedHighOne) {
    LoneProcessor bench;
    auto& high = bench.start(Priority::High, [&] { bench.use(984); });
    bench.script.at(SimTime::us(20), [&] { bench.processor.stop(high); });
    bench.run();
    EXPECT_EQ(bench.processor.totals().high_busy, SimTime::us(20));
}

TEST(ProcessorHalt, StopsTheUseThatIsGoingOnAndStartsNothing) {
    for (const Priority priority : {Priority::High, Priority::Low}) {
        LoneProcessor bench;
        bench.start(priority, [&] {
            bench.use(1000);
            bench.note("running");
        });
        auto& waiting = bench.start(Priority::High, [&] {
            bench.wait();
            bench.note("woken");
        });
        bench.script.at(SimTime::us(20), [&] { bench.processor.halt(); });
        bench.script.at(SimTime::us(30), [&] { bench.processor.make_ready(waiting); });
        bench.run();
        EXPECT_TRUE(bench.log.empty());
        EXPECT_TRUE(bench.processor.halted());
        EXPECT_FALSE(bench.processor.crashed());
        EXPECT_EQ(bench.processor.busy_so_far(), SimTime::us(20));
    }
}

TEST(ProcessorHalt, LeavesTheClocksGoing) {
    LoneProcessor bench;
    bench.processor.set_clock(100, 0);
    bench.processor.halt();
    bench.script.at(SimTime::us(640), [&] {
        EXPECT_EQ(bench.processor.clock_us(Priority::High), 740u);
        EXPECT_EQ(bench.processor.clock_us(Priority::Low), 704u);
    });
    bench.run();
}

TEST(ProcessorHalt, ComesAtOnceWhenOneOfItsOwnProcessesAsksForIt) {
    LoneProcessor bench;
    bench.start(Priority::High, [&] {
        bench.use(10);
        bench.processor.halt();
        bench.wait();
        bench.note("after");
    });
    bench.start(Priority::Low, [&] { bench.note("low"); });
    bench.run();
    EXPECT_TRUE(bench.log.empty());
    EXPECT_EQ(bench.processor.busy_so_far(), bench.cycles(26));
}

TEST(ProcessorHalt, DoesNotReviveADeadOne) {
    LoneProcessor bench;
    bench.processor.crash();
    bench.processor.halt();
    EXPECT_TRUE(bench.processor.crashed());
    EXPECT_FALSE(bench.processor.halted());
}

TEST(ProcessorSlowness, StretchesEveryUseFromNowOnWithTheCostOfItsSwitch) {
    for (const Priority priority : {Priority::High, Priority::Low}) {
        LoneProcessor bench;
        bench.processor.set_slowness(2.5);
        bench.start(priority, [&] {
            bench.use(84);
            bench.note("done");
        });
        bench.run();
        EXPECT_THAT(bench.log, ElementsAre(Pair("done", bench.cycles(250))));
    }
}

TEST(ProcessorSlowness, StretchesWhatIsLeftOfAUse) {
    for (const Priority priority : {Priority::High, Priority::Low}) {
        LoneProcessor bench;
        bench.start(priority, [&] {
            bench.use(984);
            bench.note("done");
        });
        bench.script.at(SimTime::us(20), [&] { bench.processor.set_slowness(3); });
        bench.run();
        EXPECT_THAT(bench.log, ElementsAre(Pair("done", SimTime::us(20 + 3 * 30))));
    }
}

TEST(ProcessorSlowness, EndsWhenTheFactorIsOneAgain) {
    for (const Priority priority : {Priority::High, Priority::Low}) {
        LoneProcessor bench;
        bench.start(priority, [&] {
            bench.use(984);
            bench.note("done");
            bench.use(100);
            bench.note("next");
        });
        bench.script.at(SimTime::us(20), [&] { bench.processor.set_slowness(3); });
        bench.script.at(SimTime::us(50), [&] { bench.processor.set_slowness(1); });  // ten of the thirty us are done
        bench.run();
        EXPECT_THAT(bench.log, ElementsAre(Pair("done", SimTime::us(70)), Pair("next", SimTime::us(75))));
    }
}

TEST(ProcessorSlowness, StretchesWhatIsLeftOfThoseThatWereCutToo) {
    LoneProcessor bench;
    auto& high = bench.start(Priority::High, [&] {
        bench.wait();
        bench.use(100);
    });
    bench.start(Priority::Low, [&] {
        bench.use(984);
        bench.note("low");
    });
    bench.script.at(SimTime::us(20), [&] { bench.processor.make_ready(high); });
    bench.script.at(SimTime::us(21), [&] { bench.processor.set_slowness(2); });
    bench.run();
    // The high one's first start took none of the low one's 20 us: it is paid after the wait.
    const SimTime high_done = SimTime::us(21) + bench.cycles(2 * (16 + 19 + 100 - 20));
    const SimTime low_left = bench.cycles(2 * (16 + 984 - 400 + 17));
    EXPECT_THAT(bench.log, ElementsAre(Pair("low", high_done + low_left)));
}

TEST(ProcessorSlowness, LeavesTheClocksAndTheLengthOfACycleAlone) {
    LoneProcessor bench;
    bench.processor.set_slowness(7);
    EXPECT_EQ(bench.processor.cycle(), SimTime::ns(50));
    EXPECT_EQ(hw_model::stated_cycles(SimTime::us(1)), Cycles(20));
    EXPECT_EQ(bench.processor.lasts(SimTime::us(1)), SimTime::us(7));
    bench.script.at(SimTime::us(100), [&] { EXPECT_EQ(bench.processor.clock_us(Priority::High), 100u); });
    bench.run();
}

TEST(ProcessorDeathTest, ASlownessBelowOneIsABrokenContract) {
    LoneProcessor bench;
    EXPECT_DEATH(bench.processor.set_slowness(0.5), "processor.set_slowness.factor");
}

TEST(ProcessorDeathTest, AProcessThatStopsItselfIsABrokenContract) {
    LoneProcessor bench;
    EXPECT_DEATH(bench.start(Priority::High, [&] { bench.processor.stop(bench.self()); }), "processor.stop.running");
}

TEST(ProcessorDeathTest, AProcessThatResetsItsProcessorIsABrokenContract) {
    LoneProcessor bench;
    EXPECT_DEATH(bench.start(Priority::High, [&] { bench.processor.reset(); }), "processor.reset.own_code");
}

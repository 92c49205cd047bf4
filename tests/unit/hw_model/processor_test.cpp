#include <gmock/gmock.h>

#include "hw_bench.hpp"

using hw_test::LoneProcessor;
using hw_test::Priority;
using hw_test::SimTime;
using testing::ElementsAre;
using testing::Pair;

// start_process 16, preempt_latency 19 and resume_preempted 17 cycles of 50 ns, as in topologies/costs/t800.yaml.

TEST(Processor, RunsHighOnesInTheOrderTheyBecameReady) {
    LoneProcessor bench;
    const auto worker = [&](const char* name) {
        return [&bench, name] {
            bench.use(100);
            bench.note(name);
        };
    };
    bench.start(Priority::High, worker("a"));
    bench.start(Priority::High, worker("b"));
    bench.start(Priority::High, worker("c"));
    bench.run();
    EXPECT_THAT(bench.log,
                ElementsAre(Pair("a", bench.cycles(116)), Pair("b", bench.cycles(232)), Pair("c", bench.cycles(348))));
}

TEST(Processor, RunsALowOneOnlyWhenNoHighOneIsReady) {
    LoneProcessor bench;
    bench.start(Priority::High, [&] {
        bench.use(100);
        bench.note("first high");
    });
    bench.start(Priority::Low, [&] {
        bench.use(100);
        bench.note("low");
    });
    bench.start(Priority::High, [&] {
        bench.use(100);
        bench.note("second high");
    });
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre(Pair("first high", bench.cycles(116)), Pair("second high", bench.cycles(232)),
                                       Pair("low", bench.cycles(348))));
}

TEST(Processor, CutsALowOneExactlyAndLetsItGoOnWithWhatIsLeft) {
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
    bench.script.at(SimTime::us(10), [&] { bench.processor.make_ready(high); });
    bench.run();
    // The high one had not paid its own start yet when it waited.
    const SimTime high_done = SimTime::us(10) + bench.cycles(16 + 19 + 100);
    const SimTime undisturbed = bench.cycles(16 + 1000);
    const SimTime low_done = undisturbed + bench.cycles(16 + 19 + 100 + 17);
    EXPECT_THAT(bench.log, ElementsAre(Pair("high", high_done), Pair("low", low_done)));
    EXPECT_EQ(bench.processor.totals().preemptions, 1u);
}

TEST(Processor, CutsAtAnyPicosecond) {
    LoneProcessor bench;
    auto& high = bench.start(Priority::High, [&] {
        while (true) {
            bench.wait();
            bench.use(3);
        }
    });
    bench.start(Priority::Low, [&] {
        bench.use(100'000);
        bench.note("low");
    });
    for (int i = 1; i <= 100; ++i) bench.script.at(SimTime::ps(40'000'007LL * i), [&] { bench.processor.make_ready(high); });
    bench.run();
    // Each interruption takes the latency, three cycles and the return; the first also the high one's own start.
    EXPECT_THAT(bench.log, ElementsAre(Pair("low", bench.cycles(16 + 16 + 100'000 + 100 * (19 + 3 + 17)))));
    EXPECT_EQ(bench.processor.totals().preemptions, 100u);
}

TEST(Processor, PreemptsALowOneThatWakesAHighOneItself) {
    LoneProcessor bench;
    auto& high = bench.start(Priority::High, [&] {
        bench.wait();
        bench.use(10);
        bench.note("high");
    });
    bench.start(Priority::Low, [&] {
        bench.use(100);
        bench.processor.make_ready(high);
        bench.use(200);
        bench.note("low");
    });
    bench.run();
    const std::int64_t high_done = 16 + 100 + 16 + 19 + 10;
    EXPECT_THAT(bench.log, ElementsAre(Pair("high", bench.cycles(high_done)), Pair("low", bench.cycles(high_done + 17 + 200))));
}

TEST(Processor, NeverTimeslicesHighOnes) {
    LoneProcessor bench;
    for (const char* name : {"a", "b"}) {
        bench.start(Priority::High, [&bench, name] {
            bench.use(200'000, true);  // 10 ms, ten timeslices
            bench.note(name);
        });
    }
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre(Pair("a", bench.cycles(200'016)), Pair("b", bench.cycles(400'032))));
    EXPECT_EQ(bench.processor.totals().timeslices, 0u);
}

namespace {

// Lengths of the uninterrupted turns on the processor, sampled every 4 us.
std::vector<SimTime> turns(LoneProcessor& bench, SimTime until) {
    auto lengths = std::make_shared<std::vector<SimTime>>();
    auto since = std::make_shared<std::pair<const hw_model::Activity*, SimTime>>(nullptr, SimTime());
    for (SimTime t = SimTime::us(4); t < until; t += SimTime::us(4)) {
        bench.script.at(t, [&bench, lengths, since] {
            if (bench.processor.running() == since->first) return;
            if (since->first != nullptr) lengths->push_back(bench.timeline.now() - since->second);
            *since = {bench.processor.running(), bench.timeline.now()};
        });
    }
    bench.run();
    return *lengths;
}

}  // namespace

TEST(Processor, LetsTwoLowLoopsAlternateAfterOneToTwoPeriods) {
    LoneProcessor bench;
    for (int i = 0; i < 2; ++i) bench.start(Priority::Low, [&] { bench.use(400'000, true); });
    const auto lengths = turns(bench, SimTime::ms(38));
    ASSERT_GT(lengths.size(), 15u);
    for (const SimTime length : lengths) {
        EXPECT_GE(length, SimTime::us(1024 - 8));
        EXPECT_LE(length, SimTime::us(2048 + 8));
    }
    EXPECT_GT(bench.processor.totals().timeslices, 15u);
}

TEST(Processor, LosesNoCycleOfALoopToTimeslices) {
    LoneProcessor bench;
    for (const char* name : {"a", "b"}) {
        bench.start(Priority::Low, [&bench, name] {
            bench.use(200'000, true);
            bench.note(name);
        });
    }
    bench.run();
    const auto switches = static_cast<std::int64_t>(bench.processor.totals().dispatches);
    EXPECT_EQ(bench.log.back().second, bench.cycles(400'000 + 16 * switches));
}

TEST(Processor, DoesNotCutAUseWithoutALoop) {
    LoneProcessor bench;
    bench.start(Priority::Low, [&] {
        bench.use(200'000);  // no j or lend in it
    });
    bench.start(Priority::Low, [&] {
        bench.use(100);
        bench.note("short");
    });
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre(Pair("short", bench.cycles(200'016 + 116))));
}

TEST(Processor, LetsALowOneThatComesLateWaitForTheEndOfATimeslice) {
    // A loop that has been alone for several slices is started anew at the end of each; low never pre-empts low.
    LoneProcessor bench;
    auto& late = bench.start(Priority::Low, [&] {
        bench.wait();
        bench.use(100);
        bench.note("late");
    });
    bench.start(Priority::Low, [&] { bench.use(400'000, true); });
    bench.script.at(SimTime::us(5000), [&] { bench.processor.make_ready(late); });
    bench.run();
    ASSERT_EQ(bench.log.size(), 1u);
    EXPECT_EQ(bench.log[0].second, SimTime::us(6 * 1024) + bench.cycles(16 + 16 + 100));
}

TEST(Processor, LetsALoneLoopRunWithoutTimeslices) {
    LoneProcessor bench;
    bench.start(Priority::Low, [&] {
        bench.use(400'000, true);
        bench.note("done");
    });
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre(Pair("done", bench.cycles(400'016))));
    EXPECT_EQ(bench.processor.totals().timeslices, 0u);
}

TEST(Processor, PutsAYieldingOneBehindTheOthers) {
    LoneProcessor bench;
    for (const char* name : {"a", "b"}) {
        bench.start(Priority::Low, [&bench, name] {
            for (int i = 0; i < 2; ++i) {
                bench.use(10);
                bench.note(name);
                bench.yield();
            }
        });
    }
    bench.run();
    std::string order;
    for (const auto& [name, when] : bench.log) order += name;
    EXPECT_EQ(order, "abab");
}

TEST(Processor, KeepsAWakeThatComesBeforeTheWait) {
    LoneProcessor bench;
    auto& busy = bench.start(Priority::Low, [&] {
        bench.use(1000);
        bench.wait();
        bench.note("woken before");
        bench.wait();
        bench.note("woken after");
    });
    bench.script.at(SimTime::us(5), [&] { bench.processor.make_ready(busy); });
    bench.script.at(SimTime::us(6), [&] { bench.processor.make_ready(busy); });  // two early wakes are one
    bench.script.at(SimTime::us(500), [&] { bench.processor.make_ready(busy); });
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre(Pair("woken before", bench.cycles(1016)), Pair("woken after", SimTime::us(500))));
}

TEST(Processor, StopsEverythingWhenItCrashes) {
    LoneProcessor bench;
    bench.start(Priority::Low, [&] {
        bench.use(1000);
        bench.note("low");
    });
    auto& high = bench.start(Priority::High, [&] {
        bench.wait();
        bench.note("high");
    });
    bench.processor.wake_at(SimTime::us(30), high);
    bench.script.at(SimTime::us(20), [&] { bench.processor.crash(); });
    bench.script.at(SimTime::us(25), [&] { bench.processor.make_ready(high); });
    bench.run();
    EXPECT_TRUE(bench.log.empty());
    EXPECT_TRUE(bench.processor.crashed());
    EXPECT_EQ(bench.processor.totals().low_busy, SimTime::us(20));
}

TEST(Processor, StopsWhenOneOfItsOwnProcessesCrashesIt) {
    LoneProcessor bench;
    bench.start(Priority::High, [&] {
        bench.use(10);
        bench.processor.crash();
        bench.wait();
        bench.note("after");
    });
    bench.start(Priority::Low, [&] { bench.note("low"); });
    bench.run();
    EXPECT_TRUE(bench.log.empty());
}

TEST(Processor, NeverRunsAStoppedOneAgain) {
    LoneProcessor bench;
    const auto worker = [&](const char* name) {
        return [&bench, name] {
            bench.use(1000, true);
            bench.note(name);
        };
    };
    auto& running = bench.start(Priority::Low, worker("running"));
    auto& queued = bench.start(Priority::Low, worker("queued"));
    bench.start(Priority::Low, worker("other"));
    bench.script.at(SimTime::us(10), [&] {
        bench.processor.stop(running);
        bench.processor.stop(queued);
        bench.processor.make_ready(queued);
    });
    bench.run();
    EXPECT_THAT(bench.log, ElementsAre(Pair("other", SimTime::us(10) + bench.cycles(1016))));
    EXPECT_TRUE(running.ended());
}

TEST(Processor, NeverRunsAStoppedPreemptedOneAgain) {
    LoneProcessor bench;
    auto& high = bench.start(Priority::High, [&] {
        bench.wait();
        bench.use(100);
    });
    auto& low = bench.start(Priority::Low, [&] {
        bench.use(1000);
        bench.note("low");
    });
    bench.script.at(SimTime::us(10), [&] { bench.processor.make_ready(high); });
    bench.script.at(SimTime::us(11), [&] { bench.processor.stop(low); });
    bench.run();
    EXPECT_TRUE(bench.log.empty());
    EXPECT_EQ(bench.processor.running(), nullptr);
}

TEST(Processor, AccountsForEveryCycleOfBothPriorities) {
    LoneProcessor bench;
    bench.start(Priority::High, [&] { bench.use(84); });
    bench.start(Priority::Low, [&] { bench.use(184); });
    bench.run();
    const auto totals = bench.processor.totals();
    EXPECT_EQ(totals.high_busy, bench.cycles(100 + 0));
    EXPECT_EQ(totals.low_busy, bench.cycles(200));
    EXPECT_EQ(totals.dispatches, 2u);
}

TEST(Processor, IsIdleForLowPriorityWhileOnlyHighOnesRun) {
    LoneProcessor bench;
    EXPECT_TRUE(bench.processor.low_priority_idle());
    auto& high = bench.start(Priority::High, [&] {
        bench.wait();
        bench.use(1000);
    });
    bench.run();
    bench.processor.make_ready(high);
    EXPECT_TRUE(bench.processor.low_priority_idle());
    bench.start(Priority::Low, [&] { bench.use(10); });
    EXPECT_FALSE(bench.processor.low_priority_idle());
    bench.run();
    EXPECT_TRUE(bench.processor.low_priority_idle());
}

TEST(ProcessorDeathTest, StartingOneTwiceIsABrokenContract) {
    LoneProcessor bench;
    auto& fiber = bench.start(Priority::High, [&] { bench.wait(); });
    EXPECT_DEATH(bench.processor.start(fiber), "processor.start.state");
}

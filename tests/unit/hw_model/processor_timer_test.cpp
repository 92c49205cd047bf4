#include <gtest/gtest.h>

#include <ostream>

#include "hw_bench.hpp"

using hw_test::LoneProcessor;
using hw_test::Priority;
using hw_test::SimTime;

TEST(ProcessorClock, CountsMicrosecondsForHighAndSixtyFourForLowPriority) {
    LoneProcessor bench;
    bench.script.at(SimTime::ps(199'999'999), [&] {
        EXPECT_EQ(bench.processor.clock_us(Priority::High), 199u);
        EXPECT_EQ(bench.processor.clock_us(Priority::Low), 192u);
    });
    bench.script.at(SimTime::us(256), [&] { EXPECT_EQ(bench.processor.clock_us(Priority::Low), 256u); });
    bench.run();
}

TEST(ProcessorClock, RunsWithItsOffsetAndDrift) {
    LoneProcessor bench;
    bench.processor.set_clock(700, 30);
    bench.script.at(SimTime::s(10), [&] { EXPECT_EQ(bench.processor.clock_us(Priority::High), 10'000'000u + 700 + 300); });
    bench.run();
}

namespace {

struct Clock {
    std::int64_t offset_us, drift_ppm;
    Priority priority;
    friend void PrintTo(const Clock& c, std::ostream* out) {
        *out << c.offset_us << "us_" << c.drift_ppm << "ppm_" << (c.priority == Priority::High ? "high" : "low");
    }
};
class ProcessorTimer : public testing::TestWithParam<Clock> {};

}  // namespace

TEST_P(ProcessorTimer, WakesAtTheFirstTickAfterTheValueAskedFor) {
    LoneProcessor bench;
    bench.processor.set_clock(GetParam().offset_us, GetParam().drift_ppm);
    const std::uint64_t tick = GetParam().priority == Priority::High ? 1 : 64;
    bench.start(GetParam().priority, [&] {
        // Up to some hours, where the drift is worth many ticks.
        for (std::uint64_t clock = 10'000; clock < 20'000'000'000; clock = clock * 3 + 7) {
            bench.processor.wake_at_clock_us(clock, bench.self());
            bench.wait();
            EXPECT_GT(bench.processor.clock_us(GetParam().priority), clock);
            EXPECT_LE(bench.processor.clock_us(GetParam().priority), clock + tick);
        }
        bench.note("done");
    });
    bench.run();
    EXPECT_EQ(bench.log.size(), 1u);
}
INSTANTIATE_TEST_SUITE_P(Clocks, ProcessorTimer,
                         testing::Values(Clock{0, 0, Priority::High}, Clock{0, 0, Priority::Low},
                                         Clock{1234, 30, Priority::High}, Clock{1234, -30, Priority::High},
                                         Clock{777, 30, Priority::Low}, Clock{777, -30, Priority::Low},
                                         Clock{2000, 500, Priority::High}));

TEST(ProcessorTimer, WakesAtOnceForAValueThatHasPassed) {
    LoneProcessor bench;
    bench.start(Priority::High, [&] {
        bench.use(20'000);  // 1 ms
        bench.processor.wake_at_clock_us(3, bench.self());
        bench.wait();
        bench.note("woken");
    });
    bench.run();
    ASSERT_EQ(bench.log.size(), 1u);
    EXPECT_EQ(bench.log[0].second, bench.cycles(20'016));
}

TEST(ProcessorTimer, LetsTheLatestRequestOfAnActivityCount) {
    LoneProcessor bench;
    bench.start(Priority::High, [&] {
        bench.processor.wake_at(SimTime::us(10), bench.self());
        bench.processor.wake_at(SimTime::us(50), bench.self());
        bench.wait();
        bench.note("woken");
        bench.processor.wake_at(SimTime::us(60), bench.self());
        bench.processor.cancel_timer(bench.self());
        bench.wait();
        bench.note("never");
    });
    bench.run();
    ASSERT_EQ(bench.log.size(), 1u);
    EXPECT_EQ(bench.log[0].second, SimTime::us(50));
}

TEST(ProcessorClock, GoesOnWithoutAJumpWhenItsDriftChanges) {
    LoneProcessor bench;
    bench.processor.set_clock(100, 0);
    bench.script.at(SimTime::ms(100), [&] {
        EXPECT_EQ(bench.processor.clock_us(Priority::High), 100'100u);
        bench.processor.set_drift(1000);
        EXPECT_EQ(bench.processor.clock_us(Priority::High), 100'100u);
    });
    bench.script.at(SimTime::ms(200), [&] {
        EXPECT_EQ(bench.processor.clock_us(Priority::High), 200'200u);
        bench.processor.set_drift(1000);  // as it is: nothing changes
    });
    bench.script.at(SimTime::ms(300), [&] { EXPECT_EQ(bench.processor.clock_us(Priority::High), 300'300u); });
    bench.run();
}

// Numbers of global interrupts from a node's own clock.
#include <gtest/gtest.h>

#include <instrumentation/interrupt_counter.hpp>

using instrumentation::InterruptCounter;

namespace {

constexpr std::uint64_t period = 1000;

}  // namespace

TEST(InterruptCounter, CountsWhatComesInTime) {
    InterruptCounter counter(period);
    for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(counter.take(70'000 + i * period + i % 3), i);
}

TEST(InterruptCounter, SkipsTheNumbersOfInterruptsThatWereNotTaken) {
    InterruptCounter counter(period);
    EXPECT_EQ(counter.take(5'000), 0U);
    EXPECT_EQ(counter.take(8'010), 3U);
    EXPECT_EQ(counter.take(9'000), 4U);
}

TEST(InterruptCounter, GoesOnRightAfterOneThatWasTakenLate) {
    InterruptCounter counter(period);
    EXPECT_EQ(counter.take(5'000), 0U);
    EXPECT_EQ(counter.take(6'450), 1U);
    EXPECT_EQ(counter.take(7'000), 2U);
    EXPECT_EQ(counter.take(8'000), 3U);
}

TEST(InterruptCounter, GoesOnRightWhenTheFirstWasTakenLate) {
    InterruptCounter counter(period);
    EXPECT_EQ(counter.take(5'600), 0U);
    EXPECT_EQ(counter.take(6'000), 1U);
    EXPECT_EQ(counter.take(7'000), 2U);
}

TEST(InterruptCounter, GivesNoNumberToOneThatCouldBeEitherOfTwo) {
    InterruptCounter counter(period);
    EXPECT_EQ(counter.take(5'000), 0U);
    EXPECT_EQ(counter.take(6'600), std::nullopt);
    EXPECT_EQ(counter.take(7'005), 2U);
}

TEST(InterruptCounter, FollowsAClockThatDriftsFarMoreThanAQuarterOfAPeriodInAll) {
    InterruptCounter counter(period);
    for (std::uint32_t i = 0; i < 100'000; ++i) ASSERT_EQ(counter.take(1'000'000 + i * period + i / 10), i);  // 100 ppm
}

TEST(InterruptCounter, IsSureOfNothingAfterALongSilence) {
    InterruptCounter counter(period);
    EXPECT_EQ(counter.take(5'000), 0U);
    EXPECT_EQ(counter.take(5'000 + period * (InterruptCounter::most_silence + 1)), std::nullopt);
    EXPECT_EQ(counter.take(5'000 + period * (InterruptCounter::most_silence + 2)), std::nullopt);
}

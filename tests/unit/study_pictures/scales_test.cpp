#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <study_pictures/scales.hpp>

using study_pictures::numbered;
using testing::DoubleNear;
using testing::ElementsAre;

TEST(Numbered, PlainNumbersHaveNoUnit) {
    const auto values = numbered({"1", "-2.5", "1e3"});
    ASSERT_TRUE(values);
    EXPECT_EQ(values->unit, "");
    EXPECT_THAT(values->numbers, ElementsAre(1, -2.5, 1000));
}

TEST(Numbered, TimesSizesAndFrequenciesHaveTheLongestUnitInWhichNoneIsBelowOne) {
    const auto times = numbered({"1500us", "20ms", "1s"});
    ASSERT_TRUE(times);
    EXPECT_EQ(times->unit, "ms");
    EXPECT_THAT(times->numbers, ElementsAre(DoubleNear(1.5, 1e-9), DoubleNear(20, 1e-9), DoubleNear(1000, 1e-6)));
    EXPECT_EQ(numbered({"0s", "5us"})->unit, "us");
    EXPECT_EQ(numbered({"64KiB", "1MiB"})->unit, "KiB");
    EXPECT_EQ(numbered({"20MHz", "25MHz"})->unit, "MHz");
}

TEST(Numbered, NamesAndMixedKindsAreNone) {
    EXPECT_FALSE(numbered({"1", "chain"}));
    EXPECT_FALSE(numbered({"1", "2ms"}));
    EXPECT_FALSE(numbered({"tree:2:15"}));
    EXPECT_FALSE(numbered({"2\"x", "1\n"}));
    EXPECT_FALSE(numbered({"nan"}));
    EXPECT_FALSE(numbered({}));
}

TEST(UnitOf, AMeasureIsTheEndOfItsPath) {
    EXPECT_EQ(study_pictures::unit_of("execution_us"), "us");
    EXPECT_EQ(study_pictures::unit_of("farm.rate.steady_per_s"), "1/s");
    EXPECT_EQ(study_pictures::unit_of("predicted.tasks_per_second"), "1/s");
    EXPECT_EQ(study_pictures::unit_of("nodes.3.busy_share"), "share");
    EXPECT_EQ(study_pictures::unit_of("tasks"), "");
    EXPECT_EQ(study_pictures::unit_of("=tasks / a_us"), "");
}

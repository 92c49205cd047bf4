#include <tmon_oracle/clock_errors.hpp>

#include <gtest/gtest.h>

namespace tmon_oracle {
namespace {

TEST(FinalTimeErrors, AreDistancesFromTheReferencesClock) {
    std::vector<TrueClock> truth(3);
    truth[0] = {.known = true, .offset_us = 100, .drift_ppm = 0, .began_clock_us = 0};
    truth[1] = {.known = true, .offset_us = 0, .drift_ppm = 0, .began_clock_us = 0};
    FinalTimeErrors errors(truth, 0);
    for (const std::uint16_t node : {0, 1, 2}) {  // the reference, and a node without a known clock, give no point
        trace_record::Event event;
        event.node = node;
        event.time_us = 1000;
        tmon_order::SortedItem item;
        item.event = &event;
        item.order.final_ns = 1'107'000;
        errors.item(item);
    }
    errors.item({});  // a loss
    ASSERT_EQ(errors.points.size(), 1U);
    EXPECT_DOUBLE_EQ(errors.points[0].true_us, 1000);
    EXPECT_DOUBLE_EQ(errors.points[0].error_us, 7);  // n0's clock shows 1100 at that moment
    EXPECT_DEATH(FinalTimeErrors(truth, 2), "final_time_errors.reference");
}

}  // namespace
}  // namespace tmon_oracle

// When a node's trace leaves it: by a static sequence, or by the node's load.
#include <gtest/gtest.h>

#include <instrumentation/unloading.hpp>

namespace {

using instrumentation::AdaptiveUnloading;
using instrumentation::BufferState;
using instrumentation::MonitorSettings;
using instrumentation::StaticUnloading;
using instrumentation::UnloadPolicy;
using instrumentation::UnloadSequence;
using vocabulary::NodeId;

BufferState holding(std::size_t records, bool idle) {
    return {.records = records, .room = 256, .clock_us = 5, .processor_idle = idle, .links_idle = idle};
}

BufferState loaded(double processor, double links, std::size_t records = 1) {
    return {.records = records, .room = 256, .processor_load = processor, .link_load = links};
}

const UnloadSequence sequence({{.until_us = 10, .lower = 8, .upper = 32, .where = {}},
                               {.until_us = 20, .lower = 0, .upper = 999, .where = {}}});

class EveryRecord final : public UnloadPolicy {
public:
    bool unload(const BufferState&) override { return true; }
    std::size_t limit(std::uint64_t, std::size_t) const override { return 0; }
};

}  // namespace

TEST(StaticUnloading, UnloadsAboveTheUpperBoundAndWhenIdleAboveTheLower) {
    StaticUnloading unloading(sequence);
    EXPECT_TRUE(unloading.unload(holding(33, false)));
    EXPECT_FALSE(unloading.unload(holding(32, false)));
    EXPECT_TRUE(unloading.unload(holding(9, true)));
    EXPECT_FALSE(unloading.unload(holding(8, true)));
}

TEST(StaticUnloading, NeedsBothProcessorAndLinksIdleBelowTheUpperBound) {
    StaticUnloading unloading(sequence);
    BufferState state = holding(9, true);
    state.links_idle = false;
    EXPECT_FALSE(unloading.unload(state));
}

TEST(StaticUnloading, TakesTheBoundOfTheLineInForceCutToTheRoom) {
    const StaticUnloading unloading(sequence);
    EXPECT_EQ(unloading.limit(5, 256), 32U);
    EXPECT_EQ(unloading.limit(10, 256), 256U);
}

TEST(AdaptiveUnloading, UnloadsWhenBothLoadsAreAtMostTheirBounds) {
    AdaptiveUnloading unloading({.processor_percent = 50, .link_percent = 20});
    EXPECT_TRUE(unloading.unload(loaded(0.5, 0.2)));
    EXPECT_FALSE(unloading.unload(loaded(0.51, 0.2)));
    EXPECT_FALSE(unloading.unload(loaded(0.5, 0.21)));
}

TEST(AdaptiveUnloading, UnloadsABufferThatIsFullWhateverTheLoad) {
    AdaptiveUnloading unloading({.processor_percent = 0, .link_percent = 0});
    EXPECT_TRUE(unloading.unload(loaded(1, 1, 128)));
    EXPECT_FALSE(unloading.unload(loaded(1, 1, 127)));
    EXPECT_EQ(unloading.limit(0, 256), 127U);
    EXPECT_EQ(unloading.limit(0, 0), 0U) << "no buffer at all";
}

TEST(Unloading, IsTheUsersWhenThereIsOneElseStaticElseAdaptive) {
    MonitorSettings settings;
    EXPECT_NE(dynamic_cast<AdaptiveUnloading*>(make_unloading(settings, NodeId(0)).get()), nullptr);
    settings.unload = sequence;
    EXPECT_NE(dynamic_cast<StaticUnloading*>(make_unloading(settings, NodeId(0)).get()), nullptr);
    settings.unload_policy = [](NodeId) { return std::make_unique<EveryRecord>(); };
    EXPECT_NE(dynamic_cast<EveryRecord*>(make_unloading(settings, NodeId(0)).get()), nullptr);
}

#include <tmon_order/stream_merges.hpp>

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace tmon_order {
namespace {

using trace_record::Event;

struct MergeBench {
    explicit MergeBench(MergeKind kind)
        : merge(kind, 2, [this](const Event& event) {
              given.push_back("n" + std::to_string(event.node) + "@" + std::to_string(event.time_us));
          }) {}
    void come(std::uint16_t node, std::uint64_t time_us, std::uint64_t at_us) {
        merge.moment(at_us);
        merge.record({.time_us = time_us, .node = node});
    }
    std::vector<std::string> given;
    StreamMerge merge;
};

TEST(StreamMerge, ArrivalGivesEachRecordAsItComes) {
    MergeBench bench(MergeKind::Arrival);
    bench.come(0, 9, 1);
    bench.come(1, 3, 1);
    EXPECT_THAT(bench.given, testing::ElementsAre("n0@9", "n1@3"));
}

TEST(StreamMerge, OldestSortsWhatComesAtOneMoment) {
    MergeBench bench(MergeKind::Oldest);
    bench.come(0, 9, 1);
    bench.come(1, 3, 1);
    bench.come(1, 1, 2);
    EXPECT_THAT(bench.given, testing::ElementsAre("n1@3", "n0@9"));
    bench.merge.finish();
    EXPECT_THAT(bench.given, testing::ElementsAre("n1@3", "n0@9", "n1@1"));
}

TEST(StreamMerge, WaitNeedsARecordOfEachStreamThatGoesOn) {
    MergeBench bench(MergeKind::Wait);
    bench.come(0, 9, 1);
    bench.come(0, 11, 1);
    EXPECT_EQ(bench.merge.held(), 2u);
    bench.come(1, 10, 2);
    EXPECT_THAT(bench.given, testing::ElementsAre("n0@9", "n1@10"));
    bench.merge.ended(1);
    EXPECT_THAT(bench.given, testing::ElementsAre("n0@9", "n1@10", "n0@11"));
    EXPECT_EQ(bench.merge.held(), 0u);
}

TEST(StreamMergeDeathTest, KnowsItsNodes) {
    MergeBench bench(MergeKind::Wait);
    EXPECT_DEATH(bench.merge.record({.node = 2}), "stream_merge.node");
    EXPECT_DEATH(bench.merge.ended(2), "stream_merge.ended");
}

}  // namespace
}  // namespace tmon_order

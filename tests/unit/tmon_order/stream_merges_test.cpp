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

TEST(StreamMerge, AHeartbeatStandsForARecord) {
    MergeBench bench(MergeKind::Promise);
    bench.come(0, 9, 1);
    bench.come(0, 12, 1);
    bench.merge.heartbeat(1, 9);
    EXPECT_THAT(bench.given, testing::ElementsAre("n0@9")) << "a record of n1 with the same time comes behind that of n0";
    bench.merge.heartbeat(1, 12);
    bench.merge.heartbeat(1, 11);
    EXPECT_THAT(bench.given, testing::ElementsAre("n0@9", "n0@12")) << "an earlier heartbeat takes nothing back";
    bench.come(1, 12, 2);
    bench.come(1, 13, 2);
    EXPECT_EQ(bench.merge.held(), 2u) << "n0 may have another record at 12";
    bench.merge.heartbeat(0, 13);
    EXPECT_THAT(bench.given, testing::ElementsAre("n0@9", "n0@12", "n1@12")) << "n0 may have one at 13";
    bench.merge.ended(0);
    EXPECT_EQ(bench.merge.held(), 0u);
    EXPECT_EQ(bench.merge.against_heartbeats(), 0u);
}

TEST(StreamMerge, WithoutHeartbeatsThePromisingMergeWaits) {
    MergeBench waits(MergeKind::Wait), promises(MergeKind::Promise);
    for (MergeBench* bench : {&waits, &promises}) {
        bench->come(0, 9, 1);
        bench->come(0, 11, 1);
        bench->come(1, 10, 2);
        EXPECT_EQ(bench->merge.held(), 1u);
        bench->merge.finish();
    }
    EXPECT_EQ(waits.given, promises.given);
}

TEST(StreamMerge, CountsRecordsThatAHeartbeatHasExcluded) {
    MergeBench bench(MergeKind::Promise);
    bench.merge.heartbeat(1, 20);
    bench.come(1, 20, 1);
    bench.come(1, 19, 1);
    EXPECT_EQ(bench.merge.against_heartbeats(), 1u);
}

TEST(StreamMergeDeathTest, KnowsItsNodes) {
    MergeBench bench(MergeKind::Wait);
    EXPECT_DEATH(bench.merge.record({.node = 2}), "stream_merge.node");
    EXPECT_DEATH(bench.merge.ended(2), "stream_merge.ended");
    EXPECT_DEATH(bench.merge.heartbeat(2, 1), "stream_merge.heartbeat");
}

}  // namespace
}  // namespace tmon_order

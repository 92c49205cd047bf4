#include <cstdint>
#include <vector>

#include <gmock/gmock.h>

#include <tmon_recovery/breakpoints.hpp>
#include <tmon_recovery/event_graph.hpp>
#include <tmon_recovery/intervals.hpp>
#include <tmon_recovery/on_the_fly.hpp>

#include "drawn_run.hpp"

namespace event_graphs {
namespace {

using namespace tmon_recovery;

Message sample(std::uint16_t from, std::uint16_t to, EventNo sent, EventNo received, std::int64_t sent_ns,
               std::int64_t received_ns) {
    Message its;
    its.from = from;
    its.to = to;
    its.sent = sent;
    its.received = received;
    its.sent_ns = sent_ns;
    its.received_ns = received_ns;
    return its;
}

TEST(EventGraph, FaultsOfARecordHaveWords) {
    const std::vector<ProcessSpan> two(2, {0, 100, 0, 0});
    EXPECT_STREQ(EventGraph::fault(two, std::vector{sample(0, 1, 1, 1, 10, 20)}), "");
    EXPECT_STREQ(EventGraph::fault({}, {}), "the number of processes is not from 1 to 1024");
    EXPECT_STREQ(EventGraph::fault(two, std::vector{sample(0, 2, 1, 1, 10, 20)}), "a message is of no process");
    EXPECT_STREQ(EventGraph::fault(two, std::vector{sample(1, 1, 1, 2, 10, 20)}), "a process sends to itself");
    EXPECT_STREQ(EventGraph::fault(two, std::vector{sample(0, 1, 2, 1, 10, 20)}), "an event is missing");
    EXPECT_STREQ(EventGraph::fault(two, std::vector{sample(0, 1, 1, 1, 10, 20), sample(0, 1, 1, 2, 10, 20)}),
                 "an event is there twice");
    EXPECT_STREQ(EventGraph::fault(two, std::vector{sample(0, 1, 1, 1, 10, 120)}), "a process ends before its last event");
    EXPECT_STREQ(EventGraph::fault(two, std::vector{sample(0, 1, 2, 1, 10, 20), sample(0, 1, 1, 2, 15, 30)}),
                 "the times of a process go back");
    const std::vector circle{sample(0, 1, 2, 1, 10, 10), sample(1, 0, 2, 1, 10, 10)};
    EXPECT_STREQ(EventGraph::fault(two, circle), "");
    EXPECT_TRUE(Intervals(EventGraph(two, circle), CheckpointPlan{}).has_circle());
    EXPECT_FALSE(Intervals(EventGraph(two, {}), CheckpointPlan{}).has_circle());
}

TEST(EventGraph, ClocksThatDriftAgreeWithTheCommonTime) {
    const EventGraph graph({{5'000'000'000, 9'000'000'000, 2'000'000, 30'000}}, {});
    EXPECT_EQ(graph.common(0, 5'000'000'000), 2'000'000);
    EXPECT_EQ(graph.common(0, 6'000'000'000), 1'002'030'000);
    for (const std::int64_t moment : {2'000'000LL, 777'777'777LL, 3'000'000'000LL})
        EXPECT_EQ(graph.common(0, graph.clock(0, moment)), moment);
}

TEST(Intervals, AForcedCheckpointRestartsThePeriodAndSkipsIndices) {
    testing_support::DrawnRun run({{10, 20, 30, 80}, {}});
    run.message(0, 1, 35, 40);
    const EventGraph graph = run.graph(100);
    CheckpointPlan plan;
    plan.rule = CheckpointRule::Clock;
    plan.interval_ns = 25'000;
    const Intervals by_clock(graph, plan);
    ASSERT_EQ(by_clock.last_of(1) - by_clock.first_of(1), 4U);
    const Intervals skipping(graph, run.plan());
    const Checkpoint& forced = skipping.checkpoints()[skipping.last_of(1)];
    EXPECT_TRUE(forced.forced);
    EXPECT_EQ(forced.index, 3U);
    EXPECT_EQ(forced.after, 0U);
    EXPECT_EQ(forced.time_ns, 40'000);
}

TEST(Intervals, InterruptsComeToAllAtOnceAndClocksDriftApart) {
    std::vector<ProcessSpan> spans{{0, 10'000'000'000, 0, 0}, {0, 10'000'000'000, 0, 30'000}};
    const EventGraph graph(spans, {});
    CheckpointPlan plan;
    plan.interval_ns = 1'000'000'000;
    EXPECT_EQ(Intervals(graph, plan).skew_ns(9), 0);
    plan.rule = CheckpointRule::Time;
    EXPECT_EQ(Intervals(graph, plan).skew_ns(9), 240'000);
}

TEST(Breakpoints, AConflictNamesItsMessage) {
    testing_support::DrawnRun run({{}, {}, {}});
    run.message(0, 1, 10, 20);
    const MessageNo second = run.message(1, 2, 30, 40);
    const EventGraph graph = run.graph(100);
    const std::optional<Conflict> its = conflict(graph, {1, 1, 1});
    ASSERT_TRUE(its);
    EXPECT_EQ(its->after, 1U);
    EXPECT_EQ(its->before, 2U);
    EXPECT_THAT(its->chain, testing::ElementsAre(second));
    EXPECT_THAT(nearest(graph, {1, 1, 1}), testing::ElementsAre(1, 2, 1));
    EXPECT_THAT(nearest(graph, {0, 0, 1}), testing::ElementsAre(0, 0, 0));
}

TEST(RecoveryContractsDeathTest, AreChecked) {
    EXPECT_DEATH(EventGraph({}, {}), "event_graph.processes");
    const EventGraph graph(std::vector<ProcessSpan>(2), {});
    CheckpointPlan plan;
    plan.interval_ns = 0;
    EXPECT_DEATH(Intervals(graph, plan), "intervals.interval");
    plan.interval_ns = 1;
    plan.rule = CheckpointRule::Moments;
    EXPECT_DEATH(Intervals(graph, plan), "intervals.moments");
    EXPECT_DEATH(raised(graph, {1}), "breakpoints.processes");
    EXPECT_DEATH(OnTheFlyLog(0, 2, Method::All), "on_the_fly.method");
}

}  // namespace
}  // namespace event_graphs

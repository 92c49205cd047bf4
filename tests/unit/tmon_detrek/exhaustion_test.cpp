// The rules against the constraints: where they are certain though records are lost, no history that agrees says otherwise.
#include "exhaustion.hpp"

#include <gmock/gmock.h>

#include <tmon_detrek/verdict.hpp>
#include <tmon_streams/task_view.hpp>
#include "completion.hpp"
#include "random_farm.hpp"
#include "verdict_judge.hpp"

namespace tmon_detrek {
namespace {

using testing_support::FarmHistory;
using testing_support::FarmScenario;
using testing_support::FarmTrace;
using testing_support::Random;

TEST(Exhaustion, WhatTheRulesAreCertainOfHoldsInEachHistory) {
    unsigned verdicts = 0, histories = 0;
    for (std::uint32_t seed = 1; seed <= 30'000; ++seed) {
        const FarmScenario scenario = testing_support::random_scenario(seed);
        const FarmHistory history = testing_support::run_abstract_farm(scenario);
        Random random(seed ^ 0x2222);
        const auto end = testing_support::session_of(history, random);
        const tmon_streams::Trace tasks = tmon_streams::task_view(testing_support::chance(random, 50)
                                                                      ? testing_support::with_losses(history, end, random, true)
                                                                      : testing_support::thinned(history, end, random));
        const EventGraphs graphs(tasks, scenario.spec);
        if (!losses_may_be_told(tasks, graphs)) continue;
        const Verdict certain = analyse(tasks, scenario.spec).verdict;
        if (certain.kind != VerdictKind::Certain) continue;
        ++verdicts;
        each_history(tasks, graphs, {}, [&](const History& each) {
            const EventGraphs of_history(each.trace, scenario.spec);
            if (of_history.findings() > 0) return;
            ++histories;
            const Verdict verdict = Judge(each.trace, of_history, fault_list(of_history), each.filled_by).decide();
            EXPECT_NE(verdict.kind, VerdictKind::None);
            if (verdict.kind != VerdictKind::Certain) return;  // the order in a gap is not known there
            EXPECT_EQ(verdict.task, certain.task) << "seed " << seed;
            EXPECT_EQ(verdict.nodes, certain.nodes) << "seed " << seed;
            EXPECT_EQ(verdict.process, certain.process) << "seed " << seed;
        });
        if (HasFailure()) return;
    }
    std::printf("%u certain verdicts, %u histories\n", verdicts, histories);
    EXPECT_GT(verdicts, 40u);
    EXPECT_GT(histories, 40u);
}

const farm_spec::FarmSpec two_workers{3, farm_spec::TreeKind::Chain, 4, 1, 1};

// Nodes 1 and 2 lost their last records. Task 2 is on node 2 or back on node 1.
tmon_streams::Trace two_that_lost() {
    FarmTrace farm(two_workers);
    farm.finish_tasks(0, 1).down(2, 0, 1).down(2, 0, 2).up(2, 0, 2);
    tmon_streams::Trace trace = farm.trace(tmon_streams::SessionEnd::StoodStill);
    for (const std::uint16_t node : {1, 2}) {
        tmon_streams::Stream& stream = trace.streams[node];
        const auto size = static_cast<std::uint32_t>(stream.size());
        stream.parts = {stream.parts.at(0).first(size - 1)};
        stream.losses = {{node, size - 1, size - 1, LossCause::BufferFull}};
    }
    return trace;
}

TEST(Exhaustion, TwoHistoriesOfUnknownClassesAreBothShown) {
    const Verdict verdict = analyse(two_that_lost(), two_workers).verdict;
    ASSERT_EQ(verdict.kind, VerdictKind::Unknown) << verdict.sentence;
    ASSERT_EQ(verdict.counter_histories.size(), 2u);
    EXPECT_THAT(verdict.counter_histories[1].text,
                testing::StartsWith("if these records were lost: n2 sent the result of task 2 to n1, n1 received the result of "
                                    "task 2 from n2, then "));
}

// The result of task 2 might wait for room on n1, with a record on n2 alone. But then n1 would have nothing to lose.
TEST(Exhaustion, AResultThatMayWaitIsOneOfTheHistories) {
    tmon_streams::Trace trace = two_that_lost();
    for (const std::uint16_t node : {1, 2})
        trace.streams[node].losses[0].classes = trace_record::ClassSet::of(trace_record::EventClass::Task);
    const Verdict verdict = analyse(trace, two_workers).verdict;
    EXPECT_EQ(verdict.kind, VerdictKind::Likely) << verdict.sentence;
    EXPECT_EQ(verdict.process, "Collecting");
    EXPECT_EQ(verdict.histories, 1u);
}

// Node 0 lost one record, and that is the last result of n1. When n2 lost one too, a result may wait. That of n1 waits while
// task 3 went out or the result of n2 came. Or that of n2 waits while the result of n1 came.
TEST(Exhaustion, ResultsThatWaitMakeHistories) {
    const farm_spec::FarmSpec star{
        3, farm_spec::TreeKind::Given, 4, 1, 1, 1, true, {std::nullopt, vocabulary::NodeId(0), vocabulary::NodeId(0)}};
    FarmTrace farm(star);
    farm.down(0, 0, 1).up(0, 0, 1).down(1, 0, 1).down(2, 0, 2).result_sent(1, 0, 1);
    tmon_streams::Trace trace = farm.trace(tmon_streams::SessionEnd::StoodStill);
    const auto size = static_cast<std::uint32_t>(trace.streams[0].size());
    trace.streams[0].losses = {
        {0, size, size, LossCause::BufferFull, trace_record::ClassSet::of(trace_record::EventClass::Task)}};
    const EventGraphs graphs(trace, star);
    std::vector<std::vector<LostEvent>> seen;
    EXPECT_EQ(each_history(trace, graphs, {}, [&](const History& history) { seen.push_back(history.lost); }), Shown::All);
    ASSERT_EQ(seen.size(), 1u) << "n2 lived and has no record of task 3";
    EXPECT_EQ(seen.front().front().bit, EventGraphs::result_received);
    trace.streams[2].losses = {{2, 1, 1, LossCause::BufferFull, trace_record::ClassSet::of(trace_record::EventClass::Task)}};
    seen.clear();
    const EventGraphs with_gap(trace, star);
    EXPECT_EQ(each_history(trace, with_gap, {}, [&](const History& history) { seen.push_back(history.lost); }), Shown::All);
    EXPECT_EQ(seen.size(), 3u);
}

// A bundle that was made twice and never came back leaves as many lost records as one that came back. Campaign
// virtual_machines, case 40083.
TEST(Exhaustion, WhatOnlyLostRecordsShowIsNotFinished) {
    const farm_spec::FarmSpec bundle{.nodes = 2, .tree = farm_spec::TreeKind::Chain, .tasks = 4, .granularity = 5};
    tmon_streams::Trace trace = FarmTrace(bundle).trace(tmon_streams::SessionEnd::Cut);
    for (const std::uint16_t node : {0, 1})
        trace.streams[node].losses = {
            {node, 0, 1, LossCause::SwitchedOff, trace_record::ClassSet::of(trace_record::EventClass::Task)}};
    for (const auto end : {tmon_streams::SessionEnd::Cut, tmon_streams::SessionEnd::StoodStill}) {
        trace.session = end;
        const Verdict verdict = analyse(trace, bundle).verdict;
        EXPECT_EQ(verdict.kind, VerdictKind::Likely) << verdict.sentence;
        EXPECT_EQ(verdict.finished_below, 0u);
        EXPECT_EQ(verdict.bundles_back_below, 0u);
    }
}

TEST(Exhaustion, PastTheBudgetTheRulesAnswer) {
    const tmon_streams::Trace trace = two_that_lost();
    const EventGraphs graphs(trace, two_workers);
    Verdict unknown;
    unknown.kind = VerdictKind::Unknown;
    const Verdict verdict = by_exhaustion(trace, graphs, unknown, {0, 0, 0});
    EXPECT_EQ(verdict.kind, VerdictKind::Unknown);
    EXPECT_TRUE(verdict.counter_histories.empty());
}

}  // namespace
}  // namespace tmon_detrek

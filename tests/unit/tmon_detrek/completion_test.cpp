// Lost records that follow from others: never an event that did not happen, and never less than was lost.
#include "completion.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <tuple>

#include <tmon_detrek/verdict.hpp>
#include <tmon_streams/task_view.hpp>
#include "random_farm.hpp"

namespace tmon_detrek {
namespace {

using testing_support::FarmHistory;
using testing_support::FarmScenario;
using testing_support::FarmTrace;
using testing_support::Random;

using What = std::tuple<std::uint16_t, EventKind, std::uint32_t, SubTaskId, std::uint8_t>;

What what_of(const Event& event) {
    return {event.peer, event.kind, event.task, event.subtask, event.is_result};
}

std::vector<What> events_of(std::span<const Event> records) {
    std::vector<What> events;
    for (const Event& event : records) events.push_back(what_of(event));
    std::sort(events.begin(), events.end());
    return events;
}

// Without records first ... last of one node.
tmon_streams::Trace without(const FarmTrace& farm, std::uint16_t node, std::uint32_t first, std::uint32_t last) {
    tmon_streams::Collector collector(static_cast<std::uint16_t>(farm.spec().nodes));
    auto copy = farm;
    for (std::uint16_t each = 0; each < farm.spec().nodes; ++each) {
        const std::vector<Event>& all = copy.records()[each];
        const std::span<const Event> records(all);
        if (each == node) {
            if (first > 0) collector.receive(each, 0, records.first(first));
            collector.dropped({each, first, last, LossCause::BufferFull});
            if (last + 1 < records.size()) collector.receive(each, last + 1, records.subspan(last + 1));
        } else {
            collector.receive(each, 0, records);
        }
        collector.end(each, static_cast<std::uint32_t>(records.size()));
    }
    return collector.finish(tmon_streams::SessionEnd::StoodStill);
}

const farm_spec::FarmSpec completed_chain{4, farm_spec::TreeKind::Chain, 5, 1, 1};

FarmTrace a_farm() {
    FarmTrace farm(completed_chain);
    farm.finish_tasks(0, 2);
    farm.down(3, 0, 1).down(3, 0, 2).down(3, 0, 3);
    return farm;
}

TEST(Completion, ALossThatTheNeighboursSawHidesNothing) {
    const FarmTrace farm = a_farm();
    const tmon_streams::Trace lossy = without(farm, 1, 1, 6);
    const auto completion = complete(lossy, EventGraphs(lossy, completed_chain));
    ASSERT_TRUE(completion);
    EXPECT_THAT(completion->filled, testing::ElementsAre(0, 6, 0, 0));
    EXPECT_TRUE(completion->trace.streams[1].whole());
    const Verdict verdict = analyse(lossy, completed_chain).verdict;
    EXPECT_EQ(verdict.kind, VerdictKind::Certain) << verdict.sentence;
    EXPECT_EQ(verdict.task, 3u);
    EXPECT_THAT(verdict.nodes, testing::ElementsAre(3));
    EXPECT_THAT(verdict.sentence, testing::HasSubstr("6 lost records of node 1 follow from those of its neighbours"));
}

TEST(Completion, MoreLostThanTheNeighboursSawStaysUnknown) {
    FarmTrace farm = a_farm();
    farm.raw(
        {.time_us = 1'000'000, .seq = static_cast<std::uint32_t>(farm.records()[1].size()), .task = 4, .node = 1, .peer = 2});
    const auto last = static_cast<std::uint32_t>(farm.records()[1].size() - 1);
    tmon_streams::Trace lossy = without(farm, 1, last, last);
    lossy.streams[1].losses[0].classes = trace_record::ClassSet::of(trace_record::EventClass::Task);
    EXPECT_FALSE(complete(lossy, EventGraphs(lossy, completed_chain)));
    EXPECT_NE(analyse(lossy, completed_chain).verdict.kind, VerdictKind::Certain);
}

TEST(Completion, EndMarksOnOtherWaysProveNoLink) {
    tmon_streams::Trace lossy = without(a_farm(), 1, 1, 6);
    lossy.marks_take_other_ways = true;
    EXPECT_FALSE(complete(lossy, EventGraphs(lossy, completed_chain)));
}

// The last result of n1 may wait for room on n0, which records it later. The lost record may be of another class then.
TEST(Completion, TheLastResultOfAWorkerMayWait) {
    const farm_spec::FarmSpec chain{2, farm_spec::TreeKind::Chain, 4, 1, 1};
    FarmTrace farm(chain);
    farm.finish_tasks(0, 1).down(2, 0, 1).up(2, 0, 1);
    tmon_streams::Trace trace = farm.trace(tmon_streams::SessionEnd::StoodStill);
    tmon_streams::Stream& stream = trace.streams[0];
    const auto size = static_cast<std::uint32_t>(stream.size());
    stream.parts = {stream.parts.at(0).first(size - 1)};
    stream.losses = {{0, size - 1, size - 1, LossCause::BufferFull}};
    const tmon_streams::Trace tasks = tmon_streams::task_view(trace);
    EXPECT_FALSE(complete(tasks, EventGraphs(tasks, chain)));
    EXPECT_NE(analyse(trace, chain).verdict.kind, VerdictKind::Certain);
}

// The records of a completed node are those that it made, whatever failed and whatever else was lost.
TEST(Completion, FillsInWhatHappened) {
    std::uint64_t nodes = 0;
    std::uint64_t records = 0;
    for (std::uint32_t seed = 1; seed <= 40'000; ++seed) {
        const FarmScenario scenario = testing_support::random_scenario(seed);
        const FarmHistory history = testing_support::run_abstract_farm(scenario);
        Random random(seed ^ 0x1234);
        const auto end = testing_support::session_of(history, random);
        const tmon_streams::Trace lossy = testing_support::chance(random, 50)
                                              ? testing_support::with_losses(history, end, random, true)
                                              : testing_support::thinned(history, end, random);
        const tmon_streams::Trace tasks = tmon_streams::task_view(lossy);
        const auto completion = complete(tasks, EventGraphs(tasks, scenario.spec));
        if (!completion) continue;
        for (std::uint16_t node = 0; node < scenario.spec.nodes; ++node) {
            if (completion->filled[node] == 0) continue;
            ++nodes;
            records += completion->filled[node];
            auto copy = history.records;
            ASSERT_EQ(events_of(completion->trace.streams[node].parts.at(0)), events_of(copy.records()[node]))
                << "seed " << seed << ", node " << node;
        }
    }
    EXPECT_GT(nodes, 300u);
    std::printf("%llu nodes completed, %llu records\n", static_cast<unsigned long long>(nodes),
                static_cast<unsigned long long>(records));
}

}  // namespace
}  // namespace tmon_detrek

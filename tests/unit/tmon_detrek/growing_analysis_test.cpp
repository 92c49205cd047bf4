// The growing analysis against the stored one, on random farms. Records come in any order of nodes and in blocks of any size.
// At the end both give the same bytes, and on the way nothing is claimed that the end takes back.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <deque>

#include <tmon_detrek/growing_analysis.hpp>
#include <tmon_detrek/ordered_analysis.hpp>
#include "random_farm.hpp"
#include "verdict_sessions.hpp"

namespace tmon_detrek {
namespace {

using namespace testing_support;

Moment at(std::uint64_t now_us, std::uint64_t behind_us) {
    return {now_us, [behind_us](std::uint64_t) { return behind_us; }};
}

struct Block {
    std::uint16_t node = 0;
    std::span<const Event> records;
};

// The blocks of each node in their order, but for some that come late; nodes take turns by chance.
std::vector<Block> blocks_of(const tmon_streams::Trace& trace, Random& random, unsigned late_percent) {
    std::vector<std::deque<Block>> of_node(trace.streams.size());
    for (const tmon_streams::Stream& stream : trace.streams) {
        for (std::span<const Event> part : stream.parts) {
            while (!part.empty()) {
                const std::size_t length = std::min<std::size_t>(part.size(), 1 + below(random, 9));
                of_node[stream.node].push_back({stream.node, part.first(length)});
                part = part.subspan(length);
            }
        }
        auto& blocks = of_node[stream.node];
        for (std::size_t i = 1; i < blocks.size(); ++i)
            if (chance(random, late_percent)) std::swap(blocks[i - 1], blocks[i]);
    }
    std::vector<Block> all;
    while (std::any_of(of_node.begin(), of_node.end(), [](const auto& blocks) { return !blocks.empty(); })) {
        auto& blocks = of_node[below(random, static_cast<unsigned>(of_node.size()))];
        for (unsigned burst = 1 + below(random, 4); burst > 0 && !blocks.empty(); --burst) {
            all.push_back(blocks.front());
            blocks.pop_front();
        }
    }
    return all;
}

void end_all(tmon_streams::Collector& collector, const tmon_streams::Trace& trace) {
    for (const tmon_streams::Stream& stream : trace.streams) {
        std::uint64_t total = stream.parts.empty() ? 0 : stream.parts.back().back().seq + 1ULL;
        for (const auto& loss : stream.losses) {
            collector.dropped(loss);
            total = std::max<std::uint64_t>(total, loss.last_seq + 1ULL);
        }
        if (stream.state == tmon_streams::StreamState::Finished) collector.end(stream.node, static_cast<std::uint32_t>(total));
    }
}

struct GrownTally {
    unsigned without_all = 0, with_all = 0;  // sessions judged without the records of folded tasks, and with all records
    std::uint64_t kept = 0, records = 0;
    std::uint64_t in_order = 0, unordered = 0, kept_in_order = 0;
};

// At each block that comes: what is certain stays so.
class Claims {
public:
    void look(const GrowingAnalysis& growing, const tmon_streams::Collector& collector) {
        const SoFar so_far = growing.so_far(at(1'000'000'000, 0), [&] { return collector.finish(); });
        EXPECT_NE(so_far.verdict.kind, VerdictKind::Certain) << so_far.verdict.sentence;
        hold(so_far.verdict);
        EXPECT_LE(so_far.back, so_far.sent);
    }
    // The same for the verdict of the end.
    void hold(const Verdict& verdict) {
        const std::uint32_t now = std::max(verdict.finished_below, verdict.bundles_back_below.value_or(0));
        if (!verdict.contradiction) {
            EXPECT_GE(now, finished_) << verdict.sentence;
        }
        finished_ = std::max(finished_, now);
    }

private:
    std::uint32_t finished_ = 0;  // all tasks below were seen to finish
};

// Both get what comes.
class Both final : public tmon_streams::TraceFeed {
public:
    Both(tmon_streams::TraceFeed& one, tmon_streams::TraceFeed& other) : one_(one), other_(other) {}
    void records(std::uint16_t node, std::uint32_t first_seq, std::span<const Event> events, std::uint64_t came_us) override {
        one_.records(node, first_seq, events, came_us);
        other_.records(node, first_seq, events, came_us);
    }
    void lost(const LossRange& range) override {
        one_.lost(range);
        other_.lost(range);
    }
    void ended(std::uint16_t node, std::uint32_t total) override {
        one_.ended(node, total);
        other_.ended(node, total);
    }

private:
    tmon_streams::TraceFeed& one_;
    tmon_streams::TraceFeed& other_;
};

void compare(const FarmScenario& scenario, const tmon_streams::Trace& trace, Random& random, GrownTally& tally,
             unsigned late_percent) {
    GrowingAnalysis growing(scenario.spec);
    OrderedAnalysis ordered(scenario.spec);  // the same in causal order; looked at sometimes, or only at the end
    Both both(growing, ordered);
    const bool look_at_ordered = chance(random, 50);
    tmon_streams::Collector collector(static_cast<std::uint16_t>(trace.streams.size()), tmon_streams::Collector::Keep::Records,
                                      &both);
    Claims claims;
    for (const Block& block : blocks_of(trace, random, late_percent)) {
        collector.receive(block.node, block.records.front().seq, block.records);
        if (chance(random, 20)) claims.look(growing, collector);
        if (!look_at_ordered || !chance(random, 10)) continue;
        const auto all = [&] { return collector.finish(); };
        ASSERT_EQ(so_far_json(ordered.so_far().so_far(at(1'000'000, 0), all), scenario.spec),
                  so_far_json(growing.so_far(at(1'000'000, 0), all), scenario.spec));
    }
    end_all(collector, trace);
    bool all_asked = false;
    const DetrekResult grown = growing.report(trace, [&] {
        all_asked = true;
        return trace;
    });
    const DetrekResult stored = report_detrek(trace, scenario.spec, {});
    ASSERT_EQ(grown.text, stored.text);
    ASSERT_EQ(grown.json, stored.json);
    const DetrekResult in_order = ordered.so_far().report(trace, [&] { return trace; });
    ASSERT_EQ(in_order.text, stored.text);
    ASSERT_EQ(in_order.json, stored.json);
    tally.kept_in_order += ordered.so_far().kept_records();
    tally.in_order += ordered.in_order();
    tally.unordered += ordered.unordered();
    claims.hold(stored.verdict);
    ++(all_asked ? tally.with_all : tally.without_all);
    tally.kept += growing.kept_records();
    tally.records += trace.size();
}

std::uint32_t cases_of_environment(std::uint32_t usual) {
    const char* const text = std::getenv("GROWING_ANALYSIS_CASES");  // for a long run by hand
    return text != nullptr ? static_cast<std::uint32_t>(std::atoi(text)) : usual;
}

// A random farm with more tasks than may be under way.
FarmScenario long_scenario(std::uint32_t seed) {
    FarmScenario scenario = random_scenario(seed);
    Random random(seed ^ 0x1234);
    scenario.spec.tasks = (30 + below(random, 60)) * scenario.spec.granularity;
    for (Fault& fault : scenario.faults)
        if (fault.function != UserFunction::Receive || chance(random, 50))
            fault.task = below(random, scenario.spec.tasks / scenario.spec.granularity) * scenario.spec.granularity;
    for (Strike& strike : scenario.strikes) strike.step = below(random, 3000);
    return scenario;
}

TEST(GrowingAnalysisProperty, EndsWithTheBytesOfTheStoredAnalysis) {
    GrownTally tally;
    const std::uint32_t cases = cases_of_environment(1'000);
    for (std::uint32_t seed = 1; seed <= cases; ++seed) {
        const FarmScenario scenario = seed % 2 == 0 ? long_scenario(seed) : random_scenario(seed);
        const FarmHistory history = run_abstract_farm(scenario);
        Random random(seed ^ 0x7777);
        const auto how = session_of(history, random);
        const bool any_loss = chance(random, 60);
        const tmon_streams::Trace trace =
            chance(random, 70) ? with_losses(history, how, random, any_loss) : thinned(history, how, random);
        compare(scenario, trace, random, tally, chance(random, 20) ? 30 : 0);
        if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
    }
    std::printf("all records were needed %u times, not %u times; %llu records of %llu were kept at the end\n", tally.with_all,
                tally.without_all, static_cast<unsigned long long>(tally.kept), static_cast<unsigned long long>(tally.records));
    EXPECT_GT(tally.without_all, cases * 2 / 3);
    EXPECT_LT(tally.kept, tally.records / 2);
    std::printf("in causal order %llu records, unordered %llu; %llu were kept at the end\n",
                static_cast<unsigned long long>(tally.in_order), static_cast<unsigned long long>(tally.unordered),
                static_cast<unsigned long long>(tally.kept_in_order));
    EXPECT_GT(tally.in_order, tally.unordered);
}

TEST(GrowingAnalysis, FoldsTasksAndKeepsThoseUnderWay) {
    FarmTrace farm(dc8);
    farm.finish_tasks(0, 48).down(49, 0, 1).split_to_leaves(49, 0, 1);
    const tmon_streams::Trace trace = farm.trace(tmon_streams::SessionEnd::StoodStill);
    GrowingAnalysis growing(dc8);
    for (const tmon_streams::Stream& stream : trace.streams)
        for (const auto part : stream.parts) growing.records(stream.node, part.front().seq, part, part.back().time_us);
    EXPECT_LE(growing.kept_tasks(), 3U);
    EXPECT_LT(growing.kept_records(), trace.size() / 10);
    const SoFar so_far = growing.so_far(at(0, 0), [&] { return trace; });
    EXPECT_EQ(so_far.sent, 50U);
    EXPECT_EQ(so_far.back, 49U);
    EXPECT_THAT(so_far.awaited, testing::ElementsAre(49U));
    EXPECT_EQ(so_far.records, trace.size());
    EXPECT_EQ(so_far.verdict.kind, VerdictKind::None);
    EXPECT_THAT(so_far_text(so_far, dc8), testing::HasSubstr("n4        got 50, gave back 49; holds 49 0000\n"));
}

// The most that is kept while a farm does so many tasks. A window of tasks is under way at a time.
struct MostKept {
    std::uint64_t records = 0, tasks = 0, all = 0;
};
MostKept most_kept(std::uint32_t tasks) {
    farm_spec::FarmSpec spec = dc8;
    spec.tasks = tasks;
    GrowingAnalysis growing(spec);
    MostKept most;
    constexpr std::uint32_t window = 50;
    std::vector<std::uint32_t> next(spec.nodes);
    for (std::uint32_t first = 0; first < tasks; first += window) {
        FarmTrace farm(dc8);
        farm.finish_tasks(first, std::min(tasks, first + window) - 1);
        auto& records = farm.records();
        for (std::uint16_t node = 0; node < records.size(); ++node) {
            for (Event& event : records[node]) event.seq = next[node]++;
            if (!records[node].empty()) growing.records(node, records[node].front().seq, records[node], 0);
            most.records = std::max(most.records, growing.kept_records());
            most.tasks = std::max(most.tasks, growing.kept_tasks());
            most.all += records[node].size();
        }
    }
    EXPECT_FALSE(growing.needs_all());
    return most;
}

TEST(GrowingAnalysis, KeepsNoMoreOfALongRunThanOfAShortOne) {
    const MostKept short_run = most_kept(1'000), long_run = most_kept(20'000);
    EXPECT_GT(long_run.all, 500'000U);
    EXPECT_EQ(long_run.records, short_run.records);
    EXPECT_EQ(long_run.tasks, short_run.tasks);
    EXPECT_LE(long_run.tasks, 60U);
}

// The leaf that got a part and does not answer is named when it holds it longer than any before, and the records' way.
TEST(GrowingAnalysis, NamesAStopThatLastsTooLongAndNoTaskInFlight) {
    FarmTrace farm(dc8);
    farm.finish_tasks(0, 48).down(49, 0, 1).split_to_leaves(49, 0, 1).down(50, 0, 1);
    const tmon_streams::Trace trace = farm.trace(tmon_streams::SessionEnd::GoesOn);
    GrowingAnalysis growing(dc8);
    std::uint64_t last_us = 0;
    for (const tmon_streams::Stream& stream : trace.streams) {
        for (const auto part : stream.parts) growing.records(stream.node, part.front().seq, part, part.back().time_us);
        last_us = std::max(last_us, stream.parts.back().back().time_us);
    }
    const auto all = [&] { return trace; };
    constexpr std::uint64_t behind_us = 500;
    EXPECT_EQ(growing.so_far(at(last_us, 1'000'000), all).verdict.kind, VerdictKind::None);  // records may be on their way
    const SoFar so_far = growing.so_far(at(last_us + behind_us + 10'000, behind_us), all);
    EXPECT_EQ(so_far.verdict.kind, VerdictKind::Likely) << so_far.verdict.sentence;
    EXPECT_EQ(so_far.verdict.task, 49U) << so_far.verdict.sentence;
    EXPECT_THAT(so_far.verdict.nodes, testing::UnorderedElementsAre(4, 5, 6, 7));
    EXPECT_THAT(so_far.verdict.depends_on.front(), testing::HasSubstr("the run goes on"));
}

// A message that left has arrived, so a receiver without a record of it owes one.
TEST(GrowingAnalysis, ANodeThatOwesARecordIsSilent) {
    FarmTrace farm(dc8);
    farm.finish_tasks(0, 3).down(4, 0, 1).sent(4, 0, 2);
    const tmon_streams::Trace trace = farm.trace(tmon_streams::SessionEnd::GoesOn);
    GrowingAnalysis growing(dc8);
    for (const tmon_streams::Stream& stream : trace.streams)
        for (const auto part : stream.parts) growing.records(stream.node, part.front().seq, part, part.back().time_us);
    const SoFar so_far = growing.so_far(at(1'000'000, 500), [&] { return trace; });
    EXPECT_EQ(so_far.verdict.task, 4U) << so_far.verdict.sentence;
    EXPECT_THAT(so_far.verdict.fell_silent, testing::ElementsAre(2)) << so_far.verdict.sentence;
    EXPECT_TRUE(so_far.workers.at(1).owes);
    EXPECT_FALSE(so_far.workers.at(0).owes);
}

TEST(GrowingAnalysis, AsksForAllRecordsWhenOneComesTwice) {
    FarmTrace farm(dc8);
    farm.finish_tasks(0, 9);
    const tmon_streams::Trace trace = farm.trace(tmon_streams::SessionEnd::ProgramEnded);
    GrowingAnalysis growing(dc8);
    for (const tmon_streams::Stream& stream : trace.streams)
        for (const auto part : stream.parts) growing.records(stream.node, part.front().seq, part, 0);
    EXPECT_FALSE(growing.needs_all());
    growing.records(1, 0, trace.streams[1].parts[0].first(3), 0);
    EXPECT_TRUE(growing.needs_all());
}

}  // namespace
}  // namespace tmon_detrek

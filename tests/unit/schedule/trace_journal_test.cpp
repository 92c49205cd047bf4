// The records that a crash destroys, found in a run without the crash.
#include <oracle/session_result.hpp>
#include <schedule/trace_journal.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <array>

#include <schedule/schedule.hpp>
#include <trollius_hosted/multicomputer.hpp>

#include "scenario_folder.hpp"
#include "session_runs.hpp"

namespace trace_journal_cases {

namespace {

using schedule::JournalEntry;
using session_test::ScenarioFolder;
using session_test::watched;
using vocabulary::SimTime;
using What = JournalEntry::What;

// n1's trace passes n0; times in us.
const schedule::TraceWays two_nodes = {{0}, {1, 0}};

JournalEntry at(std::int64_t us, What what, std::uint16_t owner, std::uint16_t node, std::uint32_t count = 1) {
    return {SimTime::us(us).in_ps(), count, owner, node, what, 0, 0};
}

// Node n1 makes two records, which leave it at 30 us and n0 at 50 us. Node n0 makes one at 20 us, which leaves at 40 us, and
// one at 60 us, which stays.
const std::vector<JournalEntry> journal = {
    at(10, What::Made, 1, 1),   at(12, What::Made, 1, 1),      at(20, What::Made, 0, 0), at(30, What::Passed, 1, 1, 2),
    at(40, What::Passed, 0, 0), at(50, What::Passed, 1, 0, 2), at(60, What::Made, 0, 0)};

std::uint64_t missing(std::uint16_t node, std::int64_t us) {
    return schedule::missing_after_crash(journal, two_nodes, node, SimTime::us(us));
}

TEST(TraceJournal, ACrashTakesAlongWhatHasNotLeftTheNode) {
    EXPECT_EQ(missing(1, 5), 0U);
    EXPECT_EQ(missing(1, 11), 1U);
    EXPECT_EQ(missing(1, 25), 2U);
    EXPECT_EQ(missing(1, 31), 0U);
}

TEST(TraceJournal, ACrashTakesAlongTheRecordsOfNodesBehindIt) {
    EXPECT_EQ(missing(0, 25), 3U);
    EXPECT_EQ(missing(0, 41), 2U);
    EXPECT_EQ(missing(0, 51), 0U);
}

// After a reconfiguration n0's own records may come over n1, whose links its trace was not to take.
const std::vector<JournalEntry> astray = {at(10, What::Made, 0, 0), at(20, What::Passed, 0, 1, 3), at(30, What::Made, 1, 1)};

TEST(TraceJournal, WhatPassesANodeThatIsNotOnItsWayIsNotTakenOffWhatTheNodeHas) {
    EXPECT_EQ(schedule::missing_after_crash(astray, two_nodes, 1, SimTime::us(25)), 0U);
    EXPECT_EQ(schedule::missing_after_crash(astray, two_nodes, 1, SimTime::us(40)), 1U);
    const auto exposure = schedule::exposure_of(astray, two_nodes, {});
    EXPECT_EQ(exposure.nodes.back().worst, 1U);
    EXPECT_GE(exposure.nodes.back().mean, 0.0);
}

TEST(TraceJournal, MoreThanWasMadeCannotHaveLeft) {
    const std::vector<JournalEntry> twice = {at(10, What::Made, 0, 0), at(20, What::Passed, 0, 0, 2)};
    EXPECT_EQ(schedule::missing_after_crash(twice, two_nodes, 0, SimTime::us(30)), 0U);
    schedule::MonitorTrial trial;
    trial.exposure = schedule::exposure_of(twice, two_nodes, {});
    EXPECT_EQ(trial.taken_along(), 0U);
}

TEST(TraceJournal, ExposureHasTheWorstMomentAndTheMeanOfEachNode) {
    const auto exposure = schedule::exposure_of(journal, two_nodes, {});
    ASSERT_EQ(exposure.nodes.size(), 2U);
    EXPECT_EQ(exposure.nodes[0].worst, 3U);
    EXPECT_EQ(exposure.nodes[0].worst_at, SimTime::us(20));
    EXPECT_DOUBLE_EQ(exposure.nodes[1].mean, (2.0 * 1 + 18.0 * 2) / 50.0);
    EXPECT_EQ(exposure.worst()->node, 0U);
    EXPECT_EQ(exposure.made, 4U);
    EXPECT_EQ(exposure.kept, 3U);
}

TEST(TraceJournal, ARecordIsWithinReachUntilItsMessageIsOnTheNextNode) {
    const auto exposure = schedule::exposure_of(journal, two_nodes, {});
    EXPECT_EQ(exposure.shortest_stay, SimTime::us(18));
    EXPECT_EQ(exposure.shortest_on, 1U);
    EXPECT_EQ(exposure.longest_stay, SimTime::us(20));
}

TEST(TraceJournal, ARecordThatIsGivenUpIsLostAndExposesNothingMore) {
    const std::vector<JournalEntry> full = {at(10, What::Made, 0, 0), at(20, What::Lost, 0, 0)};
    const auto exposure = schedule::exposure_of(full, two_nodes, {});
    EXPECT_EQ(exposure.lost, 1U);
    EXPECT_EQ(exposure.nodes[0].worst, 1U);
    EXPECT_EQ(schedule::missing_after_crash(full, two_nodes, 0, SimTime::us(30)), 2U);
}

TEST(TraceJournal, CallsAreSafeWhileNothingOfTheirNodeIsPending) {
    const std::vector<schedule::FunctionCall> calls = {{SimTime::us(15).in_ps(), SimTime::us(35).in_ps(), 1, {}},
                                                       {SimTime::us(1).in_ps(), SimTime::us(5).in_ps(), 0, {}}};
    const auto exposure = schedule::exposure_of(journal, two_nodes, calls).calls;
    EXPECT_EQ(exposure.calls, 2U);
    EXPECT_EQ(exposure.safe_at_begin, 1U);
    EXPECT_EQ(exposure.worst_at_begin, 2U);
    EXPECT_EQ(exposure.safe_at_end, 2U);
}

// A moment of a real run between its first and its last record, and what the journal says of it.
struct Sample {
    std::uint16_t node = 0;
    SimTime when;
    std::uint64_t predicted = 0;
    std::array<std::uint32_t, 8> made{};  // by node, until then
};
constexpr std::size_t samples = 10;
using Samples = std::array<Sample, samples>;

Samples predict(scenario::Scenario scenario) {
    schedule::TraceJournal watch;
    scenario.monitor->watch = &watch;
    oracle::SessionResult result;
    oracle::run_session(scenario, result, {.prepare = [&](trollius_hosted::Multicomputer& box) { watch.watch(box); }});
    const auto entries = watch.take_entries();
    const std::int64_t first_us = entries.front().ps / 1'000'000, last_us = entries.back().ps / 1'000'000;
    Samples found{};
    for (std::size_t i = 0; i < samples; ++i) {
        Sample& sample = found[i];
        sample.node = static_cast<std::uint16_t>((i * 3 + 1) % 8);
        sample.when = SimTime::us(first_us + (last_us - first_us) * static_cast<std::int64_t>(2 * i + 1) / 20);
        sample.predicted = schedule::missing_after_crash(entries, watch.ways(), sample.node, sample.when);
        for (const JournalEntry& entry : entries)
            if (entry.what != What::Passed && entry.ps < sample.when.in_ps()) ++sample.made[entry.owner];
    }
    return found;
}

// Records made before the crash that nobody got.
std::uint64_t missing_of(const oracle::SessionResult& result, const Sample& sample) {
    std::uint64_t count = 0;
    for (const tmon_streams::Stream& stream : result.observed.trace->streams) {
        std::uint64_t here = 0;
        for (const auto& part : stream.parts)
            here += static_cast<std::uint64_t>(
                std::count_if(part.begin(), part.end(), [&](const auto& e) { return e.seq < sample.made[stream.node]; }));
        count += sample.made[stream.node] - here;
    }
    return count;
}

TEST(TraceJournal, ACrashedRunMissesExactlyWhatTheJournalOfTheWholeRunSays) {
    const ScenarioFolder folder;
    const auto predicted = test_support::in_child([&] { return predict(folder.read(watched)); });
    ASSERT_TRUE(predicted);
    std::uint64_t most = 0;
    for (const Sample& sample : *predicted) {
        folder.write("p.faults", "version: 1\nfaults:\n  - {die: n" + std::to_string(sample.node) +
                                     ", at: " + std::to_string(sample.when.in_us()) + "us}\n");
        const auto found = test_support::in_child([&] {
            oracle::SessionResult result;
            oracle::run_session(folder.read(watched + "faults: p.faults\n"), result);
            return missing_of(result, sample);
        });
        EXPECT_EQ(found, sample.predicted) << "n" << sample.node << " at " << sample.when.in_us() << " us";
        most = std::max(most, sample.predicted);
    }
    EXPECT_GT(most, 0U);
}

}  // namespace

}  // namespace trace_journal_cases

// The price of watching: a run and its twin.
#include <tmon_session/overhead.hpp>

#include <gmock/gmock.h>

#include <algorithm>

#include "scenario_folder.hpp"
#include "session_runs.hpp"

namespace {

using session_test::plain;
using session_test::run_apart;
using session_test::ScenarioFolder;
using session_test::watched;
using vocabulary::SimTime;

// The prices of the monitor that are times are nothing, and its manager sleeps, since each look pre-empts what computes. Its
// messages still take the links' and the kernels' time.
const std::vector<tmon_session::Setting> no_times = {{"monitor.probe", "0"},
                                                     {"monitor.meter", "0"},
                                                     {"monitor.manager_check", "0"},
                                                     {"monitor.manager_period", "1000000"},
                                                     {"monitor.pack_record", "0"}};

trace_record::Event event(std::uint64_t time_us, std::uint16_t node, trace_record::EventKind kind, std::uint32_t task,
                          bool is_result) {
    trace_record::Event made;
    made.time_us = time_us;
    made.task = task;
    made.node = node;
    made.peer = node == 0 ? 1 : 0;
    made.kind = kind;
    made.is_result = is_result ? 1 : 0;
    return made;
}

// Node 0 sends a task and gets its result, every `step_us` microseconds.
tmon_session::RunOutline run_of(std::uint32_t results, std::uint64_t begin_us, std::uint64_t step_us) {
    tmon_session::RunOutline run;
    run.results = results;
    for (std::uint32_t task = 0; task < std::max(results, 1U); ++task) {
        run.events.push_back(event(begin_us + task * step_us, 0, trace_record::EventKind::Send, task, false));
        if (task < results)
            run.events.push_back(event(begin_us + (task + 1) * step_us - 1, 0, trace_record::EventKind::Receive, task, true));
    }
    return run;
}

tmon_session::Overhead compared(const tmon_session::RunOutline& monitored, const tmon_session::RunOutline& twin) {
    tmon_session::Overhead overhead;
    overhead.monitored = monitored;
    overhead.twin = twin;
    tmon_session::compare_runs(overhead);
    return overhead;
}

}  // namespace

TEST(Overhead, IsMeasuredToTheLastResultThatBothRunsHave) {
    const ScenarioFolder folder;
    const auto overhead = compared(run_of(3, 1000, 200), run_of(5, 7000, 100));
    EXPECT_EQ(overhead.compared, 3U);
    EXPECT_EQ(overhead.monitored.span, SimTime::us(599));
    EXPECT_EQ(overhead.twin.span, SimTime::us(299));
    const std::string text = tmon_session::overhead_text(folder.read(watched), overhead);
    EXPECT_THAT(text, testing::HasSubstr("to result 3 of 40 "));
    EXPECT_THAT(text, testing::HasSubstr("different numbers of results"));
    EXPECT_THAT(text, testing::HasSubstr("slow-down 2.003"));
}

TEST(Overhead, LeavesOutWhatTheManagerWaitedForTheMonitor) {
    auto monitored = run_of(3, 0, 200);
    monitored.manager_suspended = SimTime::us(100);
    EXPECT_EQ(compared(monitored, run_of(3, 0, 200)).monitored.span, SimTime::us(499));
}

TEST(Overhead, OfRunsWithoutACommonResultIsNothingToCompare) {
    const ScenarioFolder folder;
    const auto scenario = folder.read(watched);
    const auto overhead = compared(run_of(0, 0, 100), run_of(5, 0, 100));
    EXPECT_EQ(overhead.compared, 0U);
    const std::string text = tmon_session::overhead_text(scenario, overhead);
    EXPECT_THAT(text, testing::HasSubstr("there is nothing to compare"));
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("slow-down")));
    EXPECT_THAT(tmon_session::overhead_json(scenario, overhead), testing::HasSubstr("\"slow_down\": null"));
}

TEST(Overhead, CountsANodeWithMoreEventsAsChanged) {
    const ScenarioFolder folder;
    auto longer = run_of(4, 0, 100);
    longer.events.push_back(event(1000, 3, trace_record::EventKind::Receive, 3, false));
    const auto same = run_of(4, 0, 100);
    EXPECT_EQ(compared(same, same).nodes_changed, 0U);
    for (const auto& overhead : {compared(same, longer), compared(longer, same)}) {
        EXPECT_EQ(overhead.nodes_changed, 1U);
        ASSERT_TRUE(overhead.first_change);
        EXPECT_EQ(overhead.first_change->node, 3U);
        EXPECT_EQ(overhead.first_change->seq, 0U);
        EXPECT_NE(overhead.first_change->monitored.has_value(), overhead.first_change->twin.has_value());
        const auto scenario = folder.read(watched);
        EXPECT_THAT(tmon_session::overhead_text(scenario, overhead), testing::HasSubstr("other number of events:"));
        EXPECT_THAT(tmon_session::overhead_json(scenario, overhead), testing::HasSubstr("\"other number of events\""));
    }
}

TEST(Overhead, OfAScenarioWithoutMonitorCannotBeMeasured) {
    const ScenarioFolder folder;
    try {
        tmon_session::measure_overhead(folder.read(plain));
        FAIL() << "no InputError was thrown";
    } catch (const vocabulary::InputError& found) {
        EXPECT_EQ(folder.without_folder(found.what()),
                  "s.yaml: the scenario is not monitored, so there is nothing to measure; give it a 'monitor:' with an unload "
                  "sequence");
    }
}

TEST(Overhead, GivesTheSameResultsWithTheMonitorAndWithout) {
    const ScenarioFolder folder;
    const auto overhead = tmon_session::measure_overhead(folder.read(watched));
    EXPECT_TRUE(overhead.monitored.finished);
    EXPECT_TRUE(overhead.twin.finished);
    EXPECT_EQ(overhead.monitored.results, 40U);
    EXPECT_EQ(overhead.twin.results, 40U);
}

TEST(Overhead, BillsWhatThePriceListSays) {
    const ScenarioFolder folder;
    const auto scenario = folder.read(watched);
    const auto run = tmon_session::measure_overhead(scenario).monitored;
    EXPECT_EQ(run.records, run.events.size());
    EXPECT_EQ(run.probe, SimTime::us(8) * static_cast<std::int64_t>(run.records));
    EXPECT_EQ(run.meter, SimTime::us(4) * static_cast<std::int64_t>(run.records));
    EXPECT_GT(run.wire_bytes, 20 * run.records);
    EXPECT_GT(run.kernel, SimTime());
}

TEST(Overhead, BillsTheTwinForNoProbeMeterOrManagerAndNoTrace) {
    const ScenarioFolder folder;
    const auto overhead = tmon_session::measure_overhead(folder.read(watched));
    EXPECT_EQ(overhead.twin.probe + overhead.twin.meter, SimTime());
    EXPECT_EQ(overhead.twin.records, 0U);
    EXPECT_LT(overhead.twin.wire_bytes, overhead.monitored.wire_bytes);  // begin, its answers, and the end marks
    EXPECT_GT(overhead.monitored.span, overhead.twin.span);
}

// The whole difference between a run and its twin is what the monitor costs: one that costs nothing and unloads nothing changes
// nothing, to the last picosecond and the order of every event.
TEST(Overhead, OfAMonitorWhoseWorkTakesNoTimeIsNothing) {
    const ScenarioFolder folder;
    const auto overhead =
        tmon_session::measure_overhead(folder.read(plain + "monitor: {unload: [[1000s, 256, 256]]}\n", no_times));
    EXPECT_EQ(overhead.monitored.run_hash, overhead.twin.run_hash);
    EXPECT_EQ(overhead.monitored.span, overhead.twin.span);
    EXPECT_FALSE(overhead.first_change.has_value());
}

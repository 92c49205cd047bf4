// The price of monitoring: a run and its twin.
#include <twin/overhead.hpp>
#include <twin/overhead_bill.hpp>

#include <gmock/gmock.h>

#include <algorithm>

#include <instrumentation/accounts.hpp>

#include "scenario_folder.hpp"
#include "session_runs.hpp"

namespace {

using session_test::plain;
using session_test::replaced;
using session_test::ScenarioFolder;
using session_test::watched;
using vocabulary::SimTime;

// All prices of the monitor that are times are zero. Its messages still take the links' and the kernels' time.
const std::vector<scenario::Setting> no_times = {
    {"monitor.probe", "0"}, {"monitor.meter", "0"}, {"monitor.manager_check", "0"}, {"monitor.pack_record", "0"}};

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

// Node 0 sends a task and gets its result, every `step_us` microseconds; the path of its first `compared` is all computation.
twin::RunOutline run_of(std::uint32_t results, std::uint64_t begin_us, std::uint64_t step_us, std::uint32_t compared = 0) {
    twin::RunOutline run;
    run.results = results;
    for (std::uint32_t task = 0; task < std::max(results, 1U); ++task) {
        run.events.push_back(event(begin_us + task * step_us, 0, trace_record::EventKind::Send, task, false));
        if (task < results)
            run.events.push_back(event(begin_us + (task + 1) * step_us - 1, 0, trace_record::EventKind::Receive, task, true));
    }
    if (compared == 0) return run;
    run.span = SimTime::us(static_cast<std::int64_t>(compared * step_us - 1));
    run.path = {{.kind = twin::PathKind::Use, .what = trollius_os::computation, .time = run.span}};
    return run;
}

twin::Overhead compared(const twin::RunOutline& monitored, const twin::RunOutline& twin) {
    twin::Overhead overhead;
    overhead.monitored = monitored;
    overhead.twin = twin;
    overhead.compared = std::min(monitored.results, twin.results);
    twin::compare_runs(overhead);
    return overhead;
}

// A share without the fields that do not matter here.
twin::PathShare share(twin::PathKind kind, vocabulary::Account cause, std::uint8_t what, std::uint16_t node, SimTime time) {
    return {.kind = kind, .cause = cause, .what = what, .node = node, .time = time};
}

const twin::BillLine& line_of(const twin::BillTable& table, const std::string& name) {
    const auto found =
        std::find_if(table.lines.begin(), table.lines.end(), [&](const auto& line) { return line.name == name; });
    if (found == table.lines.end()) throw std::runtime_error("the table has no line '" + name + "'");
    return *found;
}

void expect_sums(const twin::Overhead& overhead) {
    for (const twin::BillTable& table : twin::bill(overhead)) {
        SimTime monitored, twin, of_monitor;
        for (const twin::BillLine& line : table.lines) {
            monitored += line.monitored;
            twin += line.twin;
            of_monitor += line.of_monitor;
            SimTime ways;
            for (const SimTime way : line.ways) ways += way;
            EXPECT_EQ(ways, line.monitored) << table.key << " " << line.name;
        }
        EXPECT_EQ(monitored, overhead.monitored.span) << table.key;
        EXPECT_EQ(twin, overhead.twin.span) << table.key;
        EXPECT_EQ(monitored - twin - of_monitor, twin::not_attributed(overhead)) << table.key;
    }
}

}  // namespace

TEST(Overhead, SaysToWhichResultItIsMeasured) {
    const ScenarioFolder folder;
    const auto overhead = compared(run_of(3, 1000, 200, 3), run_of(5, 7000, 100, 3));
    EXPECT_EQ(overhead.difference(), SimTime::us(300));
    const std::string text = twin::overhead_text(folder.read(watched), overhead);
    EXPECT_THAT(text, testing::HasSubstr("to result 3 of 40 "));
    EXPECT_THAT(text, testing::HasSubstr("different numbers of results"));
    EXPECT_THAT(text, testing::HasSubstr("slow-down 2.003"));
    EXPECT_THAT(text, testing::HasSubstr("difference 300000000 ps"));
}

TEST(Overhead, ChargesEachCauseAndLeavesTheRestUnattributed) {
    namespace accounts = instrumentation::accounts;
    using twin::PathKind;
    auto monitored = run_of(3, 0, 1000), twin = run_of(3, 0, 1000);
    const std::uint8_t receive_of_result = trollius_os::probed(2, true);
    monitored.path = {share(PathKind::Use, accounts::probe, receive_of_result, 1, SimTime::us(8)),
                      share(PathKind::Processor, accounts::probe, receive_of_result, 2, SimTime::us(4)),
                      share(PathKind::Memory, accounts::trace_message, 0, 2, SimTime::us(1)),
                      share(PathKind::Use, vocabulary::Account(), trollius_os::computation, 2, SimTime::us(500))};
    monitored.span = SimTime::us(513);
    twin.path = {share(PathKind::Use, vocabulary::Account(), trollius_os::computation, 1, SimTime::us(510))};
    twin.span = SimTime::us(510);
    auto overhead = compared(monitored, twin);
    overhead.host = 2;
    expect_sums(overhead);
    const auto causes = twin::bill(overhead, twin::BillBy::Cause);
    EXPECT_EQ(line_of(causes, "probe").ways[0], SimTime::us(8));
    EXPECT_EQ(line_of(causes, "probe").ways[3], SimTime::us(4));
    EXPECT_EQ(line_of(causes, "memory cycles for its links").difference(), SimTime::us(1));
    EXPECT_EQ(line_of(causes, "computation").difference(), SimTime() - SimTime::us(10));
    EXPECT_EQ(twin::not_attributed(overhead), SimTime() - SimTime::us(10));
    EXPECT_EQ(line_of(twin::bill(overhead, twin::BillBy::Node), "host").monitored, SimTime::us(505));
    EXPECT_EQ(line_of(twin::bill(overhead, twin::BillBy::Probe), "receive of a result").of_monitor, SimTime::us(12));
    EXPECT_EQ(line_of(twin::bill(overhead, twin::BillBy::Class), "task").of_monitor, SimTime::us(12));
}

TEST(Overhead, CountsReceivesOfSomethingElseThanInTheTwin) {
    const ScenarioFolder folder;
    const auto one = run_of(3, 0, 100);
    auto other = one;
    std::swap(other.events[3].task, other.events[5].task);  // the second and the third result
    const auto overhead = compared(other, one);
    EXPECT_EQ(overhead.receives, 3U);
    EXPECT_EQ(overhead.other_receives, 2U);
    ASSERT_TRUE(overhead.first_other);
    EXPECT_EQ(overhead.first_other->number, 1U);
    EXPECT_THAT(twin::overhead_text(folder.read(watched), compared(run_of(0, 0, 100), run_of(0, 0, 100))),
                testing::Not(testing::HasSubstr("got another send")));
    EXPECT_EQ(compared(one, one).other_receives, 0U);
}

TEST(Overhead, NamesResultsThatAreNotTheSame) {
    const ScenarioFolder folder;
    auto monitored = run_of(0, 0, 100), twin = monitored;
    monitored.contents = {{"console", 7}, {"task 1", 5}, {"task 2", 6}};
    twin.contents = {{"console", 7}, {"task 1", 4}};
    const auto overhead = compared(monitored, twin);
    EXPECT_THAT(overhead.changed_contents, testing::ElementsAre("task 1"));
    EXPECT_THAT(overhead.only_monitored, testing::ElementsAre("task 2"));
    EXPECT_THAT(twin::overhead_text(folder.read(watched), overhead),
                testing::HasSubstr("Results: of 2 results and outputs that both runs have, 1 are not the same: task 1\n    "
                                   "only the monitored run has 1: task 2\n"));
    EXPECT_THAT(twin::overhead_text(folder.read(watched), compared(twin, twin)),
                testing::HasSubstr("Results: of 2 results and outputs that both runs have, all are the same\n"));
}

TEST(Overhead, OfRunsWithoutACommonResultIsNothingToCompare) {
    const ScenarioFolder folder;
    const auto scenario = folder.read(watched);
    const auto overhead = compared(run_of(0, 0, 100), run_of(5, 0, 100));
    EXPECT_EQ(overhead.compared, 0U);
    const std::string text = twin::overhead_text(scenario, overhead);
    EXPECT_THAT(text, testing::HasSubstr("there is nothing to compare"));
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("slow-down")));
    EXPECT_THAT(twin::overhead_json(scenario, overhead), testing::HasSubstr("\"slow_down\": null"));
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
        EXPECT_THAT(twin::overhead_text(scenario, overhead), testing::HasSubstr("other number of events:"));
        EXPECT_THAT(twin::overhead_json(scenario, overhead), testing::HasSubstr("\"other number of events\""));
    }
}

TEST(Overhead, OfAScenarioWithoutMonitorCannotBeMeasured) {
    const ScenarioFolder folder;
    try {
        twin::measure_overhead(folder.read(plain));
        FAIL() << "no InputError was thrown";
    } catch (const vocabulary::InputError& found) {
        EXPECT_EQ(folder.without_folder(found.what()),
                  "s.yaml: the scenario is not monitored, so there is nothing to measure; give it a 'monitor:' with an unload "
                  "sequence");
    }
}

// Two buffers of 65536 records of 80 bytes do not fit into a node.
TEST(Overhead, OfARunThatFailsSaysWhyOnce) {
    ScenarioFolder folder;
    testing::internal::CaptureStderr();
    std::string error;
    try {
        twin::measure_overhead(folder.read(watched, {{"monitor.buffer", "65536"}, {"monitor.record", "80"}}));
    } catch (const std::runtime_error& found) {
        error = found.what();
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_THAT(error, testing::HasSubstr("too little memory for the monitor's buffers"));
    EXPECT_THAT(error, testing::Not(testing::HasSubstr("above")));
}

TEST(Overhead, GivesTheSameResultsWithTheMonitorAndWithout) {
    const ScenarioFolder folder;
    const auto overhead = twin::measure_overhead(folder.read(watched));
    EXPECT_TRUE(overhead.monitored.finished);
    EXPECT_TRUE(overhead.twin.finished);
    EXPECT_EQ(overhead.monitored.results, 40U);
    EXPECT_EQ(overhead.twin.results, 40U);
}

TEST(Overhead, BillsWhatThePriceListSays) {
    const ScenarioFolder folder;
    const auto scenario = folder.read(watched);
    const auto run = twin::measure_overhead(scenario).monitored;
    EXPECT_EQ(run.records, run.events.size());
    EXPECT_EQ(run.probe, SimTime::us(8) * static_cast<std::int64_t>(run.records));
    EXPECT_EQ(run.meter, SimTime::us(4) * static_cast<std::int64_t>(run.records));
    EXPECT_GT(run.wire_bytes, 20 * run.records);
    EXPECT_GT(run.kernel, SimTime());
}

TEST(Overhead, OfFarmsOfAllSortsSumsToTheDifferenceInEachTable) {
    const ScenarioFolder folder;
    const std::vector<std::vector<scenario::Setting>> cases = {{},
                                                               {{"farm.tasks", "7"}, {"application.grain", "3ms"}},
                                                               {{"links", "byte"}, {"farm.tasks", "10"}},
                                                               {{"farm.policy", "work-stealing"}},
                                                               {{"farm.granularity", "4"}, {"farm.buffers", "3"}},
                                                               {{"monitor.when_full", "stop"}, {"monitor.buffer", "8"}},
                                                               {{"farm.survives", "yes"}, {"application.grain", "500us"}}};
    std::uint64_t seed = 1;
    for (const auto& settings : cases) {
        SCOPED_TRACE(settings.empty() ? "plain" : settings[0].first + "=" + settings[0].second);
        const auto overhead = twin::measure_overhead(folder.read(watched, settings, seed++));
        EXPECT_GT(overhead.compared, 0U);
        expect_sums(overhead);
        const auto causes = twin::bill(overhead, twin::BillBy::Cause);
        EXPECT_GT(line_of(causes, "probe").monitored, SimTime());
        EXPECT_EQ(line_of(causes, "probe").twin, SimTime());
    }
    auto divided = replaced(watched, "tasks: 40", "tasks: 10, degree: 2, depth: 3");
    expect_sums(twin::measure_overhead(folder.read(divided)));
}

TEST(Overhead, OfTmonSumsToTheDifferenceAndLeavesNothingUnknown) {
    const std::vector<std::vector<scenario::Setting>> cases = {
        {}, {{"monitor.interrupt", "1ms"}, {"farm.tasks", "60"}}, {{"monitor.events", "task+message+process+usage+user"}}};
    for (const auto& settings : cases) {
        SCOPED_TRACE(settings.empty() ? "plain" : settings[0].first + "=" + settings[0].second);
        const auto overhead =
            twin::measure_overhead(scenario::read_scenario(MAGICWIRE_SOURCE_DIR "/examples/tmon/farm.yaml", settings, {}));
        EXPECT_GT(overhead.compared, 0U);
        expect_sums(overhead);
        const auto causes = twin::bill(overhead, twin::BillBy::Cause);
        for (const auto& line : causes.lines) EXPECT_NE(line.name, "unknown") << line.monitored.in_us() << " us";
        EXPECT_GT(line_of(causes, "back end").monitored, SimTime());
        EXPECT_EQ(line_of(causes, "back end").twin, SimTime());
    }
}

TEST(Overhead, HasALineForTheWaitForRoom) {
    const ScenarioFolder folder;
    const auto scenario = folder.read(watched, {{"monitor.buffer", "2"}, {"monitor.when_full", "stop"}});
    const auto overhead = twin::measure_overhead(scenario);
    EXPECT_GT(overhead.monitored.waits_for_room, 0U);
    EXPECT_GT(overhead.monitored.waited_for_room, SimTime());
    EXPECT_EQ(overhead.twin.waits_for_room, 0U);
    EXPECT_THAT(twin::overhead_text(scenario, overhead),
                testing::HasSubstr(std::to_string(overhead.monitored.waits_for_room) + " waits"));
    EXPECT_THAT(twin::overhead_json(scenario, overhead), testing::HasSubstr("waited_for_room_us"));
}

TEST(Overhead, BillsTheTwinForNoProbeMeterOrManagerAndNoTrace) {
    const ScenarioFolder folder;
    const auto overhead = twin::measure_overhead(folder.read(watched));
    EXPECT_EQ(overhead.twin.probe + overhead.twin.meter, SimTime());
    EXPECT_EQ(overhead.twin.records, 0U);
    EXPECT_LT(overhead.twin.wire_bytes, overhead.monitored.wire_bytes);  // begin, its answers, and the end marks
    EXPECT_GT(overhead.monitored.span, overhead.twin.span);
}

// The whole difference between a run and its twin is the monitor's cost. A monitor that costs nothing and unloads nothing
// changes nothing, to the last picosecond and the order of every event.
TEST(Overhead, OfAMonitorWhoseWorkTakesNoTimeIsNothing) {
    const ScenarioFolder folder;
    const auto overhead = twin::measure_overhead(folder.read(plain + "monitor: {unload: [[1000s, 256, 256]]}\n", no_times));
    EXPECT_EQ(overhead.monitored.run_hash, overhead.twin.run_hash);
    EXPECT_EQ(overhead.monitored.span, overhead.twin.span);
    EXPECT_FALSE(overhead.first_change.has_value());
    EXPECT_EQ(overhead.other_receives, 0U);
    EXPECT_THAT(overhead.changed_contents, testing::IsEmpty());
    EXPECT_EQ(twin::not_attributed(overhead), SimTime());
    expect_sums(overhead);
}

TEST(OverheadDeathTest, BillsEveryPicosecondOfBothSpans) {
    auto longer = compared(run_of(3, 1000, 200, 3), run_of(3, 1000, 200, 3)), shorter = longer;
    longer.monitored.span += SimTime::ps(1);
    shorter.twin.span = SimTime();
    EXPECT_DEATH(twin::bill(longer), "overhead.bill.sums_to_the_spans");
    EXPECT_DEATH(twin::bill(shorter), "overhead.bill.sums_to_the_spans");
}

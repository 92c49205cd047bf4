// The price of watching: a run and its twin.
#include <tmon_session/overhead.hpp>

#include <gmock/gmock.h>

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

}  // namespace

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

TEST(Overhead, BillsTheTwinNothing) {
    const ScenarioFolder folder;
    const auto scenario = folder.read(watched);
    const auto overhead = tmon_session::measure_overhead(scenario);
    EXPECT_EQ(overhead.twin.probe + overhead.twin.meter + overhead.twin.manager + overhead.twin.kernel + overhead.twin.wire +
                  overhead.twin.suspended,
              SimTime());
    EXPECT_EQ(overhead.twin.records + overhead.twin.wire_bytes + overhead.twin.memory_bytes, 0U);
    EXPECT_GT(overhead.monitored.span, overhead.twin.span);
    const auto alone = run_apart(folder.read(plain));
    ASSERT_TRUE(alone);
    EXPECT_EQ(overhead.twin.run_hash, alone->hash()) << "the twin is the run that has no monitor";
}

// Its program is still loaded and the first task waits at n0's probe until monitoring begins, while the data generator goes on:
// true times are others, and with another start a flood-filled farm places its tasks otherwise. So the hashes differ, and the
// spans hardly.
TEST(Overhead, OfAMonitorWhoseWorkTakesNoTimeIsThatOfAnotherStart) {
    const ScenarioFolder folder;
    const auto overhead =
        tmon_session::measure_overhead(folder.read(plain + "monitor: {unload: [[1000s, 256, 256]]}\n", no_times));
    EXPECT_EQ(overhead.monitored.probe + overhead.monitored.meter, SimTime());
    EXPECT_EQ(overhead.monitored.results, overhead.twin.results);
    EXPECT_NE(overhead.monitored.run_hash, overhead.twin.run_hash);
    const double slow_down =
        static_cast<double>(overhead.monitored.span.in_ps()) / static_cast<double>(overhead.twin.span.in_ps());
    EXPECT_NEAR(slow_down, 1.0, 0.05);
    RecordProperty("slow_down", std::to_string(slow_down));
}

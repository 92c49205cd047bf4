// Nodes of other clocks than 20 MHz. The times of their processors and software scale with the clock; links and timers do not.
// Predictions know it.
#include <oracle/session_result.hpp>
#include <prediction/predict.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <ostream>
#include <vector>

#include <topologies/shapes.hpp>

#include "child_process.hpp"
#include "scenario_folder.hpp"

using scenario::Scenario;
using session_test::plain;
using session_test::ScenarioFolder;
using test_support::in_child;

namespace {

constexpr std::uint32_t tasks = 400;

// A chain with one node for each clock.
Scenario chain_of(const std::vector<std::int64_t>& megahertz, std::uint64_t te_us) {
    const ScenarioFolder folder;
    Scenario scenario = folder.read(plain);
    const auto nodes = static_cast<std::uint32_t>(megahertz.size());
    scenario.machine = topologies::make_shape("chain:" + std::to_string(nodes), {.gateway = true});
    for (std::size_t i = 0; i < megahertz.size(); ++i) scenario.machine.nodes[i].clock_hz = megahertz[i] * 1'000'000;
    scenario.farm = {.nodes = nodes, .tree = farm_spec::TreeKind::Chain, .tasks = tasks};
    trek_kernel::TaskDescription task{};
    task.segments[static_cast<std::size_t>(trek_kernel::UserProcess::Compute)].time_us = te_us;
    scenario.tasks = {};
    scenario.tasks.set(0, task);
    scenario.sizes = {100, 100};
    return scenario;
}

struct Seen {
    double rate, tasks_of_n1, tasks_of_n2;
    std::int64_t wire_ps;  // on the link n0-n1
};

Seen run(const Scenario& scenario) {
    return in_child([&] {
               oracle::SessionResult result;
               oracle::run_session(scenario, result);
               const auto seen = oracle::measured(scenario, result);
               std::int64_t wire_ps = 0;
               for (const auto& link : result.simulated.links) {
                   if (!link.from.starts_with("n0.") || !link.to.starts_with("n1.")) continue;
                   wire_ps = link.totals.of[trollius_os::accounts::application].busy.in_ps();
               }
               return Seen{seen.tasks_per_second.value_or(0), seen.tasks_of_node[1],
                           seen.tasks_of_node.size() > 2 ? seen.tasks_of_node[2] : 0, wire_ps};
           })
        .value_or(Seen{});
}

class Clock : public testing::TestWithParam<std::int64_t> {};

}  // namespace

TEST_P(Clock, OfAllNodesDecidesHowFastAFarmIs) {
    const double at_20 = run(chain_of({20, 20, 20}, 5'000)).rate;
    const double here = run(chain_of(std::vector<std::int64_t>(3, GetParam()), 5'000)).rate;
    EXPECT_NEAR(here / at_20, static_cast<double>(GetParam()) / 20, 0.01 * static_cast<double>(GetParam()) / 20);
}

TEST_P(Clock, IsThatOfTheSmallFarmsOnWhichPredictionsRest) {
    const Scenario scenario = chain_of(std::vector<std::int64_t>(5, GetParam()), 2'000);
    const auto prediction = prediction::predict(scenario);
    const Seen seen = run(scenario);
    EXPECT_NEAR(prediction.tasks_per_second / seen.rate, 1, 0.03);
    EXPECT_NEAR(prediction.costs.compute(0), 2e-3 * 20 / static_cast<double>(GetParam()), 1e-9);
}
INSTANTIATE_TEST_SUITE_P(Megahertz, Clock, testing::Values(10, 25, 30));

TEST(ClockSpeed, OfOneNodeDecidesHowManyTasksItComputes) {
    const Seen seen = run(chain_of({20, 20, 10}, 20'000));
    EXPECT_NEAR(seen.tasks_of_n1 / seen.tasks_of_n2, 2, 0.1);
}

TEST(ClockSpeed, OfNodesThatDifferIsPredictedFromTheirMean) {
    Scenario scenario = chain_of({20, 20, 10, 30}, 5'000);
    scenario.farm.tasks = 1000;
    const auto prediction = prediction::predict(scenario);
    EXPECT_NEAR(prediction.tasks_per_second / run(scenario).rate, 1, 0.03);
    EXPECT_NEAR(prediction.costs.compute(0), 5e-3, 1e-9);
}

// Between the two messages of a task both ends set up the second; that is work, the bytes are not.
TEST(ClockSpeed, LeavesTheBytesOfALinkAlone) {
    const double slow = static_cast<double>(run(chain_of({10, 10}, 20'000)).wire_ps),
                 fast = static_cast<double>(run(chain_of({20, 20}, 20'000)).wire_ps);
    const double of_tasks = 3e6 * tasks;  // picoseconds of trek.link_message
    EXPECT_NEAR(slow - fast, of_tasks, 0.1 * of_tasks);
}

// 8 us of monitor.probe and 4 us of monitor.meter a record are those of a T800-20.
TEST(ClockSpeed, OfANodeIsThatOfItsMonitorsLedger) {
    Scenario scenario = chain_of({20, 10}, 2'000);
    scenario.monitor = instrumentation::MonitorSettings();
    const auto us_a_record = in_child([&] {
        oracle::SessionResult result;
        oracle::run_session(scenario, result);
        std::array<double, 4> seen{};
        for (std::size_t node = 0; node < 2; ++node) {
            const auto& ledger = result.simulated.nodes[node].ledger;
            seen[2 * node] = ledger.probe.in_us() / static_cast<double>(ledger.events);
            seen[2 * node + 1] = ledger.meter.in_us() / static_cast<double>(ledger.events);
        }
        return seen;
    });
    EXPECT_EQ(us_a_record, (std::array<double, 4>{8, 4, 16, 8}));
}

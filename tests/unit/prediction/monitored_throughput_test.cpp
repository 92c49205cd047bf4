// Monitored farms against the formulas. Only the rates of two unmonitored farms are measured; the cost that the monitor adds
// follows from its prices. campaigns/throughput.yaml has all of it.
#include <gtest/gtest.h>
#include <oracle/session_result.hpp>

#include <cstdio>
#include <ostream>

#include <farm_model/steady_state.hpp>
#include <prediction/monitored_costs.hpp>
#include <prediction/predict.hpp>
#include <topologies/shapes.hpp>

#include "child_process.hpp"
#include "scenario_folder.hpp"

using scenario::Scenario;
using session_test::plain;
using session_test::ScenarioFolder;
using test_support::in_child;

namespace {

enum class Monitor { None, Kept, Unloaded };  // records kept until the end; or unloaded 65 at a time, during the whole run

struct Case {
    const char* shape;
    std::uint32_t workers, tree;
    std::uint64_t te_us;
    Monitor monitor;
    friend void PrintTo(const Case& c, std::ostream* out) {
        *out << c.shape << "_Te_" << c.te_us << "us_" << (c.monitor == Monitor::Kept ? "kept" : "unloaded");
    }
};
class MonitoredThroughput : public testing::TestWithParam<Case> {};

Scenario scenario_of(const Case& c) {
    Scenario scenario = ScenarioFolder().read(plain);
    scenario.machine = topologies::make_shape(c.shape, {.gateway = true});
    const std::uint32_t tasks = std::max(2000U, 250 * c.workers);
    scenario.farm = {.nodes = c.workers + 1, .tree = static_cast<farm_spec::TreeKind>(c.tree), .tasks = tasks, .buffers = 4};
    trek_kernel::TaskDescription task{};
    task.segments[static_cast<std::size_t>(trek_kernel::UserProcess::Compute)].time_us = c.te_us;
    scenario.tasks = {};
    scenario.tasks.set(0, task);
    scenario.sizes = {100, 100};
    scenario.monitor.reset();
    if (c.monitor == Monitor::None) return scenario;
    const std::uint32_t room = 4 * tasks + 64, upper = c.monitor == Monitor::Kept ? 2 * room : 64;
    if (c.monitor == Monitor::Kept) scenario.costs.set("monitor.buffer", room, "test");
    scenario.monitor.emplace().unload =
        instrumentation::UnloadSequence(std::vector<instrumentation::UnloadCommand>{{10'000'000'000, upper, upper, {}}});
    return scenario;
}

double rate(const Case& c) {
    return in_child([&] {
               const Scenario scenario = scenario_of(c);
               oracle::SessionResult result;
               oracle::run_session(scenario, result);
               return oracle::measured(scenario, result).tasks_per_second.value_or(0);
           })
        .value_or(0);
}

// docs/model/overhead_formulas.md: lam_1 = 1/a, lam_2 = (1 + r)/a.
farm_model::Costs unmonitored(std::uint64_t te_us) {
    const double a = 1 / rate({"chain:2", 1, 1, te_us, Monitor::None});
    const double r = rate({"chain:3", 2, 1, te_us, Monitor::None}) * a - 1;
    farm_model::Costs costs;
    costs.compute_s = {static_cast<double>(te_us) * 1e-6};
    costs.execute_s = a - costs.compute_s[0];
    costs.forward_s = a * (1 - r);
    return costs;
}

}  // namespace

TEST_P(MonitoredThroughput, FollowsFromTheUnmonitoredFarmAndThePricesWithinThreePerCent) {
    constexpr double link_byte_s = 575e-9;
    const Case& c = GetParam();
    const Scenario scenario = scenario_of(c);
    const farm_model::Costs without = unmonitored(c.te_us);
    const farm_model::Costs with = prediction::with_monitor(without, scenario, link_byte_s);
    const double expected = farm_model::steady_state(scenario.farm, with).tasks_per_second, got = rate(c);
    std::printf("without %.1f/s, with %.1f/s, run %.1f/s, difference %+.2f %%\n",
                farm_model::steady_state(scenario.farm, without).tasks_per_second, expected, got, (got / expected - 1) * 100);
    EXPECT_NEAR(got / expected, 1, 0.03);
}
INSTANTIATE_TEST_SUITE_P(
    Farms, MonitoredThroughput,
    testing::Values(Case{"chain:9", 8, 1, 2'000, Monitor::Kept}, Case{"tree:2:16", 15, 2, 2'000, Monitor::Kept},
                    Case{"tree:3:14", 13, 3, 10'000, Monitor::Kept}, Case{"chain:5", 4, 1, 2'000, Monitor::Unloaded},
                    Case{"tree:2:8", 7, 2, 10'000, Monitor::Unloaded}, Case{"chain:9", 8, 1, 10'000, Monitor::Unloaded}));

TEST(MonitorPrices, RecordsThatNeverLeaveCostTheirProbeAlone) {
    const auto kept = prediction::monitor_prices(scenario_of({"chain:5", 4, 1, 2'000, Monitor::Kept}), 20'000'000);
    EXPECT_DOUBLE_EQ(kept.probe_s, 12e-6);
    EXPECT_EQ(kept.own_s, 0);
    EXPECT_EQ(kept.relay_s, 0);
    const auto unloaded = prediction::monitor_prices(scenario_of({"chain:5", 4, 1, 2'000, Monitor::Unloaded}), 20'000'000);
    EXPECT_GT(unloaded.relay_s, unloaded.own_s) << "two rendez-vous instead of one";
}

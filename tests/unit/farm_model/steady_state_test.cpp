// The formulas against figures simulated by other means: the two check tables of the derivation.
#include <farm_model/steady_state.hpp>

#include <gtest/gtest.h>

#include <numeric>

using farm_model::Costs;
using farm_model::steady_state;
using farm_spec::FarmSpec;
using farm_spec::TreeKind;
using vocabulary::NodeId;

namespace {

// Te 10 or 2 ms, be 0.2, bf 0.3 + 0.2 ms.
Costs farm_costs(double compute_s) {
    Costs costs;
    costs.compute_s = {compute_s};
    costs.execute_s = 0.2e-3;
    costs.forward_s = 0.5e-3;
    return costs;
}

double rate(TreeKind tree, std::uint32_t workers, double compute_s) {
    return steady_state({.nodes = workers + 1, .tree = tree, .tasks = 1}, farm_costs(compute_s)).tasks_per_second;
}

// Split, join, be and result 0.2 ms each, task 0.3 ms; T0 divided evenly.
double divided(std::uint32_t degree, std::uint32_t levels, double t0) {
    Costs costs;
    costs.execute_s = 0.2e-3;
    costs.split_s = 0.4e-3 + degree * 0.5e-3;
    costs.compute_s.clear();
    std::uint32_t nodes = 1, width = 1;
    for (std::uint32_t level = 0; level < levels; ++level, width *= degree, t0 /= degree) {
        costs.compute_s.push_back(t0);
        nodes += width;
    }
    const FarmSpec farm{
        .nodes = nodes, .tree = static_cast<TreeKind>(degree), .tasks = 1, .degree = degree, .depth = levels - 1};
    return steady_state(farm, costs).tasks_per_second;
}

}  // namespace

TEST(SteadyState, HasTheRatesOfProcessorFarmsOfTheCheckTable) {
    EXPECT_NEAR(rate(TreeKind::Chain, 4, 10e-3), 364.3, 0.1);
    EXPECT_NEAR(rate(TreeKind::Chain, 8, 10e-3), 662.2, 0.1);
    EXPECT_NEAR(rate(TreeKind::Chain, 16, 10e-3), 1105.1, 0.1);
    EXPECT_NEAR(rate(TreeKind::Chain, 31, 10e-3), 1578.9, 0.1);
    EXPECT_NEAR(rate(TreeKind::Binary, 7, 10e-3), 639.2, 0.1);
    EXPECT_NEAR(rate(TreeKind::Binary, 15, 10e-3), 1313.7, 0.1);
    EXPECT_NEAR(rate(TreeKind::Binary, 31, 10e-3), 2000, 0.1);
    EXPECT_NEAR(rate(TreeKind::Ternary, 13, 10e-3), 1175.7, 0.1);
    EXPECT_NEAR(rate(TreeKind::Chain, 8, 2e-3), 1745.8, 0.1);
    EXPECT_NEAR(rate(TreeKind::Chain, 31, 2e-3), 1999.3, 0.1);
}

TEST(SteadyState, HasTheRatesOfDivideAndConquerOfTheCheckTable) {
    EXPECT_NEAR(divided(2, 2, 40e-3), 72.66, 0.01);
    EXPECT_NEAR(divided(2, 3, 40e-3), 160.72, 0.01);
    EXPECT_NEAR(divided(2, 4, 40e-3), 309.76, 0.01);
    EXPECT_NEAR(divided(2, 3, 160e-3), 42.83, 0.01);
    EXPECT_NEAR(divided(2, 4, 160e-3), 89.37, 0.01);
    EXPECT_NEAR(divided(3, 3, 40e-3), 271.61, 0.01);
    EXPECT_NEAR(divided(3, 4, 40e-3), 526.32, 0.01);
    EXPECT_NEAR(divided(3, 4, 160e-3), 216.85, 0.01);
}

TEST(SteadyState, GivesTheFarthestWorkerOfAChainMostTasks) {
    const auto state = steady_state({.nodes = 5, .tree = TreeKind::Chain, .tasks = 240}, farm_costs(10e-3));
    const double all = 240 / state.tasks_per_second;
    EXPECT_NEAR(state.computed[1] * all, 55, 1.5);
    EXPECT_NEAR(state.computed[4] * all, 66, 1.5);
    EXPECT_NEAR(std::accumulate(state.computed.begin(), state.computed.end(), 0.0), state.tasks_per_second, 1e-6);
}

TEST(SteadyState, NamesTheNodeThatIsFullWithPassingOn) {
    const auto state = steady_state({.nodes = 32, .tree = TreeKind::Binary, .tasks = 1}, farm_costs(10e-3));
    EXPECT_EQ(state.critical, NodeId(1));
    EXPECT_EQ(state.reason, "its processor passes on tasks and results all the time and computes nothing");
    EXPECT_NEAR(state.busy[1], 1, 1e-9);
    EXPECT_LT(state.busy[31], 1);
}

TEST(SteadyState, IsHeldBackByTheManagerAndByALink) {
    Costs costs = farm_costs(10e-3);
    costs.manager_s = 10e-3;
    const FarmSpec farm{.nodes = 5, .tree = TreeKind::Chain, .tasks = 1};
    EXPECT_NEAR(steady_state(farm, costs).tasks_per_second, 100, 1e-6);
    EXPECT_EQ(steady_state(farm, costs).critical, NodeId(0));
    costs.manager_s = 0;
    costs.task_link_s = 20e-3;
    EXPECT_NEAR(steady_state(farm, costs).tasks_per_second, 50, 1e-6);
    EXPECT_EQ(steady_state(farm, costs).reason, "its link upward is full");
}

TEST(SteadyState, TakesTheRelayOfRecordsFromTheProcessors) {
    Costs costs = farm_costs(10e-3);
    const FarmSpec farm{.nodes = 3, .tree = TreeKind::Chain, .tasks = 1};
    const double before = steady_state(farm, costs).tasks_per_second;
    costs.relay_s = 50e-6;
    costs.record_link_s = 1e-6;
    const auto after = steady_state(farm, costs);
    // n1 spends time on two records of each task of n2, and computes that much less.
    EXPECT_NEAR(before - after.tasks_per_second, 2 * after.computed[2] * 50e-6 / 10.2e-3, 1e-6);
    EXPECT_NEAR(after.records[1], 2 * after.computed[1] + 6 * after.computed[2], 1e-6);
}

TEST(SteadyState, WaitsInRoundRobinForTheSlowestBranch) {
    FarmSpec farm{.nodes = 5, .tree = TreeKind::Given, .tasks = 1};
    farm.parents = {std::nullopt, NodeId(0), NodeId(1), NodeId(2), NodeId(0)};
    const Costs costs = farm_costs(10e-3);
    const double flooded = steady_state(farm, costs).tasks_per_second;
    farm.policy = farm_spec::Policy::RoundRobin;
    const auto state = steady_state(farm, costs);
    EXPECT_NEAR(state.tasks_per_second, 2 / 10.2e-3, 1e-6) << "n4 alone takes as many as n1 to n3";
    EXPECT_GT(flooded, 1.9 * state.tasks_per_second);
    EXPECT_NEAR(state.computed[4], state.forwarded[0] / 2, 1e-6);
}

TEST(SteadyStateDeathTest, NeedsAWorker) {
    EXPECT_DEATH(steady_state({.nodes = 1, .tasks = 1}, farm_costs(10e-3)), "farm_model.steady_state.no_worker");
}

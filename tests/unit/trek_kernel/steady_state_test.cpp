// The throughput of farms against the recursion of farm_model. The overheads come from the rates of chains of one and two
// workers alone. The prediction of a scenario takes another way to them: it reads off processor times.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <ostream>

#include <farm_model/steady_state.hpp>

#include "child_process.hpp"
#include "test_farm.hpp"

using farm_spec::TreeKind;
using test_support::in_child;
using test_support::TestFarm;

namespace {

// Tasks a second: the slope of the straight line through the arrivals of the results, without the first 30 and the last 15 per
// cent. Workers run in step, so results come in bursts and two single arrivals would not do.
double measured_rate(TreeKind tree, std::uint32_t workers, std::uint64_t te_us) {
    const std::uint32_t tasks = std::max(4000U, 150 * workers);
    TestFarm farm({.nodes = workers + 1, .tree = tree, .tasks = tasks}, test_support::uniform_tasks(te_us), {100, 100});
    if (!farm.run()) return 0;
    double n = 0, x = 0, t = 0, xt = 0, tt = 0, number = 0;
    for (const auto& event : farm.truth.events()) {
        if (event.node != 0 || event.is_result == 0) continue;
        ++number;
        if (number < 0.30 * tasks || number > 0.85 * tasks) continue;
        const double when = static_cast<double>(event.time_us) * 1e-6;
        n += 1, x += number, t += when, xt += number * when, tt += when * when;
    }
    return (n * xt - x * t) / (n * tt - t * t);
}

double rate(TreeKind tree, std::uint32_t workers, std::uint64_t te_us) {
    return in_child([=] { return measured_rate(tree, workers, te_us); }).value_or(0);
}

farm_model::Costs measure_overheads(std::uint64_t te_us) {
    const double a = 1 / rate(TreeKind::Chain, 1, te_us);
    const double r = rate(TreeKind::Chain, 2, te_us) * a - 1;  // lam_2 = (1 + r) / a
    farm_model::Costs costs;
    costs.compute_s = {static_cast<double>(te_us) * 1e-6};
    costs.execute_s = a - costs.compute_s[0];
    costs.forward_s = a * (1 - r);
    return costs;
}

struct SteadyCase {
    TreeKind tree;
    std::uint32_t workers;
    std::uint64_t te_us;
    friend void PrintTo(const SteadyCase& c, std::ostream* out) {
        *out << (c.tree == TreeKind::Chain ? "chain" : "binary") << "_of_" << c.workers << "_Te_" << c.te_us << "us";
    }
};
class SteadyState : public testing::TestWithParam<SteadyCase> {};

}  // namespace

TEST_P(SteadyState, HasTheThroughputOfTheClosedFormWithinThreePerCent) {
    const auto& [tree, workers, te_us] = GetParam();
    const farm_model::Costs costs = measure_overheads(te_us);
    const double expected = farm_model::steady_state({.nodes = workers + 1, .tree = tree, .tasks = 1}, costs).tasks_per_second;
    const double got = rate(tree, workers, te_us);
    std::printf("Te %.0f ms, be %.1f us, bf %.1f us; %s of %u: predicted %.1f/s, measured %.1f/s, difference %+.2f %%\n",
                static_cast<double>(te_us) / 1000, costs.execute_s * 1e6, costs.forward_s * 1e6,
                tree == TreeKind::Chain ? "chain" : "binary tree", workers, expected, got, (got / expected - 1) * 100);
    EXPECT_NEAR(got / expected, 1, 0.03);
}
INSTANTIATE_TEST_SUITE_P(Farms, SteadyState,
                         testing::Values(SteadyCase{TreeKind::Chain, 4, 10'000}, SteadyCase{TreeKind::Chain, 16, 10'000},
                                         SteadyCase{TreeKind::Binary, 7, 10'000}, SteadyCase{TreeKind::Binary, 15, 10'000},
                                         SteadyCase{TreeKind::Chain, 4, 20'000}, SteadyCase{TreeKind::Chain, 16, 20'000},
                                         SteadyCase{TreeKind::Binary, 7, 20'000}, SteadyCase{TreeKind::Binary, 15, 20'000}));

#include <farm_model/predict.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <farm_model/steady_state.hpp>

#include "supply.hpp"
#include "tree_walk.hpp"

namespace farm_model {
namespace {

using farm_spec::FarmSpec;
using vocabulary::NodeId;

struct Branches {
    double start_up_s = 0;  // start-up of the manager's slowest branch
    std::size_t workers = 0, levels = 0;
    std::uint32_t farthest = 0;
};

// A worker keeps as many tasks as its places hold and passes later ones on. So the last worker of a branch of W begins with
// task (W - 1)(1 + b) + 1. That task leaves after as many gaps, and goes over the branch's levels. In divide and conquer every
// split passes a task on at once, so the branch's depth counts alone.
Branches branches_of(const FarmSpec& config, const Costs& costs) {
    const TreeWalk walk(config);
    std::vector<std::size_t> size(config.nodes, 1), depth(config.nodes, 1);
    Branches all;
    all.workers = walk.downward.size() - 1;
    all.farthest = walk.downward.back();
    for (auto node = walk.downward.rbegin(); node != walk.downward.rend(); ++node) {
        for (const std::uint32_t child : walk.children[*node]) {
            size[*node] += size[child];
            depth[*node] = std::max(depth[*node], depth[child] + 1);
        }
    }
    const double places = 1 + config.buffers;
    for (const std::uint32_t child : walk.children[0]) {
        const double ahead = config.divides() ? 0 : static_cast<double>(size[child] - 1) * places * costs.fill_s;
        const double each = config.divides() ? costs.hop_down_s + costs.split_s : costs.hop_down_s;
        all.start_up_s = std::max(all.start_up_s, ahead + static_cast<double>(depth[child] - 1) * each);
        all.levels = std::max(all.levels, depth[child]);
    }
    // With several branches, about half of the manager's work for a task concerns the result, and no result has arrived yet.
    if (!config.divides())
        all.start_up_s = std::max(all.start_up_s, static_cast<double>(all.workers - 1) * places * costs.manager_s / 2);
    return all;
}

// T(N) = N/lam + C. Workers begin one after the other until the start-up is over, on average after half of it. At the end they
// finish within one task's time of each other; again half of it is lost on average. The last result has all levels to go.
double total_time(const FarmSpec& config, const Costs& costs, const Branches& tree, double bundles_per_second) {
    const double bundles = std::ceil(static_cast<double>(config.tasks) / config.granularity);
    const double a = costs.compute(0) + costs.execute_s;
    const double way = static_cast<double>(tree.levels) * (costs.hop_down_s + costs.hop_up_s);
    const double constant = tree.start_up_s / 2 + a / 2 + static_cast<double>(tree.levels) * costs.hop_up_s;
    return bundles == 0 ? 0 : std::max(bundles / bundles_per_second + constant, a + std::min(way, 2 * costs.hop_up_s));
}

// T(g) = n/W (t + o/g) + kappa g t is least at g = sqrt(n o / (W kappa t)), with kappa = 1/2 as in total_time(). The term o is
// a worker's cost of a bundle beside computing: its time for one, W/lam, less the computation. A first guess: o grows with the
// bytes of a bundle, and where something else is full it is no constant at all.
std::uint32_t guessed_granularity(const FarmSpec& config, const Costs& costs, double workers, double bundles_per_second) {
    constexpr double kappa = 0.5;
    const double t = costs.compute(0) / config.granularity, overhead = workers / bundles_per_second - costs.compute(0);
    const double most = std::max(1.0, std::floor(config.tasks / workers));  // each worker has one at least
    if (t <= 0) return static_cast<std::uint32_t>(most);
    const double best = std::sqrt(config.tasks * std::max(0.0, overhead) / (workers * kappa * t));
    return static_cast<std::uint32_t>(std::clamp(std::round(best), 1.0, most));
}

Costs interpolated(const MeasuredBundle& one, const MeasuredBundle& other, double granularity) {
    const double share = (granularity - one.granularity) / (static_cast<double>(other.granularity) - one.granularity);
    Costs costs = one.costs;
    costs.compute_s.resize(1);
    costs.compute_s[0] *= granularity / one.granularity;
    for (double Costs::*cost :
         {&Costs::execute_s, &Costs::forward_s, &Costs::manager_s, &Costs::manager_pass_s, &Costs::task_link_s,
          &Costs::result_link_s, &Costs::pass_s, &Costs::fill_s, &Costs::hop_down_s, &Costs::hop_up_s}) {
        costs.*cost = std::max(0.0, one.costs.*cost + share * (other.costs.*cost - one.costs.*cost));
    }
    return costs;
}

void add_caveats(Prediction& prediction, const FarmSpec& config, const Supply& supply, const Branches& tree) {
    const auto workers = static_cast<double>(tree.workers);
    const double loss = supply.workers_lost / workers;
    const double places = workers * (1 + config.buffers) * config.granularity;
    if (loss > 0.03) {
        prediction.caveats.push_back(
            fmt::format("the farthest workers run out of tasks, {:.0f} % of the rate; how much exactly is fitted, not derived",
                        loss * 100));
    }
    if (config.tasks < 4 * places) {
        prediction.caveats.push_back(fmt::format(
            "{} tasks are few for {:.0f} places in the farm: it hardly reaches a steady state", config.tasks, places));
    }
    using farm_spec::Policy;
    if (config.policy == Policy::WorkStealing || config.policy == Policy::Priorities) {
        prediction.caveats.push_back(
            fmt::format("the formulas hold for flood filling, but the policy is {}", farm_spec::policy_name(config.policy)));
    }
    if (config.divides() && config.granularity > 1)
        prediction.caveats.emplace_back("bundles of divided tasks are taken as one task each");
}

// Two things limit a farm independently: links and manager, or the supply. Behind a full link the supply is no limit.
Supply slower_of_limit_and_supply(const FarmSpec& config, const Costs& costs, SteadyState& state) {
    if (config.divides()) return {};
    Costs wide = costs;
    wide.pass_s = wide.task_link_s = wide.result_link_s = wide.manager_s = wide.manager_pass_s = 0;
    SteadyState supplied = steady_state(config, wide);
    const Supply supply = limit_by_supply(config, costs, supplied);
    if (supply.workers_lost == 0 || supplied.tasks_per_second > state.tasks_per_second) return {};
    state = std::move(supplied);
    state.busy[0] = state.forwarded[0] * costs.manager_s + state.records[0] * costs.manager_relay_s;
    return supply;
}

// Concerns the link with the most trace, as if passing the trace on took no processor. In the formulas, a processor that is
// busy forwarding it limits the farm. In the machine tasks may win, and records pile up behind.
void add_caveat_of_trace(Prediction& prediction, const FarmSpec& config, Costs costs) {
    if (costs.record_link_s == 0) return;
    costs.relay_s = costs.manager_relay_s = 0;
    SteadyState state = steady_state(config, costs);
    slower_of_limit_and_supply(config, costs, state);
    const double records = *std::max_element(state.records.begin(), state.records.end());
    constexpr double most_of_link =
        0.3;  // above it packets pile up where the traces of many nodes meet (campaigns/throughput.yaml)
    if (records * costs.record_link_s <= most_of_link) return;
    prediction.caveats.push_back(
        fmt::format("the trace needs {:.0f} % of a link on its way to the host: its packets may fill the nodes' buffers and "
                    "delay tasks and results, and records may be lost",
                    records * costs.record_link_s * 100));
}

}  // namespace

Prediction predict(const FarmSpec& config, const Costs& costs) {
    SteadyState state = steady_state(config, costs);
    const Branches tree = branches_of(config, costs);
    const Supply supply = slower_of_limit_and_supply(config, costs, state);
    const double g = config.granularity;
    Prediction prediction;
    prediction.costs = costs;
    prediction.tasks_per_second = state.tasks_per_second * g;
    prediction.start_up_s = tree.start_up_s;
    prediction.total_s = total_time(config, costs, tree, state.tasks_per_second);
    prediction.critical_node = state.critical;
    prediction.critical_reason = state.reason;
    if (supply.workers_lost > 0.005 * static_cast<double>(tree.workers)) {
        prediction.critical_node = NodeId(static_cast<NodeId::value_type>(tree.farthest));
        prediction.critical_reason =
            fmt::format("too far for {} buffer{} a node: {:.1f} tasks are on their way to or from workers that wait for them",
                        config.buffers, config.buffers == 1 ? "" : "s", supply.under_way);
    }
    prediction.busy_of_node = state.busy;
    prediction.speed_up = prediction.tasks_per_second * costs.compute(0) / g;
    for (const double computed : state.computed)
        prediction.tasks_of_node.push_back(computed / state.tasks_per_second * config.tasks);
    if (!config.divides())
        prediction.best_granularity =
            guessed_granularity(config, costs, static_cast<double>(tree.workers), state.tasks_per_second);
    add_caveats(prediction, config, supply, tree);
    add_caveat_of_trace(prediction, config, costs);
    return prediction;
}

BestGranularity best_granularity(const FarmSpec& config, const MeasuredBundle& one, const MeasuredBundle& other) {
    const std::size_t workers = config.members().size() - 1;
    const auto most = static_cast<std::uint32_t>(std::clamp<std::size_t>(config.tasks / workers, 1, 1000));
    BestGranularity best;
    FarmSpec bundled = config;
    for (std::uint32_t g = 1; g <= most; g += std::max(1U, g < 32 ? 1U : g / 20)) {
        bundled.granularity = g;
        const double total = predict(bundled, interpolated(one, other, g)).total_s;
        if (best.total_s == 0 || total < best.total_s) best = {g, total};
    }
    return best;
}

}  // namespace farm_model

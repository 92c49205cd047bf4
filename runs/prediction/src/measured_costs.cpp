#include "measured_costs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <oracle/session_result.hpp>

#include <forks/child_pool.hpp>
#include <prediction/monitored_costs.hpp>
#include <session/traffic_name.hpp>
#include <vocabulary/source_position.hpp>
#include "mean_task.hpp"

namespace prediction {
namespace {

constexpr std::size_t most_nodes = 5;  // of a measuring farm

// Figures read off one small farm. Seconds.
struct Reading {
    bool finished = false;
    double tasks = 0;
    std::array<double, most_nodes> busy{}, computed{};
    double down = 0, up = 0;          // of the link between n0 and n1: application's messages each way
    double down_bytes = 0;            // of those
    double hop_down = 0, hop_up = 0;  // sums over the tasks that went from n1 to n2
    double span = 0;                  // from the first task at n1 to the last result at n0
    double fill = 0;                  // between the first tasks at n1

    friend Reading operator-(Reading a, const Reading& b) {
        a.tasks -= b.tasks, a.down -= b.down, a.up -= b.up, a.down_bytes -= b.down_bytes;
        a.hop_down -= b.hop_down, a.hop_up -= b.hop_up, a.span -= b.span;
        for (std::size_t i = 0; i < most_nodes; ++i) a.busy[i] -= b.busy[i], a.computed[i] -= b.computed[i];
        return a;
    }
};

const hw_model::LinkTotals::Sums& of_farm(const session::LinkLine& link) {
    return link.totals.of[trollius_os::accounts::application];
}

// How long a task was between n1 and n2, from arrival to arrival, and its result the same way back; added up. Also when the
// first tasks came.
void read_hops(const ground_truth::Truth& truth, Reading& reading) {
    constexpr std::size_t first_tasks = 4;  // two nodes with a buffer each can hold them before any is done
    std::vector<double> task_at(1), result_at(1), first;
    for (const auto& event : truth.events()) {
        if (event.kind != trace_record::EventKind::Receive || event.node > 2) continue;
        auto& list = event.is_result != 0 ? result_at : task_at;
        if (list.size() <= event.task) list.resize(event.task + 1, 0);
        const double now = static_cast<double>(event.time_us) * 1e-6;
        if (event.is_result == 0 && event.node == 1) {
            list[event.task] = now;
            if (first.size() < first_tasks) first.push_back(now);
        }
        if (event.is_result != 0 && event.node == 0 && !first.empty()) reading.span = now - first.front();
        if (event.is_result == 0 && event.node == 2) reading.hop_down += now - list[event.task];
        if (event.is_result != 0 && event.node == 1) list[event.task] = now;
        if (event.is_result != 0 && event.node == 0 && event.task < result_at.size() && result_at[event.task] > 0)
            reading.hop_up += now - result_at[event.task];
    }
    // Not from the first: until the monitor begins, everything waits with that one.
    if (first.size() == first_tasks) reading.fill = (first.back() - first[1]) / (first_tasks - 2);
}

Reading reading_of(const oracle::SessionResult& result, std::uint32_t tasks, double granularity) {
    Reading reading;
    reading.finished = result.simulated.farm.finished;
    reading.tasks = tasks / granularity;
    for (std::size_t i = 0; i < std::min(most_nodes, result.simulated.nodes.size()); ++i) {
        reading.busy[i] = (result.simulated.nodes[i].high_busy + result.simulated.nodes[i].low_busy).in_seconds();
        if (i < result.simulated.farm.distribution.size())
            reading.computed[i] = result.simulated.farm.distribution[i] / granularity;
    }
    for (const session::LinkLine& link : result.simulated.links) {
        if (link.from.starts_with("n0.") && link.to.starts_with("n1.")) {
            reading.down = of_farm(link).busy.in_seconds();
            reading.down_bytes = static_cast<double>(of_farm(link).bytes);
        }
        if (link.from.starts_with("n1.") && link.to.starts_with("n0.")) reading.up = of_farm(link).busy.in_seconds();
    }
    read_hops(result.truth, reading);
    return reading;
}

Reading run(const scenario::Scenario& scenario) {
    const auto reading = forks::run_in_child<Reading>("a small farm to measure the cost of a task", [&] {
        oracle::SessionResult result;
        oracle::run_session(scenario, result);
        return reading_of(result, scenario.farm.tasks, scenario.farm.granularity);
    });
    if (!reading.finished) {
        throw vocabulary::RequestError(
            "a small farm to measure the cost of a task did not finish; see whether 'magicwire run' of the scenario does "
            "with fewer nodes");
    }
    return reading;
}

// Measures the farm as if it were not monitored.
class Measurement {
public:
    Measurement(const scenario::Scenario& scenario, MeanTask task) : scenario_(scenario), task_(std::move(task)) {}

    // Nothing where the runs show no plausible costs.
    std::optional<farm_model::Costs> costs() {
        costs_.compute_s = task_.compute_s;
        for (double& level : costs_.compute_s) level *= scenario_.farm.granularity;
        if (!measure_farm()) return std::nullopt;
        measure_passing();
        if (scenario_.farm.divides()) measure_division();
        return sound() ? std::optional(costs_) : std::nullopt;
    }
    double link_byte_s() const { return link_byte_s_; }  // time of a byte on a link, after costs()

private:
    // `workers` on a tree of this arity; the difference of a long and a short run.
    Reading difference(std::size_t arity, std::uint32_t workers, std::uint32_t degree) const {
        return difference(on_small_farm(scenario_, arity, workers), degree);
    }
    Reading difference(scenario::Scenario small, std::uint32_t degree) const {
        const std::uint32_t workers = small.farm.nodes - 1;
        small.tasks = task_.table;
        small.sizes = task_.sizes;
        small.farm.degree = degree;
        small.farm.depth = 1;
        // Bundles.
        small.farm.tasks = (small.farm.granularity > 8 ? 20 : 60) * workers * small.farm.granularity;
        const Reading first = run(small);
        small.farm.tasks *= 3;
        Reading more = run(small) - first;
        more.fill = first.fill;
        return more;
    }

    bool sound() const {
        using farm_model::Costs;
        constexpr std::array all{&Costs::execute_s,      &Costs::forward_s,   &Costs::split_s,       &Costs::manager_s,
                                 &Costs::manager_pass_s, &Costs::task_link_s, &Costs::result_link_s, &Costs::pass_s,
                                 &Costs::fill_s,         &Costs::hop_down_s,  &Costs::hop_up_s};
        return std::all_of(all.begin(), all.end(),
                           [&](double Costs::*cost) { return std::isfinite(costs_.*cost) && costs_.*cost >= 0; });
    }

    // A cost of nearly nothing may come out below 0: tables hold whole microseconds, the mean of their times is none.
    void no_less_than_nothing() {
        constexpr double rounding_s = 1e-6;
        for (double* cost : {&costs_.execute_s, &costs_.forward_s, &costs_.manager_s, &costs_.split_s}) {
            if (*cost < 0 && *cost >= -rounding_s) *cost = 0;
        }
    }

    bool measure_farm() {
        constexpr std::uint32_t workers = 2;
        const Reading r = difference(1, workers, 1);
        for (std::uint32_t worker = 1; worker <= workers; ++worker) {
            if (r.computed[worker] <= 0) return false;  // kept from computing at all, and nothing can be said of each task
        }
        if (r.tasks <= r.computed[1] || r.down_bytes <= 0) return false;
        const double a = r.busy[workers] / r.computed[workers];
        costs_.execute_s = a - costs_.compute_s[0];
        costs_.manager_s = r.busy[0] / r.tasks;
        costs_.task_link_s = r.down / r.tasks;
        costs_.result_link_s = r.up / r.tasks;
        link_byte_s_ = r.down / r.down_bytes;
        const double passed = r.tasks - r.computed[1];
        costs_.fill_s = r.fill;
        costs_.hop_down_s = r.hop_down / passed;
        costs_.hop_up_s = r.hop_up / passed;
        costs_.forward_s = (r.busy[1] - r.computed[1] * a) / passed;
        no_less_than_nothing();
        return sound();
    }

    // Half as many workers again as one node can keep supplied: the first link is always full. The same for a manager with
    // several branches.
    void measure_passing() {
        constexpr std::uint32_t workers = 13, of_manager = 39;  // full ternary trees
        scenario::Scenario full = scenario_;
        full.farm.policy = farm_spec::Policy::FloodFilling;
        full.costs.set("trek.execute", 0, "measured_costs");
        MeanTask task = task_;
        const auto kept_short = [&](std::uint32_t count, double least) {
            const double stated = least / work_factor(scenario_, 1);
            task.table = equal_tasks({0, count * stated * 2 / 3 / scenario_.farm.granularity, 0, 0, 0});
            return Measurement(full, task);
        };
        const Reading r = kept_short(workers, std::max({costs_.forward_s, costs_.task_link_s, costs_.result_link_s}))
                              .difference(3, workers, 1);
        costs_.pass_s = r.span / r.tasks;
        if (!scenario_.best_tree && scenario_.farm.children(vocabulary::NodeId(0)).size() < 2) return;
        scenario::Scenario branches = on_small_farm(full, 1, of_manager);
        put_on_three_branches(branches, of_manager);
        const Reading m = kept_short(of_manager, costs_.manager_s).difference(std::move(branches), 1);
        costs_.manager_pass_s = m.span / m.tasks;
    }

    // A root worker and its leaves: as many as a split makes sub-tasks, at most three.
    void measure_division() {
        const std::uint32_t leaves = std::min(scenario_.farm.degree, 3U);
        const Reading r = difference(leaves, leaves + 1, scenario_.farm.degree);
        const double split = r.tasks - r.computed[1];
        if (split <= 0) return;
        costs_.split_s = (r.busy[1] - r.computed[1] * (costs_.compute_s[0] + costs_.execute_s)) / split;
        no_less_than_nothing();
    }

    const scenario::Scenario& scenario_;
    MeanTask task_;
    farm_model::Costs costs_;
    double link_byte_s_ = 0;
};

}  // namespace

farm_model::Costs measured_costs(const scenario::Scenario& scenario) {
    const MeanTask task = mean_task(scenario);
    scenario::Scenario plain = scenario;
    plain.monitor.reset();
    Measurement measurement(plain, task);
    const auto costs = measurement.costs();
    if (!costs)
        throw vocabulary::RequestError(
            "the cost of a task could not be measured: a worker of a short chain computed nothing, or a cost came out "
            "negative; use longer tasks or a larger farm.granularity, or see what 'magicwire run' of the scenario "
            "says");
    return scenario.monitor ? with_monitor(*costs, scenario, measurement.link_byte_s()) : *costs;
}

}  // namespace prediction

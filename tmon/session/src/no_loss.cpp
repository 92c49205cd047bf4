// Which sequence loses nothing, and what a crash takes along at the least.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <tmon_session/schedule.hpp>

#include "monitor_trials.hpp"

namespace tmon_session {
namespace {

constexpr std::size_t largest_buffer = 65536;  // of the cost table's row monitor.buffer

bool usable(const MonitorTrial& trial) {
    return trial.failure.empty() && trial.exposure.made > 0;
}

double cost_of(const MonitorTrial& trial) {
    return trial.slow_down_percent.value_or(1e9);  // no result in common with the twin: nothing is dearer
}

// The first of the least, of those that `take` takes.
template <class Take, class Key>
std::optional<std::size_t> least(const std::vector<MonitorTrial>& trials, Take take, Key key) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < trials.size(); ++i) {
        if (usable(trials[i]) && take(trials[i]) && (!best || key(trials[i]) < key(trials[*best]))) best = i;
    }
    return best;
}

std::uint64_t worst_crash(const MonitorTrial& trial) {
    const NodeExposure* worst = trial.exposure.worst();
    return worst == nullptr ? 0 : worst->worst;
}

void choose(NoLoss& answer) {
    const auto& trials = answer.series.trials;
    const auto whole = [](const MonitorTrial& trial) { return trial.exposure.lost == 0; };
    const auto any = [](const MonitorTrial&) { return true; };
    answer.without_overflow = least(trials, whole, cost_of);
    answer.least_lossy =
        least(trials, any, [](const MonitorTrial& trial) { return std::tuple(trial.exposure.lost, cost_of(trial)); });
    // One that gives up records for want of room exposes fewer, since they are gone already.
    answer.least_exposed = least(
        trials, [&](const MonitorTrial& trial) { return whole(trial) || !answer.without_overflow; },
        [](const MonitorTrial& trial) {
            return std::tuple(trial.exposure.lost, worst_crash(trial), trial.exposure.mean, cost_of(trial));
        });
}

// Few plans for each size: everything at once, and blocks that leave room for what comes while one is on its way.
std::vector<MonitorPlan> plans_for(std::size_t buffer, trace_record::ClassSet classes) {
    std::vector<MonitorPlan> plans;
    for (const std::size_t upper : {std::size_t{0}, buffer / 4, buffer / 2, buffer * 3 / 4, buffer}) {
        const auto bound = static_cast<std::uint32_t>(upper);
        MonitorPlan plan{{{1'000'000'000, bound, bound, {}}}, classes};
        if (plans.empty() || plans.back().commands[0].upper != bound) plans.push_back(std::move(plan));
    }
    return plans;
}

class LeastBuffer {
public:
    LeastBuffer(const Scenario& scenario, std::uint64_t results, const ScheduleProgress& progress)
        : scenario_(scenario), results_(results), progress_(progress) {}

    // Doubles until one loses nothing, then halves the gap; what has no room less loses nothing more, which the run with one
    // record less shows.
    void find(NoLoss& answer) {
        std::size_t too_small = answer.series.buffer, enough = std::max<std::size_t>(1, too_small);
        std::optional<MonitorTrial> with;
        while (!with && enough < largest_buffer) {
            too_small = enough;
            enough = std::min(largest_buffer, enough * 2);
            with = best_with(enough);
            if (interrupted_) return void(answer.series.interrupted = true);
        }
        if (!with) return;
        while (enough - too_small > 1) {
            const std::size_t middle = too_small + (enough - too_small) / 2;
            auto found = best_with(middle);
            if (interrupted_) return void(answer.series.interrupted = true);
            (found ? enough : too_small) = middle;
            if (found) with = std::move(found);
        }
        answer.least_buffer = enough;
        answer.with_least_buffer = std::move(with);
        answer.lost_with_one_less = least_lost_[too_small];
    }

private:
    // The cheapest that loses nothing.
    std::optional<MonitorTrial> best_with(std::size_t buffer) {
        Scenario larger = scenario_;
        larger.costs.set("monitor.buffer", static_cast<double>(buffer), "monitor.buffer");
        Trials trials(larger, results_, progress_);
        trials.run("buffers", plans_for(buffer, scenario_.monitor->classes));
        interrupted_ = trials.interrupted();
        const auto& all = trials.series().trials;
        const auto lossy = least(
            all, [](const MonitorTrial&) { return true; },
            [](const MonitorTrial& trial) { return std::tuple(trial.exposure.lost, cost_of(trial)); });
        if (!lossy) return {};
        least_lost_[buffer] = all[*lossy].exposure.lost;
        if (all[*lossy].exposure.lost > 0) return {};
        return all[*lossy];
    }

    const Scenario& scenario_;
    std::uint64_t results_;
    const ScheduleProgress& progress_;
    std::map<std::size_t, std::uint64_t> least_lost_;
    bool interrupted_ = false;
};

}  // namespace

NoLoss compute_no_loss(const Scenario& scenario, std::uint64_t results, const ScheduleProgress& progress) {
    Trials trials(scenario, results, progress);
    trials.run("sequences", constant_plans(trials.buffer(), trials.first_bounds(), scenario.monitor->classes));
    NoLoss answer;
    answer.series = trials.series();
    choose(answer);
    if (!answer.without_overflow && !answer.series.interrupted) LeastBuffer(scenario, results, progress).find(answer);
    return answer;
}

}  // namespace tmon_session

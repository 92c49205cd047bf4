// Which sequence loses nothing, and the fewest records that a crash destroys.
#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include <schedule/loss_proof.hpp>
#include <schedule/schedule.hpp>

#include "monitor_trials.hpp"

namespace schedule {
namespace {

constexpr std::size_t largest_buffer = 65536;   // of the cost table's row monitor.buffer
constexpr std::size_t changing_tried = 64;      // sequences, when each constant one loses
constexpr std::size_t largest_tried_fully = 8;  // records: 153 constant sequences

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

bool whole(const MonitorTrial& trial) {
    return trial.exposure.lost == 0;
}

std::optional<std::size_t> without_loss(const std::vector<MonitorTrial>& trials) {
    return least(trials, whole, cost_of);
}

std::optional<std::size_t> least_lossy(const std::vector<MonitorTrial>& trials) {
    return least(
        trials, [](const MonitorTrial&) { return true; },
        [](const MonitorTrial& trial) { return std::tuple(trial.exposure.lost, cost_of(trial)); });
}

const MonitorTrial* first_failed(const std::vector<MonitorTrial>& trials) {
    const auto found = std::find_if(trials.begin(), trials.end(), [](const MonitorTrial& t) { return !t.failure.empty(); });
    return found == trials.end() ? nullptr : &*found;
}

void choose(NoLoss& answer) {
    const auto& trials = answer.series.trials;
    answer.without_overflow = without_loss(trials);
    answer.least_lossy = least_lossy(trials);
    // A sequence that gives up records for want of room exposes fewer, since they are gone already. One that gives up all is
    // useless.
    answer.least_exposed = least(
        trials,
        [&](const MonitorTrial& trial) {
            return whole(trial) || (!answer.without_overflow && trial.exposure.lost < trial.exposure.made);
        },
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

void run_constant(Trials& trials, const scenario::Scenario& scenario, const char* step) {
    const trace_record::ClassSet classes = scenario.monitor->classes;
    trials.run(step, trials.buffer() <= largest_tried_fully ? all_constant_plans(trials.buffer(), classes)
                                                            : constant_plans(trials.buffer(), trials.first_bounds(), classes));
}

// Called when each constant sequence loses: proves that all others do, or tries some of them. Nothing: one loses nothing, or
// none was run.
std::optional<LossProof> look_further(Trials& trials, const scenario::Scenario& scenario, const ScheduleProgress& progress) {
    const auto& tried = trials.series().trials;
    if (trials.interrupted() || without_loss(tried) || !least_lossy(tried)) return {};
    const LossProof proof = prove_loss(scenario, trials.series().cut_after, [&] { return progress("proof", 0, 1); });
    if (proof.every_sequence_loses()) return proof;
    const auto span_us = static_cast<std::uint64_t>(static_cast<double>(trials.twin().span_ps) * 1e-6);
    trials.run("changing sequences",
               changing_plans(changing_tried, trials.buffer(), span_us, scenario.seed, scenario.monitor->classes));
    return proof;
}

// Exclusion of the trials' buffer size; each of the trials loses.
Exclusion exclusion_of(const Trials& trials, const LossProof& proof) {
    const std::vector<MonitorTrial>& all = trials.series().trials;
    const auto count = [&](auto which) { return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), which)); };
    const auto changes = [](const MonitorTrial& trial) { return trial.plan.commands.size() > 1; };
    Exclusion excluded;
    excluded.buffer = trials.buffer();
    excluded.tried = count(usable);
    excluded.changing = count([&](const MonitorTrial& trial) { return usable(trial) && changes(trial); });
    excluded.failed = count([](const MonitorTrial& trial) { return !trial.failure.empty(); });
    if (const MonitorTrial* failed = first_failed(all)) excluded.first_failure = failed->failure;
    excluded.all_constant = trials.buffer() <= largest_tried_fully &&
                            count([&](const MonitorTrial& trial) { return !usable(trial) && !changes(trial); }) == 0;
    excluded.least_lost = all[least_lossy(all).value()].exposure.lost;
    excluded.proof = proof;
    return excluded;
}

class LeastBuffer {
public:
    LeastBuffer(const scenario::Scenario& scenario, std::shared_ptr<const Baseline> baseline, std::uint64_t results,
                const ScheduleProgress& progress)
        : scenario_(scenario), baseline_(std::move(baseline)), results_(results), progress_(progress) {}

    // Doubles the size until one sequence loses nothing. Then halves the gap, as if no buffer below one that fails could do.
    // Then looks at each size below more closely, until one is excluded.
    void find(NoLoss& answer) {
        std::size_t too_small = answer.series.buffer, enough = std::max<std::size_t>(1, too_small);
        while (!answer.with_least_buffer && enough < largest_buffer) {
            too_small = enough;
            enough = std::min(largest_buffer, enough * 2);
            if (take(enough, answer) == Found::Unknown) return;
            if (!answer.with_least_buffer) answer.largest_tried = enough;
        }
        if (!answer.with_least_buffer) return;
        while (enough - too_small > 1) {
            const std::size_t middle = too_small + (enough - too_small) / 2;
            const Found found = take(middle, answer);
            if (found == Found::Unknown) return;
            (found == Found::Enough ? enough : too_small) = middle;
        }
        while (*answer.least_buffer - 1 > answer.series.buffer) {
            if (look_below(answer)) return;
        }
        answer.one_less = answer.excluded;
    }

private:
    scenario::Scenario with(std::size_t buffer) const {
        scenario::Scenario other = scenario_;
        other.costs.set("monitor.buffer", static_cast<double>(buffer), "monitor.buffer");
        return other;
    }

    // Unknown: interrupted; or none loses nothing, and some are not known, since their runs failed.
    enum class Found { Enough, TooSmall, Unknown };

    // Enough: one of a few sequences loses nothing; the cheapest is kept.
    Found take(std::size_t buffer, NoLoss& answer) {
        const scenario::Scenario other = with(buffer);
        Trials trials(other, results_, progress_, baseline_);
        trials.run("buffers", plans_for(buffer, scenario_.monitor->classes));
        const Found found = keep(trials, answer);
        const MonitorTrial* failed = first_failed(trials.series().trials);
        if (found != Found::TooSmall || failed == nullptr) return found;
        answer.unknown = {buffer, failed->failure};
        return Found::Unknown;
    }

    Found keep(Trials& trials, NoLoss& answer) const {
        answer.series.interrupted = answer.series.interrupted || trials.interrupted();
        if (answer.series.interrupted) return Found::Unknown;
        const auto found = without_loss(trials.series().trials);
        if (!found) return Found::TooSmall;
        answer.least_buffer = trials.buffer();
        answer.with_least_buffer = trials.series().trials[*found];
        return Found::Enough;
    }

    // True: it is excluded, as surely as can be said, or the search was interrupted or saw nothing.
    bool look_below(NoLoss& answer) {
        const std::size_t buffer = *answer.least_buffer - 1;
        const scenario::Scenario other = with(buffer);
        Trials trials(other, results_, progress_, baseline_);
        run_constant(trials, other, "one record less");
        const auto proof = look_further(trials, other, progress_);
        const Found found = keep(trials, answer);
        if (found != Found::TooSmall) return found == Found::Unknown;
        if (proof) {
            answer.one_less = exclusion_of(trials, *proof);
        } else if (const MonitorTrial* failed = first_failed(trials.series().trials)) {
            answer.unknown = {buffer, failed->failure};
        }
        return true;
    }

    const scenario::Scenario& scenario_;
    std::shared_ptr<const Baseline> baseline_;
    std::uint64_t results_;
    const ScheduleProgress& progress_;
};

}  // namespace

NoLoss compute_no_loss(const scenario::Scenario& scenario, std::uint64_t results, const ScheduleProgress& progress) {
    Trials trials(scenario, results, progress);
    run_constant(trials, scenario, "sequences");
    const auto proof = look_further(trials, scenario, progress);
    NoLoss answer;
    answer.series = trials.series();
    choose(answer);
    if (!proof || answer.without_overflow || answer.series.interrupted) return answer;
    answer.excluded = exclusion_of(trials, *proof);
    LeastBuffer(scenario, trials.baseline(), results, progress).find(answer);
    return answer;
}

}  // namespace schedule

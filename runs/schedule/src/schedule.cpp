#include <schedule/schedule.hpp>

#include <algorithm>
#include <tuple>

#include "monitor_trials.hpp"

namespace schedule {
namespace {

using trace_record::ClassSet;
using trace_record::EventClass;

constexpr std::size_t delays_of = 3;    // plans whose beginning is put off
constexpr std::size_t delay_steps = 6;  // of the bisection: a 64th of the run
constexpr std::size_t aimed = 3;        // plans that are followed by a tight one when a fault is near
constexpr std::size_t aim_steps = 32;   // moments before it, closer together near it
constexpr std::size_t aim_share = 10;   // of the time until it: the earliest is about a tenth before it

bool measured(const MonitorTrial& trial) {
    return trial.failure.empty() && trial.slow_down_percent.has_value();
}

// Records on nodes that died are lost as well.
std::uint64_t lost_in_all(const MonitorTrial& trial, std::uint64_t tasks) {
    return trial.expected_missing(tasks) + trial.taken_along();
}

// A trace is meant to name a fault: a plan whose records do so for certain comes before one that loses less.
auto loss_of(const MonitorTrial& trial, std::uint64_t tasks) {
    return std::tuple(!trial.certain, lost_in_all(trial, tasks), trial.exposure.mean, *trial.slow_down_percent);
}

class Search {
public:
    Search(const scenario::Scenario& scenario, double limit_percent, std::uint64_t results, const ScheduleProgress& progress)
        : scenario_(scenario), limit_(limit_percent), trials_(scenario, results, progress) {}

    Schedule go() {
        for (const ClassSet classes : class_sets()) {
            if (!worth_trying(classes)) continue;
            const auto constant = trials_.run("sequences", constant_plans(trials_.buffer(), trials_.first_bounds(), classes));
            put_off(constant);
            aim(constant);
        }
        Schedule schedule{trials_.series(), limit_, chosen(), {}};
        const auto& all = schedule.series.trials;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (!measured(all[i])) continue;
            if (!schedule.cheapest || *all[i].slow_down_percent < *all[*schedule.cheapest].slow_down_percent)
                schedule.cheapest = i;
        }
        return schedule;
    }

private:
    std::vector<MonitorTrial>& all() { return trials_.series().trials; }
    bool within(const MonitorTrial& trial) const { return measured(trial) && *trial.slow_down_percent <= limit_; }

    std::optional<std::size_t> chosen() {
        std::optional<std::size_t> best;
        const std::uint64_t tasks = trials_.series().tasks;
        for (std::size_t i = 0; i < all().size(); ++i) {
            if (within(all()[i]) && (!best || loss_of(all()[i], tasks) < loss_of(all()[*best], tasks))) best = i;
        }
        return best;
    }

    // All that the scenario asks for, then without detail. Tasks and results stay: without them nothing is known of the farm.
    std::vector<ClassSet> class_sets() const {
        std::vector<ClassSet> sets{scenario_.monitor->classes};
        for (const EventClass detail : {EventClass::Message, EventClass::Process, EventClass::Usage, EventClass::User}) {
            if (!sets.front().has(detail)) continue;
            const std::size_t so_far = sets.size();
            for (std::size_t i = 0; i < so_far; ++i) {
                ClassSet fewer = sets[i];
                fewer.remove(detail);
                if (!fewer.empty()) sets.push_back(fewer);
            }
        }
        return sets;
    }

    // False when it leaves out no records, or no fewer than the best plan loses.
    bool worth_trying(ClassSet classes) {
        if (trials_.interrupted()) return false;
        if (classes == scenario_.monitor->classes) return true;
        const std::uint64_t left_out = trials_.left_out(classes);
        if (left_out == 0) return false;
        const auto best = chosen();
        return !best || left_out < all()[*best].expected_missing(trials_.series().tasks);
    }

    // Plans that lose least and cost too much begin later. Until then nothing is unloaded, or the best plan within the limit is
    // in force. Records lost then are lost early, where they are missed least.
    void put_off(const std::vector<std::size_t>& constant) {
        const std::uint64_t tasks = trials_.series().tasks;
        std::vector<std::size_t> dear;
        for (const std::size_t i : constant)
            if (measured(all()[i]) && !within(all()[i])) dear.push_back(i);
        const auto best = chosen();
        if (best && lost_in_all(all()[*best], tasks) == 0) return;
        std::stable_sort(dear.begin(), dear.end(),
                         [&](std::size_t a, std::size_t b) { return loss_of(all()[a], tasks) < loss_of(all()[b], tasks); });
        dear.resize(std::min(dear.size(), delays_of));
        const auto room = static_cast<std::uint32_t>(2 * trials_.buffer());
        bisect(dear, {0, room, room, {}});
        if (best && all()[*best].plan.commands.size() == 1) bisect(dear, all()[*best].plan.commands.front());
    }

    // Where runs show that a fault strikes: the best of the constant plans until shortly before it, then every record at once.
    // The moment is that of the plan's own run, since a plan changes when the farm comes to the fault.
    void aim(std::vector<std::size_t> constant) {
        const std::uint64_t tasks = trials_.series().tasks;
        const auto best = chosen();
        if (!best || (all()[*best].certain && lost_in_all(all()[*best], tasks) == 0)) return;
        std::erase_if(constant, [this](std::size_t i) { return !within(all()[i]) || all()[i].cut || all()[i].strike_us == 0; });
        std::stable_sort(constant.begin(), constant.end(),
                         [&](std::size_t a, std::size_t b) { return loss_of(all()[a], tasks) < loss_of(all()[b], tasks); });
        constant.resize(std::min(constant.size(), aimed));
        std::vector<MonitorPlan> plans;
        for (const std::size_t i : constant) {
            const MonitorTrial& trial = all()[i];
            MonitorPlan tight = trial.plan;
            tight.commands.back().lower = tight.commands.back().upper = 0;
            for (std::size_t step = 0; step < aim_steps; ++step)
                plans.push_back(delayed(tight,
                                        trial.strike_us - trial.strike_us * step * step / (aim_share * aim_steps * aim_steps),
                                        trial.plan.commands.front()));
        }
        trials_.run("moments before the fault", plans);
    }

    // The least time for which `first` must be in force before each of the plans to keep the limit.
    void bisect(const std::vector<std::size_t>& plans, const instrumentation::UnloadCommand& first) {
        std::vector<double> too_early(plans.size(), 0.0), late_enough(plans.size(), 1.0);
        for (std::size_t step = 0; step < delay_steps && !plans.empty(); ++step) {
            std::vector<MonitorPlan> tried;
            for (std::size_t k = 0; k < plans.size(); ++k)
                tried.push_back(delayed(all()[plans[k]].plan, moment((too_early[k] + late_enough[k]) / 2), first));
            const auto numbers = trials_.run("delays", tried);
            for (std::size_t k = 0; k < numbers.size(); ++k) {
                const double share = (too_early[k] + late_enough[k]) / 2;
                (within(all()[numbers[k]]) ? late_enough : too_early)[k] = share;
            }
        }
    }

    std::uint64_t moment(double share) const {
        return static_cast<std::uint64_t>(share * static_cast<double>(trials_.twin().span_ps) * 1e-6);
    }

    const scenario::Scenario& scenario_;
    double limit_;
    Trials trials_;
};

// A plan found on a cut run holds for the whole run when its moments are later in proportion.
void stretch(Schedule& schedule) {
    if (schedule.series.cut_after == 0 || !schedule.chosen) return;
    MonitorTrial& trial = schedule.series.trials[*schedule.chosen];
    const double times = static_cast<double>(schedule.series.tasks) / static_cast<double>(schedule.series.cut_after);
    for (std::size_t i = 0; i + 1 < trial.plan.commands.size(); ++i) {
        std::uint64_t& until = trial.plan.commands[i].until_us;
        until = static_cast<std::uint64_t>(static_cast<double>(until) * times);
    }
}

}  // namespace

Schedule compute_schedule(const scenario::Scenario& scenario, double limit_percent, std::uint64_t results,
                          const ScheduleProgress& progress) {
    Schedule schedule = Search(scenario, limit_percent, results, progress).go();
    stretch(schedule);
    return schedule;
}

}  // namespace schedule

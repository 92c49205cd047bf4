#include "monitor_trials.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <hw_model/timing.hpp>
#include <instrumentation/record_codec.hpp>
#include <prediction/monitored_costs.hpp>
#include <trace_record/event_names.hpp>
#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>
#include <vocabulary/split_mix.hpp>

namespace schedule {

using instrumentation::UnloadCommand;
using trace_record::ClassSet;
using trace_record::EventClass;
using vocabulary::InputError;

namespace {

constexpr std::uint64_t for_ever_us = 1'000'000'000;  // the last command stays in force anyway

std::uint32_t bound(std::size_t records) {
    return static_cast<std::uint32_t>(records);
}

bool begin_alike(const MonitorPlan& a, const MonitorPlan& b) {
    const UnloadCommand &first = a.commands.front(), &other = b.commands.front();
    return a.commands.size() > 1 && b.commands.size() > 1 && a.classes == b.classes && first.lower == other.lower &&
           first.upper == other.upper;
}

// The numbers of plans that are one run until a moment; of a constant plan, its own alone.
std::vector<std::vector<std::size_t>> with_common_beginning(const std::vector<MonitorPlan>& plans) {
    std::vector<std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        const auto found = std::find_if(groups.begin(), groups.end(),
                                        [&](const auto& group) { return begin_alike(plans[group.front()], plans[i]); });
        if (found == groups.end()) {
            groups.push_back({i});
        } else {
            found->push_back(i);
        }
    }
    return groups;
}

}  // namespace

std::string MonitorPlan::sequence_text() const {
    std::string text;
    for (const UnloadCommand& command : commands)
        text += fmt::format("{} {} {}\n", command.until_us, command.lower, command.upper);
    return text;
}

std::string MonitorPlan::setting_text() const {
    std::string text;
    for (const UnloadCommand& command : commands)
        text += fmt::format("{}{}us/{}/{}", text.empty() ? "" : ",", command.until_us, command.lower, command.upper);
    return text;
}

std::string MonitorPlan::classes_text() const {
    ClassSet named = classes;
    named.remove(EventClass::Clock);  // Tmon's own, which no setting names; so they are never all
    return trace_record::classes_text(named);
}

scenario::Scenario MonitorPlan::applied_to(scenario::Scenario scenario) const {
    scenario.monitor->unload = instrumentation::UnloadSequence(commands);
    scenario.monitor->classes = classes;
    return scenario;
}

std::uint64_t MonitorTrial::expected_lost(std::uint64_t tasks) const {
    if (!cut || results == 0 || tasks <= results) return exposure.lost;
    const double halves = 2.0 * static_cast<double>(tasks - results) / static_cast<double>(results);
    return exposure.lost + static_cast<std::uint64_t>(std::llround(static_cast<double>(lost_late) * halves));
}

std::uint64_t MonitorTrial::expected_missing(std::uint64_t tasks) const {
    const double times = cut && results > 0 ? static_cast<double>(tasks) / static_cast<double>(results) : 1.0;
    return expected_lost(tasks) +
           static_cast<std::uint64_t>(std::llround(static_cast<double>(unrecorded) * std::max(1.0, times)));
}

std::vector<MonitorPlan> constant_plans(std::size_t buffer, const std::vector<std::size_t>& first, ClassSet classes) {
    const std::size_t room = 2 * buffer;
    std::vector<std::size_t> uppers{0, buffer * 3 / 4, buffer - buffer / 16, buffer, buffer * 3 / 2, room};
    for (const std::size_t upper : first) uppers.push_back(std::min(upper, room));
    for (std::size_t upper = 1; upper < room; upper *= 2) uppers.push_back(upper);
    std::sort(uppers.begin(), uppers.end());
    uppers.erase(std::unique(uppers.begin(), uppers.end()), uppers.end());
    std::vector<MonitorPlan> plans;
    for (const std::size_t upper : uppers) {
        std::vector<std::size_t> lowers{upper, upper / 2, upper / 8, 0};
        lowers.erase(std::unique(lowers.begin(), lowers.end()), lowers.end());
        for (const std::size_t lower : lowers) plans.push_back({{{for_ever_us, bound(lower), bound(upper), {}}}, classes});
    }
    return plans;
}

std::vector<MonitorPlan> all_constant_plans(std::size_t buffer, ClassSet classes) {
    std::vector<MonitorPlan> plans;
    for (std::size_t upper = 0; upper <= 2 * buffer; ++upper)
        for (std::size_t lower = 0; lower <= upper; ++lower)
            plans.push_back({{{for_ever_us, bound(lower), bound(upper), {}}}, classes});
    return plans;
}

std::vector<MonitorPlan> changing_plans(std::size_t count, std::size_t buffer, std::uint64_t span_us, std::uint64_t seed,
                                        ClassSet classes) {
    constexpr std::uint64_t least_us = 500, most_commands = 8;
    std::uint64_t drawn = 0;
    const auto draw = [&](std::uint64_t below) { return vocabulary::split_mix(seed, drawn++) % below; };
    std::vector<MonitorPlan> plans;
    for (std::size_t i = 0; i < count; ++i) {
        std::vector<std::uint64_t> times(2 + draw(most_commands - 1));
        for (std::uint64_t& time : times) {
            const std::uint64_t most = std::max(least_us, span_us >> draw(8));  // of the whole, its first half, quarter, ...
            time = least_us + draw(most - least_us + 1);
        }
        std::sort(times.begin(), times.end());
        times.back() = for_ever_us;
        times.erase(std::unique(times.begin(), times.end()), times.end());
        MonitorPlan plan{{}, classes};
        for (const std::uint64_t until : times) {
            const std::uint64_t upper = draw(2 * buffer + 1);
            plan.commands.push_back({until, bound(draw(upper + 1)), bound(upper), {}});
        }
        plans.push_back(std::move(plan));
    }
    return plans;
}

MonitorPlan delayed(const MonitorPlan& plan, std::uint64_t until_us, UnloadCommand first) {
    MonitorPlan later = plan;
    first.until_us = until_us;
    if (until_us > 0) later.commands.insert(later.commands.begin(), first);
    return later;
}

void check_schedulable(const scenario::Scenario& scenario) {
    if (!scenario.monitor)
        throw InputError(
            {scenario.path, 0, 0},
            "the scenario is not monitored, so there is nothing to choose; give it a 'monitor:', or set one: --set "
            "monitor.unload=1000s/8/32");
    if (scenario.monitor->classes.empty())
        throw InputError({scenario.path, 0, 0},
                         "the scenario asks for no class of events; give it some: --set monitor.events=task");
}

Trials::Trials(const scenario::Scenario& scenario, std::uint64_t results, const ScheduleProgress& progress,
               std::shared_ptr<const Baseline> known)
    : scenario_(scenario), progress_(progress), baseline_(std::move(known)) {
    check_schedulable(scenario);
    const std::uint32_t tasks = scenario.farm.tasks;
    options_.results = results < tasks ? results : 0;
    const auto record = std::max<std::size_t>(static_cast<std::size_t>(scenario.costs.get("monitor.record", "bytes")),
                                              instrumentation::record_bytes);
    series_.scenario = scenario.name;
    series_.seed = scenario.seed;
    series_.tasks = tasks;
    series_.cut_after = options_.results;
    series_.buffer = static_cast<std::size_t>(scenario.costs.get("monitor.buffer", "records"));
    series_.in_message =
        std::max<std::size_t>(1, static_cast<std::size_t>(scenario.costs.get("kernel.most_packet", "bytes")) / record);
    if (!baseline_) run_baseline();
    compare_fill();
}

void Trials::run_baseline() {
    const auto go_on = [&](const char* step, std::size_t done) {
        series_.interrupted = series_.interrupted || !progress_(step, done, 1);
        return !series_.interrupted;
    };
    auto baseline = std::make_shared<Baseline>();
    go_on("prediction", 0);
    baseline->predicted = predicted_fill(scenario_);
    scenario::Scenario without = scenario_;
    without.monitor->probes_off = true;
    auto runs = probe_runs({without}, {options_.results, false}, [&](std::size_t done) { return go_on("twin", done); });
    go_on("twin", 1);
    baseline->twin = std::move(runs.front());
    if (!baseline->twin.failure.empty() && !series_.interrupted)
        vocabulary::throw_as(baseline->twin.kind, "the run without probes failed: " + baseline->twin.failure);
    baseline_ = std::move(baseline);
}

void Trials::compare_fill() {
    const ProbeRun& run = twin();
    const PredictedFill& predicted = baseline_->predicted;
    const double span_ms = static_cast<double>(run.span_ps) * 1e-9, room = static_cast<double>(2 * buffer());
    double most_predicted = 0, most_measured = 0;
    for (std::size_t i = 0; i < run.events_of_node.size() && span_ms > 0; ++i) {
        const std::uint64_t events = run.events_of_node[i];
        if (events == 0) continue;
        const double per_ms = static_cast<double>(events) / span_ms;
        NodeFill fill{static_cast<std::uint16_t>(i), events, per_ms, room / per_ms, {}, {}};
        if (i < predicted.of_node.size()) {
            const ClassRates& rates = predicted.of_node[i];
            const double all = std::accumulate(rates.begin(), rates.end(), 0.0);
            fill.predicted_per_ms = rates[static_cast<std::size_t>(EventClass::Task)];
            if (all > 0) fill.predicted_full_after_ms = room / all;
            most_predicted = std::max(most_predicted, all);
        }
        most_measured = std::max(most_measured, per_ms);
        series_.fill.push_back(fill);
    }
    std::stable_sort(series_.fill.begin(), series_.fill.end(),
                     [](const NodeFill& a, const NodeFill& b) { return a.records > b.records; });
    FillForecast& forecast = series_.forecast;
    forecast.refused = predicted.refused;
    forecast.caveats = predicted.caveats;
    forecast.left_out = MonitorPlan{{}, predicted.left_out}.classes_text();
    if (forecast.refused.empty()) forecast.predicted_bound = bound_for(most_predicted);
    forecast.measured_bound = bound_for(most_measured);
}

std::size_t Trials::bound_for(double per_ms) const {
    const std::size_t room = 2 * buffer();
    const double record_bits = scenario_.costs.get("link.data_packet", "bits") * scenario_.costs.get("monitor.record", "bytes");
    const double on_link_ms = 1e3 * record_bits / static_cast<double>(prediction::slowest_link_bits_per_second(scenario_));
    const auto slowest = std::min_element(scenario_.machine.nodes.begin(), scenario_.machine.nodes.end(),
                                          [](const auto& a, const auto& b) { return a.clock_hz < b.clock_hz; });
    const double factor =
        1e3 * hw_model::work_factor(hw_model::processor_timing(scenario_.costs), slowest->clock_hz);  // milliseconds
    const double record_ms = scenario_.costs.work("monitor.pack_record").in_seconds() * factor + on_link_ms;
    const double leave_ms =
        scenario_.costs.work("monitor.manager_check").in_seconds() * factor + record_ms * static_cast<double>(buffer());
    const double come = std::ceil(per_ms * leave_ms);
    return come < static_cast<double>(room) ? room - static_cast<std::size_t>(come) : 0;
}

std::vector<std::size_t> Trials::first_bounds() const {
    const FillForecast& forecast = series_.forecast;
    std::vector<std::size_t> bounds{forecast.measured_bound};
    if (forecast.predicted_bound) bounds.push_back(*forecast.predicted_bound);
    return bounds;
}

std::vector<ProbeRun> Trials::runs_of(const char* step, const std::vector<MonitorPlan>& plans) {
    std::size_t done_before = 0;
    const auto go_on = [&](std::size_t done) {
        series_.interrupted = series_.interrupted || !progress_(step, done_before + done, plans.size());
        return !series_.interrupted;
    };
    std::vector<ProbeRun> runs(plans.size());
    const auto put = [&](const std::vector<std::size_t>& numbers, std::vector<ProbeRun> some) {
        for (std::size_t i = 0; i < numbers.size(); ++i) runs[numbers[i]] = std::move(some[i]);
        done_before += numbers.size();
    };
    std::vector<std::size_t> whole;
    for (const std::vector<std::size_t>& group : with_common_beginning(plans)) {
        if (group.size() == 1) {
            whole.push_back(group.front());
            continue;
        }
        std::vector<instrumentation::UnloadSequence> sequences;
        for (const std::size_t i : group) sequences.emplace_back(plans[i].commands);
        put(group, probe_branches(plans[group.front()].applied_to(scenario_), sequences, options_, go_on));
    }
    std::vector<scenario::Scenario> scenarios;
    for (const std::size_t i : whole) scenarios.push_back(plans[i].applied_to(scenario_));
    put(whole, probe_runs(scenarios, options_, go_on));
    return runs;
}

std::vector<std::size_t> Trials::run(const char* step, const std::vector<MonitorPlan>& plans) {
    if (interrupted()) return {};
    const std::vector<ProbeRun> runs = runs_of(step, plans);
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        if (plans[i].classes == scenario_.monitor->classes)
            for (std::size_t c = 0; c < asked_.size(); ++c) asked_[c] = std::max(asked_[c], runs[i].records[c]);
        numbers.push_back(series_.trials.size());
        series_.trials.push_back(trial_of(plans[i], runs[i]));
    }
    return numbers;
}

MonitorTrial Trials::trial_of(const MonitorPlan& plan, const ProbeRun& run) const {
    MonitorTrial trial{plan,        run.failure,   {},           0, run.lost_late, run.result_ps.size(), run.cut,
                       run.certain, run.strike_us, run.exposure, {}};
    if (!run.failure.empty()) return trial;
    trial.common = common_work(run, twin(), options_.results);
    trial.slow_down_percent = slow_down_percent(run, twin(), options_.results);
    trial.unrecorded = left_out(plan.classes);
    return trial;
}

std::uint64_t Trials::left_out(trace_record::ClassSet classes) const {
    std::uint64_t records = 0;
    for (std::uint8_t c = 0; c < trace_record::event_classes; ++c) {
        const auto which = static_cast<trace_record::EventClass>(c);
        if (scenario_.monitor->classes.has(which) && !classes.has(which)) records += asked_[c];
    }
    return records;
}

}  // namespace schedule

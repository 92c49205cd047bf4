// Trials: candidates for an unload sequence, and runs of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <schedule/schedule.hpp>

#include "predicted_fill.hpp"
#include "probe_run.hpp"

namespace schedule {

// Constant lower and upper bounds to try, from "every record at once" to "nothing before both buffers are full". `buffer`:
// records of each of the two buffers. `first`: further upper bounds to try.
std::vector<MonitorPlan> constant_plans(std::size_t buffer, const std::vector<std::size_t>& first,
                                        trace_record::ClassSet classes);
// All sequences that never change: 0 <= lower <= upper <= room of both buffers.
std::vector<MonitorPlan> all_constant_plans(std::size_t buffer, trace_record::ClassSet classes);
// `count` sequences that change in time, drawn from `seed` alone. Each has two to eight commands with times within `span_us`,
// closer together at the beginning, where buffers first fill. Bounds lie anywhere in the room of both buffers.
std::vector<MonitorPlan> changing_plans(std::size_t count, std::size_t buffer, std::uint64_t span_us, std::uint64_t seed,
                                        trace_record::ClassSet classes);
// A constant plan that starts after a time under the bounds of `first`.
MonitorPlan delayed(const MonitorPlan& plan, std::uint64_t until_us, instrumentation::UnloadCommand first);

// Throws vocabulary::InputError for a scenario with nothing to choose.
void check_schedulable(const scenario::Scenario& scenario);

// Facts of a farm that do not depend on its buffers: its twin, and the prediction made before it ran.
struct Baseline {
    ProbeRun twin;
    PredictedFill predicted;
};

class Trials {
public:
    // `known`: the baseline of the same scenario with other buffers; empty: run it here.
    Trials(const scenario::Scenario& scenario, std::uint64_t results, const ScheduleProgress& progress,
           std::shared_ptr<const Baseline> known = nullptr);

    // Runs these and adds them to the series. Returns the numbers of their trials; empty after an interruption.
    std::vector<std::size_t> run(const char* step, const std::vector<MonitorPlan>& plans);
    TrialSeries& series() { return series_; }
    const TrialSeries& series() const { return series_; }
    // Number of records of classes that the scenario asks for and `classes` lacks, as far as known.
    std::uint64_t left_out(trace_record::ClassSet classes) const;
    const ProbeRun& twin() const { return baseline_->twin; }
    std::shared_ptr<const Baseline> baseline() const { return baseline_; }
    std::size_t buffer() const { return series_.buffer; }
    // Upper bounds to try first, from the FillForecast.
    std::vector<std::size_t> first_bounds() const;
    bool interrupted() const { return series_.interrupted; }

private:
    std::vector<ProbeRun> runs_of(const char* step, const std::vector<MonitorPlan>& plans);
    MonitorTrial trial_of(const MonitorPlan& plan, const ProbeRun& run) const;
    void run_baseline();
    void compare_fill();
    std::size_t bound_for(double per_ms) const;

    const scenario::Scenario& scenario_;
    const ScheduleProgress& progress_;
    ProbeOptions options_;
    TrialSeries series_;
    std::shared_ptr<const Baseline> baseline_;
    std::array<std::uint64_t, trace_record::event_classes> asked_{};  // records of each class with all requested classes on
};

}  // namespace schedule

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

// Lower and upper bounds to be tried: the same at all times, from "every record at once" to "nothing before both buffers are
// full". `buffer`: records of each of the two; `first`: upper bounds to be tried with the rest.
std::vector<MonitorPlan> constant_plans(std::size_t buffer, const std::vector<std::size_t>& first,
                                        trace_record::ClassSet classes);
// All sequences that never change: 0 <= lower <= upper <= room of both buffers.
std::vector<MonitorPlan> all_constant_plans(std::size_t buffer, trace_record::ClassSet classes);
// So many sequences that change in time, from `seed` alone. Each has two to eight commands whose times lie within `span_us`.
// They lie closer together at its beginning, where buffers first fill. Bounds lie anywhere in the room of both buffers.
std::vector<MonitorPlan> changing_plans(std::size_t count, std::size_t buffer, std::uint64_t span_us, std::uint64_t seed,
                                        trace_record::ClassSet classes);
// A constant plan after a time in which the bounds of `first` are in force.
MonitorPlan delayed(const MonitorPlan& plan, std::uint64_t until_us, instrumentation::UnloadCommand first);

// Throws vocabulary::InputError for a scenario for which there is nothing to choose.
void check_schedulable(const scenario::Scenario& scenario);

// Facts of a farm that do not depend on its buffers: its twin, and the prediction made before it ran.
struct Baseline {
    ProbeRun twin;
    PredictedFill predicted;
};

class Trials {
public:
    // `known`: the baseline of the same scenario with other buffers; nothing: it is run here.
    Trials(const scenario::Scenario& scenario, std::uint64_t results, const ScheduleProgress& progress,
           std::shared_ptr<const Baseline> known = nullptr);

    // Runs these and adds them to the series. Returns the numbers of their trials; empty after an interruption.
    std::vector<std::size_t> run(const char* step, const std::vector<MonitorPlan>& plans);
    TrialSeries& series() { return series_; }
    const TrialSeries& series() const { return series_; }
    // Records of the classes that the scenario asks for and `classes` lacks, as far as is known.
    std::uint64_t left_out(trace_record::ClassSet classes) const;
    const ProbeRun& twin() const { return baseline_->twin; }
    std::shared_ptr<const Baseline> baseline() const { return baseline_; }
    std::size_t buffer() const { return series_.buffer; }
    // Upper bounds to be tried first, from the FillForecast.
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
    std::array<std::uint64_t, trace_record::event_classes>
        asked_{};  // records of each class, when all that is asked for is made
};

}  // namespace schedule

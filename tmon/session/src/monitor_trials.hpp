// Trials: candidates for an unload sequence, and runs of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tmon_session/schedule.hpp>

#include "probe_run.hpp"

namespace tmon_session {

// Lower and upper bounds that are tried: the same at all times, from "every record at once" to "nothing before both buffers are
// full". `buffer`: records of each of the two; `predicted`: an upper bound to be tried with the rest.
std::vector<MonitorPlan> constant_plans(std::size_t buffer, std::size_t predicted, trace_record::ClassSet classes);
// The same, after a time in which the bounds of `first` are in force.
MonitorPlan delayed(const MonitorPlan& plan, std::uint64_t until_us, instrumentation::UnloadCommand first);

// Throws vocabulary::InputError for a scenario for which there is nothing to choose.
void check_schedulable(const Scenario& scenario);

class Trials {
public:
    Trials(const Scenario& scenario, std::uint64_t results, const ScheduleProgress& progress);

    // Runs these and adds them to the series; the numbers of their trials. Empty after an interruption.
    std::vector<std::size_t> run(const char* step, const std::vector<MonitorPlan>& plans);
    TrialSeries& series() { return series_; }
    // Records of the classes that the scenario asks for and these are without, as far as is known.
    std::uint64_t left_out(trace_record::ClassSet classes) const;
    const ProbeRun& twin() const { return twin_; }
    std::size_t buffer() const { return series_.buffer; }
    // The largest upper bound that should lose nothing, from the fill rate of the fullest node: while one buffer is looked at,
    // packed and sent over one link, no more comes than there is room for.
    std::size_t predicted_bound() const;
    bool interrupted() const { return series_.interrupted; }

private:
    MonitorTrial trial_of(const MonitorPlan& plan, const ProbeRun& run) const;
    void measure_fill();

    const Scenario& scenario_;
    const ScheduleProgress& progress_;
    ProbeOptions options_;
    TrialSeries series_;
    ProbeRun twin_;
    std::array<std::uint64_t, trace_record::event_classes>
        asked_{};  // records of each class, when all that is asked for is made
};

}  // namespace tmon_session

// Choice of the unload sequence that loses least within a limit of slow-down, or that loses nothing. Every candidate is run,
// whole or cut short, in a process of its own. The twin without probes is run once. docs/guide/schedule.md defines "loses
// least".
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <instrumentation/unload_sequence.hpp>
#include <scenario/scenario.hpp>
#include <schedule/loss_proof.hpp>
#include <schedule/trace_journal.hpp>
#include <trace_record/event_class.hpp>

namespace schedule {

inline constexpr std::uint64_t default_schedule_results = 2000;

// Called often with the number of runs done in this step of the search; false: stop.
using ScheduleProgress = std::function<bool(const char* step, std::size_t done, std::size_t all)>;

struct MonitorPlan {
    std::vector<instrumentation::UnloadCommand> commands;
    trace_record::ClassSet classes;

    std::string sequence_text() const;  // thesis, section 5.3.3: a line a command, `<Time> <LowerBound> <UpperBound>`, in us
    std::string setting_text() const;   // for --set monitor.unload=
    std::string classes_text() const;   // for --set monitor.events=
    scenario::Scenario applied_to(scenario::Scenario scenario) const;
};

// The work that a run and its twin have in common.
struct CommonWork {
    std::uint64_t results = 0;  // shared by both: the slow-down is measured up to the last of them
    // True when one has results that the other lacks. A fault struck, and they did different work from then on: their
    // slow-down says nothing about the farm without the fault.
    bool parted = false;
};

// A plan and the figures of its run, up to the cut if it was cut.
struct MonitorTrial {
    MonitorPlan plan;
    std::string failure;                      // empty: it was run
    std::optional<double> slow_down_percent;  // against the twin, up to the last common result; empty: no common result
    std::uint64_t unrecorded = 0;             // records that the scenario asks for and the plan omits
    std::uint64_t lost_late = 0;              // of exposure.lost, in the second half of the time
    std::uint64_t results = 0;                // at the manager
    bool cut = false, certain = false;        // certain: a whole run whose trace gives a certain verdict on a fault
    std::uint64_t strike_us = 0;              // first strike of a fault or bug, by the monitors' clocks; 0: none
    TraceExposure exposure;
    CommonWork common;  // with the twin

    std::uint64_t missing() const { return exposure.lost + unrecorded; }
    // Records on dead or unreachable nodes at the end of a whole run.
    std::uint64_t taken_along() const {
        const std::uint64_t got = std::min(exposure.made, exposure.lost + exposure.kept);
        return cut ? 0 : exposure.made - got;
    }
    // Losses expected in a whole run of `tasks` tasks. A run that was cut is extrapolated with the rate of its second half.
    std::uint64_t expected_lost(std::uint64_t tasks) const;
    std::uint64_t expected_missing(std::uint64_t tasks) const;  // plus the records that the plan omits
};

// Fill rate of a node's buffers without the effects of monitoring, and the time until both are full if nothing is unloaded.
struct NodeFill {
    std::uint16_t node = 0;
    std::uint64_t records = 0;  // of tasks and results, in the twin
    double per_ms = 0;
    double full_after_ms = 0;
    // Predicted before any run of the farm; empty: no prediction.
    std::optional<double> predicted_per_ms;         // of tasks and results
    std::optional<double> predicted_full_after_ms;  // with all requested classes that a prediction covers
};

// The prediction before any run of the farm, and its twin's figures after it.
struct FillForecast {
    std::string refused;               // reason for having no prediction; empty: there is one
    std::vector<std::string> caveats;  // of the prediction, a sentence each
    std::string left_out;              // requested classes that are not predicted, "process+user"; empty: none
    // The largest upper bound that should lose nothing. While one buffer is looked at, packed and sent over one link, the
    // fullest node needs room for new records.
    std::optional<std::size_t> predicted_bound;
    std::size_t measured_bound = 0;
};

struct TrialSeries {
    std::string scenario;
    std::uint64_t seed = 0, tasks = 0, cut_after = 0;  // 0: whole runs
    std::size_t buffer = 0, in_message = 0;            // records: of each of the two buffers, and in a message
    std::vector<NodeFill> fill;                        // the fullest first
    FillForecast forecast;
    std::vector<MonitorTrial> trials;
    bool interrupted = false;
};

struct Schedule {
    TrialSeries series;
    double limit_percent = 0;
    std::optional<std::size_t>
        chosen;  // best trial: within the limit, then a certain fault, the least missing, the least exposed
    std::optional<std::size_t> cheapest;  // least slow-down of all trials; empty: none could be compared
};

// Figures of a whole run with the plan, to compare with the expected ones.
struct ScheduleCheck {
    std::optional<double> slow_down_percent;
    CommonWork common;
    std::uint64_t records = 0, lost = 0;       // lost: buffers full
    std::optional<std::uint64_t> taken_along;  // neither lost nor on the host at the end; empty: not known
    bool limit_kept = false, loss_as_expected = false;
    bool verdict_as_expected = true;  // as certain as in the search
    std::string verdict;              // first line of the verdict on the run; empty: not analysed
    // No monitor makes a run faster. A run that seems faster did less work than its twin, so it is unknown whether the limit
    // holds.
    bool limit_known() const { return !common.parted || !slow_down_percent || *slow_down_percent >= 0; }
    bool as_expected() const { return limit_known() && limit_kept && loss_as_expected && verdict_as_expected; }
};

// Evidence that, with this buffer size, every unload sequence overflows even if nothing crashes.
struct Exclusion {
    std::size_t buffer = 0;        // monitor.buffer
    std::size_t tried = 0;         // sequences that were run
    std::size_t failed = 0;        // sequences whose run failed, so that nothing is known about them
    std::string first_failure;     // reason of the first of them
    std::size_t changing = 0;      // of `tried`: sequences that change in time
    bool all_constant = false;     // all constant sequences were run
    std::uint64_t least_lost = 0;  // records, in the best of the runs
    // Proof that no sequence at all, nor any other unload policy, loses nothing.
    LossProof proof;
};

// A buffer size without an answer: runs failed, and all others had losses.
struct UnknownBuffer {
    std::size_t buffer = 0;  // monitor.buffer
    std::string failure;     // the first
};

struct NoLoss {
    TrialSeries series;
    std::optional<std::size_t> without_overflow;  // the cheapest without overflow
    // The plan whose worst crash destroys the fewest records; on a tie the cheapest. Empty: every plan loses all its records.
    std::optional<std::size_t> least_exposed;
    std::optional<std::size_t> least_lossy;  // set when all overflow
    std::optional<Exclusion> excluded;       // set when all overflow
    // When all overflow: the smallest monitor.buffer found that has a plan without overflow. Empty: none up to
    // `largest_tried`.
    std::optional<std::size_t> least_buffer;
    std::size_t largest_tried = 0;  // largest larger buffer tried in vain; 0: none was
    std::optional<MonitorTrial> with_least_buffer;
    std::optional<Exclusion> one_less;     // with one record less
    std::optional<UnknownBuffer> unknown;  // where the search for a buffer had to stop
};

// `results`: cut runs of longer farms when the manager has that many; 0: never. Throws vocabulary::InputError when the
// scenario is not monitored or its farm has no task.
Schedule compute_schedule(const scenario::Scenario& scenario, double limit_percent, std::uint64_t results,
                          const ScheduleProgress& progress);
NoLoss compute_no_loss(const scenario::Scenario& scenario, std::uint64_t results, const ScheduleProgress& progress);
// The whole run and its twin, in processes of their own. Empty: `progress` returned false. Throws vocabulary::RequestError
// with the reason when one of them fails. Precondition: a plan was chosen.
std::optional<ScheduleCheck> check_schedule(const scenario::Scenario& scenario, const Schedule& schedule,
                                            const ScheduleProgress& progress);

std::string schedule_text(const Schedule& schedule, const std::string& command, const ScheduleCheck* check);
std::string schedule_json(const Schedule& schedule, const std::string& command, const ScheduleCheck* check);
std::string no_loss_text(const NoLoss& answer, const std::string& command);
std::string no_loss_json(const NoLoss& answer, const std::string& command);

}  // namespace schedule

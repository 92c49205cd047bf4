// Choosing how to monitor: which unload sequence loses least within a limit of slow-down, and which loses nothing. Every
// candidate is run, whole or cut short, in a process of its own. Its twin without probes is run once. docs/guide/schedule.md
// defines "loses least".
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

// How far a run and its twin can be compared.
struct CommonWork {
    std::uint64_t results = 0;  // shared by both: the slow-down counts to the last of them
    // One has results that the other has not. A fault struck, and from then on they did different work: their slow-down says
    // nothing of the farm without the fault.
    bool parted = false;
};

// A plan and the figures of its run. When the run was cut, they hold until then.
struct MonitorTrial {
    MonitorPlan plan;
    std::string failure;                      // empty: it was run
    std::optional<double> slow_down_percent;  // against the twin, to the last result that both have; nothing: none
    std::uint64_t unrecorded = 0;             // records that the scenario asks for and the plan does not make
    std::uint64_t lost_late = 0;              // of exposure.lost, in the second half of the time
    std::uint64_t results = 0;                // at the manager
    bool cut = false, certain = false;        // certain: the analysis of the trace of the whole run names a fault for certain
    std::uint64_t strike_us = 0;              // by the monitors' clocks: when the first fault or bug strikes; 0: none does
    TraceExposure exposure;
    CommonWork common;  // with the twin

    std::uint64_t missing() const { return exposure.lost + unrecorded; }
    // Records that nodes which died, or could not be reached, had at the end of a whole run.
    std::uint64_t taken_along() const {
        const std::uint64_t got = std::min(exposure.made, exposure.lost + exposure.kept);
        return cut ? 0 : exposure.made - got;
    }
    // Losses expected in a whole run with so many tasks. For a run that was cut: for every half to come, as many again as in
    // its second half.
    std::uint64_t expected_lost(std::uint64_t tasks) const;
    std::uint64_t expected_missing(std::uint64_t tasks) const;  // with what the plan does not record
};

// How fast the buffers of a node fill without the effects of watching, and how long both last when nothing is unloaded.
struct NodeFill {
    std::uint16_t node = 0;
    std::uint64_t records = 0;  // of tasks and results, in the twin
    double per_ms = 0;
    double full_after_ms = 0;
    // Predicted before any run of the farm; nothing: there is no prediction.
    std::optional<double> predicted_per_ms;         // of tasks and results
    std::optional<double> predicted_full_after_ms;  // with all classes that are asked for and that a prediction covers
};

// The prediction before any run of the farm, and its twin's figures after it.
struct FillForecast {
    std::string refused;               // why there is no prediction; empty: there is one
    std::vector<std::string> caveats;  // of the prediction, a sentence each
    std::string left_out;              // classes that are asked for and not predicted, "process+user"; empty: none
    // The largest upper bound that should lose nothing. While one buffer is looked at, packed and sent over one link, the
    // fullest node must have room for what comes.
    std::optional<std::size_t> predicted_bound;
    std::size_t measured_bound = 0;
};

struct TrialSeries {
    std::string scenario;
    std::uint64_t seed = 0, tasks = 0, cut_after = 0;  // 0: whole runs
    std::size_t buffer = 0, in_message = 0;            // records: of each of the two buffers, and in one message
    std::vector<NodeFill> fill;                        // the fullest first
    FillForecast forecast;
    std::vector<MonitorTrial> trials;
    bool interrupted = false;
};

struct Schedule {
    TrialSeries series;
    double limit_percent = 0;
    std::optional<std::size_t>
        chosen;  // of the trials: within the limit; a fault named for certain, the least missing, the least exposed
    std::optional<std::size_t> cheapest;  // the least slow-down of all that were tried; nothing: none could be compared
};

// Figures of a whole run with the plan, beside those expected.
struct ScheduleCheck {
    std::optional<double> slow_down_percent;
    CommonWork common;
    std::uint64_t records = 0, lost = 0;       // lost: for want of room
    std::optional<std::uint64_t> taken_along;  // made, not lost, and not on the host at the end; nothing: not known
    bool limit_kept = false, loss_as_expected = false;
    bool verdict_as_expected = true;  // as certain as in the search
    std::string verdict;              // of the list of faults, its first line; empty: not analysed
    // No monitor makes a run faster. A run that seems faster did less than its twin, and whether the limit is kept is not
    // known.
    bool limit_known() const { return !common.parted || !slow_down_percent || *slow_down_percent >= 0; }
    bool as_expected() const { return limit_known() && limit_kept && loss_as_expected && verdict_as_expected; }
};

// Every sequence with buffers of one size gives up records for want of room, without a crash. Says how sure that is.
struct Exclusion {
    std::size_t buffer = 0;        // monitor.buffer
    std::size_t tried = 0;         // sequences that were run
    std::size_t failed = 0;        // sequences whose run failed: nothing is known about them
    std::string first_failure;     // the first of these failures
    std::size_t changing = 0;      // of these, those that change in time
    bool all_constant = false;     // all that never change were run
    std::uint64_t least_lost = 0;  // records, of those that were run
    // Proof that no sequence at all, nor any other unload policy, loses nothing.
    LossProof proof;
};

// A buffer for which it is unknown whether a sequence loses nothing: runs failed, and none of the others was without loss.
struct UnknownBuffer {
    std::size_t buffer = 0;  // monitor.buffer
    std::string failure;     // the first
};

struct NoLoss {
    TrialSeries series;
    std::optional<std::size_t> without_overflow;  // the cheapest that gives up no record for want of room
    // The one whose worst crash takes fewest records along; then the cheapest. Nothing: each loses all that it records.
    std::optional<std::size_t> least_exposed;
    std::optional<std::size_t> least_lossy;  // when none is without overflow
    std::optional<Exclusion> excluded;       // when none is
    // When none is: the smallest monitor.buffer found for which one is. Nothing: none up to `largest_tried` helps.
    std::optional<std::size_t> least_buffer;
    std::size_t largest_tried = 0;  // larger buffer that was tried and does not help; 0: none was
    std::optional<MonitorTrial> with_least_buffer;
    std::optional<Exclusion> one_less;     // with a record less
    std::optional<UnknownBuffer> unknown;  // where the search for a buffer ended, when it could not go on
};

// `results`: runs of longer farms are cut when the manager has so many; 0: never. Throws vocabulary::InputError when the
// scenario is not monitored or its farm has no task.
Schedule compute_schedule(const scenario::Scenario& scenario, double limit_percent, std::uint64_t results,
                          const ScheduleProgress& progress);
NoLoss compute_no_loss(const scenario::Scenario& scenario, std::uint64_t results, const ScheduleProgress& progress);
// The whole run and its twin, in processes of their own. Nothing: `progress` returned false. Throws vocabulary::RequestError
// with the reason when one of them fails. Precondition: a plan was chosen.
std::optional<ScheduleCheck> check_schedule(const scenario::Scenario& scenario, const Schedule& schedule,
                                            const ScheduleProgress& progress);

std::string schedule_text(const Schedule& schedule, const std::string& command, const ScheduleCheck* check);
std::string schedule_json(const Schedule& schedule, const std::string& command, const ScheduleCheck* check);
std::string no_loss_text(const NoLoss& answer, const std::string& command);
std::string no_loss_json(const NoLoss& answer, const std::string& command);

}  // namespace schedule

// ProbeRun: the figures of a scenario's monitor in one run, whole or cut short. Runs of several candidates go in processes of
// their own, two at a time. Candidates with the same beginning branch off one run.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <instrumentation/unload_sequence.hpp>
#include <scenario/scenario.hpp>
#include <schedule/schedule.hpp>
#include <schedule/trace_journal.hpp>
#include <session/session.hpp>
#include <vocabulary/errors.hpp>

namespace schedule {

struct ProbeOptions {
    std::uint64_t results = 0;  // cut when the manager has so many; 0: never
    bool journal = true;        // false: of a twin
};

inline constexpr const char* not_run = "not run: interrupted";  // for a run that did not fail

struct ProbeRun {
    std::string failure;                                         // empty: it ran
    vocabulary::ErrorKind kind = vocabulary::ErrorKind::Defect;  // of the failure
    bool finished = false, cut = false;
    bool certain = false;         // a whole run, and the analysis of its trace names a fault for certain
    std::uint64_t strike_us = 0;  // by the monitors' clocks: when the first fault or bug strikes; 0: none does
    // Spans to the results at the manager, as overhead.hpp measures them.
    std::vector<std::int64_t> result_ps;
    std::vector<std::uint64_t> events_of_node;  // sends and receives of tasks and results: what the class `task` records
    std::array<std::uint64_t, trace_record::event_classes> records{};  // made, by class
    std::int64_t began_ps = 0, span_ps = 0;  // the first task leaves the manager; from then to the last step of the farm
    std::uint64_t lost_late = 0;             // given up for want of room in the second half of that
    TraceExposure exposure;
    std::vector<JournalEntry> journal;  // of ProbeOptions::journal
    TraceWays ways;

    std::uint64_t made() const;
};

// Slow-down in percent against the twin, to the last result that both have (of `most`, when that is not 0), as `magicwire
// overhead` measures it. Nothing: they have none in common.
std::optional<double> slow_down_percent(const ProbeRun& run, const ProbeRun& twin, std::uint64_t most = 0);

// The work that slow_down_percent() is measured on.
CommonWork common_work(const ProbeRun& run, const ProbeRun& twin, std::uint64_t most = 0);

// Watches a run under way, and may change or cut it.
class ProbeWatch {
public:
    // Called at the moment that the last call returned, at first at time 0. Returns the moment of the next call.
    virtual vocabulary::SimTime look(session::LiveSession& live) = 0;
    virtual bool enough() const = 0;  // true: the run is cut

protected:
    ~ProbeWatch() = default;
};

// Runs in this process.
ProbeRun probe_run(const scenario::Scenario& scenario, const ProbeOptions& options, ProbeWatch* watch = nullptr);
// Runs in processes of their own. A run that fails has a failure, and so do those that were not run when `go_on` returned
// false. The journals stay in the children; the figures made of them come back.
std::vector<ProbeRun> probe_runs(const std::vector<scenario::Scenario>& scenarios, const ProbeOptions& options,
                                 const std::function<bool(std::size_t)>& go_on);
// Runs a monitored scenario with these sequences. The results are those of probe_runs(), to the last picosecond, with the
// beginning run once. The first command of each has the same bounds, and until its time the runs are one. From then each goes
// on alone in a fork of the run, two at a time beside it. `go_on`: called with 0 while they run.
std::vector<ProbeRun> probe_branches(const scenario::Scenario& scenario,
                                     const std::vector<instrumentation::UnloadSequence>& sequences, const ProbeOptions& options,
                                     const std::function<bool(std::size_t)>& go_on);

// As bytes from one process to another, and back; without the journal.
std::string packed(const ProbeRun& run);
ProbeRun unpacked(std::string bytes);

}  // namespace schedule

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
    std::uint64_t results = 0;  // cut when the manager has that many; 0: never
    bool journal = true;        // false: for a twin
};

inline constexpr const char* not_run = "not run: interrupted";  // for a run without a failure of its own

struct ProbeRun {
    std::string failure;                                         // empty: it ran
    vocabulary::ErrorKind kind = vocabulary::ErrorKind::Defect;  // of the failure
    bool finished = false, cut = false;
    bool certain = false;         // a whole run whose trace gives a certain verdict on a fault
    std::uint64_t strike_us = 0;  // first strike of a fault or bug, by the monitors' clocks; 0: none
    // Spans to the results at the manager, as overhead.hpp measures them.
    std::vector<std::int64_t> result_ps;
    std::vector<std::uint64_t> events_of_node;  // sends and receives of tasks and results, the class `task`
    std::array<std::uint64_t, trace_record::event_classes> records{};  // made, by class
    std::int64_t began_ps = 0, span_ps = 0;  // when the first task leaves the manager; time from then to the farm's last step
    std::uint64_t lost_late = 0;             // lost to full buffers in the second half of that span
    TraceExposure exposure;
    std::vector<JournalEntry> journal;  // if ProbeOptions::journal
    TraceWays ways;

    std::uint64_t made() const;
};

// Slow-down in percent against the twin, up to the last common result (of the first `most`, if that is not 0), as `magicwire
// overhead` measures it. Empty: no common result.
std::optional<double> slow_down_percent(const ProbeRun& run, const ProbeRun& twin, std::uint64_t most = 0);

// The work that slow_down_percent() is measured on.
CommonWork common_work(const ProbeRun& run, const ProbeRun& twin, std::uint64_t most = 0);

// Watches a run under way, and may change or cut it.
class ProbeWatch {
public:
    // Called first at time 0, then at each moment that the previous call returned. Returns the moment of the next call.
    virtual vocabulary::SimTime look(session::LiveSession& live) = 0;
    virtual bool enough() const = 0;  // true: the run is cut

protected:
    ~ProbeWatch() = default;
};

// Runs in this process.
ProbeRun probe_run(const scenario::Scenario& scenario, const ProbeOptions& options, ProbeWatch* watch = nullptr);
// Runs in processes of their own. A failed run has a failure, and so do runs omitted because `go_on` returned false. The
// journals stay in the children; figures made from them come back.
std::vector<ProbeRun> probe_runs(const std::vector<scenario::Scenario>& scenarios, const ProbeOptions& options,
                                 const std::function<bool(std::size_t)>& go_on);
// Runs a monitored scenario with these sequences. The results equal those of probe_runs(), to the last picosecond, but the
// common beginning runs once. Precondition: the first commands have the same bounds. Until that command's time the runs are
// one; then each goes on alone in a fork, two at a time beside the run. `go_on`: called with 0 while they run.
std::vector<ProbeRun> probe_branches(const scenario::Scenario& scenario,
                                     const std::vector<instrumentation::UnloadSequence>& sequences, const ProbeOptions& options,
                                     const std::function<bool(std::size_t)>& go_on);

// Packs a run for another process, and unpacks it; without the journal.
std::string packed(const ProbeRun& run);
ProbeRun unpacked(std::string bytes);

}  // namespace schedule

// The price of monitoring. A scenario is run twice from the same seed, once as it is and once with its probes off: the twin.
// The twin's monitor is loaded and begins as usual, so that both farms start alike, but it records nothing and costs nothing.
// The differences between the two are the effect of monitoring: in time, in the order of events, and in results. The
// difference of time is billed along the critical paths of both runs (critical_path.hpp, overhead_bill.hpp;
// docs/guide/overhead.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <scenario/scenario.hpp>
#include <session/session.hpp>
#include <trace_record/event.hpp>
#include <twin/critical_path.hpp>
#include <vocabulary/sim_time.hpp>
#include <vocabulary/source_position.hpp>

namespace twin {

// The sum of all equal segments of a path.
struct PathShare {
    PathKind kind = PathKind::Unknown;
    vocabulary::Account cause{};
    std::uint8_t what = 0, link = no_link;
    std::uint16_t node = 0;
    vocabulary::SimTime time{};
};

// Hash of an output of a run: a result that the master's user took, the printed output, or a file that a program saved.
struct RunContent {
    std::string name;  // "task 7", "console", "file fractal.pgm"
    std::uint64_t hash = 0;
};

// Figures of one of the two runs.
struct RunFigures {
    vocabulary::SimTime began;  // true time of the first task, whatever is recorded
    vocabulary::SimTime span;   // from `began` to the last common result
    vocabulary::SimTime held;   // part of `span` before monitoring began on the manager: the first task waits at its probe
    std::uint64_t results = 0;
    // Work, summed over the nodes.
    vocabulary::SimTime probe, meter, manager, backend, kernel, wire, suspended, waited_for_room;
    std::uint64_t log_messages_bytes = 0;  // of logs for flowback, on each link they passed
    std::uint64_t waits_for_room = 0, records = 0, dropped = 0, trace_messages = 0, wire_bytes = 0, memory_bytes = 0;
    bool finished = false;
};

// The data kept of a run.
struct RunOutline : RunFigures {
    std::string run_hash;
    std::vector<trace_record::Event> events;  // truth, in true order
    std::vector<PathShare> path;              // of the critical path; sums to `span`
    std::vector<RunContent> contents;         // by name
};

struct OrderChange {
    std::uint16_t node = 0;
    std::uint32_t seq = 0;                               // in that node's order, from 0
    std::optional<trace_record::Event> monitored, twin;  // empty: no more events on this node in that run
};

// The k-th receive of a node from a neighbour, where its content differs from the twin's.
struct OtherReceive {
    std::uint32_t number = 0;  // from 0
    trace_record::Event monitored, twin;
};

struct Overhead {
    RunOutline monitored, twin;
    std::optional<OrderChange> first_change;  // earliest; empty: the same order on every node
    std::uint64_t nodes_changed = 0;
    std::uint64_t receives = 0, other_receives = 0;  // in both runs, and the differing ones among them
    std::optional<OtherReceive> first_other;         // the earliest in the monitored run
    // Names of results, console and saved files that differ. The farm's own report on the console is ignored: it contains the
    // run's duration.
    std::vector<std::string> changed_contents;  // differing between the runs
    std::vector<std::string> only_monitored, only_twin;
    bool logged = false;          // with logs for flowback
    std::uint16_t host = 0xffff;  // its number among the nodes
    std::uint64_t compared = 0;   // common results: the work that is compared

    vocabulary::SimTime difference() const { return monitored.span - twin.span; }
    bool has_time() const { return compared > 0; }
    // The monitored span divided by the twin's; empty when the twin's is 0.
    std::optional<double> slow_down() const {
        if (compared == 0 || twin.span.in_ps() <= 0) return {};
        return static_cast<double>(monitored.span.in_ps()) / static_cast<double>(twin.span.in_ps());
    }
};

// The runs are too long for their chronicles; the message says how to shorten them.
struct RunTooLong : vocabulary::RequestError {
    using vocabulary::RequestError::RequestError;
};

// Fills in the changes of order and of contents from the events and contents of both runs.
void compare_runs(Overhead& overhead);

// Runs both, each in a process of its own, at the same time. Call before this process creates any SystemC object. Throws
// InputError when the scenario is not monitored, RunTooLong, and vocabulary::RequestError with the reason when a run fails.
//
// `logged`: the monitored run keeps logs for flowback, and the twin keeps none. The scenario need not be monitored then.
struct LoggedVersions {
    session::FlowbackPlace logging, plain;
};
Overhead measure_overhead(const scenario::Scenario& scenario, const LoggedVersions& logged = {});

enum class BillBy : std::uint8_t { Cause, Node, Link, Probe, Class };
// Without `by`: the bill by cause, and the first rows of the other tables.
std::string overhead_text(const scenario::Scenario& scenario, const Overhead& overhead, std::optional<BillBy> by = {});
std::string overhead_json(const scenario::Scenario& scenario, const Overhead& overhead);  // all tables

}  // namespace twin

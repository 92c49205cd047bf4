// Session: a scenario from power-up to the last trace record, stages 1 to 6 in one process. Boots the machine, loads the
// monitor, the slaves and the master, and begins monitoring. Waits until the farm has ended or stands still, and quits the
// monitor. Then it asks every node for its state, and gathers the results.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <farm_programs/program_application.hpp>
#include <ground_truth/truth.hpp>
#include <hw_model/fault_strike.hpp>
#include <hw_model/totals.hpp>
#include <instrumentation/overhead_ledger.hpp>
#include <scenario/scenario.hpp>
#include <tmon_streams/collector.hpp>
#include <tmon_streams/trace.hpp>
#include <topologies/watch.hpp>
#include <trace_record/trace_file.hpp>
#include <trek_kernel/farm.hpp>
#include <trollius_hosted/reconfiguration.hpp>

namespace trollius_hosted {
class Multicomputer;
}

namespace session {

struct LinkLine {
    std::string from, to;  // "n0.1", "n1.0", "host"
    hw_model::LinkTotals totals;
    vocabulary::SimTime busy() const { return totals.busy[0] + totals.busy[1] + totals.busy[2]; }
    // Something was sent, waits to be sent, or was lost.
    bool used() const {
        return totals.messages[0] + totals.messages[1] + totals.messages[2] > 0 || totals.waiting > vocabulary::SimTime() ||
               totals.lost > 0;
    }
};

// A node's clock of high priority: at true time t it showed t * (1 + drift_ppm * 1e-6) + offset_us. Truth.
struct ClockLine {
    double offset_us = 0;
    std::int64_t drift_ppm = 0;
    std::uint64_t began_clock_us = 0;  // when monitoring began; records count from there
};

struct NodeLine {
    vocabulary::SimTime high_busy, low_busy;
    vocabulary::SimTime farm_high, farm_low;  // the part of it after the first task, until the farm had ended
    std::uint64_t preemptions = 0, timeslices = 0, memory_high_water = 0, memory_size = 0;
    bool member = false;   // of the farm; nothing is known of other nodes
    bool answers = false;  // to `state` after the session
    bool crashed = false;  // truth; for the oracle only
    instrumentation::OverheadLedger ledger;
    std::optional<ClockLine> clock;  // when it was monitored
    vocabulary::SimTime kernel_monitor_time;
    trek_kernel::ResultQueue results;    // results that waited there
    std::uint32_t recorded = 0;          // truth: records its probes made
    std::uint32_t dropped_messages = 0;  // damaged or lost, as the node itself reports
};

// A message that did not get over a link whole, whatever the reason. Truth.
struct LostOnLink {
    vocabulary::SimTime when;
    std::string cause;                                                         // "on the link: cut n0.1 - n1.0, at 12.000 ms"
    std::optional<std::size_t> fault;                                          // of the plan, when one did it
    std::optional<trek_kernel::TaskOnWire> task;                               // that it carried
    std::optional<std::pair<vocabulary::NodeId, vocabulary::NodeId>> between;  // the neighbours
};
// The task of an application message that a fault hit; empty when it carried neither a task nor a result.
std::optional<trek_kernel::TaskOnWire> task_of(const hw_model::FaultStrike::Message& message);

struct SessionResult {
    std::string console;  // what programs printed on the host
    trek_kernel::FarmResult farm;
    farm_programs::ProgramReport program;  // of a farm program in C or C++
    trek_kernel::TaskAccount tasks;
    std::vector<trek_kernel::Standing> standing;  // when it did not finish: what its processes were doing at the end
    tmon_streams::SessionEnd end = tmon_streams::SessionEnd::Unknown;
    std::string diagnosis;                       // where the session stood still before the farm ran; empty when it did not
    vocabulary::SimTime modelled;                // from power-up to the end
    vocabulary::SimTime farm_began, farm_ended;  // first task leaves the manager; last step of the farm
    vocabulary::SimTime farm_counted;            // until when the nodes' farm_high and farm_low count, of the last of them
    std::uint64_t events_fired = 0;              // of the Timeline
    std::vector<LinkLine> links;
    std::vector<NodeLine> nodes;               // without the host
    std::optional<tmon_streams::Trace> trace;  // when monitored
    std::vector<tmon_streams::NodeStatistics> statistics;
    // The records are in the trace file only, and the truth has only counts and a hash: SessionHooks::stream.
    bool streamed = false;
    std::uint64_t unwritten_records = 0;  // received, but without a place in SessionHooks::trace
    ground_truth::Truth truth;
    std::vector<hw_model::FaultTally> fault_tallies;  // index: fault of the plan; truth
    std::vector<hw_model::FaultStrike> fault_strikes;
    // By fault: the neighbours whose link leads over the fault's wire or way; none for a node's fault.
    std::vector<std::vector<std::pair<vocabulary::NodeId, vocabulary::NodeId>>> fault_links;
    std::vector<LostOnLink> lost_on_links;
    std::vector<trollius_hosted::Reconfigured> reconfigured;
    std::vector<trollius_hosted::LostTransfer> lost_transfers;  // truth
    std::vector<trollius_hosted::PluggedLink> plugged;          // at the end, after a reconfiguration; truth
    // Links of the farm's tree that at the end lead elsewhere or nowhere: the lower node and its parent.
    std::vector<std::pair<vocabulary::NodeId, vocabulary::NodeId>> cuts;
};

struct Progress {
    vocabulary::SimTime now;
    std::string phase;  // "boot", "load", "run", "quit"
    std::uint64_t results = 0, tasks = 0, events = 0, lost = 0;
};

class LiveSession;

// Waveforms that a run writes.
struct WaveFile {
    std::string file;                        // VCD; empty: none
    std::vector<topologies::Watch> watches;  // the lines in it
};

struct SessionHooks {
    std::function<bool(const Progress&)> progress{};                 // from time to time; false: the run is cut there
    std::function<void(trollius_hosted::Multicomputer&)> prepare{};  // sees the machine before it is switched on
    // Gets the monitor's data block by block when the host receives it. Each block goes straight to the host's system: it
    // survives the end of this program. The caller closes it.
    trace_record::TraceFileWriter* trace = nullptr;
    // With `trace`: memory does not grow with the number of records. They are in the file alone. The result's trace has losses
    // and states of its streams but no records, and the truth keeps counts and hash only.
    bool stream = false;
    // `at_moment` is called when modelled time has reached `first_moment` and everything due until then is done. It returns the
    // time of its next call: later, or never. It changes no modelled time: a run with and without moments is the same run.
    vocabulary::SimTime first_moment = vocabulary::SimTime::never();
    std::function<vocabulary::SimTime(LiveSession&)> at_moment{};
    WaveFile waves{};
    bool faults_may_come = false;  // at a moment, on any node or wire (live_change.hpp); has no effect as long as none comes
    std::function<void(LiveSession&)> at_end{};           // when nothing is left to happen, before the result is gathered
    std::function<void()> gathered{};                     // all is in the result, and the machine is still there
    std::vector<trek_kernel::TrekObserver*> observers{};  // of the farm, told before its probes; they charge nothing
};

// One run in this process; a second needs a process of its own (SystemC elaborates once). A run that is cut leaves its results
// so far.
void run_session(const scenario::Scenario& scenario, SessionResult& result, const SessionHooks& hooks = {});

}  // namespace session

// Session: a scenario from power-up to the last trace record, the only place where all nine stages meet. Boots the machine,
// loads the monitor, the slaves and the master, begins monitoring, waits until the farm has ended or stands still, quits the
// monitor, asks every node for its state, and gathers what came of it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <farm_programs/program_application.hpp>
#include <hw_model/fault_injector.hpp>
#include <hw_model/link_end.hpp>
#include <instrumentation/overhead_ledger.hpp>
#include <instrumentation/truth.hpp>
#include <tmon/collector.hpp>
#include <tmon/farm_spec.hpp>
#include <tmon/trace.hpp>
#include <tmon_session/reconfiguration.hpp>
#include <tmon_session/scenario.hpp>
#include <trek_kernel/farm.hpp>

namespace tmon_session {

class Multicomputer;

struct LinkLine {
    std::string from, to;  // "n0.1", "n1.0", "host"
    hw_model::LinkTotals totals;
    vocabulary::SimTime busy() const { return totals.busy[0] + totals.busy[1] + totals.busy[2]; }
};

struct NodeLine {
    vocabulary::SimTime high_busy, low_busy;
    vocabulary::SimTime farm_high, farm_low;  // the part of it that came after the first task, until the farm had ended
    std::uint64_t preemptions = 0, timeslices = 0, memory_high_water = 0, memory_size = 0;
    bool member = false;   // of the farm; of others nothing is known
    bool answers = false;  // to `state` after the session
    bool crashed = false;  // truth; for the oracle only
    instrumentation::OverheadLedger ledger;
    vocabulary::SimTime kernel_monitor_time;
    std::uint32_t recorded = 0;          // truth: records its probes made
    std::uint32_t dropped_messages = 0;  // damaged or lost, as the node itself says
};

// Something that did not get over a link whole, whatever the reason. Truth.
struct LostOnLink {
    vocabulary::SimTime when;
    std::string cause;                                                         // "on the link: cut n0.1 - n1.0, at 12.000 ms"
    std::optional<std::size_t> fault;                                          // of the plan, when one did it
    std::optional<trek_kernel::TaskOnWire> task;                               // that it carried
    std::optional<std::pair<vocabulary::NodeId, vocabulary::NodeId>> between;  // the neighbours
};
// Of an application message that a fault hit; empty when it carried neither a task nor a result.
std::optional<trek_kernel::TaskOnWire> task_of(const hw_model::FaultStrike::Message& message);

struct SessionResult {
    std::string console;  // what programs printed on the host
    trek_kernel::FarmResult farm;
    farm_programs::ProgramReport program;  // of a farm program in C or C++
    trek_kernel::TaskAccount tasks;
    std::vector<trek_kernel::Standing> standing;  // when it did not finish: what its processes were doing at the end
    tmon::SessionEnd end = tmon::SessionEnd::Unknown;
    std::string diagnosis;                       // where the session stood still before the farm ran; empty when it did not
    vocabulary::SimTime modelled;                // from power-up to the end
    vocabulary::SimTime farm_began, farm_ended;  // first task leaves the manager; last step of the farm
    std::uint64_t events_fired = 0;              // of the Timeline
    std::vector<LinkLine> links;
    std::vector<NodeLine> nodes;       // without the host
    std::optional<tmon::Trace> trace;  // when monitored
    std::vector<tmon::NodeStatistics> statistics;
    instrumentation::Truth truth;
    std::vector<hw_model::FaultTally> fault_tallies;  // index: fault of the plan; truth
    std::vector<hw_model::FaultStrike> fault_strikes;
    // By fault: the neighbours whose link leads over the wire or the way that it is about; none for a node's fault.
    std::vector<std::vector<std::pair<vocabulary::NodeId, vocabulary::NodeId>>> fault_links;
    std::vector<LostOnLink> lost_on_links;
    std::vector<Reconfigured> reconfigured;
    std::vector<LostTransfer> lost_transfers;  // truth
    // Links of the farm's tree that at the end lead elsewhere or nowhere: the lower node and its parent.
    std::vector<std::pair<vocabulary::NodeId, vocabulary::NodeId>> cuts;
};

struct Progress {
    vocabulary::SimTime now;
    std::string phase;  // "boot", "load", "run", "quit"
    std::uint64_t results = 0, tasks = 0, events = 0, lost = 0;
};

// One run in this process; a second needs a process of its own (SystemC elaborates once). `progress` is called from time to
// time; when it returns false the run is cut there, and the result holds what there is.
// `prepare` sees the machine before it is switched on.
void run_session(const Scenario& scenario, SessionResult& result, const std::function<bool(const Progress&)>& progress,
                 const std::function<void(Multicomputer&)>& prepare = {});

tmon::FarmSpec farm_spec(const trek_kernel::FarmConfig& farm);

}  // namespace tmon_session

// Simulated: facts of a run that only the simulator knows: tables and counters inside nodes and links, and the effects of
// faults and switches. No verdict reads them. The true events come from a separate observer (ground_truth/truth.hpp), which is
// optional.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <farm_programs/program_application.hpp>
#include <hw_model/fault_strike.hpp>
#include <hw_model/totals.hpp>
#include <instrumentation/overhead_ledger.hpp>
#include <mpi_runs/mpi_end.hpp>
#include <trek_kernel/farm.hpp>
#include <trek_kernel/task_on_wire.hpp>
#include <trollius_hosted/reconfiguration.hpp>
#include <trollius_hosted/unreceived.hpp>
#include <user_programs/diagnosis.hpp>
#include <vocabulary/ids.hpp>
#include <vocabulary/sim_time.hpp>

namespace session {

struct LinkLine {
    std::string from, to;  // "n0.1", "n1.0", "host"
    hw_model::LinkTotals totals;
    vocabulary::SimTime busy() const { return totals.all().busy; }
    // True when something was sent, waits to be sent, or was lost.
    bool used() const { return totals.all().messages > 0 || totals.waiting > vocabulary::SimTime() || totals.lost > 0; }
};

// A node's clock of high priority: at true time t it showed t * (1 + drift_ppm * 1e-6) + offset_us.
struct ClockLine {
    double offset_us = 0;
    std::int64_t drift_ppm = 0;
    std::uint64_t began_clock_us = 0;  // when monitoring began; records count from there
};

struct NodeLine {
    vocabulary::SimTime high_busy, low_busy;
    vocabulary::SimTime farm_high, farm_low;  // the part from the first task to the end of the farm
    std::uint64_t preemptions = 0, timeslices = 0, memory_high_water = 0, memory_size = 0;
    bool crashed = false;
    instrumentation::OverheadLedger ledger;
    std::optional<ClockLine> clock;  // if monitored
    vocabulary::SimTime kernel_monitor_time;
    trek_kernel::ResultQueue results;  // results that waited on the node
    std::uint32_t recorded = 0;        // records made by its probes
};

// Counts of the farm so far. A person could count the same at the links.
struct FarmCounts {
    vocabulary::SimTime began = vocabulary::SimTime::never();  // the first task leaves the manager
    vocabulary::SimTime last_step;                             // of any kind: a message, a function, a bug, a node given up
    std::uint64_t moved = 0;                                   // sends and receives of tasks and results
    std::uint64_t results = 0;  // at the manager, including its own; of a halo: exchanges that n0 has completed; of MPI: ranks
                                // that have ended
};

// A message that did not cross a link whole, for any reason.
struct LostOnLink {
    vocabulary::SimTime when;
    std::string cause;                                                         // "on the link: cut n0.1 - n1.0, at 12.000 ms"
    std::optional<std::size_t> fault;                                          // index into the plan, if a fault did it
    std::optional<trek_kernel::TaskOnWire> task;                               // carried by the message
    std::optional<std::pair<vocabulary::NodeId, vocabulary::NodeId>> between;  // the neighbours
};
// The task of an application message that a fault hit; empty when the message carried neither a task nor a result.
std::optional<trek_kernel::TaskOnWire> task_of(const hw_model::FaultStrike::Message& message);

struct FaultEffects {
    std::vector<hw_model::FaultTally> tallies;  // index: fault of the plan
    std::vector<hw_model::FaultStrike> strikes;
    // By fault: the neighbours whose link runs over the faulty wire or switch path; none for a fault of a node.
    std::vector<std::vector<std::pair<vocabulary::NodeId, vocabulary::NodeId>>> links;
    std::vector<LostOnLink> lost_on_links;
};

struct SwitchChanges {
    std::vector<trollius_hosted::Reconfigured> done;
    std::vector<trollius_hosted::LostTransfer> lost_transfers;
    std::vector<trollius_hosted::PluggedLink> plugged;  // at the end, after a reconfiguration
    // Links of the farm's tree that lead elsewhere or nowhere at the end: the lower node and its parent.
    std::vector<std::pair<vocabulary::NodeId, vocabulary::NodeId>> cuts;
};

// The end of an MPI program.
struct MpiOutcome {
    mpi_runs::Result result;
    user_programs::Diagnoses diagnoses;
};

struct Simulated {
    trek_kernel::FarmResult farm;
    farm_programs::ProgramReport program;  // for a farm program in C or C++
    std::optional<MpiOutcome> mpi;
    trek_kernel::TaskAccount tasks;
    // An unfinished farm at the end: the state of its processes, and links whose message is not taken.
    std::vector<trek_kernel::Standing> standing;
    std::vector<trollius_hosted::PluggedLink> plugged;
    FarmCounts counts;
    vocabulary::SimTime farm_counted;  // end of the time in farm_high and farm_low, on the last node
    std::uint64_t events_fired = 0;    // of the Timeline
    std::vector<LinkLine> links;
    std::vector<NodeLine> nodes;  // without the host
    FaultEffects faults;
    SwitchChanges switches;
    std::vector<trollius_hosted::Unreceived> unreceived;  // messages of users that nobody has received
};

}  // namespace session

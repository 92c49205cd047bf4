// Session: a scenario from power-up to the last trace record, stages 1 to 6 in one process. Boots the machine, loads the
// monitor, the slaves and the master, and begins monitoring. Waits until the farm has ended or stands still, and quits the
// monitor. Then it asks every node for its state, and gathers the results.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <scenario/scenario.hpp>
#include <session/observed.hpp>
#include <session/simulated.hpp>
#include <tmon_streams/trace_feed.hpp>
#include <topologies/watch.hpp>
#include <trace_record/trace_file.hpp>
#include <trek_kernel/witness.hpp>
#include <trollius_os/witness.hpp>

namespace trollius_hosted {
class Multicomputer;
}
namespace trollius_os {
class FileStore;
}

namespace session {

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

// Where a prepared program lies, and where its processes keep their logs (docs/guide/flowback.md).
struct FlowbackPlace {
    std::string module;  // the version that runs instead of the program; empty: the program itself
    std::string digest;  // of the logging version
    std::string folder;  // of the logs, exists; empty: no logs
    user_programs::LogStore store = user_programs::LogStore::Host;
};

struct SessionHooks {
    std::function<bool(const Progress&)> progress{};                 // called from time to time; false: cut the run there
    std::function<void(trollius_hosted::Multicomputer&)> prepare{};  // called with the machine before power-up
    // Gets the monitor's data block by block as the host receives it. Each block is flushed to the operating system, so it
    // survives the end of this program. The caller closes the writer.
    trace_record::TraceFileWriter* trace = nullptr;
    // With `trace`: memory does not grow with the number of records, which are in the file alone. The observed trace then has
    // the losses and states of its streams but no records.
    bool stream = false;
    // Gets what the host receives of a monitored farm, as it comes; it outlives the run. Not for a scenario with phases.
    tmon_streams::TraceFeed* feed = nullptr;
    // `at_moment` is called when modelled time has reached `first_moment` and everything due until then is done. It returns
    // the time of its next call: later, or never. Moments do not change the run.
    vocabulary::SimTime first_moment = vocabulary::SimTime::never();
    std::function<vocabulary::SimTime(LiveSession&)> at_moment{};
    WaveFile waves{};
    // The files of the host that programs may use (trollius_os/services/filed.hpp). Null: none, whatever the scenario says. It
    // outlives the run.
    trollius_os::FileStore* files = nullptr;
    // Called when the machine has booted. True: the hook has loaded the programs itself, by commands, and the run goes on from
    // there. The hook may let time go on (Multicomputer::run()).
    std::function<bool(LiveSession&)> booted{};
    FlowbackPlace flowback{};      // of a farm program's logs
    bool faults_may_come = false;  // at a moment, on any node or wire (live_change.hpp); no effect until one comes
    std::function<void(LiveSession&)> at_end{};             // after the last event, before the result is gathered
    std::function<void(LiveSession&)> gathered{};           // the result is complete, and the machine still exists
    std::vector<trek_kernel::Witness*> witnesses{};         // of the farm
    std::vector<trollius_os::Witness*> kernel_witnesses{};  // of every kernel
};

// One run in this process; a second needs a process of its own (SystemC elaborates once). A run that is cut leaves its results
// so far. A session never sees the true events; oracle::run_session() records them beside a run.
void run_session(const scenario::Scenario& scenario, Observed& observed, Simulated& simulated, const SessionHooks& hooks = {});

}  // namespace session

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
#include <topologies/watch.hpp>
#include <trace_record/trace_file.hpp>
#include <trek_kernel/witness.hpp>
#include <trollius_os/witness.hpp>

namespace trollius_hosted {
class Multicomputer;
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

struct SessionHooks {
    std::function<bool(const Progress&)> progress{};                 // from time to time; false: the run is cut there
    std::function<void(trollius_hosted::Multicomputer&)> prepare{};  // sees the machine before it is switched on
    // Gets the monitor's data block by block when the host receives it. Each block goes straight to the host's system: it
    // survives the end of this program. The caller closes it.
    trace_record::TraceFileWriter* trace = nullptr;
    // With `trace`: memory does not grow with the number of records. They are in the file alone. The trace observed has losses
    // and states of its streams but no records.
    bool stream = false;
    // `at_moment` is called when modelled time has reached `first_moment` and everything due until then is done. It returns the
    // time of its next call: later, or never. It changes no modelled time: a run with and without moments is the same run.
    vocabulary::SimTime first_moment = vocabulary::SimTime::never();
    std::function<vocabulary::SimTime(LiveSession&)> at_moment{};
    WaveFile waves{};
    bool faults_may_come = false;  // at a moment, on any node or wire (live_change.hpp); has no effect as long as none comes
    std::function<void(LiveSession&)> at_end{};             // when nothing is left to happen, before the result is gathered
    std::function<void()> gathered{};                       // all is in the result, and the machine is still there
    std::vector<trek_kernel::Witness*> witnesses{};         // of the farm
    std::vector<trollius_os::Witness*> kernel_witnesses{};  // of every kernel
};

// One run in this process; a second needs a process of its own (SystemC elaborates once). A run that is cut leaves its results
// so far. Nothing here knows the true events, so they decide nothing: oracle::run_session() watches them beside a run.
void run_session(const scenario::Scenario& scenario, Observed& observed, Simulated& simulated, const SessionHooks& hooks = {});

}  // namespace session

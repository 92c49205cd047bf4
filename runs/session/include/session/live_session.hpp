// LiveSession: a run in progress, seen between two events of the modelled machine. Reading takes no modelled time.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <instrumentation/node_monitor.hpp>
#include <scenario/scenario.hpp>
#include <session/parallel_program.hpp>
#include <session/simulated.hpp>
#include <tmon_streams/collector.hpp>
#include <trollius_hosted/multicomputer.hpp>
#include <trollius_hosted/reconfigurer.hpp>

namespace session {

class LiveSession {
public:
    virtual vocabulary::SimTime now() = 0;
    virtual const char* phase() const = 0;                   // "boot", "load", "run", "quit", "state"
    virtual const scenario::Scenario& scenario() const = 0;  // of the run, with the changes so far
    virtual trollius_hosted::Multicomputer& machine() = 0;
    virtual const FarmCounts& counts() const = 0;
    virtual const ParallelProgram& farm() const = 0;
    virtual std::span<const std::unique_ptr<instrumentation::NodeMonitor>> monitors()
        const = 0;  // by node; none: not monitored
    virtual std::vector<tmon_streams::NodeStatistics> received()
        const = 0;  // the collector's figures, by node; none: not monitored
    // The records that the collector has, as a session cut now. No streams: not monitored. Cost: some microseconds a block.
    virtual tmon_streams::Trace collected() const = 0;

    // For programs that commands load (SessionHooks::booted). Throws vocabulary::RequestError when the host has no room, or the
    // scenario no monitor.
    virtual void start_hostmon() = 0;
    // The monitor of a node has answered that it has begun (`on`), or is told to stop. A node that never began, or was stopped
    // last, may have been held, so the end of the session then says nothing about the program.
    virtual void monitor_was_switched(vocabulary::NodeId node, bool on) = 0;
    virtual const trollius_hosted::Reconfigurer& reconfigurer() const = 0;
    // The host begins to set these switches now, after any order under way; scenario() has the order too. The machine must have
    // booted. Returns the order's place in reconfigurer().orders(). Throws vocabulary::RequestError for a running farm whose
    // tree needs its routes (virtual_branches.hpp).
    virtual std::size_t reconfigure(const std::vector<topologies::SwitchSetting>& settings) = 0;
    // A farm whose programs have not started goes by the present network: its tree takes other links, and scenario() has the
    // present connections. Throws vocabulary::RequestError when it cannot run there; it then stays as it was. Without such a
    // farm nothing happens.
    virtual void place_farm() = 0;
    // For a TraceFeed of the run: the next moment of the hooks is now, when everything due now is done.
    virtual void stop_soon() = 0;
    // The run ends once it is known whether the farm stands still.
    virtual void end_soon() = 0;

    // The run follows these values of the changed scenario from now on. Other values have no effect.
    enum class Changed {
        Monitor,  // settings and costs of the monitor
        Faults,   // appended to the run's plan, or a first plan
        Seed,
        End,  // quiet, patience, limit
    };
    virtual void go_by(const scenario::Scenario& changed, Changed what) = 0;

protected:
    ~LiveSession() = default;
};

}  // namespace session

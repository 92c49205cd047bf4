// Witness: observes everything that a farm does, with true times. It takes no modelled time, and no process waits for it. So a
// run with a witness is the same run, unless the witness changes the machine, as a planned fault does. Only witnesses see bugs,
// decisions and contents.
#pragma once

#include <trek_kernel/farm_events.hpp>
#include <vocabulary/sim_time.hpp>

namespace trek_kernel {

// Witnesses get each event before the probe points.
class Witness {
public:
    using SimTime = vocabulary::SimTime;

    virtual ~Witness() = default;
    virtual void on_moved(const TaskMoved&, SimTime) {}
    virtual void on_step(const TaskStep&, SimTime) {}
    virtual void on_bug(const BugStruck&, SimTime) {}
    virtual void on_given_up(const NodeGivenUp&, SimTime) {}
    virtual void on_reissued(const TaskReissued&, SimTime) {}
    virtual void on_result(const ResultTaken&, SimTime) {}
    virtual void on_input(const FunctionInput&, SimTime) {}
    virtual void on_master(const MasterStep&, SimTime) {}
    virtual void on_home(std::uint32_t, SimTime) {}  // the manager accepted the result of this task
    // The farm is stopping, and this node holds no task any more.
    virtual void on_finished(vocabulary::NodeId, SimTime) {}
};

}  // namespace trek_kernel

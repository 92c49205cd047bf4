// ProbePoint: the interface to the probes. A process of TrEK calls it at its own steps. It also calls it when size and data of
// a task or result have moved over a link (thesis, section 5.2). The probe point may charge its cost and make the process wait,
// both through its calls. Tmon-de makes it wait while monitoring is off.
#pragma once

#include <trek_kernel/farm_events.hpp>
#include <trollius_os/api.hpp>

namespace trek_kernel {

class ProbePoint {
public:
    virtual ~ProbePoint() = default;
    virtual coroutines::Task<> on_moved(const TaskMoved& what, trollius_os::Calls& calls) = 0;
    virtual coroutines::Task<> on_step(const TaskStep& what, trollius_os::Calls& calls) = 0;
    // The farm is stopping, and this node holds no task any more.
    virtual coroutines::Task<> on_finished(trollius_os::Calls& calls) = 0;
};

}  // namespace trek_kernel

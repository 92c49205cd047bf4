// Probe: the base of a user's own probe (MonitorSettings::probe), one object a node. Its callbacks get the events of its node,
// and it records those it chooses. A callback that is not overridden does nothing. The process that causes the event runs the
// callback in its own time. A callback that charges (api.charge_for), waits or records delays that process. A user's probe may
// block, so every process of a run with one has a stack of its own.
#pragma once

#include <instrumentation/meter.hpp>
#include <trek_kernel/farm_events.hpp>
#include <trollius_os/api.hpp>
#include <trollius_os/probe_point.hpp>

namespace instrumentation {

class Probe {
public:
    virtual ~Probe() = default;

    virtual void on_task_moved(const trek_kernel::TaskMoved&, trollius_os::Api&) {}  // a task or a result moved over a link
    virtual void on_step(const trek_kernel::TaskStep&, trollius_os::Api&) {}         // a function of the farm begins or ends
    virtual void on_kernel_event(const trollius_os::KernelEvent&, trollius_os::Api&) {}  // by a program (kernel_probe.hpp)

    // Called once, before the first callback.
    void attach(Meter& meter) { meter_ = &meter; }

protected:
    // Puts a record into the node's trace buffers, as the standard probes do. It fills in node, time and number, and charges
    // probe and meter. A class that is off gives no record. The best kind for a probe's own record is User.
    void record(const trace_record::Event& event, trollius_os::Api& api) { meter_->record(event, api.calls()).get(); }

private:
    Meter* meter_ = nullptr;
};

}  // namespace instrumentation

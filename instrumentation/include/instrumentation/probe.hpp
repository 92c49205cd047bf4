// Probe: the base of a user's own probe (MonitorSettings::probe), one object a node. It is told of events on its node and
// records those it likes; a callback that is not overridden does nothing. The process that causes the event makes the callback,
// on its own time. If the callback charges (api.charge_for), waits or records, it delays that process.
#pragma once

#include <instrumentation/meter.hpp>
#include <trek_kernel/farm_events.hpp>
#include <trollius_os/probe_point.hpp>

namespace instrumentation {

class Probe {
public:
    virtual ~Probe() = default;

    virtual void on_task_moved(const trek_kernel::TaskMoved&, trollius_os::Api&) {}  // over a link: a task or a result
    virtual void on_step(const trek_kernel::TaskStep&, trollius_os::Api&) {}         // a function of the farm begins or ends
    virtual void on_kernel_event(const trollius_os::KernelEvent&, trollius_os::Api&) {}  // of a program (kernel_probe.hpp)

    // Once, before the first callback.
    void attach(Meter& meter) { meter_ = &meter; }

protected:
    // Puts a record into the node's trace buffers, as the standard probes do. Node, time and number are filled in; probe and
    // meter are charged. Nothing is recorded of a class that is off. The best kind for a probe's own record is User.
    void record(const trace_record::Event& event, trollius_os::Api& api) { meter_->record(event, api); }

private:
    Meter* meter_ = nullptr;
};

}  // namespace instrumentation

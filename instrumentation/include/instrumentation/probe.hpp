// Probe: the base of a user's own probe (MonitorSettings::probe), one object a node. It is told what happens on its node and
// records what it likes; every callback does nothing unless it is written. A callback is called by the process that does what
// it is told of, on that process' time: what it charges (api.charge_for), waits or records, delays that process.
#pragma once

#include <instrumentation/meter.hpp>
#include <trek_kernel/trek_observer.hpp>
#include <trollius_os/kernel_observer.hpp>

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
    // Puts a record into the node's trace buffers, as the standard probes do: node, time and number are filled in, probe and
    // meter are charged, and nothing is recorded of a class that is off. A record of one's own best is of kind User.
    void record(const trace_record::Event& event, trollius_os::Api& api) { meter_->record(event, api); }

private:
    Meter* meter_ = nullptr;
};

}  // namespace instrumentation

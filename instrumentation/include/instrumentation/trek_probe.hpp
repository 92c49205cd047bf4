// TrekProbe: the probe in TrEK's link processes (thesis, section 5.2). It makes one abstract event for each task or result that
// has moved, and gives it to the meter of the node where it happened.
#pragma once

#include <utility>
#include <vector>

#include <instrumentation/node_monitor.hpp>
#include <trek_kernel/probe_point.hpp>

namespace instrumentation {

// The record of an abstract event; the meter fills in time, node and number.
inline trace_record::Event event_of(const trek_kernel::TaskMoved& what) {
    return {.task = what.task,
            .subtask = what.subtask,
            .bytes = what.bytes,
            .peer = what.peer.value(),
            .kind = what.sent ? trace_record::EventKind::Send : trace_record::EventKind::Receive,
            .is_result = what.result ? std::uint8_t{1} : std::uint8_t{0}};
}

class TrekProbe final : public trek_kernel::ProbePoint {
public:
    // Index: NodeId. The monitors must outlive the probe.
    explicit TrekProbe(std::vector<NodeMonitor*> monitors) : monitors_(std::move(monitors)) {}

    void on_moved(const trek_kernel::TaskMoved& what, trollius_os::Api& api) override {
        NodeMonitor& monitor = *monitors_[what.node.value()];
        monitor.record(event_of(what), api);
        if (Probe* users = monitor.users_probe()) users->on_task_moved(what, api);
    }
    // The monitor traces nothing inside a process; a user's own probe may.
    void on_step(const trek_kernel::TaskStep& what, trollius_os::Api& api) override {
        if (Probe* users = monitors_[what.node.value()]->users_probe()) users->on_step(what, api);
    }
    void on_finished(trollius_os::Api& api) override { monitors_[api.node().value()]->finish(api); }

private:
    std::vector<NodeMonitor*> monitors_;
};

}  // namespace instrumentation

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

    coroutines::Task<> on_moved(const trek_kernel::TaskMoved& what, trollius_os::Calls& calls) override {
        NodeMonitor& monitor = *monitors_[what.node.value()];
        if (monitor.users_probe() == nullptr) return monitor.record(event_of(what), calls);
        return record_and_tell(monitor, what, calls);
    }
    // The monitor traces nothing inside a process; a user's own probe may.
    coroutines::Task<> on_step(const trek_kernel::TaskStep& what, trollius_os::Calls& calls) override {
        trollius_os::Api api(calls);
        if (Probe* users = monitors_[what.node.value()]->users_probe()) users->on_step(what, api);
        return {};
    }
    coroutines::Task<> on_finished(trollius_os::Calls& calls) override {
        return monitors_[calls.node().value()]->finish(calls);
    }

private:
    static coroutines::Task<> record_and_tell(NodeMonitor& monitor, trek_kernel::TaskMoved what, trollius_os::Calls& calls) {
        co_await monitor.record(event_of(what), calls);
        trollius_os::Api api(calls);
        monitor.users_probe()->on_task_moved(what, api);
    }

    std::vector<NodeMonitor*> monitors_;
};

}  // namespace instrumentation

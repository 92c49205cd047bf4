// TrekProbe: the probe in TrEK's link processes (thesis, section 5.2): one abstract event for each task or result that has
// moved, given to the meter of the node it happened on.
#pragma once

#include <vector>

#include <instrumentation/node_monitor.hpp>
#include <trek_kernel/trek_observer.hpp>

namespace instrumentation {

class TrekProbe final : public trek_kernel::TrekObserver {
public:
    // Index: NodeId. The monitors outlive the probe.
    explicit TrekProbe(std::vector<NodeMonitor*> monitors) : monitors_(std::move(monitors)) {}

    vocabulary::Cycles on(const trek_kernel::TaskMoved& what, trollius_os::Api& api) override {
        return monitors_[what.node.value()]->meter(what, api);
    }
    vocabulary::Cycles on(const trek_kernel::TaskStep&, trollius_os::Api&) override {
        return {};
    }  // nothing inside a process is traced
    void on(const trek_kernel::BugStruck&, vocabulary::SimTime) override {}
    void on_finished(vocabulary::NodeId node, trollius_os::Api& api) override { monitors_[node.value()]->finish(api); }

private:
    std::vector<NodeMonitor*> monitors_;
};

}  // namespace instrumentation

// Shared by the two PICL writers: the choice of records that are sends and receives, and the sums that PICL needs.
#pragma once

#include <map>

#include "exporter.hpp"

namespace tmon_export {

// PICL tools draw one kind of message: the runtime's abstract ones, or the kernel's where the trace has no others.
class PiclView {
public:
    void begin(const ExportHead& head) {
        kernel_ = head.has(EventKind::Send) + head.has(EventKind::Receive) == 0;
        shift_ns_ = head.first_ns < 0 ? -head.first_ns : 0;
        idle_us_.resize(head.nodes);
        usage_us_.resize(head.nodes);
        begun_.resize(head.nodes);
    }
    bool is_send(const Event& event) const { return event.kind == (kernel_ ? EventKind::MessageSend : EventKind::Send); }
    bool is_receive(const Event& event) const {
        return event.kind == (kernel_ ? EventKind::MessageReceive : EventKind::Receive);
    }
    bool is_call(const Event& event) const { return kernel_ && event.kind == EventKind::ReceiveCall; }
    // The kernel's process number; -1 for all of TrEK's own processes.
    std::int64_t process(const Event& event) const { return kernel_ ? static_cast<std::int64_t>(event.subtask) : -1; }
    // Message type: twice the task number for a task, one more for its result; for kernel messages the event number.
    std::int64_t type(const Event& event) const {
        if (kernel_) return static_cast<std::int32_t>(event.task);
        return std::int64_t{event.task} * 2 + event.is_result;
    }
    // True for a receive that the process had called and waited for.
    bool was_called(const Event& event) { return kernel_ && calls_.erase({event.node, event.subtask}) > 0; }
    void called(const Event& event) { calls_[{event.node, event.subtask}] = true; }
    // Idle time of the node until now, from its NodeUsage records.
    std::uint64_t idle_us(const TraceItem& item) {
        const std::uint64_t passed = item.node_us - usage_us_[item.node],
                            busy = std::uint64_t{item.event.task} + item.event.subtask;
        usage_us_[item.node] = item.node_us;
        return idle_us_[item.node] += passed > busy ? passed - busy : 0;
    }
    // True for the node's first item.
    bool begins(std::uint16_t node) {
        const bool first = !begun_[node];
        begun_[node] = true;
        return first;
    }
    std::uint64_t us(const TraceItem& item) { return last_us_ = static_cast<std::uint64_t>(item.main_ns + shift_ns_) / 1000; }
    std::uint64_t last_us() const { return last_us_; }

private:
    bool kernel_ = false;
    std::int64_t shift_ns_ = 0;
    std::uint64_t last_us_ = 0;
    std::vector<std::uint64_t> idle_us_, usage_us_;
    std::vector<bool> begun_;
    std::map<std::pair<std::uint16_t, std::uint32_t>, bool> calls_;  // by node and process
};

}  // namespace tmon_export

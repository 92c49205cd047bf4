// NodeMonitor: the monitor of one node, the program nodemon (thesis, sections 5.3.2 and 5.3.3). It owns the parts and an
// interface process, which obeys commands from the host. Tmon and Tmon-de are the same parts with different settings
// (docs/model/tmon.md).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <instrumentation/backend.hpp>
#include <instrumentation/buffer_manager.hpp>
#include <instrumentation/kernel_probe.hpp>
#include <instrumentation/meter.hpp>
#include <instrumentation/monctrl.hpp>
#include <instrumentation/monitor_state.hpp>
#include <trollius_os/api.hpp>

namespace instrumentation {

namespace events {
inline constexpr vocabulary::EventNo nodemon(-91009);  // the event that the thesis' `state` shows nodemon waiting on
inline constexpr vocabulary::EventNo collector(-91010);
}  // namespace events

class NodeMonitor final : private trollius_os::MonitorCalls {
public:
    NodeMonitor(const MonitorCosts& costs, const MonitorSettings& settings, vocabulary::NodeId node, vocabulary::NodeId host);
    NodeMonitor(const NodeMonitor&) = delete;
    NodeMonitor& operator=(const NodeMonitor&) = delete;

    // The program; never returns.
    coroutines::Task<> nodemon(trollius_os::Calls& calls);

    // Every probe calls this (meter.hpp).
    coroutines::Task<> record(const trace_record::Event& event, trollius_os::Calls& calls) {
        return meter_.record(event, calls);
    }
    // Takes effect now. Earlier records, the monitor's kind and the buffers stay. `kernel`: the node's.
    void change(const MonitorCosts& costs, const MonitorSettings& settings, trollius_os::Kernel& kernel);
    Probe* users_probe() { return users_probe_.get(); }  // nullptr: none
    // A global interrupt that the node's own controller has raised (backend.hpp).
    coroutines::Task<> interrupted(trollius_os::Calls& calls, std::uint32_t number) {
        return backend_.interrupted(calls, number);
    }
    // The application on this node has ended: sends all records and the end mark.
    coroutines::Task<> finish(trollius_os::Calls& calls);

    bool on() const { return state_.phase == MonitorPhase::On; }
    bool ended() const { return manager_.ended(); }
    bool short_of_memory() const { return short_of_memory_; }  // no room for the buffers: the node cannot be monitored
    // Converts the sums, stated for a T800-20, to processor times of the node. `kernel`: the node's.
    OverheadLedger ledger(const trollius_os::Kernel& kernel) const;
    std::uint32_t recorded() const { return state_.buffers.next_seq(); }
    const MonitorState& state() const { return state_; }
    // Acts, as act_script.hpp says. From outside, between two events: from now on, notes who makes them; follows this order.
    std::uint32_t acts() const { return state_.acts; }
    void note_makers();
    void follow(std::vector<std::uint32_t> makers);
    const ActScript* script() const { return state_.script.get(); }
    // Behind the last act of the order nobody waits. `kernel`: the node's.
    void go_on_behind(trollius_os::Kernel& kernel);
    // Nobody waits any more. `kernel`: the node's.
    void release(trollius_os::Kernel& kernel);

private:
    using Calls = trollius_os::Calls;

    // MonitorCalls
    coroutines::Task<> user_event(Calls& calls, std::uint32_t number, std::uint64_t value) override;
    bool switch_classes(Calls& calls, const std::string& classes, bool on) override;

    bool create_process(Calls& calls, const char* name, trollius_os::ProcessCode code);
    void attach(trollius_os::Kernel& kernel);
    coroutines::Task<> control(Calls& calls);
    coroutines::Task<bool> obey(Calls& calls, const ControlCommand& command);
    coroutines::Task<> begin(Calls& calls);
    coroutines::Task<> end(Calls& calls);
    void set_classes(Calls& calls, trace_record::ClassSet classes, bool on);

    MonitorState state_;
    Meter meter_{state_};
    BufferManager manager_{state_};
    Backend backend_{state_, meter_};
    KernelProbe kernel_probe_{meter_};
    std::unique_ptr<Probe> users_probe_;
    bool loaded_ = false, short_of_memory_ = false;
    bool finished_before_begin_ = false;  // the end mark then follows the begin
};

}  // namespace instrumentation

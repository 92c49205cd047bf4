// NodeMonitor: Tmon-de on one node (thesis, sections 5.3.2 and 5.3.3), the program nodemon. Meter: what a probe calls. Buffer
// manager: a high-priority process that looks at the buffers periodically and whenever the upper bound is passed, and sends
// what must go as Trollius messages to the collector. Interface process: obeys begin and quit from the host. While monitoring
// is off, a process that reaches a probe is suspended there.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include <instrumentation/monitor_costs.hpp>
#include <instrumentation/overhead_ledger.hpp>
#include <instrumentation/trace_buffers.hpp>
#include <instrumentation/unload_sequence.hpp>
#include <trek_kernel/trek_observer.hpp>
#include <trollius_os/api.hpp>
#include <trollius_os/programs.hpp>

namespace instrumentation {

namespace events {
inline constexpr vocabulary::EventNo nodemon(-91009);  // what the thesis' `state` shows nodemon waiting on
inline constexpr vocabulary::EventNo collector(-91010);
}  // namespace events
enum class Control : std::int32_t { Begin = 1, Quit = 2 };
enum class Report : std::int32_t { Trace = 1, Dropped = 2, End = 3 };  // pouch word 0 of what goes to the collector

class NodeMonitor {
public:
    NodeMonitor(const MonitorCosts& costs, const UnloadSequence& sequence, vocabulary::NodeId host);
    NodeMonitor(const NodeMonitor&) = delete;
    NodeMonitor& operator=(const NodeMonitor&) = delete;

    // The program. Runs for ever.
    void nodemon(trollius_os::Api& api);

    // By the process that passed the probe. Returns what to charge; may make the process wait while monitoring is off.
    vocabulary::Cycles meter(const trek_kernel::TaskMoved& what, trollius_os::Api& api);
    // The application on this node is done: flush and say so.
    void finish(trollius_os::Api& api);

    bool on() const { return state_ == State::On; }
    bool ended() const { return end_sent_; }
    bool short_of_memory() const { return short_of_memory_; }  // the node has no room for the buffers: it cannot be monitored
    const OverheadLedger& ledger() const { return ledger_; }
    std::uint32_t recorded() const { return buffers_.next_seq(); }

private:
    enum class State : std::uint8_t { Off, On, Ending, Ended };
    using Api = trollius_os::Api;

    void control(Api& api);
    void begin(Api& api);
    void manage(Api& api);
    bool must_unload(Api& api);
    void unload(Api& api);
    void report_dropped(Api& api);
    void send(Api& api, Report what, std::int32_t a, std::int32_t b, std::span<std::byte> body);
    void charge_manager(Api& api, vocabulary::SimTime time);
    void end(Api& api);

    MonitorCosts costs_;
    const UnloadSequence& sequence_;
    vocabulary::NodeId host_;
    TraceBuffers buffers_;
    State state_ = State::Off;
    bool loaded_ = false, end_sent_ = false, short_of_memory_ = false;
    std::uint64_t began_us_ = 0;
    trollius_os::Thread* manager_ = nullptr;
    std::vector<trollius_os::Thread*> suspended_;
    std::size_t stride_;  // bytes a record takes in a message: monitor.record, at least what its content needs
    std::vector<std::byte> message_;
    OverheadLedger ledger_;
};

}  // namespace instrumentation

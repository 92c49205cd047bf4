// Backend: takes the global interrupts on one node (thesis, section 5.3.2). At each one it records the node's clock
// (Synchronise). When class Usage is on, it also records the work of processor and links since the last interrupt (NodeUsage).
// It has high priority, so it reads the clock within a few microseconds of the interrupt. It adjusts nothing.
#pragma once

#include <cstdint>
#include <optional>

#include <instrumentation/interrupt_counter.hpp>
#include <instrumentation/meter.hpp>
#include <instrumentation/monitor_state.hpp>

namespace instrumentation {

class Backend {
public:
    Backend(MonitorState& state, Meter& meter)
        : state_(state), meter_(meter), counter_(static_cast<std::uint64_t>(state.settings.interrupt_period.in_us())) {}

    coroutines::Task<> run(trollius_os::Calls& calls);  // the process; never returns
    // Takes one interrupt. The master's own node is not wired to its line; there the controller calls this.
    coroutines::Task<> interrupted(trollius_os::Calls& calls, std::optional<std::uint32_t> number);
    // Monitoring begins: the next sample counts from here.
    void start_sample(trollius_os::Calls& calls) { last_ = read_counters(calls); }

private:
    struct Sample {  // the node's clock and counters
        std::uint64_t now_us = 0, high_us = 0, low_us = 0;
        trollius_os::LinkTimes links{};
    };
    static Sample read_counters(trollius_os::Calls& calls);
    coroutines::Task<> pay_first_cycle(trollius_os::Calls& calls);
    coroutines::Task<> record_interrupt(trollius_os::Calls& calls, std::uint32_t number);
    coroutines::Task<> sample(trollius_os::Calls& calls);

    MonitorState& state_;
    Meter& meter_;
    InterruptCounter counter_;
    Sample last_;
};

}  // namespace instrumentation

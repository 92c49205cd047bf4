// Backend: takes the global interrupt on one node (thesis, section 5.3.2). At each it records the node's clock (Synchronise).
// When that class is on, it also records the work of processor and links since the last time (NodeUsage). High priority, so
// that the clock is read within a few microseconds of the interrupt; nothing is adjusted here.
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

    void run(trollius_os::Api& api);  // the process; for ever
    // An interrupt, as it is taken. The master's own node has no wire from its own line: its controller calls this.
    void interrupted(trollius_os::Api& api, std::optional<std::uint32_t> number);
    // The next sample counts from here: monitoring begins.
    void start_sample(trollius_os::Api& api) { last_ = read_counters(api); }

private:
    struct Sample {  // values of the node's clock and counters
        std::uint64_t now_us = 0, high_us = 0, low_us = 0;
        trollius_os::LinkTimes links{};
    };
    static Sample read_counters(trollius_os::Api& api);
    void pay_first_cycle(trollius_os::Api& api);
    void sample(trollius_os::Api& api);

    MonitorState& state_;
    Meter& meter_;
    InterruptCounter counter_;
    Sample last_;
};

}  // namespace instrumentation

// InterruptMaster: the program monmaster, on the node whose interrupt line leads to all others (thesis, section 5.3.2). Its
// interface process takes commands from the host. Its controller raises the global interrupt every
// MonitorSettings::interrupt_period, by its own clock. Interrupt k comes k periods after the first. An interrupt that cannot be
// raised in time, or that falls due while the controller is stopped, is left out; its number is not reused.
#pragma once

#include <cstdint>

#include <instrumentation/node_monitor.hpp>

namespace instrumentation {

namespace events {
inline constexpr vocabulary::EventNo monmaster(-91011);
}

class InterruptMaster {
public:
    // `own`: the monitor of the master's node, if it is monitored.
    InterruptMaster(const MonitorCosts& costs, const MonitorSettings& settings, NodeMonitor* own)
        : costs_(costs), period_us_(static_cast<std::uint64_t>(settings.interrupt_period.in_us())), own_(own) {}

    coroutines::Task<> monmaster(trollius_os::Calls& calls);       // the program; never returns
    void set_costs(const MonitorCosts& costs) { costs_ = costs; }  // from now on

    vocabulary::SimTime charged() const { return charged_; }  // processor time for raising interrupts

private:
    coroutines::Task<> command(trollius_os::Calls& calls);
    coroutines::Task<> start(trollius_os::Calls& calls);
    coroutines::Task<> control(trollius_os::Calls& calls);
    coroutines::Task<> raise(trollius_os::Calls& calls);
    std::uint64_t next_us() const { return began_us_ + next_ * period_us_; }

    MonitorCosts costs_;
    std::uint64_t period_us_;
    NodeMonitor* own_;
    trollius_os::Thread* controller_ = nullptr;
    bool loaded_ = false, on_ = false, has_begun_ = false;
    std::uint64_t began_us_ = 0;  // the node's clock at interrupt 0
    std::uint64_t next_ = 0;      // number of the next interrupt
    vocabulary::SimTime charged_;
};

}  // namespace instrumentation

// How often the times of a trace contradict the order of its messages.
#pragma once

#include <cstdint>
#include <functional>

#include <tmon_clocks/clock_adjustment.hpp>
#include <tmon_order/logical_time.hpp>

namespace tmon_clocks {

// Messages whose receive is recorded before their send. Each end is recorded when its process goes on after the transfer, so
// this happens even by true time. Wrong clocks add more of them, or change which.
struct CausalityCheck {
    std::uint64_t messages = 0;  // of tasks and results, with both ends recorded
    std::uint64_t contradicted = 0;
    double worst_us = 0;
};

// Checks the adjusted times, and the times as recorded. Cost: one pass over the messages.
CausalityCheck check_adjusted(const tmon_streams::Trace& trace, const tmon_order::LogicalTime& order,
                              const ClockAdjustment& adjustment);
CausalityCheck check_raw(const tmon_streams::Trace& trace, const tmon_order::LogicalTime& order);
// Checks the times that `us_of` gives, in microseconds.
CausalityCheck check_times(const tmon_streams::Trace& trace, const tmon_order::LogicalTime& order,
                           const std::function<double(const Event&)>& us_of);

}  // namespace tmon_clocks

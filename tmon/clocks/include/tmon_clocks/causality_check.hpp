// How often the times of a trace contradict the order of its messages.
#pragma once

#include <cstdint>
#include <functional>

#include <tmon_clocks/clock_adjustment.hpp>
#include <tmon_order/logical_time.hpp>

namespace tmon_clocks {

// Messages whose receive is recorded before their send. Both are recorded when their process goes on after the message has
// passed, so this happens by true time too. Clocks that are off make it many more, or others.
struct CausalityCheck {
    std::uint64_t messages = 0;  // of tasks and results, with both ends recorded
    std::uint64_t contradicted = 0;
    double worst_us = 0;
};

// By adjusted times, and by the times as recorded. Cost: each message once.
CausalityCheck check_adjusted(const tmon_streams::Trace& trace, const tmon_order::LogicalTime& order,
                              const ClockAdjustment& adjustment);
CausalityCheck check_raw(const tmon_streams::Trace& trace, const tmon_order::LogicalTime& order);
// By any other times, in microseconds.
CausalityCheck check_times(const tmon_streams::Trace& trace, const tmon_order::LogicalTime& order,
                           const std::function<double(const Event&)>& us_of);

}  // namespace tmon_clocks

#include <tmon_clocks/causality_check.hpp>

#include <algorithm>

namespace tmon_clocks {
namespace {

// Calls each(receive, send) for every message with both ends recorded.
template <class Each>
void for_each_message(const tmon_streams::Trace& trace, const tmon_order::LogicalTime& order, Each&& each) {
    for (const tmon_streams::Stream& stream : trace.streams) {
        std::uint32_t index = 0;
        for (const auto part : stream.in_passing()) {
            for (const Event& event : part) {
                const tmon_order::EventRef ref{stream.node, index++};
                if (event.kind != EventKind::Receive) continue;
                if (const auto send = order.partner(ref)) each(event, order.event(*send));
            }
        }
    }
}

}  // namespace

CausalityCheck check_times(const tmon_streams::Trace& trace, const tmon_order::LogicalTime& order,
                           const std::function<double(const Event&)>& us_of) {
    CausalityCheck result;
    for_each_message(trace, order, [&](const Event& receive, const Event& send) {
        ++result.messages;
        const double back = us_of(send) - us_of(receive);
        if (back <= 0) return;
        ++result.contradicted;
        result.worst_us = std::max(result.worst_us, back);
    });
    return result;
}

CausalityCheck check_adjusted(const tmon_streams::Trace& trace, const tmon_order::LogicalTime& order,
                              const ClockAdjustment& adjustment) {
    // Two times on two clocks cannot be compared.
    const auto both_tied = [&](const Event& event) {
        return !adjustment.synchronised() || (adjustment.tied(event.node) && adjustment.tied(event.peer));
    };
    return check_times(trace, order, [&](const Event& event) {
        return both_tied(event) ? static_cast<double>(adjustment.adjusted(event).ns) * 1e-3 : 0;
    });
}

CausalityCheck check_raw(const tmon_streams::Trace& trace, const tmon_order::LogicalTime& order) {
    return check_times(trace, order, [](const Event& event) { return static_cast<double>(event.time_us); });
}

}  // namespace tmon_clocks

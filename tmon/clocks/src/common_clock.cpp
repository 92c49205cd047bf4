#include <tmon_clocks/common_clock.hpp>

#include <algorithm>
#include <memory>
#include <tuple>

#include <tmon_clocks/clock_adjustment.hpp>

namespace tmon_clocks {

NamedClock common_clock(std::vector<trace_record::Event> interrupts, std::uint16_t nodes, std::optional<std::uint16_t> master) {
    std::sort(interrupts.begin(), interrupts.end(),
              [](const auto& a, const auto& b) { return std::tie(a.node, a.seq) < std::tie(b.node, b.seq); });
    const auto again = std::unique(interrupts.begin(), interrupts.end(),
                                   [](const auto& a, const auto& b) { return a.node == b.node && a.seq == b.seq; });
    interrupts.erase(again, interrupts.end());
    tmon_streams::Trace trace;
    auto next = interrupts.cbegin();
    // One part a node, though its numbers have gaps: only the interrupts are read.
    for (std::uint16_t node = 0; node < nodes; ++node) {
        trace.streams.emplace_back().node = node;
        const auto first = next;
        while (next != interrupts.cend() && next->node == node) ++next;
        if (next != first) trace.streams.back().parts.emplace_back(first, next);
    }
    const auto adjustment = std::make_shared<const ClockAdjustment>(trace, master);
    if (!adjustment->synchronised()) return {{}, "the nodes' own clocks, which drift"};
    std::size_t tied = 0;
    std::string others;
    for (std::uint16_t node = 0; node < nodes; ++node) {
        if (adjustment->tied(node))
            ++tied;
        else
            others += (others.empty() ? "; not tied, on their own clocks: n" : ", n") + std::to_string(node);
    }
    return {[adjustment](const trace_record::Event& event) { return adjustment->adjusted(event).ns; },
            "the clock of n" + std::to_string(*adjustment->reference()) + ", to which global interrupts tie " +
                std::to_string(tied) + " of " + std::to_string(nodes) + " clocks" + others};
}

}  // namespace tmon_clocks

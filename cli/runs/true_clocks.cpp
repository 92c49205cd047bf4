#include "runs/true_clocks.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <tmon_oracle/true_clocks.hpp>
#include <vocabulary/source_position.hpp>

namespace cli {
namespace {

using tmon_oracle::TrueClock;

constexpr std::uint16_t most_nodes = 0xFFFF;

tmon_sorted::OnClock::Clock clock_of(std::vector<TrueClock> clocks) {
    if (std::none_of(clocks.begin(), clocks.end(), [](const TrueClock& clock) { return clock.known; })) return {};
    return [clocks = std::move(clocks)](std::uint16_t node, std::uint64_t time_us) {
        const double true_us = node < clocks.size() ? clocks[node].true_us(time_us) : static_cast<double>(time_us);
        return static_cast<std::uint64_t>(std::max(0.0, true_us * 1e3));
    };
}

}  // namespace

tmon_sorted::OnClock::Clock true_clock(const std::vector<session::NodeLine>& nodes) {
    std::vector<TrueClock> clocks;
    for (const session::NodeLine& node : nodes) {
        TrueClock& clock = clocks.emplace_back();
        if (!node.clock) continue;
        clock = {true, node.clock->offset_us, static_cast<double>(node.clock->drift_ppm), node.clock->began_clock_us};
    }
    return clock_of(std::move(clocks));
}

tmon_sorted::OnClock::Clock true_clock_beside(const std::string& trace) {
    const std::filesystem::path oracle = std::filesystem::path(trace).parent_path() / "oracle.json";
    if (!std::filesystem::exists(oracle)) return {};
    try {
        return clock_of(tmon_oracle::read_true_clocks(oracle.string(), most_nodes));
    } catch (const vocabulary::InputError& error) {  // the trace itself is there
        std::fprintf(stderr,
                     "magicwire: note: %s; so the orders are shown without the truth; move the file away, or bring back that "
                     "of this run\n",
                     error.what());
        return {};
    }
}

tmon_sorted::MonitorTraffic traffic_of(const std::vector<session::NodeLine>& nodes) {
    tmon_sorted::MonitorTraffic all;
    for (const session::NodeLine& node : nodes) {
        all.messages += node.ledger.trace_messages;
        all.bytes += node.ledger.trace_bytes;
        all.heartbeats += node.ledger.heartbeats;
        all.flushes += node.ledger.flushes;
    }
    return all;
}

}  // namespace cli

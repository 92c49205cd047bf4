#include <prediction/report_bound.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <prediction/monitored_costs.hpp>
#include <topologies/network.hpp>

#include "mean_task.hpp"

namespace prediction {

using vocabulary::NodeId;
using vocabulary::SimTime;

namespace {

constexpr SimTime look_period = SimTime::ms(2);  // of a person at the host

SimTime us(std::uint64_t microseconds) {
    constexpr std::uint64_t most = 1'000'000'000'000;  // 11 days: longer than any run
    return SimTime::us(static_cast<std::int64_t>(std::min(microseconds, most)));
}

// A line with upper bound 0 unloads every record at once. Under any other a node may keep records until such a line comes.
void find_gap(const instrumentation::UnloadSequence& sequence, SimTime clock, SimTime period, ReportBound& bound) {
    const auto& lines = sequence.commands();
    SimTime gap = period, begins;
    std::optional<SimTime> kept_since;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const bool last = i + 1 == lines.size();
        const SimTime ends = last ? SimTime::never() : us(lines[i].until_us);
        if (last || ends > clock) {
            if (lines[i].upper == 0) {
                if (kept_since) gap = std::max(gap, begins - *kept_since + period);
                kept_since.reset();
            } else if (!kept_since) {
                kept_since = std::max(begins, clock);
            }
        }
        begins = ends;
    }
    if (!kept_since) {
        bound.gap = gap;
    } else if (lines.back().lower == 0) {  // an idle node unloads at its next look
        bound.gap = gap;
        bound.when_idle = true;
    }
}

SimTime period_of(const scenario::Scenario& scenario) {
    return std::max(SimTime::us(1), scenario.costs.time("monitor.manager_period"));
}

// A message with a full buffer, from one node to the next.
SimTime hop_time(const scenario::Scenario& scenario) {
    const topologies::CostTable& costs = scenario.costs;
    const double most = costs.get("kernel.most_packet", "bytes") / costs.get("monitor.record", "bytes");
    const double records = std::clamp(costs.get("monitor.buffer", "records"), 1.0, std::max(1.0, most));
    double node_s = 0;
    for (const std::size_t node : {0U, 1U}) {  // the manager, and a worker
        const MonitorPrices prices = monitor_prices(scenario, clock_hz_of(scenario, node), records);
        node_s = std::max(node_s, records * std::max(prices.own_s, prices.relay_s));
    }
    // A byte when both directions are at work, and every other one is of the farm's own messages.
    const double bits = 2 * (costs.get("link.data_packet", "bits") + costs.get("link.turn_round_20_data", "bits"));
    const double bytes = records * costs.get("monitor.record", "bytes") + costs.get("kernel.datalink_header", "bytes");
    const double link_s = bits * bytes / static_cast<double>(slowest_link_bits_per_second(scenario));
    return SimTime::ns(static_cast<std::int64_t>((node_s + link_s) * 1e9));
}

std::size_t most_hops(const scenario::Scenario& scenario) {
    const topologies::Network network(scenario.machine);
    const auto hops = network.hops(network.host());
    std::size_t most = 1;
    for (const NodeId node : scenario.farm.members()) most = std::max(most, hops[node.value()].value_or(0));
    return most;
}

}  // namespace

ReportBound report_bound(const scenario::Scenario& scenario, SimTime clock) {
    ReportBound bound;
    bound.look = look_period;
    const SimTime period = period_of(scenario);
    if (!scenario.monitor->unload_policy) {
        if (scenario.monitor->unload) {
            find_gap(*scenario.monitor->unload, clock, period, bound);
        } else {
            bound.gap = period;
            bound.when_idle = true;
        }
    }
    const std::size_t messages = most_hops(scenario) + scenario.farm.members().size() - 1;
    bound.flight = hop_time(scenario) * static_cast<std::int64_t>(messages);
    return bound;
}

std::optional<SimTime> report_behind(const scenario::Scenario& scenario, SimTime clock, SimTime flight) {
    if (scenario.monitor->unload_policy || !scenario.monitor->unload) return {};
    const auto& lines = scenario.monitor->unload->commands();
    if (lines.back().upper > 0) return {};
    const SimTime left_by = clock - std::min(clock, flight + period_of(scenario));  // what a line with upper bound 0 had then
    SimTime begins;
    std::optional<SimTime> kept_since;
    for (const instrumentation::UnloadCommand& line : lines) {
        if (line.upper == 0) kept_since.reset();
        if (line.upper > 0 && !kept_since) kept_since = begins;
        begins = us(line.until_us);
        if (begins > left_by) break;
    }
    return clock - kept_since.value_or(left_by);
}

std::string report_bound_text(const ReportBound& bound) {
    const auto ms = [](SimTime time) { return fmt::format("{:.1f} ms", time.in_seconds() * 1e3); };
    if (!bound.gap) {
        return fmt::format("not bounded: under the last unload command a node may keep records to the end; flight {}, look {}",
                           ms(bound.flight), ms(bound.look));
    }
    return fmt::format("within {}: unload gap {}{}, flight {}, look {}", ms(bound.sum()), ms(*bound.gap),
                       bound.when_idle ? " on a node that has little to do" : "", ms(bound.flight), ms(bound.look));
}

}  // namespace prediction

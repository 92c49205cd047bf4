#include "main_clock.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <tuple>

#include <nlohmann/json.hpp>

#include <tmon/clock_adjustment.hpp>
#include <tmon/output_file.hpp>
#include <vocabulary/source_position.hpp>

namespace tmon_export {

namespace {

// A record's time counts from when monitoring began on its node; the clock then showed `began_us`.
struct NodeClock {
    double began_us = 0, offset_us = 0, rate = 1;
    std::int64_t true_ns(std::uint64_t us) const {
        return static_cast<std::int64_t>(std::llround((began_us + static_cast<double>(us) - offset_us) / rate * 1e3));
    }
};

using Json = nlohmann::json;
using vocabulary::InputError;

constexpr double most_us = 1e15;  // 31 years
constexpr double most_drift_ppm = 1e5;

double number(const std::string& oracle, std::size_t entry, const Json& clock, const char* key, double most) {
    const auto found = clock.find(key);
    if (found != clock.end() && found->is_number() && std::abs(found->get<double>()) <= most) return found->get<double>();
    throw InputError({oracle, 0, 0}, "\"clock\" of entry " + std::to_string(entry) + " of \"nodes\" has " +
                                         (found == clock.end() ? "no" : "no possible") + " number \"" + key +
                                         "\"; record the run again, or leave --oracle out");
}

// The entries of "nodes".
Json nodes_of(const std::string& oracle) {
    const auto json = Json::parse(tmon::read_text_file(oracle, "the oracle.json of the run"), nullptr, false);
    const auto is = [&](const char* key) { return json.is_object() && json.contains(key); };
    if (!is("schema") || json["schema"] != "magicwire.oracle/1")
        throw InputError({oracle, 0, 0}, "is no oracle.json of magicwire; give the one that lies beside the trace");
    if (!is("nodes") || !json["nodes"].is_array())
        throw InputError({oracle, 0, 0}, "has no list \"nodes\"; record the run again, or leave --oracle out");
    return json["nodes"];
}

}  // namespace

Chosen true_clock(const std::string& oracle, std::uint16_t nodes) {
    const Json list = nodes_of(oracle);
    std::vector<NodeClock> clocks(nodes);
    bool any = false;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const Json& node = list[i];
        if (!node.is_object() || !node.contains("node") || !node["node"].is_number_unsigned())
            throw InputError({oracle, 0, 0}, "entry " + std::to_string(i) +
                                                 " of \"nodes\" has no number \"node\"; record the run "
                                                 "again, or leave --oracle out");
        const auto which = node["node"].get<std::uint64_t>();
        const auto clock = node.find("clock");  // of monitored nodes
        if (clock == node.end() || clock->is_null() || which >= nodes) continue;
        if (!clock->is_object())
            throw InputError({oracle, 0, 0}, "\"clock\" of entry " + std::to_string(i) +
                                                 " of \"nodes\" is no object; record the run again, or leave --oracle out");
        clocks[which] = {number(oracle, i, *clock, "began_clock_us", most_us), number(oracle, i, *clock, "offset_us", most_us),
                         1 + number(oracle, i, *clock, "drift_ppm", most_drift_ppm) * 1e-6};
        any = true;
    }
    if (!any)
        throw InputError({oracle, 0, 0}, "says nothing of the nodes' clocks; record the run again, or leave --oracle out");
    return {[clocks](const tmon::Event& event) { return clocks[event.node].true_ns(event.time_us); },
            "true time of the modelled machine, from oracle.json"};
}

Chosen adjusted_clock(std::vector<tmon::Event> interrupts, std::uint16_t nodes, const std::string& manifest) {
    std::sort(interrupts.begin(), interrupts.end(),
              [](const auto& a, const auto& b) { return std::tie(a.node, a.seq) < std::tie(b.node, b.seq); });
    const auto again = std::unique(interrupts.begin(), interrupts.end(),
                                   [](const auto& a, const auto& b) { return a.node == b.node && a.seq == b.seq; });
    interrupts.erase(again, interrupts.end());
    tmon::Trace trace;
    auto next = interrupts.cbegin();
    // One part a node, though its numbers have gaps: only the interrupts are read.
    for (std::uint16_t node = 0; node < nodes; ++node) {
        trace.streams.emplace_back().node = node;
        const auto first = next;
        while (next != interrupts.cend() && next->node == node) ++next;
        if (next != first) trace.streams.back().parts.emplace_back(first, next);
    }
    const auto json = nlohmann::json::parse(manifest, nullptr, false);
    std::optional<std::uint16_t> master;
    if (json.is_object() && json.contains("interrupt_master") && json["interrupt_master"].is_number_unsigned())
        master = json["interrupt_master"].get<std::uint16_t>();
    const auto adjustment = std::make_shared<const tmon::ClockAdjustment>(trace, master);
    if (!adjustment->synchronised()) return {{}, "the nodes' own clocks, which drift"};
    std::size_t tied = 0;
    std::string others;
    for (std::uint16_t node = 0; node < nodes; ++node) {
        if (adjustment->tied(node))
            ++tied;
        else
            others += (others.empty() ? "; not tied, on their own clocks: n" : ", n") + std::to_string(node);
    }
    return {[adjustment](const tmon::Event& event) { return adjustment->adjusted(event).ns; },
            "the clock of n" + std::to_string(*adjustment->reference()) + ", to which global interrupts tie " +
                std::to_string(tied) + " of " + std::to_string(nodes) + " clocks" + others};
}

}  // namespace tmon_export

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

double number(const nlohmann::json& clock, const char* key) {
    return clock.contains(key) && clock[key].is_number() ? clock[key].get<double>() : 0.0;
}

}  // namespace

Chosen true_clock(const std::string& oracle, std::uint16_t nodes) {
    const auto json = nlohmann::json::parse(tmon::read_text_file(oracle, "the oracle.json of the run"), nullptr, false);
    if (!json.is_object() || !json.contains("schema") || json["schema"] != "magicwire.oracle/1" || !json["nodes"].is_array())
        throw vocabulary::InputError({oracle, 0, 0}, "is no oracle.json of magicwire; give the one that lies beside the trace");
    std::vector<NodeClock> clocks(nodes);
    bool any = false;
    for (const auto& node : json["nodes"]) {
        if (!node.is_object() || !node.contains("clock") || !node["clock"].is_object() || !node["node"].is_number_unsigned())
            continue;
        const auto which = node["node"].get<std::uint64_t>();
        if (which >= nodes) continue;
        const auto& clock = node["clock"];
        clocks[which] = {number(clock, "began_clock_us"), number(clock, "offset_us"), 1 + number(clock, "drift_ppm") * 1e-6};
        any = true;
    }
    if (!any)
        throw vocabulary::InputError({oracle, 0, 0},
                                     "says nothing of the nodes' clocks; record the run again, or leave --oracle out");
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
    for (std::uint16_t node = 0; node < nodes; ++node) {
        trace.streams.emplace_back().node = node;
        for (; next != interrupts.cend() && next->node == node; ++next) trace.streams.back().parts.emplace_back(&*next, 1);
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

// `order`: the records that the host has at this moment, in causal order and by merges of time stamps.
#include <nlohmann/json.hpp>

#include <hw_model/processor.hpp>
#include <tmon_sorted/order_comparison.hpp>
#include <vocabulary/nearest_name.hpp>
#include <vocabulary/source_position.hpp>

#include "runs/true_clocks.hpp"
#include "shell/shell_machine.hpp"

namespace cli {
namespace {

std::vector<tmon_order::MergeKind> merges_named(const std::string& name) {
    std::vector<tmon_order::MergeKind> merges = tmon_sorted::all_merges();
    if (name.empty() || name == "all") return merges;
    std::vector<std::string> names;
    for (const tmon_order::MergeKind kind : merges) names.emplace_back(tmon_order::merge_name(kind));
    std::erase_if(merges, [&](tmon_order::MergeKind kind) { return tmon_order::merge_name(kind) != name; });
    if (merges.empty())
        throw vocabulary::RequestError("there is no merge '" + name + "'" + vocabulary::did_you_mean(name, names) +
                                       "; 'order' alone makes all");
    return merges;
}

// As SessionRun gathers them at the end.
std::vector<session::NodeLine> lines_of(session::LiveSession& live) {
    std::vector<session::NodeLine> lines(live.monitors().size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const vocabulary::NodeId id(static_cast<vocabulary::NodeId::value_type>(i));
        const hw_model::Processor& processor = live.machine().machine().node(id).processor;
        lines[i].ledger = live.monitors()[i]->ledger(live.machine().kernel(id));
        if (const vocabulary::SimTime began = lines[i].ledger.began; began != vocabulary::SimTime())
            lines[i].clock = {processor.clock_offset_us(), processor.clock_drift_ppm(),
                              processor.clock_us_at(began, hw_model::Priority::High)};
    }
    return lines;
}

}  // namespace

ShellAnswer ShellMachine::order(const std::string& arguments) {
    if (!scenario_.monitor)
        throw vocabulary::RequestError("the scenario is not monitored, so there are no records; add a 'monitor:' to it");
    const std::vector<session::NodeLine> nodes = lines_of(live());
    arrivals_.moment(static_cast<std::uint64_t>(now().in_us()));
    tmon_sorted::ComparedOrders result = tmon_sorted::compare_orders(arrivals_, static_cast<std::uint16_t>(nodes.size()),
                                                                     {merges_named(arguments), true_clock(nodes)});
    result.traffic = traffic_of(nodes);
    return {.text = tmon_sorted::comparison_text(result), .data = tmon_sorted::comparison_json(result).dump()};
}

}  // namespace cli

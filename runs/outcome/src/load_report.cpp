#include "load_report.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <instrumentation/accounts.hpp>
#include <oracle/bug_report.hpp>
#include <topologies/end_names.hpp>
#include <topologies/network.hpp>
#include <trollius_os/accounts.hpp>

#include "reconfiguration_report.hpp"

namespace outcome {
namespace {

using nlohmann::ordered_json;
using oracle::FarmReport;

ordered_json figure(double value) {
    return std::round(value * 1e6) / 1e6;
}

double window_share(vocabulary::SimTime part, const FarmReport& report) {
    return report.window > vocabulary::SimTime() ? part.in_seconds() / report.window.in_seconds() : 0;
}

// Links between the manager and each node along the tree. A branch may be longer than one link.
std::map<vocabulary::NodeId, std::size_t> hops_of(const scenario::Scenario& scenario, const FarmReport& report) {
    std::map<vocabulary::NodeId, std::size_t> hops;
    std::map<vocabulary::NodeId, std::vector<std::optional<std::size_t>>> from;
    const topologies::Network network(scenario.machine);
    std::vector<const FarmReport::Node*> by_depth;
    for (const FarmReport::Node& node : report.nodes) by_depth.push_back(&node);
    std::stable_sort(by_depth.begin(), by_depth.end(), [](const auto* a, const auto* b) { return a->depth < b->depth; });
    for (const FarmReport::Node* node : by_depth) {
        if (!node->parent) continue;
        std::size_t branch = 1;
        if (!report.virtual_branches.empty()) {
            auto [found, is_new] = from.try_emplace(*node->parent);
            if (is_new) found->second = network.hops(*node->parent);
            branch = found->second.at(node->node.value()).value_or(1);
        }
        hops[node->node] = hops[*node->parent] + branch;
    }
    return hops;
}

void put_hops(ordered_json& json, const scenario::Scenario& scenario, const FarmReport& report) {
    const auto hops = hops_of(scenario, report);
    double sum = 0, tasks = 0;
    std::size_t most = 0;
    for (const FarmReport::Node& node : report.nodes) {
        if (!node.parent) continue;
        sum += static_cast<double>(hops.at(node.node)) * node.computed;
        tasks += node.computed;
        most = std::max(most, hops.at(node.node));
    }
    json["mean_hops"] = tasks > 0 ? figure(sum / tasks) : ordered_json(nullptr);
    json["most_hops"] = most;
}

void put_busiest(ordered_json& json, const FarmReport& report) {
    const bool steady = report.rate.steady.has_value();
    json["busiest_link"] = nullptr;
    json["busiest_link_share"] = nullptr;
    double most = 0;
    for (const FarmReport::Link& link : report.links) {
        const double down = steady ? link.steady_down : window_share(link.busy_down, report),
                     up = steady ? link.steady_up : window_share(link.busy_up, report);
        if (std::max(down, up) <= most) continue;
        most = std::max(down, up);
        const auto [a, b] = down >= up ? std::pair(link.parent, link.child) : std::pair(link.child, link.parent);
        json["busiest_link"] = fmt::format("n{} to n{}", a.value(), b.value());
        json["busiest_link_share"] = figure(most);
    }
    json["busiest_node"] = nullptr;
    json["busiest_node_share"] = nullptr;
    most = 0;
    for (const FarmReport::Node& node : report.nodes) {
        const double busy = steady ? node.steady_busy : window_share(node.computing + node.high, report);
        if (busy <= most) continue;
        most = busy;
        json["busiest_node"] = node.node.value();
        json["busiest_node_share"] = figure(busy);
    }
}

// How much the workers compute, and how long a task takes there: over all, and in the steady state.
void put_workers(ordered_json& json, const FarmReport& report) {
    const bool steady = report.rate.steady.has_value();
    double busy = 0, computing = 0, steady_computing = 0;
    std::size_t workers = 0;
    for (const FarmReport::Node& node : report.nodes) {
        if (!node.parent) continue;
        ++workers;
        busy += steady ? node.steady_busy : window_share(node.computing + node.high, report);
        computing += node.computing.in_seconds();
        steady_computing += node.steady_busy - node.steady_high;
    }
    json["workers"] = workers;
    json["workers_busy_share"] = workers > 0 ? figure(busy / static_cast<double>(workers)) : ordered_json(nullptr);
    json["task_us"] = report.completed > 0 ? figure(1e6 * computing / report.completed) : ordered_json(nullptr);
    json["steady_task_us"] =
        steady && *report.rate.steady > 0 ? figure(1e6 * steady_computing / *report.rate.steady) : ordered_json(nullptr);
}

void put_monitor(ordered_json& json, const oracle::SessionResult& result, const FarmReport& report) {
    double seconds = 0, monitor = 0, all = 0;
    for (const FarmReport::Node& node : report.nodes) {
        if (node.node.value() >= result.simulated.nodes.size()) continue;
        const session::NodeLine& line = result.simulated.nodes[node.node.value()];
        const auto& ledger = line.ledger;
        for (const vocabulary::SimTime part :
             {ledger.probe, ledger.meter, ledger.manager, ledger.backend, ledger.policy, line.kernel_monitor_time})
            seconds += part.in_seconds();
    }
    for (const session::LinkLine& link : result.simulated.links) {
        const double its = static_cast<double>(link.totals.of[instrumentation::accounts::trace_message].bytes);
        monitor += its;
        all += its + static_cast<double>(link.totals.of[trollius_os::accounts::application].bytes);
    }
    const double available = report.window.in_seconds() * static_cast<double>(report.nodes.size());
    json["monitor_share"] = figure(available > 0 ? seconds / available : 0);
    json["monitor_byte_share"] = figure(all > 0 ? monitor / all : 0);
}

std::string silent_nodes(const oracle::SessionResult& result) {
    std::vector<vocabulary::NodeId> silent;
    for (std::size_t i = 0; i < result.observed.nodes.size(); ++i)
        if (result.observed.nodes[i].member && !result.observed.nodes[i].answers)
            silent.emplace_back(static_cast<vocabulary::NodeId::value_type>(i));
    if (silent.empty()) return {};
    return fmt::format("; {} {} not answer", topologies::node_list(silent), silent.size() == 1 ? "does" : "do");
}

// The report's reasons for a farm that did not finish: results, nodes, plugged links, waiting processes. null: it finished.
ordered_json why_unfinished(const scenario::Scenario& scenario, const oracle::SessionResult& result) {
    if (result.simulated.farm.finished) return nullptr;
    std::string text =
        fmt::format("{} of {} results came back{}", result.simulated.counts.results, scenario.farm.tasks, silent_nodes(result));
    const auto& plugged = result.simulated.plugged;
    if (plugged.size() == 1) text += "; a link is plugged: " + plug_text(plugged.front());
    if (plugged.size() > 1) text += fmt::format("; {} links are plugged, first {}", plugged.size(), plug_text(plugged.front()));
    if (const std::string standing = oracle::first_standing_text(result); !standing.empty()) text += "; " + standing;
    return text;
}

}  // namespace

ordered_json load_json(const scenario::Scenario& scenario, const oracle::SessionResult& result, const FarmReport& report) {
    ordered_json json;
    put_hops(json, scenario, report);
    put_busiest(json, report);
    put_workers(json, report);
    put_monitor(json, result, report);
    json["why_unfinished"] = why_unfinished(scenario, result);
    return json;
}

}  // namespace outcome

#include "farm_limit.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace oracle {

using Kind = FarmReport::LimitKind;
using vocabulary::NodeId;

namespace {

constexpr double full = 0.9;  // bursts, rounding and the estimate leave the rest unused of a resource that is always wanted

FarmReport::Limit busiest_link(const FarmReport& report) {
    FarmReport::Limit best{Kind::Link, {}, 0, {}};
    for (const FarmReport::Link& link : report.links) {
        const bool down = link.steady_down >= link.steady_up;
        const double share = std::max(link.steady_down, link.steady_up);
        if (best.node && share <= best.share) continue;
        const NodeId from = down ? link.parent : link.child, to = down ? link.child : link.parent;
        best = {
            Kind::Link, from, share,
            fmt::format("the link n{} to n{} carries messages {:.1f} % of the time", from.value(), to.value(), 100 * share)};
    }
    return best;
}

FarmReport::Limit manager(const FarmReport& report) {
    const FarmReport::Node& node = report.nodes.front();
    return {
        Kind::Manager, node.node, node.steady_busy,
        fmt::format("the manager's processor is in use {:.1f} % of the time: data_generator, result_receiver and the messages",
                    100 * node.steady_busy)};
}

FarmReport::Limit busiest_forwarder(const FarmReport& report) {
    const auto worker = std::max_element(report.nodes.begin() + 1, report.nodes.end(),
                                         [](const auto& a, const auto& b) { return a.steady_high < b.steady_high; });
    if (worker == report.nodes.end()) return {};
    return {Kind::Forwarding, worker->node, worker->steady_high,
            fmt::format("n{} {} {:.1f} % of the time and has little left to compute", worker->node.value(),
                        report.config.divides() ? "splits, joins and forwards" : "forwards", 100 * worker->steady_high)};
}

double mean_of_workers(const FarmReport& report) {
    double sum = 0;
    for (const FarmReport::Node& node : report.nodes) sum += node.parent ? node.steady_busy : 0;
    return report.nodes.size() > 1 ? sum / static_cast<double>(report.nodes.size() - 1) : 0;
}

}  // namespace

const char* limit_name(Kind kind) {
    switch (kind) {
        case Kind::Link:
            return "link";
        case Kind::Manager:
            return "manager";
        case Kind::Forwarding:
            return "forwarding";
        case Kind::Workers:
            return "workers";
        case Kind::Waiting:
            return "waiting";
        case Kind::Unknown:
            break;
    }
    return "unknown";
}

FarmReport::Limit limit_of(const FarmReport& report) {
    if (!report.virtual_branches.empty())
        return {Kind::Unknown, {}, 0, report.virtual_branches + ", so a link carries messages of several branches"};
    const FarmReport::Limit forwarder = busiest_forwarder(report);
    FarmReport::Limit busiest = busiest_link(report);
    for (const FarmReport::Limit& other : {manager(report), forwarder}) {
        if (other.node && other.share > busiest.share) busiest = other;
    }
    if (busiest.share >= full) return busiest;
    const double workers = mean_of_workers(report);
    if (workers >= full) {
        return {Kind::Workers, forwarder.node, workers,
                fmt::format("no single link or node: the workers' processors are in use {:.1f} % of the time; n{} spends most "
                            "on messages, {:.1f} %",
                            100 * workers, forwarder.node->value(), 100 * forwarder.share)};
    }
    return {Kind::Waiting, busiest.node, workers,
            fmt::format(
                "nothing is saturated: the workers' processors are in use {:.1f} % of the time, so tasks come too late or too "
                "unevenly; closest to saturation: {}",
                100 * workers, busiest.reason)};
}

}  // namespace oracle

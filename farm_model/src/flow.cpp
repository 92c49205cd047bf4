#include "flow.hpp"

#include <algorithm>

namespace farm_model {
namespace {

double at_most_one(double load) {
    return load > 1 ? 1 / load : 1;
}

}  // namespace

// The rate that the children can reach together. When they take turns, each gets as many as the slowest can take.
Flow FlowRules::together(std::span<const Flow> children) const {
    Flow all;
    double least = 1e300;
    for (const Flow& child : children) least = std::min(least, child.tasks);
    for (const Flow& child : children) {
        const double tasks = in_turn() ? least : child.tasks;
        all.tasks += tasks;
        all.records += child.tasks > 0 ? child.records * tasks / child.tasks : 0;
    }
    return all;
}

double FlowRules::share(std::size_t child, std::size_t children) const {
    const std::size_t parts = config_.degree / children + (child < config_.degree % children ? 1 : 0);
    return static_cast<double>(parts);
}

bool FlowRules::splits(std::size_t level, std::size_t children) const {
    return config_.divides() && children > 0 && level < std::min<std::size_t>(config_.depth, farm_spec::most_depth);
}

// lam_i = 1/a + r min(sum of lam_c, 1/bf): passing on goes before computing, and the rest of the processor computes.
NodeFlow FlowRules::forwarder(std::size_t level, std::span<const Flow> children) const {
    const Flow below = together(children);
    const double load = below.tasks * costs_.forward_s + below.records * costs_.relay_s;
    NodeFlow flow;
    flow.below = at_most_one(load);
    flow.forwarded = flow.below * below.tasks;
    flow.relaying = flow.below * below.records * costs_.relay_s;
    flow.computed = (1 - flow.below * load) / a(level);
    flow.up = {flow.computed + flow.forwarded,
               flow.below * below.records + records_of_computing * flow.computed + records_of_forwarding * flow.forwarded};
    return flow;
}

// F = min(lam_c over the child's share of a split, 1/c), lam_i = F + (1 - F c)/a.
NodeFlow FlowRules::divider(std::size_t level, std::span<const Flow> children) const {
    NodeFlow flow;
    double relayed = 0, records = 0;
    if (splits(level, children.size())) {
        double most = costs_.split_s > 0 ? 1 / costs_.split_s : 1e12;
        for (std::size_t i = 0; i < children.size(); ++i) {
            const double part = share(i, children.size());
            if (part > 0) most = std::min(most, children[i].tasks / part);
        }
        for (std::size_t i = 0; i < children.size(); ++i) {
            const double given = children[i].tasks > 0 ? most * share(i, children.size()) / children[i].tasks : 0;
            records += given * children[i].records;
        }
        relayed = records * costs_.relay_s;
        flow.below = at_most_one(most * costs_.split_s + relayed);
        flow.forwarded = flow.below * most;
        records *= flow.below;
        flow.relaying = records * costs_.relay_s;
    }
    flow.computed = std::max(0.0, 1 - flow.forwarded * costs_.split_s - flow.relaying) / a(level);
    flow.up = {flow.computed + flow.forwarded,
               records + records_of_computing * flow.computed + (2 + 2.0 * config_.degree) * flow.forwarded};
    return flow;
}

// Records do not limit the link: if it is too slow for them, they are dropped, and the tasks go on.
NodeFlow FlowRules::worker(std::size_t level, std::span<const Flow> children) const {
    NodeFlow flow = config_.divides() ? divider(level, children) : forwarder(level, children);
    flow.link = at_most_one(flow.up.tasks * costs_.link_s());
    flow.up.tasks *= flow.link;
    flow.up.records *= flow.link;
    return flow;
}

NodeFlow FlowRules::manager(std::span<const Flow> children) const {
    const Flow below = together(children);
    NodeFlow flow;
    flow.below = at_most_one(below.tasks * costs_.manager_limit_s() + below.records * costs_.manager_relay_s);
    flow.forwarded = flow.below * below.tasks;
    flow.relaying = flow.below * below.records * costs_.manager_relay_s;
    flow.up = {flow.forwarded, flow.below * below.records};
    return flow;
}

}  // namespace farm_model

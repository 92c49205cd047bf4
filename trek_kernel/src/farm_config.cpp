#include <trek_kernel/farm_config.hpp>

#include <algorithm>
#include <utility>

#include <vocabulary/contract.hpp>

namespace trek_kernel {

const char* policy_name(Policy policy) {
    switch (policy) {
        case Policy::FloodFilling:
            return "flood-filling";
        case Policy::RoundRobin:
            return "round-robin";
        case Policy::WorkStealing:
            return "work-stealing";
        case Policy::Priorities:
            return "priorities";
    }
    return "";
}

bool FarmConfig::has(NodeId node) const {
    if (node.value() >= nodes) return false;
    return tree != TreeKind::Given || node.value() == 0 || parents[node.value()].has_value();
}

std::optional<NodeId> FarmConfig::parent(NodeId node) const {
    return tree == TreeKind::Given ? parents[node.value()] : trek_kernel::parent(tree, node);
}

std::vector<NodeId> FarmConfig::children(NodeId node) const {
    if (tree != TreeKind::Given) return trek_kernel::children(tree, node, nodes);
    std::vector<NodeId> result;
    for (std::size_t i = 0; i < parents.size(); ++i) {
        if (parents[i] == node) result.emplace_back(static_cast<NodeId::value_type>(i));
    }
    return result;
}

std::size_t FarmConfig::level(NodeId node) const {
    EXPECTS(node.value() > 0, "farm_config.level.manager");
    std::size_t result = 0;
    for (auto at = parent(node); at && at->value() != 0; at = parent(*at)) ++result;
    return result;
}

std::vector<NodeId> FarmConfig::members() const {
    std::vector<NodeId> result;
    for (std::uint32_t i = 0; i < nodes; ++i) {
        if (const NodeId node(static_cast<NodeId::value_type>(i)); has(node)) result.push_back(node);
    }
    return result;
}

std::vector<NodeId> FarmConfig::leaves_first() const {
    const std::vector<NodeId> all = members();
    std::vector<std::pair<std::size_t, NodeId>> order;
    for (const NodeId node : all) order.emplace_back(node.value() == 0 ? 0 : level(node) + 1, node);
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a > b; });
    std::vector<NodeId> result;
    for (const auto& [steps, node] : order) result.push_back(node);
    return result;
}

}  // namespace trek_kernel

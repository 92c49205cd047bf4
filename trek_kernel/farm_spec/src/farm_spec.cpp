#include <farm_spec/farm_spec.hpp>

#include <algorithm>
#include <utility>

#include <vocabulary/contract.hpp>

namespace farm_spec {

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

std::vector<std::string> policy_names() {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < policies; ++i) names.emplace_back(policy_name(static_cast<Policy>(i)));
    return names;
}

bool FarmSpec::has(NodeId node) const {
    if (node.value() >= nodes) return false;
    return tree != TreeKind::Given || node.value() == 0 || parents[node.value()].has_value();
}

std::optional<NodeId> FarmSpec::parent(NodeId node) const {
    return tree == TreeKind::Given ? parents[node.value()] : farm_spec::parent(tree, node);
}

std::vector<NodeId> FarmSpec::children(NodeId node) const {
    if (tree != TreeKind::Given) return farm_spec::children(tree, node, nodes);
    std::vector<NodeId> result;
    for (std::size_t i = 0; i < parents.size(); ++i) {
        if (parents[i] == node) result.emplace_back(static_cast<NodeId::value_type>(i));
    }
    return result;
}

std::size_t FarmSpec::level(NodeId node) const {
    EXPECTS(node.value() > 0, "farm_spec.level.manager");
    std::size_t result = 0;
    for (auto at = parent(node); at && at->value() != 0; at = parent(*at)) ++result;
    return result;
}

std::vector<NodeId> FarmSpec::members() const {
    std::vector<NodeId> result;
    for (std::uint32_t i = 0; i < nodes; ++i) {
        if (const NodeId node(static_cast<NodeId::value_type>(i)); has(node)) result.push_back(node);
    }
    return result;
}

std::vector<NodeId> FarmSpec::leaves_first() const {
    const std::vector<NodeId> all = members();
    std::vector<std::pair<std::size_t, NodeId>> order;
    for (const NodeId node : all) order.emplace_back(node.value() == 0 ? 0 : level(node) + 1, node);
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a > b; });
    std::vector<NodeId> result;
    for (const auto& [steps, node] : order) result.push_back(node);
    return result;
}

bool FarmSpec::may_pass_down(NodeId worker) const {
    return !children(worker).empty() && (!divides() || level(worker) < depth);
}

bool FarmSpec::possible_at(SubTaskId subtask, std::size_t level) const {
    if (!divides()) return subtask == 0;
    if (level > depth) return false;
    SubTaskId rest = subtask;
    for (unsigned digit = 0; digit < 8; ++digit, rest >>= 4) {
        const SubTaskId value = rest & 0xF;
        const bool used = digit >= 1 && digit <= level;
        if (used ? value >= degree : value != 0) return false;
    }
    return true;
}

std::string FarmSpec::task_text(std::uint32_t first) const {
    const std::uint32_t last = std::min(first + granularity, std::max(tasks, first + 1)) - 1;
    return last == first ? std::to_string(first) : std::to_string(first) + "-" + std::to_string(last);
}

}  // namespace farm_spec

#include <farm_spec/tree.hpp>

#include <vocabulary/contract.hpp>

namespace farm_spec {

std::size_t arity(TreeKind kind) {
    EXPECTS(kind != TreeKind::Given, "tree.arity.given");
    return static_cast<std::size_t>(kind);
}

std::vector<NodeId> children(TreeKind kind, NodeId node, std::size_t node_count) {
    const std::size_t k = arity(kind), i = node.value();
    const std::size_t first = i == 0 ? 1 : k * (i - 1) + 2, count = i == 0 ? 1 : k;
    std::vector<NodeId> result;
    for (std::size_t c = first; c < first + count && c < node_count; ++c)
        result.emplace_back(static_cast<NodeId::value_type>(c));
    return result;
}

std::optional<NodeId> parent(TreeKind kind, NodeId node) {
    if (node.value() == 0) return std::nullopt;
    if (node.value() == 1) return NodeId(0);
    return NodeId(static_cast<NodeId::value_type>((node.value() - 2) / arity(kind) + 1));
}

}  // namespace farm_spec

#include <farm_spec/farm_tree.hpp>

namespace farm_spec {

FarmTree::FarmTree(const FarmSpec& spec)
    : parents_(spec.nodes, nobody), first_child_(spec.nodes + 1u), levels_(spec.nodes), passes_down_(spec.nodes) {
    for (std::uint32_t node = 1; node < spec.nodes; ++node) {
        const auto above = spec.parent(NodeId(static_cast<std::uint16_t>(node)));
        if (!above) continue;
        parents_[node] = above->value();
        ++first_child_[above->value() + 1u];
    }
    for (std::size_t node = 0; node < spec.nodes; ++node) first_child_[node + 1] += first_child_[node];
    children_.resize(first_child_.back());
    std::vector<std::uint32_t> next(first_child_.begin(), first_child_.end() - 1);
    for (std::uint32_t node = 1; node < spec.nodes; ++node) {
        if (parents_[node] != nobody) children_[next[parents_[node]]++] = static_cast<std::uint16_t>(node);
    }
    order_.push_back(0);
    for (std::size_t i = 0; i < order_.size(); ++i) {
        const std::uint16_t node = order_[i];
        for (const std::uint16_t child : children(node)) {
            levels_[child] = node == 0 ? 0 : levels_[node] + 1;
            order_.push_back(child);
        }
        const bool splits_on = !spec.divides() || levels_[node] < spec.depth;
        passes_down_[node] = !children(node).empty() && splits_on;
    }
}

}  // namespace farm_spec

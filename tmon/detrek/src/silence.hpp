// Silence: the nodes that gave no end mark although the node above them did. By the assumptions of the verdict, each of them
// died or its link to the node above failed. That one failure also explains every silent node below, and every node above that
// waits to send to it. So it is the smallest explanation, and callers look there first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include <farm_spec/farm_tree.hpp>

namespace tmon_detrek {

class Silence {
public:
    Silence() = default;  // no node is silent
    Silence(const farm_spec::FarmTree& tree, const std::vector<std::uint16_t>& open) : tree_(&tree) {
        for (const std::uint16_t node : open) {
            const auto above = tree.parent(node);
            if (above && !std::binary_search(open.begin(), open.end(), *above)) tops_.push_back(node);
        }
    }

    const std::vector<std::uint16_t>& tops() const { return tops_; }  // ascending
    // The silent top at the node or above it.
    std::optional<std::uint16_t> over(std::uint16_t node) const {
        for (std::optional<std::uint16_t> at = node; at && tree_ != nullptr; at = tree_->parent(*at)) {
            if (std::binary_search(tops_.begin(), tops_.end(), *at)) return at;
        }
        return std::nullopt;
    }
    // True when there is one strictly below the node.
    bool below(std::uint16_t node) const {
        return std::any_of(tops_.begin(), tops_.end(), [&](std::uint16_t top) {
            for (auto at = tree_->parent(top); at; at = tree_->parent(*at)) {
                if (*at == node) return true;
            }
            return false;
        });
    }

private:
    const farm_spec::FarmTree* tree_ = nullptr;
    std::vector<std::uint16_t> tops_;
};

}  // namespace tmon_detrek

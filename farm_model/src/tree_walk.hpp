// A farm's tree, taken apart once: asking FarmSpec for the children of each node of a given tree would be quadratic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <farm_spec/farm_spec.hpp>

namespace farm_model {

struct TreeWalk {
    std::vector<std::vector<std::uint32_t>> children;  // by node, ascending
    std::vector<std::uint32_t> downward;               // members, each after its parent; the manager first
    std::vector<std::size_t> level;                    // by node: as FarmSpec::level; 0 for the manager

    explicit TreeWalk(const farm_spec::FarmSpec& config) : children(config.nodes), level(config.nodes, 0) {
        for (const auto node : config.members()) {
            if (const auto up = config.parent(node)) children[up->value()].push_back(node.value());
        }
        downward.push_back(0);
        for (std::size_t i = 0; i < downward.size(); ++i) {
            for (const std::uint32_t child : children[downward[i]]) {
                level[child] = downward[i] == 0 ? 0 : level[downward[i]] + 1;
                downward.push_back(child);
            }
        }
    }
};

}  // namespace farm_model

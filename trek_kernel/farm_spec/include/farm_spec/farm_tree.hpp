// FarmTree: the precomputed tree of a specification. Every query takes constant time. Nodes are plain numbers, as in records.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <farm_spec/farm_spec.hpp>

namespace farm_spec {

class FarmTree {
public:
    explicit FarmTree(const FarmSpec& spec);

    bool has(std::uint16_t node) const { return node == 0 || parents_[node] != nobody; }
    std::optional<std::uint16_t> parent(std::uint16_t node) const {
        return parents_[node] == nobody ? std::nullopt : std::optional(parents_[node]);
    }
    std::span<const std::uint16_t> children(std::uint16_t node) const {
        return std::span(children_).subspan(first_child_[node], first_child_[node + 1u] - first_child_[node]);
    }
    unsigned level(std::uint16_t worker) const { return levels_[worker]; }
    bool may_pass_down(std::uint16_t worker) const { return passes_down_[worker]; }
    const std::vector<std::uint16_t>& from_the_top() const { return order_; }  // members; parents before their children

private:
    static constexpr std::uint16_t nobody = 0xFFFF;
    std::vector<std::uint16_t> parents_, children_, order_;
    std::vector<std::uint32_t> first_child_;  // index into children_
    std::vector<unsigned> levels_;
    std::vector<bool> passes_down_;
};

}  // namespace farm_spec

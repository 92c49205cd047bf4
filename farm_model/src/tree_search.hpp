// Search for a tree with a high rate in a network (best_tree.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "flow.hpp"

namespace farm_model {

using Neighbours = std::vector<std::vector<std::uint32_t>>;  // by node, ascending, each once

inline constexpr std::uint32_t outside = UINT32_MAX;  // in place of a parent: not in the tree

// A tree as a list of parents; the manager's entry is `outside`.
struct Candidate {
    std::vector<std::uint32_t> parent;
    double rate = 0;
    std::size_t workers = 0, levels = 0, sum_of_levels = 0;

    bool has(std::uint32_t node) const { return node == 0 || parent[node] != outside; }
};

class TreeSearch {
public:
    TreeSearch(Neighbours neighbours, FlowRules rules, std::uint32_t most_workers);

    // Fills in rate, workers and levels. False: the parents form no tree from node 0, or it has too many workers.
    bool judge(Candidate& candidate);
    bool better(const Candidate& one, const Candidate& other) const;
    Candidate breadth_first();  // the nearest nodes, each below its lowest parent
    Candidate balanced();       // the same nodes, each below the parent with the least to forward
    Candidate improved(Candidate from);
    // Tries all trees; empty when there are more than `most`.
    std::optional<Candidate> best_of_all(std::uint64_t most);
    std::uint64_t tried() const { return tried_; }
    const std::vector<std::size_t>& distance() const { return distance_; }  // from node 0; SIZE_MAX: not reached

private:
    bool order(const Candidate& candidate);
    std::vector<std::uint32_t> nearest() const;
    bool improve_once(Candidate& now);
    bool try_parents(Candidate& now, std::uint32_t node);
    bool try_without(Candidate& now, std::uint32_t leaf);
    bool try_exchange(Candidate& now, std::uint32_t leaf);
    bool try_more(Candidate& now);
    bool take_if_better(Candidate& now, Candidate&& other);
    bool is_below(const Candidate& tree, std::uint32_t node, std::uint32_t above) const;
    bool is_leaf(const Candidate& tree, std::uint32_t node) const;

    Neighbours neighbours_;
    FlowRules rules_;
    std::uint32_t most_workers_;
    std::vector<std::size_t> distance_;
    std::uint64_t tried_ = 0, most_tries_;
    // The tree that is being judged.
    std::vector<std::vector<std::uint32_t>> children_;
    std::vector<std::uint32_t> downward_;
    std::vector<std::size_t> depth_;
    std::vector<Flow> flow_;
};

}  // namespace farm_model

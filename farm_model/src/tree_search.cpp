#include "tree_search.hpp"

#include <algorithm>
#include <utility>

namespace farm_model {
namespace {

constexpr double same_rate = 1e-9;  // relative; far below the precision of the formulas, far above rounding

}  // namespace

TreeSearch::TreeSearch(Neighbours neighbours, FlowRules rules, std::uint32_t most_workers)
    : neighbours_(std::move(neighbours)),
      rules_(rules),
      most_workers_(most_workers),
      distance_(neighbours_.size(), SIZE_MAX),
      // Judging a tree is linear in the nodes; all tries together take about half a second.
      most_tries_(std::max<std::uint64_t>(2000, 20'000'000 / neighbours_.size())),
      children_(neighbours_.size()),
      depth_(neighbours_.size()),
      flow_(neighbours_.size()) {
    std::vector<std::uint32_t> queue{0};
    distance_[0] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i) {
        for (const std::uint32_t next : neighbours_[queue[i]]) {
            if (distance_[next] != SIZE_MAX) continue;
            distance_[next] = distance_[queue[i]] + 1;
            queue.push_back(next);
        }
    }
}

// Fills downward_, children_ and depth_. False when not every member hangs below the manager.
bool TreeSearch::order(const Candidate& candidate) {
    std::size_t members = 1;
    for (auto& list : children_) list.clear();
    for (std::uint32_t node = 1; node < candidate.parent.size(); ++node) {
        if (candidate.parent[node] == outside) continue;
        children_[candidate.parent[node]].push_back(node);
        ++members;
    }
    downward_.assign(1, 0);
    depth_[0] = 0;
    for (std::size_t i = 0; i < downward_.size(); ++i) {
        for (const std::uint32_t child : children_[downward_[i]]) {
            depth_[child] = depth_[downward_[i]] + 1;
            downward_.push_back(child);
        }
    }
    return downward_.size() == members;
}

bool TreeSearch::judge(Candidate& candidate) {
    ++tried_;
    if (!order(candidate)) return false;
    candidate.workers = downward_.size() - 1;
    candidate.levels = depth_[downward_.back()];
    candidate.sum_of_levels = 0;
    if (candidate.workers == 0 || candidate.workers > most_workers_) return false;
    std::vector<Flow> below;
    for (auto node = downward_.rbegin(); node != downward_.rend(); ++node) {
        below.clear();
        for (const std::uint32_t child : children_[*node]) below.push_back(flow_[child]);
        candidate.sum_of_levels += depth_[*node];
        flow_[*node] = (*node == 0 ? rules_.manager(below) : rules_.worker(depth_[*node] - 1, below)).up;
    }
    candidate.rate = flow_[0].tasks;
    return true;
}

bool TreeSearch::better(const Candidate& one, const Candidate& other) const {
    if (one.rate > other.rate * (1 + same_rate)) return true;
    if (one.rate < other.rate * (1 - same_rate)) return false;
    if (one.workers != other.workers) return one.workers > other.workers;
    if (one.levels != other.levels) return one.levels < other.levels;
    if (one.sum_of_levels != other.sum_of_levels) return one.sum_of_levels < other.sum_of_levels;
    return one.parent < other.parent;
}

// By distance, then by number; the manager left out.
std::vector<std::uint32_t> TreeSearch::nearest() const {
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t node = 1; node < distance_.size(); ++node) {
        if (distance_[node] != SIZE_MAX) nodes.push_back(node);
    }
    std::stable_sort(nodes.begin(), nodes.end(), [&](auto a, auto b) { return distance_[a] < distance_[b]; });
    if (nodes.size() > most_workers_) nodes.resize(most_workers_);
    return nodes;
}

Candidate TreeSearch::breadth_first() {
    Candidate tree{std::vector<std::uint32_t>(neighbours_.size(), outside)};
    for (const std::uint32_t node : nearest()) {
        const auto& near = neighbours_[node];
        tree.parent[node] =
            *std::find_if(near.begin(), near.end(), [&](auto n) { return distance_[n] + 1 == distance_[node]; });
    }
    judge(tree);
    return tree;
}

// Goes from the farthest nodes inwards, so that the size of a node's subtree is known when its parent is chosen. The node with
// the largest subtree chooses first. A parent may have been left out of the nearest ones only if nothing needs it.
Candidate TreeSearch::balanced() {
    Candidate tree{std::vector<std::uint32_t>(neighbours_.size(), outside)};
    std::vector<std::uint32_t> nodes = nearest();
    std::vector<bool> member(neighbours_.size(), false);
    for (const std::uint32_t node : nodes) member[node] = true;
    member[0] = true;
    std::vector<std::size_t> size(neighbours_.size(), 1);
    for (std::size_t last = nodes.size(); last > 0;) {
        const std::size_t level = distance_[nodes[last - 1]];
        std::size_t first = last;
        while (first > 0 && distance_[nodes[first - 1]] == level) --first;
        const auto begin = nodes.begin() + static_cast<std::ptrdiff_t>(first),
                   end = nodes.begin() + static_cast<std::ptrdiff_t>(last);
        std::stable_sort(begin, end, [&](auto a, auto b) { return size[a] > size[b]; });
        for (auto node = begin; node != end; ++node) {
            std::uint32_t chosen = outside;
            for (const std::uint32_t above : neighbours_[*node]) {
                if (!member[above] || distance_[above] + 1 != level) continue;
                if (chosen == outside || size[above] < size[chosen]) chosen = above;
            }
            tree.parent[*node] = chosen;
            size[chosen] += size[*node];
        }
        last = first;
    }
    judge(tree);
    return tree;
}

bool TreeSearch::is_below(const Candidate& tree, std::uint32_t node, std::uint32_t above) const {
    for (std::uint32_t at = node; at != outside; at = tree.parent[at]) {
        if (at == above) return true;
    }
    return false;
}

bool TreeSearch::is_leaf(const Candidate& tree, std::uint32_t node) const {
    return tree.has(node) && std::none_of(neighbours_[node].begin(), neighbours_[node].end(),
                                          [&](auto other) { return tree.parent[other] == node; });
}

bool TreeSearch::take_if_better(Candidate& now, Candidate&& other) {
    if (tried_ >= most_tries_ || !judge(other) || !better(other, now)) return false;
    now = std::move(other);
    return true;
}

bool TreeSearch::try_parents(Candidate& now, std::uint32_t node) {
    bool any = false;
    for (const std::uint32_t above : neighbours_[node]) {
        if (above == now.parent[node] || !now.has(above) || is_below(now, above, node)) continue;
        Candidate other = now;
        other.parent[node] = above;
        any |= take_if_better(now, std::move(other));
    }
    return any;
}

bool TreeSearch::try_without(Candidate& now, std::uint32_t leaf) {
    Candidate other = now;
    other.parent[leaf] = outside;
    return take_if_better(now, std::move(other));
}

// Puts another node, anywhere, in place of this leaf.
bool TreeSearch::try_exchange(Candidate& now, std::uint32_t leaf) {
    for (std::uint32_t node = 1; node < now.parent.size(); ++node) {
        if (now.has(node)) continue;
        for (const std::uint32_t above : neighbours_[node]) {
            if (above == leaf || !now.has(above)) continue;
            Candidate other = now;
            other.parent[leaf] = outside;
            other.parent[node] = above;
            if (take_if_better(now, std::move(other))) return true;
        }
    }
    return false;
}

bool TreeSearch::try_more(Candidate& now) {
    bool any = false;
    for (std::uint32_t node = 1; node < now.parent.size() && now.workers < most_workers_; ++node) {
        if (now.has(node)) continue;
        for (const std::uint32_t above : neighbours_[node]) {
            if (!now.has(above)) continue;
            Candidate other = now;
            other.parent[node] = above;
            if (take_if_better(now, std::move(other))) {
                any = true;
                break;
            }
        }
    }
    return any;
}

bool TreeSearch::improve_once(Candidate& now) {
    bool any = try_more(now);
    for (std::uint32_t node = 1; node < now.parent.size(); ++node) {
        if (now.has(node)) any |= try_parents(now, node);
    }
    for (std::uint32_t node = 1; node < now.parent.size(); ++node) {
        if (is_leaf(now, node)) any |= try_without(now, node);
    }
    for (std::uint32_t node = 1; node < now.parent.size(); ++node) {
        if (is_leaf(now, node)) any |= try_exchange(now, node);
    }
    return any;
}

Candidate TreeSearch::improved(Candidate from) {
    while (tried_ < most_tries_ && improve_once(from)) {
    }
    return from;
}

// Counts through the choices: for each node that can be reached, none or one of its neighbours as its parent.
std::optional<Candidate> TreeSearch::best_of_all(std::uint64_t most) {
    std::vector<std::uint32_t> nodes;
    std::uint64_t choices = 1;
    for (std::uint32_t node = 1; node < distance_.size(); ++node) {
        if (distance_[node] == SIZE_MAX) continue;
        nodes.push_back(node);
        choices *= neighbours_[node].size() + 1;
        if (choices > most) return std::nullopt;
    }
    Candidate best = breadth_first(), tree = best;
    std::vector<std::size_t> digit(nodes.size(), 0);
    for (const std::uint32_t node : nodes) tree.parent[node] = outside;
    for (std::uint64_t i = 1; i < choices; ++i) {
        for (std::size_t place = 0;; ++place) {
            const auto& near = neighbours_[nodes[place]];
            digit[place] = digit[place] == near.size() ? 0 : digit[place] + 1;
            tree.parent[nodes[place]] = digit[place] == 0 ? outside : near[digit[place] - 1];
            if (digit[place] != 0) break;
        }
        if (judge(tree) && better(tree, best)) best = tree;
    }
    return best;
}

}  // namespace farm_model

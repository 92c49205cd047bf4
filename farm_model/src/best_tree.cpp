#include <farm_model/best_tree.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <vocabulary/source_position.hpp>

#include "tree_search.hpp"

namespace farm_model {
namespace {

using vocabulary::LinkNo;
using vocabulary::NodeId;

Neighbours neighbours_in(const topologies::Network& network) {
    Neighbours all(network.node_count());
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::uint8_t link = 0; link < topologies::links_per_node; ++link) {
            const auto& other = network.neighbour(NodeId(static_cast<NodeId::value_type>(i)), LinkNo(link));
            if (other && other->node != network.host() && other->node.value() != i) all[i].push_back(other->node.value());
        }
        std::sort(all[i].begin(), all[i].end());
        all[i].erase(std::unique(all[i].begin(), all[i].end()), all[i].end());
    }
    return all;
}

struct Bound {
    double rate = INFINITY;
    std::string reason;
    void at_most(double other, std::string why) {
        if (other < rate) rate = other, reason = std::move(why);
    }
};

// Nodes by their distance from the manager; [0]: its neighbours.
struct ByDistance {
    std::vector<std::size_t> all, nearest;  // nearest: of as many workers as the farm may have

    ByDistance(const std::vector<std::size_t>& distance, std::size_t most_workers) {
        for (const std::size_t hops : distance) {
            if (hops == SIZE_MAX || hops == 0) continue;
            if (all.size() < hops) all.resize(hops, 0);
            ++all[hops - 1];
        }
        nearest = all;
        for (std::size_t& here : nearest) here = std::min(here, most_workers), most_workers -= here;
    }
    double neighbours() const { return static_cast<double>(nearest.front()); }
    double workers() const {
        std::size_t sum = 0;
        for (const std::size_t here : nearest) sum += here;
        return static_cast<double>(sum);
    }
};

// The rate that a worker at each depth adds while no limit is met. One task from below, with its records, costs a node x of the
// tasks it would compute itself.
std::vector<double> added_by_depth(const FlowRules& rules, std::size_t depths) {
    const Costs& costs = rules.costs();
    const double a = rules.a(0);
    double tasks = 1 / a, records = records_of_computing / a;
    std::vector<double> added;
    while (added.size() < depths) {
        added.push_back(tasks);
        const double x = (costs.forward_s * tasks + costs.relay_s * records) / a;
        records += records_of_forwarding * tasks - records_of_computing * x;
        tasks -= x;
    }
    return added;
}

Bound farm_bound(const FlowRules& rules, const ByDistance& nodes) {
    const Costs& costs = rules.costs();
    const double link = costs.link_s();
    const double of_node = std::min(std::max(1 / costs.forward_s, 1 / rules.a(0)), link > 0 ? 1 / link : INFINITY);
    const std::vector<double> added = added_by_depth(rules, nodes.all.size());
    const double r = std::max(0.0, 1 - costs.forward_s / rules.a(0));
    Bound bound;
    double nearer = 0, kept = 1;
    for (std::size_t depth = 0; depth < nodes.all.size(); ++depth) {
        const std::size_t here = nodes.all[depth];
        bound.at_most(nearer + kept * static_cast<double>(here) * of_node,
                      depth == 0 ? "the most that the manager's neighbours can pass on"
                                 : fmt::format("the most that the {} nodes {} hops away can pass on", here, depth + 1));
        nearer += static_cast<double>(nodes.nearest[depth]) * std::max(0.0, added[depth]);
        kept *= r;
    }
    bound.at_most(nearer, "each worker computing all the time at its least distance");
    return bound;
}

// The least work that a task can take, when it is divided in the best way.
Bound division_bound(const FlowRules& rules, const ByDistance& nodes) {
    const Costs& costs = rules.costs();
    const auto& config = rules.config();
    double work = rules.a(config.depth);
    for (std::size_t level = config.depth; level-- > 0;) work = std::min(rules.a(level), costs.split_s + config.degree * work);
    Bound bound;
    bound.at_most(nodes.workers() / work, "all workers computing or dividing all the time");
    bound.at_most(nodes.neighbours() / std::min(costs.split_s, rules.a(0)),
                  "the most that the manager's neighbours can divide");
    return bound;
}

Bound upper_bound(const FlowRules& rules, const ByDistance& nodes) {
    Bound bound = rules.config().divides() ? division_bound(rules, nodes) : farm_bound(rules, nodes);
    const Costs& costs = rules.costs();
    if (costs.manager_limit_s() > 0)
        bound.at_most(1 / costs.manager_limit_s(), "the most that the manager can hand out and collect");
    if (const double link = costs.link_s(); link > 0)
        bound.at_most(nodes.neighbours() / link, "the most that the manager's links can carry");
    return bound;
}

farm_spec::Parents parents_of(const Candidate& tree) {
    farm_spec::Parents parents;
    for (std::uint32_t node = 1; node < tree.parent.size(); ++node) {
        if (tree.parent[node] == outside) continue;
        parents.resize(node + 1);
        parents[node] = NodeId(static_cast<NodeId::value_type>(tree.parent[node]));
    }
    return parents;
}

// Workers 1, 2, ... level by level; each goes below the parents of its level in turn.
Candidate even_tree(std::size_t workers, std::size_t branches, std::size_t arity) {
    Candidate tree{std::vector<std::uint32_t>(workers + 1, outside)};
    std::vector<std::uint32_t> above{0};
    std::size_t room = branches;
    for (std::uint32_t node = 1; node <= workers;) {
        std::vector<std::uint32_t> level;
        for (; level.size() < room && node <= workers; ++node) {
            tree.parent[node] = above[level.size() % above.size()];
            level.push_back(node);
        }
        above = level;
        room = level.size() * arity;
    }
    return tree;
}

}  // namespace

BestTree best_free_tree(const farm_spec::FarmSpec& config, const Costs& costs, const TreeLimits& limits) {
    constexpr std::size_t most_branches = topologies::links_per_node - 1;
    const FlowRules rules(config, costs);
    const std::size_t most_workers = limits.most_nodes - 1;
    TreeSearch judge(Neighbours(limits.most_nodes), rules, limits.most_nodes - 1);
    Candidate widest = even_tree(most_workers, most_branches, most_branches), best = widest;
    for (std::size_t branches = 1; branches <= most_branches; ++branches) {
        for (std::size_t arity = 1; arity <= most_branches; ++arity) {
            Candidate tree = even_tree(most_workers, branches, arity);
            if (judge.judge(tree) && judge.better(tree, best)) best = std::move(tree);
        }
    }
    judge.judge(widest);
    std::vector<std::size_t> distance{0};
    for (std::size_t level = 1, room = most_branches; distance.size() <= most_workers; ++level, room *= most_branches)
        distance.insert(distance.end(), room, level);
    const Bound bound = upper_bound(rules, ByDistance(distance, most_workers));
    return {.parents = parents_of(best),
            .tasks_per_second = best.rate,
            .workers = best.workers,
            .levels = best.levels,
            .breadth_first = widest.rate,
            .upper_bound = bound.rate,
            .bound_reason = bound.reason,
            .proof = best.rate >= bound.rate * (1 - 1e-9) ? Proof::Bound : Proof::Search,
            .tried = judge.tried()};
}

BestTree best_tree(const topologies::Network& network, const farm_spec::FarmSpec& config, const Costs& costs,
                   const TreeLimits& limits) {
    const FlowRules rules(config, costs);
    const std::uint32_t most_workers = limits.most_nodes - 1;
    TreeSearch search(neighbours_in(network), rules, most_workers);
    Candidate best = search.breadth_first();
    if (best.workers == 0) throw vocabulary::RequestError("n0 has no link to another node, so no farm can be below it");
    BestTree result;
    result.breadth_first = best.rate;
    const Bound bound = upper_bound(rules, ByDistance(search.distance(), most_workers));
    result.upper_bound = bound.rate;
    result.bound_reason = bound.reason;
    const auto reached = [&] { return best.rate >= bound.rate * (1 - 1e-9); };
    if (reached()) {
        result.proof = Proof::Bound;
    } else if (auto all = search.best_of_all(limits.try_all_up_to)) {
        best = std::move(*all);
        result.proof = Proof::All;
    } else {
        Candidate other = search.balanced();
        best = search.improved(std::move(best));
        if (!reached()) other = search.improved(std::move(other));
        if (search.better(other, best)) best = std::move(other);
        result.proof = reached() ? Proof::Bound : Proof::Search;
    }
    result.tasks_per_second = best.rate;
    result.workers = best.workers;
    result.levels = best.levels;
    result.parents = parents_of(best);
    result.tried = search.tried();
    return result;
}

std::string explained(const BestTree& tree, const Costs& costs) {
    std::string text =
        fmt::format("{} worker{} in {} level{}, predicted {:.1f} tasks/s", tree.workers, tree.workers == 1 ? "" : "s",
                    tree.levels, tree.levels == 1 ? "" : "s", tree.tasks_per_second);
    const double more = tree.tasks_per_second / tree.breadth_first - 1;
    text += more > 1e-9 ? fmt::format("; the breadth-first tree: {:.1f} ({:.1f} % less)", tree.breadth_first,
                                      (1 - tree.breadth_first / tree.tasks_per_second) * 100)
                        : "; a breadth-first tree has the same rate";
    text += fmt::format("\nno tree here has more than {:.1f} tasks/s: {}", tree.upper_bound, tree.bound_reason);
    switch (tree.proof) {
        case Proof::Bound:
            text += "\nthat bound is reached, so no tree is better";
            break;
        case Proof::All:
            text += fmt::format("\nall {} choices of parents were tried: no tree is better", tree.tried);
            break;
        case Proof::Search:
            text += fmt::format("\nbest of {} trees that were tried, {:.1f} % below that bound; a better one may exist",
                                tree.tried, (1 - tree.tasks_per_second / tree.upper_bound) * 100);
            break;
    }
    const double ideal = static_cast<double>(tree.workers) / (costs.compute(0) + costs.execute_s);
    if (ideal > 0) text += fmt::format("\nthe same number of workers with nothing to pass on: {:.1f} tasks/s", ideal);
    return text;
}

}  // namespace farm_model

// The best tree in any network. Candidates are all trees in the network whose root is the manager n0. They have each node at
// most once and never use the host's link. The best is one whose steady state (steady_state.hpp) has the most tasks a second.
// Wagner, Sreekantaswamy and Chanson (IEEE TPDS 8(5), 1997) pose it as a network flow; the method here is our own:
//
// 1. While no limit is met, the recursion is linear. Each worker adds to the rate by its depth alone, less the deeper it is.
//    So a breadth-first tree of the nearest nodes is best, and its rate is the bound that no tree passes.
// 2. If a limit is met and the network has few trees, all of them are tried.
// 3. Otherwise a local search from two breadth-first trees, one of them balanced. It tries other parents, and leaves exchanged,
//    added and left out, as long as that gains.
//
// Ties: more workers, then fewer levels (the farm starts sooner), then the smaller sum of levels, then the lower parents, the
// lowest worker's first.
#pragma once

#include <cstdint>
#include <string>

#include <farm_model/costs.hpp>
#include <farm_spec/farm_spec.hpp>
#include <topologies/network.hpp>

namespace farm_model {

struct TreeLimits {
    std::uint32_t most_nodes = UINT32_MAX;  // manager included, at least 2
    std::uint64_t try_all_up_to = 50'000;   // product of the parent choices of all nodes
};

enum class Proof : std::uint8_t {
    Bound,   // no tree can have more: the rate is the upper bound
    All,     // all trees were tried
    Search,  // the best tree found
};

struct BestTree {
    farm_spec::Parents parents;  // as FarmSpec::parents; up to the highest member
    double tasks_per_second = 0;
    std::size_t workers = 0, levels = 0;  // levels: worker levels
    double breadth_first = 0;             // tasks a second of the breadth-first tree with the lowest parents
    double upper_bound = 0;               // for any tree of that size in this network, tasks a second
    std::string bound_reason;             // cause of the bound
    Proof proof = Proof::Search;
    std::uint64_t tried = 0;  // trees
};

// `config`: degree, depth and granularity of the farm; its tree and number of nodes are ignored. Deterministic. Throws
// vocabulary::RequestError when n0 has no neighbour. Cost: a few hundred thousand steps of the recursion at most.
BestTree best_tree(const topologies::Network& network, const farm_spec::FarmSpec& config, const Costs& costs,
                   const TreeLimits& limits = {});

// The same if any two nodes can be wired, as on a machine whose switches are still free. Each node has four links, and the host
// takes one of the manager's. It tries all trees in which the manager has 1 to 3 branches and each worker up to 1, 2 or 3. They
// are filled evenly, level by level, and the nodes are numbered in this order. Every worker is then as near as possible, so no
// tree is better unless a limit is met. Requires most_nodes >= 2.
BestTree best_free_tree(const farm_spec::FarmSpec& config, const Costs& costs, const TreeLimits& limits);

// Explains the choice in several lines of at most 128 columns, without a final line feed.
std::string explained(const BestTree& tree, const Costs& costs);

}  // namespace farm_model

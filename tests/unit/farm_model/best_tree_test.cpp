#include <farm_model/best_tree.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include <farm_model/steady_state.hpp>
#include <topologies/generators.hpp>

using farm_model::best_tree;
using farm_model::Costs;
using farm_model::Proof;
using farm_spec::FarmSpec;
using farm_spec::Parents;
using farm_spec::TreeKind;
using vocabulary::NodeId;

namespace {

using Edge = std::pair<std::size_t, std::size_t>;

// A connected machine of `nodes` nodes, each with at most four wires to others. The host is on n0 if n0 has a link left.
topologies::MachineDescription random_machine(std::size_t nodes, std::size_t wires, std::mt19937& random) {
    topologies::MachineDescription machine;
    machine.nodes.resize(nodes, {1 << 20, 20'000'000});
    machine.without_host = true;
    std::vector<std::uint8_t> used(nodes, 0);
    std::vector<Edge> edges;
    const auto wire = [&](std::size_t a, std::size_t b) {
        if (a == b || used[a] == 4 || used[b] == 4) return;
        const Edge edge(std::min(a, b), std::max(a, b));
        if (std::find(edges.begin(), edges.end(), edge) != edges.end()) return;
        edges.push_back(edge);
        const auto end = [&](std::size_t node) {
            return topologies::NodeLink{NodeId(static_cast<NodeId::value_type>(node)), vocabulary::LinkNo(used[node]++)};
        };
        machine.wires.push_back({end(a), end(b)});
    };
    for (std::size_t node = 1; node < nodes; ++node) {
        std::size_t other = random() % node;
        while (used[other] == 4) other = random() % node;
        wire(other, node);
    }
    for (std::size_t i = 0; i < wires; ++i) wire(random() % nodes, random() % nodes);
    return machine;
}

FarmSpec on_tree(FarmSpec farm, const Parents& parents) {
    farm.tree = TreeKind::Given;
    farm.parents = parents;
    farm.nodes = static_cast<std::uint32_t>(parents.size());
    return farm;
}

// The rate of the best tree, by trying every subset of wires that is a tree with n0.
double best_by_all_subsets(const topologies::MachineDescription& machine, const FarmSpec& farm, const Costs& costs,
                           std::size_t most_nodes) {
    const topologies::Network network(machine);
    std::vector<Edge> edges;
    for (const auto& path : network.paths()) {
        edges.emplace_back(std::get<topologies::NodeLink>(path.a).node.value(),
                           std::get<topologies::NodeLink>(path.b).node.value());
    }
    double best = 0;
    for (std::uint32_t subset = 1; subset < (1U << edges.size()); ++subset) {
        Parents parents(machine.nodes.size());
        std::size_t members = 1, wires = 0;
        for (bool grown = true; grown;) {
            grown = false;
            for (std::size_t i = 0; i < edges.size(); ++i) {
                if ((subset >> i & 1) == 0) continue;
                for (const auto& [up, down] : {edges[i], Edge(edges[i].second, edges[i].first)}) {
                    if ((up != 0 && !parents[up]) || down == 0 || parents[down]) continue;
                    parents[down] = NodeId(static_cast<NodeId::value_type>(up));
                    ++members;
                    grown = true;
                }
            }
        }
        for (std::uint32_t rest = subset; rest != 0; rest &= rest - 1) ++wires;
        if (wires != members - 1 || members > most_nodes) continue;  // a ring, or a part that n0 does not reach
        while (!parents.back()) parents.pop_back();
        best = std::max(best, farm_model::steady_state(on_tree(farm, parents), costs).tasks_per_second);
    }
    return best;
}

Costs costs_of(double compute_s, double forward_s) {
    Costs costs;
    costs.compute_s = {compute_s};
    costs.execute_s = 0.2e-3;
    costs.forward_s = forward_s;
    costs.split_s = 2 * forward_s + 0.4e-3;
    costs.manager_s = 0.1e-3;
    return costs;
}

}  // namespace

// The cost of passing on is so high that limits are met everywhere, and with divide and conquer too.
TEST(BestTree, IsAsGoodAsTheBestOfAllTreesOfSmallRandomNetworks) {
    std::mt19937 random(1);
    std::size_t limited = 0;
    for (int i = 0; i < 300; ++i) {
        const std::size_t nodes = 4 + static_cast<std::size_t>(i) % 5, most = i % 3 == 0 ? nodes - 1 : nodes;
        const auto machine = random_machine(nodes, 4, random);
        const Costs costs = costs_of(1e-3, i % 2 == 0 ? 0.6e-3 : 0.2e-3);
        const FarmSpec farm{.tasks = 1, .degree = i % 4 == 1 ? 2U : 1U, .depth = 2};
        const double all = best_by_all_subsets(machine, farm, costs, most);
        const topologies::Network network(machine);
        for (const std::uint64_t exact : {std::uint64_t{50'000}, std::uint64_t{0}}) {
            const auto found =
                best_tree(network, farm, costs, {.most_nodes = static_cast<std::uint32_t>(most), .try_all_up_to = exact});
            EXPECT_NEAR(found.tasks_per_second / all, 1, 1e-6) << "network " << i << (exact > 0 ? "" : ", by search alone");
            EXPECT_LE(all, found.upper_bound * (1 + 1e-9)) << "network " << i;
            EXPECT_NEAR(farm_model::steady_state(on_tree(farm, found.parents), costs).tasks_per_second, found.tasks_per_second,
                        1e-6);
        }
        limited += best_tree(network, farm, costs).breadth_first < all * 0.999 ? 1 : 0;
    }
    EXPECT_GT(limited, 20U) << "too few of the networks are hard";
}

TEST(BestTree, IsABreadthFirstTreeWhereNoLimitIsMet) {
    const topologies::Network network(topologies::mesh(4, 4));
    const auto tree = best_tree(network, {.tasks = 1}, costs_of(100e-3, 0.1e-3));
    EXPECT_EQ(tree.proof, Proof::Bound);
    EXPECT_EQ(tree.workers, 15U);
    EXPECT_EQ(tree.levels, 6U);
    EXPECT_EQ(tree.parents[5], NodeId(1)) << "of two parents at the same distance the lower one";
    EXPECT_DOUBLE_EQ(tree.tasks_per_second, tree.breadth_first);
}

TEST(BestTree, HasAtMostAsManyNodesAsAllowed) {
    const topologies::Network network(topologies::mesh(4, 4));
    const auto tree = best_tree(network, {.tasks = 1}, costs_of(100e-3, 0.1e-3), {.most_nodes = 6});
    EXPECT_EQ(tree.workers, 5U);
    EXPECT_EQ(tree.levels, 2U);
}

// A neighbour of n0 that is full with passing on hands workers over to the other one.
TEST(BestTree, SpreadsTheLoadOverTheManagersNeighbours) {
    const topologies::Network network(topologies::torus(8, 8, {.gateway = true}));
    Costs costs = costs_of(2e-3, 0.3e-3);
    costs.manager_s = 0;
    const auto tree = best_tree(network, {.tasks = 1}, costs);
    EXPECT_GT(tree.tasks_per_second, tree.breadth_first * 1.05);
    EXPECT_LE(tree.tasks_per_second, tree.upper_bound * (1 + 1e-9));
    EXPECT_GT(tree.tasks_per_second, tree.upper_bound * 0.9);
}

TEST(BestTree, IsTheSameEachTime) {
    const topologies::Network network(topologies::random_regular(60, 3, {.gateway = true}));
    const auto one = best_tree(network, {.tasks = 1}, costs_of(2e-3, 0.3e-3));
    const auto other = best_tree(network, {.tasks = 1}, costs_of(2e-3, 0.3e-3));
    EXPECT_EQ(one.parents, other.parents);
}

TEST(BestTree, SaysHowItWasFoundAndWhatItIsHeldAgainst) {
    const topologies::Network network(topologies::mesh(2, 2));
    const Costs costs = costs_of(9.8e-3, 0);
    EXPECT_EQ(farm_model::explained(best_tree(network, {.tasks = 1}, costs), costs),
              "3 workers in 2 levels, predicted 300.0 tasks/s; a breadth-first tree has the same rate\n"
              "no tree here has more than 300.0 tasks/s: each worker computing all the time at its least distance\n"
              "that bound is reached, so no tree is better\n"
              "the same number of workers with nothing to pass on: 300.0 tasks/s");
}

TEST(BestTree, IsAnEvenTernaryTreeWhereEverythingCanBeWired) {
    const auto tree = farm_model::best_free_tree({.tasks = 1}, costs_of(100e-3, 0.1e-3), {.most_nodes = 75});
    EXPECT_EQ(tree.proof, Proof::Bound);
    EXPECT_EQ(tree.workers, 74U);
    EXPECT_EQ(tree.levels, 4U);
    for (std::size_t node = 1; node <= 3; ++node) EXPECT_EQ(tree.parents[node], NodeId(0));
    EXPECT_EQ(tree.parents[4], NodeId(1));
    EXPECT_EQ(tree.parents[5], NodeId(2)) << "branches grow evenly";
}

// A worker whose split makes two sub-tasks keeps both children busy, and a third would be without work.
TEST(BestTree, DividesAsOftenAsATaskIsSplit) {
    const FarmSpec farm{.tasks = 1, .degree = 2, .depth = 3};
    const auto tree = farm_model::best_free_tree(farm, costs_of(10e-3, 0.1e-3), {.most_nodes = 46});
    for (std::size_t node = 1; node < tree.parents.size(); ++node) {
        const auto children =
            std::count(tree.parents.begin() + 1, tree.parents.end(), NodeId(static_cast<NodeId::value_type>(node)));
        EXPECT_LE(children, 2) << "n" << node;
    }
}

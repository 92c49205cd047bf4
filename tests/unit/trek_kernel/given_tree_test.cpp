// Farms on any tree of a network: every task comes back once, with the right result, under every policy and granularity.
#include <gmock/gmock.h>

#include <numeric>
#include <random>
#include <string>

#include "child_process.hpp"
#include "summing_farm.hpp"

using farm_spec::FarmSpec;
using farm_spec::Policy;
using farm_spec::TreeKind;
using test_support::given_tree;
using test_support::in_child;
using test_support::NodeId;
using test_support::SimTime;
using test_support::SummingFarm;

namespace {

std::uint32_t total(const std::vector<std::uint32_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), 0U);
}

// Joins some nodes of the network to the manager, one after the other, each by one of its wires. Depths are unequal, the
// manager has up to 4 children and the others up to 3, and some nodes have no part.
farm_spec::Parents random_tree(const topologies::Network& network, std::mt19937& random) {
    const std::size_t nodes = network.node_count(), wanted = 2 + random() % (nodes - 1);
    farm_spec::Parents parents(nodes);
    std::vector<NodeId> in_tree{NodeId(0)};
    while (in_tree.size() < wanted) {
        const NodeId from = in_tree[random() % in_tree.size()];
        const auto& neighbour = network.neighbour(from, vocabulary::LinkNo(static_cast<std::uint8_t>(random() % 4)));
        if (!neighbour || neighbour->node == network.host() || neighbour->node == NodeId(0)) continue;
        if (parents[neighbour->node.value()]) continue;
        parents[neighbour->node.value()] = from;
        in_tree.push_back(neighbour->node);
    }
    return parents;
}

struct Case {
    topologies::MachineDescription machine;
    FarmSpec config;
    std::string text;
};

Case case_of(std::uint32_t seed) {
    std::mt19937 random(seed);
    Case result{topologies::random_regular(5 + random() % 20, seed, {.gateway = true}), {}, {}};
    const topologies::Network network(result.machine);
    FarmSpec& config = result.config;
    config.nodes = static_cast<std::uint32_t>(network.node_count());
    config.tree = TreeKind::Given;
    config.parents = random_tree(network, random);
    config.tasks = 20 + random() % 60;
    config.degree = random() % 2 == 0 ? 1 : 2 + random() % 4;
    config.depth = random() % 8;
    config.buffers = 1 + random() % 4;
    config.granularity = random() % 2 == 0 ? 1 : 2 + random() % 9;
    config.policy = static_cast<Policy>(random() % 4);
    config.managers_high = random() % 4 != 0;
    result.text = "seed " + std::to_string(seed) + ": " + std::to_string(config.members().size()) + " of " +
                  std::to_string(config.nodes) + " nodes, " + std::to_string(config.tasks) + " tasks, degree " +
                  std::to_string(config.degree) + ", depth " + std::to_string(config.depth) + ", buffers " +
                  std::to_string(config.buffers) + ", granularity " + std::to_string(config.granularity) + ", " +
                  farm_spec::policy_name(config.policy) + (config.managers_high ? "" : ", managers low");
    return result;
}

struct FarmOutcome {
    bool finished = false, right = false, counted = false, idle_outside = true;
    std::uint64_t dropped = 0;
    std::uint32_t unexpected = 0;
};

FarmOutcome outcome_of(std::uint32_t seed) {
    const Case what = case_of(seed);
    SummingFarm farm(what.machine, what.config);
    FarmOutcome outcome;
    outcome.finished = farm.run(SimTime::s(20));
    outcome.right = farm.application.right(what.config.tasks);
    const auto& distribution = farm.farm.result().distribution;
    const std::uint32_t computed = total(distribution);
    outcome.counted = what.config.degree == 1
                          ? computed == what.config.tasks
                          : computed >= what.config.tasks && (computed - what.config.tasks) % (what.config.degree - 1) == 0;
    for (std::size_t node = 0; node < distribution.size(); ++node) {
        if (!what.config.has(NodeId(static_cast<std::uint16_t>(node))) && distribution[node] > 0) outcome.idle_outside = false;
    }
    for (std::size_t node = 0; node < what.config.nodes; ++node)
        outcome.dropped += farm.box.kernel(NodeId(static_cast<std::uint16_t>(node))).dropped_damaged();
    outcome.unexpected = farm.farm.account().unexpected;
    return outcome;
}

constexpr std::uint32_t portions = 4, seeds = 160;
class RandomFarms : public testing::TestWithParam<std::uint32_t> {};

}  // namespace

TEST_P(RandomFarms, BringEveryTaskBackOnceWithTheRightResult) {
    for (std::uint32_t seed = GetParam(); seed < seeds; seed += portions) {
        SCOPED_TRACE(case_of(seed).text);
        const auto outcome = in_child([seed] { return outcome_of(seed); });
        ASSERT_TRUE(outcome.has_value()) << "the simulator fell";
        EXPECT_TRUE(outcome->finished);
        EXPECT_TRUE(outcome->right);
        EXPECT_TRUE(outcome->counted);
        EXPECT_TRUE(outcome->idle_outside);
        EXPECT_EQ(outcome->dropped, 0u);
        EXPECT_EQ(outcome->unexpected, 0u);
    }
}
INSTANTIATE_TEST_SUITE_P(Portions, RandomFarms, testing::Range(0U, portions));

TEST(GivenTree, MayGiveTheManagerFourChildrenAndLeaveNodesOut) {
    // n5 carries the host and has no part; n4 is the only one with a child of its own.
    const auto machine = topologies::random_regular(8, 5, {.gateway = true});
    const topologies::Network network(machine);
    FarmSpec config{.nodes = static_cast<std::uint32_t>(network.node_count()), .tree = TreeKind::Given, .tasks = 200};
    config.parents.resize(config.nodes);
    for (std::uint8_t link = 0; link < 4; ++link)
        config.parents[network.neighbour(NodeId(0), vocabulary::LinkNo(link))->node.value()] = NodeId(0);
    ASSERT_EQ(config.children(NodeId(0)).size(), 4u);
    SummingFarm farm(machine, config);
    ASSERT_TRUE(farm.run());
    EXPECT_TRUE(farm.application.right(config.tasks));
    for (std::uint16_t node = 0; node < config.nodes; ++node) {
        const bool works = node != 0 && config.has(NodeId(node));
        EXPECT_EQ(farm.farm.result().distribution[node] > 0, works) << "n" << node;
    }
}

TEST(GivenTree, DividesATaskIntoMorePartsThanANodeHasChildren) {
    auto config = given_tree(4, {{0, 1}, {1, 2}, {2, 3}});
    config.tasks = 60, config.degree = 5, config.depth = 7;
    SummingFarm farm(topologies::chain(4), config);
    ASSERT_TRUE(farm.run());
    EXPECT_TRUE(farm.application.right(60));
    EXPECT_GT(farm.farm.result().distribution[3], 0u);
}

TEST(GivenTree, OfTheShapeOfABinaryOneIsTheSameFarm) {
    const auto finished_at = [](bool given) {
        FarmSpec config{.nodes = 8, .tree = TreeKind::Binary, .tasks = 60, .degree = 2, .depth = 5};
        if (given) {
            const FarmSpec shape = config;
            config.tree = TreeKind::Given;
            for (std::uint16_t node = 0; node < 8; ++node) config.parents.push_back(shape.parent(NodeId(node)));
        }
        SummingFarm farm(topologies::binary_tree(8), config);
        return farm.run() ? farm.truth.last_activity().in_ps() : -1;
    };
    const auto regular = in_child([&] { return finished_at(false); }), given = in_child([&] { return finished_at(true); });
    ASSERT_TRUE(regular && given);
    EXPECT_GT(*regular, 0);
    EXPECT_EQ(*regular, *given);
}

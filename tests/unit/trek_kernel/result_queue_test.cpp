// Results that wait in a node: how many, what memory they take, and that they always come through.
#include <gtest/gtest.h>

#include <algorithm>

#include "child_process.hpp"
#include "drop_notes.hpp"
#include "summing_farm.hpp"
#include "test_farm.hpp"

using farm_spec::FarmSpec;
using farm_spec::Policy;
using farm_spec::TreeKind;
using test_support::in_child;
using test_support::NodeId;
using test_support::SimTime;
using test_support::SummingFarm;
using test_support::TestFarm;
using test_support::uniform_tasks;

namespace {

NodeId id(std::size_t node) {
    return NodeId(static_cast<NodeId::value_type>(node));
}

// The places for tasks of each node, there and below it; and their sum over the node and all below it.
struct Places {
    std::uint64_t here = 0, added_up = 0;
};
std::vector<Places> places_of(const FarmSpec& config) {
    std::vector<Places> places(config.nodes);
    for (const NodeId node : config.leaves_first()) {
        Places& its = places[node.value()];
        if (node.value() != 0) its.here += 1 + config.buffers;
        its.added_up += its.here;
        if (const auto up = config.parent(node)) {
            places[up->value()].here += its.here;
            places[up->value()].added_up += its.added_up;
        }
    }
    return places;
}

// A result for each place, and each node on the way has let as many more tasks come. The manager's results wait for the user.
bool as_bounded(const trek_kernel::Farm& farm) {
    const auto places = places_of(farm.config());
    for (std::size_t node = 1; node < places.size(); ++node) {
        if (farm.result_queue(id(node)).longest > places[node].here + places[node].added_up) return false;
    }
    return true;
}

bool nothing_is_left(const trek_kernel::Farm& farm) {
    for (std::size_t node = 0; node < farm.config().nodes; ++node) {
        if (farm.result_queue(id(node)).waiting > 0 || farm.result_queue(id(node)).bytes > 0) return false;
    }
    return true;
}

// The link from n1 to n0 can carry some thousand of these results a second, and the workers make twice as many.
FarmSpec chain_with_long_results() {
    return {.nodes = 4, .tree = TreeKind::Chain, .tasks = 1200, .buffers = 3};
}
constexpr trek_kernel::SimulatedSizes long_results{300, 1500};

}  // namespace

TEST(ResultQueue, OfAnInnerNodeIsBoundedWhereResultsAreLongerThanTasks) {
    TestFarm farm(chain_with_long_results(), uniform_tasks(600), long_results);
    ASSERT_TRUE(farm.run());
    EXPECT_TRUE(farm.every_task_returned_once(1200));
    EXPECT_GT(farm.farm.result_queue(NodeId(1)).longest, 12U) << "there is no need to hold back anything";
    EXPECT_TRUE(as_bounded(farm.farm)) << farm.farm.result_queue(NodeId(1)).longest;
    EXPECT_TRUE(nothing_is_left(farm.farm));
}

TEST(ResultQueue, TakesTheMemoryOfTheNode) {
    TestFarm farm(chain_with_long_results(), uniform_tasks(600), long_results);
    const auto used = [&] { return farm.box.machine().node(NodeId(1)).arena.used_bytes(); };
    std::uint64_t without = 0;
    bool as_said = true;
    farm.run_until(
        [&] {
            const trek_kernel::ResultQueue results = farm.farm.result_queue(NodeId(1));
            if (results.waiting == 0) without = used();
            as_said = as_said && results.bytes == results.waiting * std::uint64_t{1516};
            return results.waiting > 10;
        },
        SimTime::s(1), SimTime::us(100));
    EXPECT_TRUE(as_said);
    ASSERT_GT(without, 0U);
    EXPECT_EQ(used() - without, farm.farm.result_queue(NodeId(1)).bytes);
}

// Post-processing takes ten times as long as a task.
TEST(ResultQueue, OfTheManagerTakesItsMemoryUntilTheUserHasThem) {
    test_support::SummingFarm farm(topologies::binary_tree(6), {.nodes = 6, .tree = TreeKind::Binary, .tasks = 300});
    farm.application.post_process = SimTime::ms(5);
    farm.application.time_of = [](const auto&) { return SimTime::us(500); };
    ASSERT_TRUE(farm.run());
    EXPECT_TRUE(farm.application.right(300));
    EXPECT_GT(farm.farm.result_queue(NodeId(0)).most_bytes, 50 * 16U);
    EXPECT_TRUE(nothing_is_left(farm.farm));
}

// Room for three results on each node: those that come wait on their links, and all come through.
TEST(ResultQueue, WaitsForRoomWhereTheMemoryIsShort) {
    test_support::SummingFarm farm(topologies::chain(5), {.nodes = 5, .tree = TreeKind::Chain, .tasks = 200, .buffers = 4});
    farm.application.longer = 3000;
    farm.application.time_of = [](const auto&) { return SimTime::us(300); };
    farm.box.start_at_once();
    trek_hosted::start_farm(farm.box, farm.farm);
    farm.run_for(SimTime::us(400));
    for (std::size_t node = 0; node < 5; ++node) {
        auto& arena = farm.box.machine().node(id(node)).arena;
        ASSERT_TRUE(arena.take(arena.ram_bytes() - arena.used_bytes() - 3 * 3100));
    }
    ASSERT_TRUE(farm.run_until([&] { return farm.farm.result().finished; }, SimTime::s(100)));
    EXPECT_TRUE(farm.application.right(200));
    for (std::size_t node = 0; node < 5; ++node) EXPECT_LE(farm.farm.result_queue(id(node)).longest, 3U);
    EXPECT_EQ(farm.truth.dropped_count(), 0U);
}

// The results that wait in the manager are whole, and the user takes them.
TEST(ResultQueue, WaitsForRoomInTheManagerAlsoWhereTasksAreDivided) {
    test_support::SummingFarm farm(topologies::binary_tree(6),
                                   {.nodes = 6, .tree = TreeKind::Binary, .tasks = 100, .degree = 2, .depth = 2});
    farm.application.longer = 3000;
    farm.application.post_process = SimTime::ms(20);
    farm.application.time_of = [](const auto&) { return SimTime::us(300); };
    farm.box.start_at_once();
    trek_hosted::start_farm(farm.box, farm.farm);
    farm.run_for(SimTime::us(400));
    auto& arena = farm.box.machine().node(NodeId(0)).arena;
    ASSERT_TRUE(arena.take(arena.ram_bytes() - arena.used_bytes() - 3 * 3100));
    ASSERT_TRUE(farm.run_until([&] { return farm.farm.result().finished; }, SimTime::s(100)));
    EXPECT_TRUE(farm.application.right(100));
    EXPECT_EQ(farm.truth.dropped_count(), 0U);
}

TEST(ResultQueue, DropsAResultThatNoNodeHasRoomForAndSaysWhy) {
    test_support::SummingFarm farm(topologies::chain(3), {.nodes = 3, .tree = TreeKind::Chain, .tasks = 5});
    farm.application.longer = 3000;
    farm.application.time_of = [](const auto&) { return SimTime::ms(5); };
    test_support::DropNotes notes;
    farm.box.kernel(NodeId(1)).add_witness(notes);
    farm.box.start_at_once();
    trek_hosted::start_farm(farm.box, farm.farm);
    farm.run_for(SimTime::ms(2));
    auto& arena = farm.box.machine().node(NodeId(1)).arena;
    ASSERT_TRUE(arena.take(arena.ram_bytes() - arena.used_bytes() - 2000));
    EXPECT_FALSE(farm.run_until([&] { return farm.farm.result().finished; }, SimTime::s(2)));
    ASSERT_FALSE(notes.dropped.empty());
    EXPECT_STREQ(notes.dropped.front().why, "no memory for a result");
}

namespace {

struct Draw {
    std::uint64_t seed, count = 0;
    std::uint32_t operator()(std::uint32_t below) {
        return static_cast<std::uint32_t>(vocabulary::split_mix(seed, count++) % below);
    }
};

FarmSpec random_farm(Draw& draw) {
    FarmSpec config{.nodes = 2 + draw(11), .tree = TreeKind::Given, .tasks = 150 + draw(100)};
    config.buffers = 1 + draw(4);
    config.granularity = draw(3) == 0 ? 2 + draw(4) : 1;
    config.policy = static_cast<Policy>(draw(4));
    config.survives = draw(3) == 0;
    if (draw(3) == 0) config.degree = 2 + draw(2), config.depth = 1 + draw(3);
    config.parents.resize(config.nodes);
    std::vector<std::uint32_t> children(config.nodes, 0);
    for (std::uint32_t node = 1; node < config.nodes; ++node) {
        std::uint32_t above = draw(node);
        while (children[above] >= 3) above = (above + 1) % node;
        ++children[above];
        config.parents[node] = id(above);
    }
    return config;
}

topologies::MachineDescription machine_of(const FarmSpec& config) {
    topologies::MachineDescription machine = topologies::star(2);
    machine.nodes.resize(config.nodes, machine.nodes.back());
    machine.wires.assign(1, {topologies::HostEnd{}, topologies::NodeLink{NodeId(0), vocabulary::LinkNo(0)}});
    std::vector<std::uint8_t> next(config.nodes, 1);
    for (std::uint32_t node = 1; node < config.nodes; ++node) {
        const NodeId above = *config.parents[node];
        machine.wires.push_back({topologies::NodeLink{above, vocabulary::LinkNo(next[above.value()]++)},
                                 topologies::NodeLink{id(node), vocabulary::LinkNo(0)}});
    }
    return machine;
}

struct Came {
    bool through = false, right = false, bounded = true, emptied = false;
};

Came random_run(std::uint64_t seed) {
    Draw draw{seed};
    const FarmSpec config = random_farm(draw);
    SummingFarm farm(machine_of(config), config);
    farm.application.longer = draw(4000);
    farm.application.post_process = draw(4) == 0 ? SimTime::us(draw(5000)) : SimTime();
    farm.application.time_of = [times = draw(3000), seed](const trek_kernel::TaskIdentity& whose) {
        return SimTime::us(static_cast<std::int64_t>(20 + vocabulary::split_mix(seed, whose.task) % (times + 1)));
    };
    const bool dies = config.survives && config.nodes > 2 && draw(2) == 0;
    if (dies) {
        farm.box.start_at_once();
        trek_hosted::start_farm(farm.box, farm.farm);
        farm.run_for(SimTime::ms(1 + draw(60)));
        if (!farm.farm.result().finished) farm.box.machine().node(id(1 + draw(config.nodes - 1))).crash();
    }
    Came came;
    came.through =
        dies ? farm.run_until([&] { return farm.farm.result().finished; }, SimTime::s(1000), SimTime::ms(10)) : farm.run();
    came.right = farm.application.right(config.tasks);
    came.bounded = config.divides() || dies || as_bounded(farm.farm);
    came.emptied = dies || nothing_is_left(farm.farm);
    return came;
}

}  // namespace

// Policies, bundles, divide and conquer, survival with a death, slow receivers: nothing waits in a circle.
TEST(ResultQueue, AlwaysDrainsInRandomFarms) {
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        const auto came = in_child([seed] { return random_run(seed); });
        ASSERT_TRUE(came) << seed;
        EXPECT_TRUE(came->through && came->right) << seed;
        EXPECT_TRUE(came->bounded) << seed;
        EXPECT_TRUE(came->emptied) << seed;
    }
}

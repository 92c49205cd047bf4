// The policies: each by itself, and in farms.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>

#include <trek_kernel/distribution.hpp>

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
using testing::ElementsAre;
using trace_record::EventKind;
using trek_kernel::ChildLoad;
using trek_kernel::make_distribution;

namespace {

// The manager with three workers, of which n3 has one more below; n0 has its links 0 ... 2 for them and 3 for the host.
topologies::MachineDescription small_machine() {
    return topologies::star(4);
}
FarmSpec star_of_three(Policy policy, std::uint32_t tasks, std::uint32_t buffers) {
    FarmSpec config = given_tree(4, {{0, 1}, {0, 2}, {0, 3}});
    config.tasks = tasks, config.buffers = buffers, config.policy = policy;
    return config;
}

// The nodes that the manager sent to, in this order.
std::vector<std::uint16_t> receivers(const SummingFarm& farm) {
    std::vector<std::uint16_t> result;
    for (const auto& event : farm.truth.events()) {
        if (event.node == 0 && event.kind == EventKind::Send) result.push_back(event.peer);
    }
    return result;
}
// Tasks that went up, as {from, task}.
std::vector<std::pair<std::uint16_t, std::uint32_t>> returned(const SummingFarm& farm, const FarmSpec& config) {
    std::vector<std::pair<std::uint16_t, std::uint32_t>> result;
    for (const auto& event : farm.truth.events()) {
        if (event.kind == EventKind::Send && event.is_result == 0 && config.parent(NodeId(event.node)) == NodeId(event.peer))
            result.emplace_back(event.node, event.task);
    }
    return result;
}
SimTime long_if(bool is_long) {
    return is_long ? SimTime::ms(50) : SimTime::ms(1);
}

}  // namespace

TEST(FloodFilling, GivesToWhoAskedFirst) {
    const auto policy = make_distribution(Policy::FloodFilling, 3);
    policy->add(2, 2);
    policy->add(0, 1);
    EXPECT_EQ(policy->next(), 2u);
    EXPECT_EQ(policy->next(), 2u);
    EXPECT_EQ(policy->next(), 0u);
    EXPECT_EQ(policy->next(), std::nullopt);
}

TEST(FloodFilling, ForgetsTheOldestTokenOfAChildThatGetsATaskOfItsOwn) {
    const auto policy = make_distribution(Policy::FloodFilling, 2);
    policy->add(0, 1);
    policy->add(1, 1);
    policy->add(0, 1);
    policy->take(0);
    EXPECT_EQ(policy->tokens(0), 1u);
    EXPECT_EQ(policy->next(), 1u);
    EXPECT_EQ(policy->next(), 0u);
}

TEST(RoundRobin, WaitsForTheOneWhoseTurnItIs) {
    const auto policy = make_distribution(Policy::RoundRobin, 3);
    policy->add(0, 2);
    policy->add(2, 2);
    EXPECT_EQ(policy->next(), 0u);
    EXPECT_EQ(policy->next(), std::nullopt);
    policy->add(1, 1);
    EXPECT_EQ(policy->next(), 1u);
    EXPECT_EQ(policy->next(), 2u);
    EXPECT_EQ(policy->next(), 0u);
}

TEST(RoundRobin, DoesNotWaitForAChildThatIsGone) {
    const auto policy = make_distribution(Policy::RoundRobin, 2);
    policy->add(1, 2);
    policy->forget(0);
    EXPECT_EQ(policy->next(), 1u);
    EXPECT_EQ(policy->next(), 1u);
    EXPECT_EQ(policy->next(), std::nullopt);
}

TEST(WorkStealing, DealsInTurnToThoseThatHavePlaces) {
    const auto policy = make_distribution(Policy::WorkStealing, 3);
    policy->add(0, 1);
    policy->add(2, 2);
    EXPECT_EQ(policy->next(), 0u);
    EXPECT_EQ(policy->next(), 2u);
    EXPECT_EQ(policy->next(), 2u);
    EXPECT_EQ(policy->next(), std::nullopt);
}

TEST(WorkStealing, AsksTheChildWithMostTasksBeyondItsWorkers) {
    const auto policy = make_distribution(Policy::WorkStealing, 4);
    const std::vector<ChildLoad> loads{{9, 8, false}, {3, 1, false}, {9, 1, true}, {0, 1, false}};
    EXPECT_EQ(policy->victim(3, loads), 1u);  // the first has more tasks, but less waiting; the third is asked already
    EXPECT_EQ(policy->victim(1, loads), 0u);
    const std::vector<ChildLoad> all_busy{{8, 8, false}, {1, 1, false}};
    EXPECT_EQ(policy->victim(1, all_busy), std::nullopt);
}

TEST(Priorities, OrderByUrgencyAndThenByNumber) {
    const auto policy = make_distribution(Policy::Priorities, 1);
    EXPECT_TRUE(policy->overtakes({.priority = 2, .task = 9}, {.priority = 1, .task = 3}));
    EXPECT_FALSE(policy->overtakes({.priority = -1, .task = 1}, {.priority = 0, .task = 3}));
    EXPECT_TRUE(policy->overtakes({.priority = 1, .task = 2}, {.priority = 1, .task = 3}));
    EXPECT_FALSE(policy->overtakes({.priority = 1, .task = 3}, {.priority = 1, .task = 3}));
    EXPECT_FALSE(make_distribution(Policy::FloodFilling, 1)->overtakes({.priority = 2, .task = 1}, {.task = 3}));
    EXPECT_TRUE(policy->moves_first());
    EXPECT_FALSE(make_distribution(Policy::FloodFilling, 1)->moves_first());
}

TEST(RoundRobinFarm, ServesTheManagersChildrenInStrictRotation) {
    SummingFarm farm(small_machine(), star_of_three(Policy::RoundRobin, 30, 2));
    ASSERT_TRUE(farm.run());
    const auto to = receivers(farm);
    ASSERT_EQ(to.size(), 30u);
    for (std::size_t i = 3; i < to.size(); ++i) EXPECT_EQ(to[i], to[i - 3]) << i;
    EXPECT_THAT(farm.farm.result().distribution, ElementsAre(0, 10, 10, 10));
}

// Every third task is long; dealt out in turn, one node gets all of them.
TEST(WorkStealingFarm, TakesWaitingTasksBackUpAndGivesThemToIdleNodes) {
    const auto config = star_of_three(Policy::WorkStealing, 30, 9);
    SummingFarm farm(small_machine(), config);
    farm.application.time_of = [](const auto& whose) { return long_if(whose.task % 3 == 0); };
    ASSERT_TRUE(farm.run());
    EXPECT_TRUE(farm.application.right(30));
    const auto stolen = returned(farm, config);
    EXPECT_GE(stolen.size(), 3u);
    std::map<std::uint32_t, std::uint16_t> computed_at;
    for (const auto& [time, step] : farm.truth.steps()) {
        if (step.process == trek_kernel::UserProcess::Compute) computed_at[step.task] = step.node.value();
    }
    for (const auto& [node, task] : stolen) EXPECT_NE(computed_at[task], node) << "task " << task;
}

TEST(WorkStealingFarm, IsDoneBeforeTheOneThatOnlyDealsOut) {
    const auto time_with = [](Policy policy) {
        return in_child([=] {
                   SummingFarm farm(small_machine(), star_of_three(policy, 30, 9));
                   farm.application.time_of = [](const auto& whose) { return long_if(whose.task % 3 == 0); };
                   return farm.run() ? static_cast<double>(farm.farm.result().execution_us) : 0.0;
               })
            .value_or(0);
    };
    const double dealt = time_with(Policy::RoundRobin), stolen = time_with(Policy::WorkStealing);
    std::printf("30 tasks, the long ones all dealt to one of three workers: %.1f ms, with stealing %.1f ms\n", dealt / 1000,
                stolen / 1000);
    EXPECT_GT(stolen, 0);
    EXPECT_LT(stolen, 0.6 * dealt);
}

TEST(WorkStealingFarm, StealsSubTasksThatWaitForASibling) {
    FarmSpec config{.nodes = 4, .tree = TreeKind::Binary, .tasks = 40, .degree = 4, .depth = 1, .policy = Policy::WorkStealing};
    SummingFarm farm(topologies::binary_tree(4), config);
    // The sub-tasks of even branches are n2's, and much longer.
    farm.application.time_of = [](const auto& whose) { return long_if((whose.subtask >> 4 & 1) == 0); };
    ASSERT_TRUE(farm.run());
    EXPECT_TRUE(farm.application.right(40));
    bool elsewhere = false;  // a sub-task on another child than the one of its branch
    for (const auto& [time, step] : farm.truth.steps()) {
        if (step.process != trek_kernel::UserProcess::Compute || step.node.value() < 2) continue;
        elsewhere |= (step.subtask >> 4 & 0xf) % 2 != static_cast<std::uint32_t>(step.node.value() - 2);
    }
    EXPECT_TRUE(elsewhere);
}

TEST(WorkStealingFarm, IsSilentOnAChainWhereNobodyHasASibling) {
    const FarmSpec config{.nodes = 6, .tree = TreeKind::Chain, .tasks = 60, .policy = Policy::WorkStealing};
    SummingFarm farm(topologies::chain(6), config);
    ASSERT_TRUE(farm.run());
    EXPECT_TRUE(returned(farm, config).empty());
}

TEST(WorkStealingFarm, ComesToRestWhenNobodyHasAnythingToGive) {
    const auto config = star_of_three(Policy::WorkStealing, 30, 1);
    SummingFarm farm(small_machine(), config);
    farm.application.sent_how = [](std::uint32_t task) { return trek_kernel::Output{.omitted = task == 29}; };
    EXPECT_FALSE(farm.run(SimTime::s(5)));  // waits for a task that was never sent
    EXPECT_LT(farm.truth.last_activity(), SimTime::s(1));
    EXPECT_EQ(farm.application.results.size(), 29u);
}

TEST(PriorityFarm, SendsTheUrgentOfTheWaitingTasksFirst) {
    FarmSpec config{.nodes = 2, .tree = TreeKind::Chain, .tasks = 12, .buffers = 12, .policy = Policy::Priorities};
    SummingFarm farm(topologies::chain(2), config);
    farm.application.sent_how = [](std::uint32_t task) {
        return trek_kernel::Output{.priority = static_cast<std::int32_t>(task) - 6};
    };
    farm.application.time_of = [](const auto&) { return SimTime::ms(5); };
    ASSERT_TRUE(farm.run());
    // One was on its way before the last ones were made. The others wait together, the last the most urgent of them.
    auto order = farm.application.order;
    ASSERT_EQ(order.size(), 12u);
    EXPECT_TRUE(std::is_sorted(order.begin() + 1, order.end(), std::greater<>()));
}

TEST(PriorityFarm, CarriesThePriorityToEveryNodeAndSubTask) {
    FarmSpec config{.nodes = 8,
                    .tree = TreeKind::Binary,
                    .tasks = 60,
                    .degree = 2,
                    .depth = 5,
                    .buffers = 20,
                    .policy = Policy::Priorities};
    SummingFarm farm(topologies::binary_tree(8), config);
    farm.application.sent_how = [](std::uint32_t task) { return trek_kernel::Output{.priority = task >= 50 ? 1 : 0}; };
    farm.application.time_of = [](const auto&) { return SimTime::ms(5); };
    ASSERT_TRUE(farm.run());
    EXPECT_TRUE(farm.application.right(60));
    const auto& order = farm.application.order;
    const auto mean_place = [&](auto belongs) {
        double sum = 0, count = 0;
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (belongs(order[i])) sum += static_cast<double>(i), count += 1;
        }
        return sum / count;
    };
    const double urgent = mean_place([](std::uint32_t task) { return task >= 50; }),
                 before = mean_place([](std::uint32_t task) { return task >= 30 && task < 50; });
    EXPECT_LT(urgent, before);
}

TEST(EveryPolicy, OfThreeIsTheSameOnAChainWhereThereIsNoChoice) {
    const auto last_step = [](Policy policy) {
        return in_child([=] {
            SummingFarm farm(topologies::chain(6), {.nodes = 6, .tree = TreeKind::Chain, .tasks = 60, .policy = policy});
            return farm.run() ? farm.truth.last_activity().in_ps() : 0;
        });
    };
    const auto flood = last_step(Policy::FloodFilling);
    ASSERT_TRUE(flood && *flood > 0);
    EXPECT_EQ(last_step(Policy::RoundRobin), flood);
    EXPECT_EQ(last_step(Policy::WorkStealing), flood);
}

TEST(EveryPolicy, IsTheSameTwice) {
    for (const Policy policy : {Policy::FloodFilling, Policy::RoundRobin, Policy::WorkStealing, Policy::Priorities}) {
        const auto run = [policy] {
            SummingFarm farm(small_machine(), star_of_three(policy, 60, 3));
            farm.run();
            return farm.truth.last_activity().in_ps();
        };
        const auto one = in_child(run), two = in_child(run);
        ASSERT_TRUE(one && two);
        EXPECT_EQ(*one, *two);
    }
}

TEST(DistributionDeathTest, IsMadeForThePoliciesThatThereAre) {
    EXPECT_DEATH(make_distribution(static_cast<Policy>(farm_spec::policies), 2), "distribution.policy");
}

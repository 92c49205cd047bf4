// Granularity: tasks that travel in one message.
#include <gmock/gmock.h>

#include "child_process.hpp"
#include "summing_farm.hpp"

using farm_spec::FarmSpec;
using farm_spec::TreeKind;
using test_support::in_child;
using test_support::SimTime;
using test_support::SummingApplication;
using test_support::SummingFarm;
using trace_record::EventKind;

namespace {

FarmSpec chain_of(std::uint32_t workers, std::uint32_t tasks, std::uint32_t granularity) {
    return {.nodes = workers + 1, .tree = TreeKind::Chain, .tasks = tasks, .granularity = granularity};
}

struct Message {
    std::uint32_t task, bytes;
    bool operator==(const Message&) const = default;
};
std::vector<Message> sent_by_the_manager(const SummingFarm& farm) {
    std::vector<Message> result;
    for (const auto& event : farm.truth.events()) {
        if (event.node == 0 && event.kind == EventKind::Send) result.push_back({event.task, event.bytes});
    }
    return result;
}
std::uint32_t bytes_of(std::uint32_t first, std::uint32_t last) {
    std::uint32_t bytes = 0;
    for (std::uint32_t task = first; task <= last; ++task)
        bytes += 4 + static_cast<std::uint32_t>(SummingApplication::task_data(task).size());
    return bytes;
}

}  // namespace

TEST(Granularity, PutsTasksIntoOneMessageWithTheNumberOfTheFirstAndTheBytesOfAll) {
    SummingFarm farm(topologies::chain(4), chain_of(3, 10, 4));
    ASSERT_TRUE(farm.run());
    EXPECT_TRUE(farm.application.right(10));
    EXPECT_EQ(sent_by_the_manager(farm), (std::vector<Message>{{0, bytes_of(0, 3)}, {4, bytes_of(4, 7)}, {8, bytes_of(8, 9)}}));
}

TEST(Granularity, CountsTasksAndNotMessages) {
    SummingFarm farm(topologies::chain(4), chain_of(3, 50, 8));
    ASSERT_TRUE(farm.run());
    const auto& counts = farm.farm.result().distribution;
    EXPECT_EQ(counts[1] + counts[2] + counts[3], 50u);
    EXPECT_EQ(farm.farm.account().issued, 50u);
    EXPECT_EQ(farm.farm.account().completed, 50u);
    EXPECT_EQ(farm.truth.results_at_manager(), 50u);
    EXPECT_THAT(farm.printed, testing::HasSubstr("Granularity = 8\n"));
}

TEST(Granularity, AboveTheNumberOfTasksMakesOneMessageOfThem) {
    SummingFarm farm(topologies::chain(3), chain_of(2, 7, 1000));
    ASSERT_TRUE(farm.run());
    EXPECT_TRUE(farm.application.right(7));
    EXPECT_EQ(sent_by_the_manager(farm).size(), 1u);
}

TEST(Granularity, LetsTheFunctionsSeeEveryTaskUnderItsOwnNumber) {
    SummingFarm farm(topologies::chain(3), chain_of(2, 20, 5));
    ASSERT_TRUE(farm.run());
    std::map<std::uint32_t, int> computed;
    for (const auto& [time, step] : farm.truth.steps()) {
        if (step.process == trek_kernel::UserProcess::Compute && step.moment == trek_kernel::Moment::End) ++computed[step.task];
    }
    ASSERT_EQ(computed.size(), 20u);
    for (const auto& [task, times] : computed) EXPECT_EQ(times, 1) << "task " << task;
}

TEST(Granularity, OfADividedTaskMakesBundlesOfSubTasksAndOfResults) {
    // All tasks of a bundle are divided at one node. Each of their sub-tasks goes in one message with its brothers of the same
    // branch. So there are as many messages with results as with tasks.
    FarmSpec config{.nodes = 8, .tree = TreeKind::Binary, .tasks = 64, .degree = 2, .depth = 5, .granularity = 4};
    SummingFarm farm(topologies::binary_tree(8), config);
    farm.application.time_of = [](const auto&) { return SimTime::ms(2); };
    ASSERT_TRUE(farm.run());
    EXPECT_TRUE(farm.application.right(64));
    std::map<std::tuple<std::uint16_t, std::uint16_t, bool>, int> moved;
    for (const auto& event : farm.truth.events()) {
        if (event.kind == EventKind::Send) ++moved[{event.node, event.peer, event.is_result != 0}];
        EXPECT_EQ(event.task % 4, 0u);
    }
    EXPECT_EQ((moved[{0, 1, false}]), 16);
    for (const auto& [edge, count] : moved) {
        const auto& [from, to, result] = edge;
        EXPECT_EQ(count, (moved[{to, from, !result}])) << "n" << from << " -> n" << to;
    }
    EXPECT_GT((moved[{3, 6, false}]), 0);
}

TEST(Granularity, LosesOnlyTheTaskThatTheGeneratorDidNotSend) {
    SummingFarm farm(topologies::chain(3), chain_of(2, 12, 4));
    farm.application.sent_how = [](std::uint32_t task) { return trek_kernel::Output{.omitted = task == 5}; };
    EXPECT_FALSE(farm.run(SimTime::s(2)));
    EXPECT_EQ(farm.application.results.size(), 11u);
    EXPECT_FALSE(farm.application.results.contains(5));
    EXPECT_EQ(sent_by_the_manager(farm)[1], (Message{4, bytes_of(4, 7) - bytes_of(5, 5) + 4}));
}

TEST(Granularity, KeepsThePlacesOfTasksWhoseFirstOnesWereNotSent) {
    SummingFarm farm(topologies::chain(3), chain_of(2, 12, 4));
    farm.application.sent_how = [](std::uint32_t task) { return trek_kernel::Output{.omitted = task >= 4 && task <= 6}; };
    EXPECT_FALSE(farm.run(SimTime::s(2)));
    EXPECT_TRUE(farm.application.results.contains(7));
    EXPECT_EQ(sent_by_the_manager(farm)[1], (Message{4, bytes_of(7, 7) + 12}));
}

TEST(Granularity, MakesAFarmOfShortTasksFaster) {
    const auto time_with = [](std::uint32_t granularity) {
        return in_child([=] {
                   SummingFarm farm(topologies::chain(9), chain_of(8, 1000, granularity));
                   farm.application.time_of = [](const auto&) { return SimTime::us(50); };
                   return farm.run() ? static_cast<double>(farm.farm.result().execution_us) : 0.0;
               })
            .value_or(0);
    };
    const double one = time_with(1), ten = time_with(10);
    std::printf("1000 tasks of 50 us on a chain of 8: %.1f ms one by one, %.1f ms ten at a time\n", one / 1000, ten / 1000);
    EXPECT_GT(ten, 0);
    EXPECT_LT(ten, 0.75 * one);
}

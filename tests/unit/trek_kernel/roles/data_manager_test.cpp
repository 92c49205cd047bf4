// The data manager: which place a task goes to, what it costs, and who is woken.
#include "data_manager.hpp"

#include "paper_node.hpp"

using namespace trek_roles_test;
using testing::ElementsAre;
using testing::IsEmpty;
using trek_kernel::DataManager;

TEST(DataManager, WaitsWhenThereIsNoTask) {
    PaperNode node(PaperNode::inner);
    DataManager manager(node.desk);
    EXPECT_TRUE(node.run(manager));
    EXPECT_EQ(node.port.charged_us, 0);
    EXPECT_THAT(node.port.woken, IsEmpty());
    EXPECT_EQ(node.desk.tasks.reader, &node.port.running);
}

TEST(DataManager, GivesTheFirstTaskToTheIdleComputation) {
    PaperNode node(PaperNode::inner);
    DataManager manager(node.desk);
    node.desk.tasks.items.push_back(task(7));
    EXPECT_TRUE(node.run(manager));
    ASSERT_TRUE(node.desk.compute.task);
    EXPECT_EQ(node.desk.compute.task->id.task, 7u);
    EXPECT_TRUE(node.desk.compute.taken);
    EXPECT_THAT(node.port.woken, ElementsAre("computation"));
    EXPECT_EQ(node.port.charged_us, price::decision);
}

TEST(DataManager, KeepsTheTasksThatTheBuffersHold) {
    PaperNode node(PaperNode::inner);
    DataManager manager(node.desk);
    node.desk.compute.taken = true;
    node.give_tokens(0, 2);
    node.desk.tasks.items.push_back(task(7));
    EXPECT_TRUE(node.run(manager));
    EXPECT_THAT(tasks_of(node.desk.tasks.items), ElementsAre(7));
    EXPECT_THAT(node.child(0).queue, IsEmpty());
}

TEST(DataManager, PassesTheTaskThatCameLastToTheChildWhoseTokenIsOldest) {
    PaperNode node(PaperNode::inner);
    DataManager manager(node.desk);
    node.desk.compute.taken = true;
    node.give_tokens(1, 1);
    node.give_tokens(0, 1);
    for (const std::uint32_t number : {7u, 8u, 9u}) node.desk.tasks.items.push_back(task(number));
    EXPECT_TRUE(node.run(manager));
    EXPECT_THAT(tasks_of(node.desk.tasks.items), ElementsAre(7));
    EXPECT_THAT(tasks_of(node.child(1).queue), ElementsAre(9));
    EXPECT_THAT(tasks_of(node.child(0).queue), ElementsAre(8));
    EXPECT_THAT(node.port.woken, ElementsAre("writer down", "writer to n2"));
    EXPECT_EQ(node.port.charged_us, 2 * (price::decision + price::queue));
    EXPECT_EQ(node.child(0).handed_over, 1u);
    EXPECT_EQ(node.desk.distribution->tokens(0), 0u);
}

TEST(DataManager, PassesTheMostUrgentTaskOnWherePrioritiesRule) {
    PaperNode node(PaperNode::inner, farm_with(Policy::Priorities));
    DataManager manager(node.desk);
    node.desk.compute.taken = true;
    node.give_tokens(0, 1);
    for (const std::int32_t priority : {1, 3, 2}) {
        auto one = task(static_cast<std::uint32_t>(priority));
        one->priority = priority;
        node.desk.enqueue(node.desk.tasks.items, std::move(one));
    }
    EXPECT_TRUE(node.run(manager));
    EXPECT_THAT(tasks_of(node.child(0).queue), ElementsAre(3));
    EXPECT_THAT(tasks_of(node.desk.tasks.items), ElementsAre(2, 1));
}

TEST(DataManager, OfTheManagerHandsOutForTokensOnlyAndFreesTheGenerator) {
    PaperNode node(PaperNode::manager);
    DataManager manager(node.desk);
    node.desk.tasks.items.push_back(task(0));
    EXPECT_TRUE(node.run(manager));
    EXPECT_THAT(node.port.woken, IsEmpty());
    node.give_tokens(0, 1);
    EXPECT_TRUE(node.run(manager));
    EXPECT_THAT(tasks_of(node.child(0).queue), ElementsAre(0));
    EXPECT_THAT(node.port.woken, ElementsAre("generator", "writer down"));
    EXPECT_TRUE(node.desk.ledger.comes_back({0, 0}));  // it is under way
    EXPECT_FALSE(node.desk.compute.task);
}

TEST(DataManager, SplitsATaskWhileAnotherIsComputedAndAsksForMore) {
    PaperNode node(PaperNode::inner, farm_that_divides());
    DataManager manager(node.desk);
    node.desk.compute.taken = true;
    node.desk.tasks.items.push_back(task(7));
    node.desk.tasks.items.push_back(task(8));
    EXPECT_TRUE(node.run(manager));
    ASSERT_TRUE(node.desk.split.task);
    EXPECT_EQ(node.desk.split.task->id.task, 7u);
    EXPECT_THAT(tasks_of(node.desk.tasks.items), ElementsAre(8));  // one split at a time
    EXPECT_THAT(node.port.woken, ElementsAre("writer up", "splitter"));
    EXPECT_EQ(node.desk.tokens_up.take_all(), 1u);
}

TEST(DataManager, SplitsNothingWhileSubTasksWaitForTheChildren) {
    PaperNode node(PaperNode::inner, farm_that_divides());
    DataManager manager(node.desk);
    node.desk.compute.taken = true;
    node.desk.tasks.items.push_back(task(7));
    node.child(1).pending.push_back(task(6, 0x10));
    EXPECT_TRUE(node.run(manager));
    EXPECT_FALSE(node.desk.split.task);
    EXPECT_THAT(tasks_of(node.desk.tasks.items), ElementsAre(7));
}

TEST(DataManager, HandsASubTaskToItsOwnChildForATokenOfThatChild) {
    PaperNode node(PaperNode::inner, farm_that_divides());
    DataManager manager(node.desk);
    node.child(0).pending.push_back(task(6));
    node.child(1).pending.push_back(task(6, 0x10));
    node.give_tokens(1, 1);
    EXPECT_TRUE(node.run(manager));
    EXPECT_THAT(tasks_of(node.child(1).queue), ElementsAre(6));
    EXPECT_THAT(node.child(0).queue, IsEmpty());
    EXPECT_EQ(node.port.charged_us, price::queue);
}

TEST(DataManager, GivesTheTokenBackWhenTheSubTaskWasStolenMeanwhile) {
    FarmSpec config = farm_that_divides();
    config.policy = Policy::WorkStealing;
    PaperNode node(PaperNode::inner, config);
    DataManager manager(node.desk);
    node.child(1).pending.push_back(task(6, 0x10));
    node.give_tokens(1, 1);
    node.port.meanwhile = [&] { node.child(1).pending.clear(); };
    EXPECT_TRUE(node.run(manager));
    EXPECT_THAT(node.child(1).queue, IsEmpty());
    EXPECT_EQ(node.desk.distribution->tokens(1), 1u);
}

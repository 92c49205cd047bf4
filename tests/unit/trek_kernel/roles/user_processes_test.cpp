// Computation, splitter and joiner: the processes that call the user's functions.
#include "computation.hpp"
#include "joiner.hpp"
#include "paper_node.hpp"
#include "splitter.hpp"

using namespace trek_roles_test;
using testing::ElementsAre;
using testing::IsEmpty;
using trek_kernel::Computation;
using trek_kernel::Context;
using trek_kernel::Joiner;
using trek_kernel::Splitter;

namespace {

void give_to(trek_kernel::WorkPlace& place, ItemPtr what) {
    place.taken = true;
    place.task = std::move(what);
}

}  // namespace

TEST(Computation, MakesAResultOfItsTaskAndFreesThePlace) {
    PaperNode node(PaperNode::leaf);
    Computation computation(node.desk);
    give_to(node.desk.compute, task(7));
    EXPECT_TRUE(node.run(computation));
    ASSERT_THAT(tasks_of(node.desk.results.items), ElementsAre(7));
    EXPECT_EQ(node.desk.results.items.front()->kind, MessageKind::Result);
    EXPECT_EQ(node.desk.results.items.front()->body, bytes({3, 2, 1}));
    EXPECT_FALSE(node.desk.compute.taken);
    EXPECT_EQ(node.desk.computed, 1u);
    EXPECT_EQ(node.desk.tokens_up.take_all(), 1u);  // goes with the result
    EXPECT_THAT(node.port.woken, ElementsAre("result manager"));
    EXPECT_THAT(node.witness.notes, ElementsAre("comp_fn() begins 7", "comp_fn() ends 7"));
    EXPECT_EQ(node.port.charged_us, price::execute + price::queue);
}

TEST(Computation, TellsTheDataManagerThatItIsIdleWhenATaskWaits) {
    PaperNode node(PaperNode::leaf);
    Computation computation(node.desk);
    give_to(node.desk.compute, task(7));
    node.desk.tasks.items.push_back(task(8));
    EXPECT_TRUE(node.run(computation));
    EXPECT_THAT(node.port.woken, ElementsAre("data manager", "result manager"));
}

TEST(Computation, SendsTheTokenByItselfWhenABugKeepsTheResult) {
    PaperNode node(PaperNode::leaf);
    Computation computation(node.desk);
    node.application.in_function = [](Context& context) { context.output.omitted = true; };
    give_to(node.desk.compute, task(7));
    EXPECT_TRUE(node.run(computation));
    EXPECT_THAT(node.desk.results.items, IsEmpty());
    EXPECT_TRUE(node.desk.tokens_up.hurries());
    EXPECT_THAT(node.port.woken, ElementsAre("writer up"));
}

TEST(Computation, EndsWithItsWorkWhenTheProcessEnds) {
    PaperNode node(PaperNode::leaf);
    Computation computation(node.desk);
    node.application.in_function = [](Context& context) { context.end_process(); };
    give_to(node.desk.compute, task(7));
    EXPECT_FALSE(node.run(computation));
    EXPECT_TRUE(node.desk.compute.taken);  // for ever
    EXPECT_EQ(node.desk.computed, 0u);
    EXPECT_EQ(node.desk.probes.at_work(trek_kernel::UserProcess::Compute)->task, 7u);
}

TEST(Computation, WaitsForRoomWhileOtherResultsAreHere) {
    PaperNode node(PaperNode::leaf);
    Computation computation(node.desk);
    auto other = result(6);
    ASSERT_TRUE(node.desk.room.make_room(node.calls, *other).get());
    node.port.free_memory = 3;
    give_to(node.desk.compute, task(7));
    EXPECT_TRUE(node.run(computation));
    EXPECT_TRUE(node.desk.compute.taken);
    EXPECT_THAT(node.dropped, IsEmpty());
    node.desk.room.let_go(*other).get();
    EXPECT_THAT(node.port.woken, ElementsAre("this role"));
}

TEST(Computation, DropsAResultThatThereCanBeNoRoomFor) {
    PaperNode node(PaperNode::leaf);
    Computation computation(node.desk);
    node.port.free_memory = 3;
    give_to(node.desk.compute, task(7));
    EXPECT_TRUE(node.run(computation));
    EXPECT_THAT(node.dropped, ElementsAre("no memory for a result"));
    EXPECT_FALSE(node.desk.compute.taken);
    EXPECT_THAT(node.desk.results.items, IsEmpty());
}

TEST(Splitter, LeavesASubTaskForEachBranch) {
    PaperNode node(PaperNode::inner, farm_that_divides());
    Splitter splitter(node.desk);
    give_to(node.desk.split, task(7, 0, bytes({8, 9})));
    EXPECT_TRUE(node.run(splitter));
    ASSERT_EQ(node.child(0).pending.size(), 1u);
    ASSERT_EQ(node.child(1).pending.size(), 1u);
    EXPECT_EQ(node.child(0).pending.front()->id.subtask, 0x00u);
    EXPECT_EQ(node.child(1).pending.front()->id.subtask, 0x10u);  // the digit of level 1
    EXPECT_EQ(node.child(1).pending.front()->body, bytes({9}));
    EXPECT_EQ(node.desk.joins.first_open()->missing, 2u);
    EXPECT_FALSE(node.desk.split.taken);
    EXPECT_THAT(node.port.woken, ElementsAre("data manager"));
    EXPECT_EQ(node.port.charged_us, price::queue);
    EXPECT_THAT(node.witness.notes, ElementsAre("split_fn() begins 7", "split_fn() ends 7"));
}

TEST(Splitter, DealsMoreBranchesThanChildrenRound) {
    FarmSpec config = farm_that_divides();
    config.degree = 3;
    PaperNode node(PaperNode::inner, config);
    Splitter splitter(node.desk);
    auto urgent = task(7);
    urgent->priority = 5;
    urgent->again = true;
    give_to(node.desk.split, std::move(urgent));
    EXPECT_TRUE(node.run(splitter));
    EXPECT_EQ(node.child(0).pending.size(), 2u);
    EXPECT_EQ(node.child(0).pending.back()->id.subtask, 0x20u);
    EXPECT_EQ(node.child(0).pending.back()->priority, 5);
    EXPECT_TRUE(node.child(0).pending.back()->again);
}

TEST(Splitter, ExpectsNoResultsOfASplitThatABugKeeps) {
    PaperNode node(PaperNode::inner, farm_that_divides());
    Splitter splitter(node.desk);
    node.application.in_function = [](Context& context) { context.output.omitted = true; };
    give_to(node.desk.split, task(7));
    EXPECT_TRUE(node.run(splitter));
    EXPECT_TRUE(node.desk.joins.empty());
    EXPECT_THAT(node.child(0).pending, IsEmpty());
    EXPECT_FALSE(node.desk.split.taken);
}

TEST(Splitter, EndsWithItsWorkWhenTheProcessEnds) {
    PaperNode node(PaperNode::inner, farm_that_divides());
    Splitter splitter(node.desk);
    node.application.in_function = [](Context& context) { context.end_process(); };
    give_to(node.desk.split, task(7));
    EXPECT_FALSE(node.run(splitter));
    EXPECT_TRUE(node.desk.split.taken);
}

TEST(SplitterDeathTest, GetsAsManySubTasksAsTheDegreeSays) {
    PaperNode node(PaperNode::inner, farm_that_divides());
    Splitter splitter(node.desk);
    node.application.parts_missing = 1;
    give_to(node.desk.split, task(7));
    EXPECT_DEATH(node.run(splitter), "trek_node.split.degree");
}

TEST(Joiner, PutsThePartsOfATaskTogetherInTheOrderOfTheBranches) {
    PaperNode node(PaperNode::inner, farm_that_divides());
    Joiner joiner(node.desk);
    node.desk.joins.open({7, 0}, 2, false);
    for (const std::uint32_t subtask : {0x10u, 0x00u}) {
        auto part = result(7, subtask, bytes({static_cast<int>(subtask), 1}));
        ASSERT_TRUE(node.desk.room.make_room(node.calls, *part).get());
        const auto place = node.desk.joins.place_of(part->id);
        ASSERT_TRUE(place);
        if (node.desk.joins.add(*place, *part)) node.desk.joins.complete(*place);
    }
    EXPECT_EQ(node.desk.room.queue().waiting, 2u);
    EXPECT_TRUE(node.run(joiner));
    ASSERT_THAT(tasks_of(node.desk.up.items), ElementsAre(7));
    EXPECT_EQ(node.desk.up.items.front()->body, bytes({0x00, 1, 0x10, 1}));
    EXPECT_EQ(node.desk.up.items.front()->id.subtask, 0u);
    EXPECT_EQ(node.desk.room.queue().waiting, 1u);  // the parts have gone, the result waits
    EXPECT_THAT(node.port.woken, ElementsAre("writer up"));
    EXPECT_TRUE(node.desk.joins.empty());
}

TEST(Joiner, SendsTheTasksOfABundleTogether) {
    FarmSpec config = farm_that_divides();
    config.granularity = 2;
    PaperNode node(PaperNode::inner, config);
    Joiner joiner(node.desk);
    for (const std::uint32_t number : {4u, 5u, 6u}) {
        node.desk.joins.open({number, 0}, 1, false);
        const auto part = result(number);
        const auto place = node.desk.joins.place_of(part->id);
        ASSERT_TRUE(place && node.desk.joins.add(*place, *part));
        node.desk.joins.complete(*place);
    }
    EXPECT_TRUE(node.run(joiner));
    ASSERT_THAT(tasks_of(node.desk.up.items), ElementsAre(4, 6));
    EXPECT_EQ(trek_kernel::tasks_in(*node.desk.up.items.front(), 2), 2u);
}

TEST(Joiner, EndsWithItsWorkWhenTheProcessEnds) {
    PaperNode node(PaperNode::inner, farm_that_divides());
    Joiner joiner(node.desk);
    node.application.in_function = [](Context& context) { context.end_process(); };
    node.desk.joins.open({7, 0}, 1, false);
    const auto part = result(7);
    const auto place = node.desk.joins.place_of(part->id);
    ASSERT_TRUE(place && node.desk.joins.add(*place, *part));
    node.desk.joins.complete(*place);
    EXPECT_FALSE(node.run(joiner));
    EXPECT_THAT(node.desk.up.items, IsEmpty());
}

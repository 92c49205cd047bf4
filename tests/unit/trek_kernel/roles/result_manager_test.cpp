// The result manager: a result goes up, to the user, or to the task it is a part of.
#include "result_manager.hpp"

#include "paper_node.hpp"

using namespace trek_roles_test;
using testing::ElementsAre;
using testing::IsEmpty;
using trek_kernel::ResultManager;

TEST(ResultManager, PassesResultsUpInTheOrderOfTheirArrival) {
    PaperNode node(PaperNode::inner);
    ResultManager manager(node.desk);
    node.desk.results.items.push_back(result(8));
    node.desk.results.items.push_back(result(3));
    EXPECT_TRUE(node.run(manager));
    EXPECT_THAT(tasks_of(node.desk.up.items), ElementsAre(8, 3));
    EXPECT_THAT(node.port.woken, ElementsAre("writer up", "writer up"));
    EXPECT_EQ(node.port.charged_us, 2 * (price::decision + price::queue));
}

TEST(ResultManager, OfTheManagerTakesEachTaskBackOnce) {
    PaperNode node(PaperNode::manager);
    ResultManager manager(node.desk);
    node.desk.ledger.handed_out(*task(3));
    for (int i = 0; i < 2; ++i) {
        auto one = result(3);
        ASSERT_TRUE(node.desk.room.make_room(node.calls, *one).get());
        node.desk.results.items.push_back(std::move(one));
    }
    EXPECT_TRUE(node.run(manager));
    EXPECT_THAT(tasks_of(node.desk.collected.items), ElementsAre(3));
    EXPECT_THAT(node.port.woken, ElementsAre("receiver"));
    EXPECT_THAT(node.witness.notes, ElementsAre("home 3"));
    EXPECT_THAT(node.dropped, ElementsAre("a result of a task that is not under way"));
    EXPECT_EQ(node.desk.ledger.account().completed, 1u);
    EXPECT_EQ(node.desk.ledger.account().unexpected, 1u);
    EXPECT_EQ(node.desk.room.queue().waiting, 1u);  // the other has no room any more
}

TEST(ResultManager, OfTheManagerRefusesAPartOfATask) {
    PaperNode node(PaperNode::manager, farm_that_divides());
    ResultManager manager(node.desk);
    node.desk.ledger.handed_out(*task(3));
    node.desk.results.items.push_back(result(3, 0x10));
    EXPECT_TRUE(node.run(manager));
    EXPECT_THAT(node.desk.collected.items, IsEmpty());
    EXPECT_EQ(node.dropped.size(), 1u);
}

TEST(ResultManager, ThrowsResultsAwayAfterTheEnd) {
    PaperNode node(PaperNode::manager);
    ResultManager manager(node.desk);
    node.desk.ledger.handed_out(*task(3));
    node.desk.results.items.push_back(result(3));
    node.desk.room.close().get();
    EXPECT_TRUE(node.run(manager));
    EXPECT_THAT(node.desk.collected.items, IsEmpty());
    EXPECT_THAT(node.dropped, IsEmpty());
}

TEST(ResultManager, KeepsTheResultsOfASplitUntilAllAreThere) {
    PaperNode node(PaperNode::inner, farm_that_divides());
    ResultManager manager(node.desk);
    node.desk.joins.open({5, 0}, 2, false);
    node.desk.results.items.push_back(result(5, 0x10));
    EXPECT_TRUE(node.run(manager));
    EXPECT_EQ(node.desk.joins.next(), nullptr);
    EXPECT_EQ(node.desk.joins.first_open()->missing, 1u);
    node.desk.results.items.push_back(result(5, 0x00));
    EXPECT_TRUE(node.run(manager));
    ASSERT_NE(node.desk.joins.next(), nullptr);
    EXPECT_EQ(node.desk.joins.next()->id.task, 5u);
    EXPECT_EQ(node.desk.joins.first_open(), nullptr);
    EXPECT_THAT(node.port.woken, ElementsAre("joiner"));
    EXPECT_THAT(node.desk.up.items, IsEmpty());
}

TEST(ResultManager, PassesAResultOnThatBelongsToNoSplitHere) {
    PaperNode node(PaperNode::inner, farm_that_divides());
    ResultManager manager(node.desk);
    node.desk.joins.open({5, 0}, 2, false);
    for (const auto& [number, subtask] : {std::pair(6u, 0x10u), {5u, 0x10u}, {5u, 0x10u}, {5u, 0x20u}})
        node.desk.results.items.push_back(result(number, subtask));  // another task, a part, the part again, a third branch
    EXPECT_TRUE(node.run(manager));
    EXPECT_THAT(tasks_of(node.desk.up.items), ElementsAre(6, 5, 5));
    EXPECT_EQ(node.desk.joins.first_open()->missing, 1u);
}

TEST(ResultManager, TakesABundleApartForTheUser) {
    PaperNode node(PaperNode::manager, farm_with_bundles(4));
    ResultManager manager(node.desk);
    trek_kernel::Bundler bundler(4);
    for (const std::uint32_t number : {0u, 1u, 3u}) bundler.add(result(number));
    bundler.close([&](ItemPtr bundle) {
        node.desk.ledger.handed_out(*bundle);
        ASSERT_TRUE(node.desk.room.make_room(node.calls, *bundle).get());
        node.desk.results.items.push_back(std::move(bundle));
    });
    EXPECT_TRUE(node.run(manager));
    EXPECT_THAT(tasks_of(node.desk.collected.items), ElementsAre(0, 1, 3));
    EXPECT_THAT(node.desk.ledger.account().back, ElementsAre(0, 1, 3));
    EXPECT_EQ(node.desk.room.queue().waiting, 3u);
}

// The end of the farm on one node: stop runs down, the numbers of computed tasks run up.
#include "ending.hpp"

#include "paper_node.hpp"

using namespace trek_roles_test;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

Bytes counts(std::initializer_list<std::uint32_t> numbers) {
    trek_kernel::Counts by_node;
    for (const std::uint32_t number : numbers) by_node[static_cast<std::uint32_t>(by_node.size())] = number;
    return trek_kernel::encode_counts(by_node, numbers.size());
}

}  // namespace

TEST(Ending, PassesTheStopToEachChildOnce) {
    PaperNode node(PaperNode::inner);
    node.ending.stop_arrived(node.calls).get();
    node.ending.stop_arrived(node.calls).get();
    EXPECT_EQ(node.child(0).queue.size(), 1u);
    EXPECT_EQ(node.child(1).queue.size(), 1u);
    EXPECT_THAT(node.port.woken, ElementsAre("writer to n2", "writer down"));
    EXPECT_EQ(node.port.charged_us, 2 * price::queue);
    EXPECT_FALSE(node.ending.counts_sent());  // its children have not said theirs
}

TEST(Ending, SendsTheNumbersOfALeafAtOnce) {
    PaperNode node(PaperNode::leaf);
    node.desk.computed = 5;
    node.ending.stop_arrived(node.calls).get();
    EXPECT_TRUE(node.ending.counts_sent());
    ASSERT_EQ(node.desk.up.items.size(), 1u);
    EXPECT_EQ(node.desk.up.items.front()->kind, MessageKind::Counts);
    EXPECT_EQ(node.desk.up.items.front()->body, counts({0, 0, 5, 0}));
}

TEST(Ending, AddsTheNumbersFromBelow) {
    PaperNode node(PaperNode::inner);
    node.desk.computed = 7;
    node.ending.stop_arrived(node.calls).get();
    node.ending.counts_arrived(node.calls, node.child(0), counts({0, 0, 5, 0})).get();
    EXPECT_THAT(node.desk.up.items, IsEmpty());
    node.ending.counts_arrived(node.calls, node.child(1), counts({0, 0, 0, 4})).get();
    ASSERT_EQ(node.desk.up.items.size(), 1u);
    EXPECT_EQ(node.desk.up.items.front()->body, counts({0, 7, 5, 4}));
    EXPECT_TRUE(node.child(0).counted);
    EXPECT_TRUE(node.ending.all_counted());
}

TEST(Ending, TellsTheProbesOnceWhenTheNodeHoldsNothingMore) {
    PaperNode node(PaperNode::leaf);
    node.desk.compute.taken = true;
    node.ending.stop_arrived(node.calls).get();
    node.desk.up.items.clear();  // the numbers have left
    node.ending.report_finished(node.calls).get();
    EXPECT_THAT(node.witness.notes, IsEmpty());  // a task is still computed
    node.desk.compute.taken = false;
    node.ending.report_finished(node.calls).get();
    node.ending.report_finished(node.calls).get();
    EXPECT_THAT(node.witness.notes, ElementsAre("finished"));
}

TEST(Ending, DoesNotWaitForTheNumbersOfALostChild) {
    PaperNode node(PaperNode::inner);
    node.ending.stop_arrived(node.calls).get();
    node.ending.counts_arrived(node.calls, node.child(0), counts({0, 0, 5, 0})).get();
    node.ending.child_lost(node.child(1)).get();
    node.ending.report_finished(node.calls).get();
    EXPECT_TRUE(node.ending.counts_sent());
    node.ending.child_lost(node.child(0)).get();  // its numbers are here
    EXPECT_TRUE(node.ending.all_counted());
}

TEST(Ending, OfTheManagerWaitsForAllNumbersAndReturnsThem) {
    PaperNode node(PaperNode::manager);
    EXPECT_TRUE(node.until_it_waits([&] { node.ending.stop_farm(node.api); }));
    EXPECT_TRUE(node.desk.room.closed());
    EXPECT_EQ(node.child(0).queue.front()->kind, MessageKind::Stop);
    node.forget();
    node.ending.counts_arrived(node.calls, node.child(0), counts({0, 3, 2, 1})).get();
    EXPECT_THAT(node.port.woken, ElementsAre("this role"));
    EXPECT_THAT(node.ending.stop_farm(node.api), ElementsAre(0, 3, 2, 1));
    EXPECT_THAT(node.desk.collected.items, IsEmpty());  // the manager sends its numbers to nobody
}

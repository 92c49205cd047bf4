// Recovery on one node: copies of tasks, silence, and the tasks of a child that is given up.
#include "paper_node.hpp"
#include "recovery.hpp"

using namespace trek_roles_test;
using testing::ElementsAre;
using testing::IsEmpty;
using trek_kernel::Recovery;

namespace {

constexpr std::uint64_t heartbeat_us = 10'000, silence_us = 50'000;

struct Parent {
    explicit Parent(std::uint16_t number = PaperNode::inner, const FarmSpec& config = farm_that_survives())
        : node(number, config), recovery(*node.desk.recovery) {}

    // The child has got the task, and the node listens to it.
    void hand_on(std::size_t index, std::uint32_t number) {
        recovery.watch(node.child(index));
        recovery.keep(node.calls, node.child(index), *task(number));
        recovery.has_sent(node.child(index).at);
    }
    void watchdog() {
        EXPECT_TRUE(node.until_it_waits([&] { recovery.run_watchdog(node.calls).get(); }));
    }

    PaperNode node;
    Recovery& recovery;
};

}  // namespace

TEST(NodeRecovery, KeepsACopyOfATaskUntilItIsBack) {
    Parent at;
    const std::uint64_t before = at.node.port.free_memory;
    at.hand_on(0, 7);
    EXPECT_EQ(at.node.port.free_memory, before - 3 - size_message_bytes);
    EXPECT_EQ(at.node.port.charged_us, price::queue);
    EXPECT_TRUE(at.recovery.hears(at.node.child(0), *result(8)));
    EXPECT_LT(at.node.port.free_memory, before);
    EXPECT_TRUE(at.recovery.hears(at.node.child(0), *result(7)));
    EXPECT_EQ(at.node.port.free_memory, before);
}

TEST(NodeRecovery, KeepsTheRestOfABundleThatComesBackInParts) {
    FarmSpec config = farm_with_bundles(4);
    config.survives = true;
    Parent at(PaperNode::inner, config);
    const auto bundle_of = [](std::initializer_list<std::uint32_t> numbers, MessageKind kind) {
        trek_kernel::Bundler bundler(4);
        for (const std::uint32_t number : numbers) bundler.add(item(kind, number));
        ItemPtr bundle;
        bundler.close([&](ItemPtr one) { bundle = std::move(one); });
        return bundle;
    };
    at.recovery.watch(at.node.child(0));
    at.recovery.keep(at.node.calls, at.node.child(0), *bundle_of({4, 5, 6}, MessageKind::Task));
    at.recovery.has_sent(at.node.child(0).at);
    EXPECT_TRUE(at.recovery.hears(at.node.child(0), *bundle_of({4, 6}, MessageKind::Result)));
    at.recovery.listens(at.node.child(0));
    at.recovery.listens(at.node.child(1));
    at.node.port.clock = silence_us;
    at.watchdog();
    EXPECT_THAT(at.node.witness.notes, ElementsAre("gives up n2", "issues again task 5"));
}

TEST(NodeRecovery, SaysThatItHasNoMemoryForACopy) {
    Parent at;
    at.node.port.free_memory = 3;
    at.hand_on(0, 7);
    EXPECT_THAT(at.node.dropped, ElementsAre("no memory for a copy of a task handed to a child"));
}

TEST(NodeRecovery, GivesAChildUpThatIsSilentForTooLong) {
    Parent at;
    at.hand_on(0, 7);
    at.recovery.watch(at.node.child(1));
    at.node.port.clock = silence_us - 1;
    at.watchdog();
    EXPECT_FALSE(at.node.child(0).given_up);
    EXPECT_EQ(at.node.port.waits_until, silence_us);
    at.recovery.listens(at.node.child(1));
    at.node.port.clock = silence_us;
    at.node.forget();
    at.watchdog();
    EXPECT_TRUE(at.node.child(0).given_up);
    EXPECT_FALSE(at.node.child(1).given_up);
    EXPECT_THAT(at.node.witness.notes, ElementsAre("gives up n2", "issues again task 7"));
    EXPECT_THAT(tasks_of(at.node.desk.tasks.items), ElementsAre(7));
    EXPECT_TRUE(at.node.desk.tasks.items.front()->again);
    EXPECT_EQ(at.node.port.charged_us, 2 * price::decision + price::queue);
    EXPECT_TRUE(at.recovery.has_living_child());
}

TEST(NodeRecovery, HearsNothingFromAChildThatWasGivenUp) {
    Parent at;
    at.hand_on(0, 7);
    at.node.port.clock = silence_us;
    at.watchdog();
    EXPECT_FALSE(at.recovery.hears(at.node.child(0), *result(7)));
    at.recovery.come_back(task(8)).get();  // it was between this node and the child
    EXPECT_THAT(tasks_of(at.node.desk.tasks.items), ElementsAre(8, 7));
}

TEST(NodeRecovery, TakesBackTasksThatHaveNotLeftAsTheyWere) {
    Parent at;
    at.hand_on(0, 7);
    at.node.child(0).queue.push_back(task(8));
    at.node.child(0).queue.push_back(trek_kernel::signal_item(MessageKind::Stop));
    at.node.give_tokens(0, 1);
    at.node.port.clock = silence_us;
    at.watchdog();
    EXPECT_THAT(tasks_of(at.node.desk.tasks.items), ElementsAre(7, 8));
    EXPECT_FALSE(at.node.desk.tasks.items.back()->again);
    ASSERT_EQ(at.node.child(0).queue.size(), 1u);  // the child may be alive
    EXPECT_EQ(at.node.child(0).queue.front()->kind, MessageKind::Stop);
    EXPECT_EQ(at.node.desk.distribution->tokens(0), 0u);
    // Three places are lost: the two tasks' and the free one.
    at.node.desk.tokens_up.add(5);
    at.recovery.pay_for_lost_places();
    EXPECT_EQ(at.node.desk.tokens_up.take_all(), 2u);
}

TEST(NodeRecovery, DoesNotCountSilenceWhileTheReaderIsBusy) {
    Parent at;
    at.hand_on(0, 7);
    at.recovery.hears(at.node.child(0), Item{MessageKind::Alive, {}, {}});
    at.node.port.clock = 10 * silence_us;
    at.watchdog();
    EXPECT_FALSE(at.node.child(0).given_up);
}

TEST(NodeRecovery, GivesAChildUpThatTakesNothing) {
    Parent at;
    at.recovery.watch(at.node.child(0));
    at.recovery.keep(at.node.calls, at.node.child(0), *task(7));
    at.node.port.clock = silence_us;
    at.recovery.listens(at.node.child(0));
    at.watchdog();
    EXPECT_TRUE(at.node.child(0).given_up);
}

TEST(NodeRecovery, SpeaksAtLeastOnceAHeartbeat) {
    Parent at(PaperNode::leaf);
    at.node.port.clock = 1000;
    at.recovery.has_sent(*at.node.desk.place.parent);
    EXPECT_FALSE(at.recovery.has_to_speak());
    EXPECT_TRUE(at.node.until_it_waits([&] { at.recovery.wait(at.node.calls).get(); }));
    EXPECT_EQ(at.node.port.waits_until, 1000 + heartbeat_us);
    at.node.port.clock = 1000 + heartbeat_us;
    EXPECT_TRUE(at.recovery.has_to_speak());
    at.node.desk.started = false;
    EXPECT_FALSE(at.recovery.has_to_speak());
}

TEST(NodeRecovery, IsSilentAfterTheLastMessage) {
    Parent at(PaperNode::leaf);
    at.node.port.clock = heartbeat_us;
    at.node.ending.stop_arrived(at.node.calls).get();
    EXPECT_TRUE(at.node.ending.counts_sent());
    EXPECT_FALSE(at.recovery.has_to_speak());
}

TEST(NodeRecovery, ComputesOnTheManagerWhenNoChildIsLeft) {
    Parent at(PaperNode::manager);
    at.hand_on(0, 7);
    at.node.port.clock = silence_us;
    at.watchdog();
    EXPECT_FALSE(at.recovery.has_living_child());
    EXPECT_TRUE(at.recovery.waits());
    at.node.forget();
    EXPECT_TRUE(at.recovery.place(at.node.calls).get());
    ASSERT_TRUE(at.node.desk.compute.task);
    EXPECT_EQ(at.node.desk.compute.task->id.task, 7u);
    EXPECT_THAT(at.node.port.woken, ElementsAre("generator", "computation"));
    EXPECT_FALSE(at.recovery.place(at.node.calls).get());
}

TEST(NodeRecovery, GivesASubTaskToTheSiblingWithTheFewestTasks) {
    FarmSpec config = farm_that_divides();
    config.survives = true;
    Parent at(PaperNode::inner, config);
    at.recovery.watch(at.node.child(0));
    at.recovery.keep(at.node.calls, at.node.child(0), *task(7, 0x10));
    at.recovery.has_sent(at.node.child(0).at);
    at.node.port.clock = silence_us;
    at.watchdog();
    EXPECT_THAT(tasks_of(at.node.child(1).pending), ElementsAre(7));
    EXPECT_FALSE(at.recovery.waits());
}

TEST(NodeRecovery, WaitsForTheNumbersOfLivingChildrenOnly) {
    Parent at;
    at.hand_on(0, 7);
    at.node.ending.stop_arrived(at.node.calls).get();
    at.node.ending.counts_arrived(at.node.calls, at.node.child(1), trek_kernel::encode_counts({}, 4)).get();
    at.node.port.clock = silence_us;
    at.watchdog();
    EXPECT_FALSE(at.node.until_it_waits([&] { at.recovery.run_watchdog(at.node.calls).get(); }));  // the watch is over
    EXPECT_TRUE(at.node.ending.counts_sent());
    EXPECT_THAT(at.node.desk.tasks.items, IsEmpty());  // nothing is issued again after the stop
}

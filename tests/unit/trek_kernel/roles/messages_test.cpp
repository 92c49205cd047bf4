// The messages between nodes, byte for byte, and the tables of a node that need no process.
#include "messages.hpp"

#include <trek_kernel/task_on_wire.hpp>

#include "master_calls.hpp"
#include "paper_node.hpp"

using namespace trek_roles_test;
using testing::ElementsAre;
using trek_kernel::decode;
using trek_kernel::encode;
using trek_kernel::task_on_wire;

namespace {

const SizeMessage example{
    .kind = MessageKind::Result, .again = 1, .steals = 0, .task = 0x01020304, .subtask = 0x0110, .size = 1000, .word = 3};

}  // namespace

TEST(SizeMessage, HasItsFieldsInTheirPlaces) {
    const auto wire = encode(example);
    EXPECT_EQ(Bytes(wire.begin(), wire.end()), bytes({2, 1, 0, 0, 4, 3, 2, 1, 0x10, 1, 0, 0, 0xe8, 3, 0, 0, 3, 0, 0, 0}));
}

TEST(SizeMessage, ComesBackAsItWas) {
    const SizeMessage back = decode(encode(example));
    EXPECT_EQ(back.kind, MessageKind::Result);
    EXPECT_EQ(back.again, 1);
    EXPECT_EQ(back.task, 0x01020304u);
    EXPECT_EQ(back.subtask, 0x0110u);
    EXPECT_EQ(back.size, 1000u);
    EXPECT_EQ(back.tokens(), 3u);
}

TEST(MessageKind, HasTheNumberThatIsOnTheWire) {
    EXPECT_EQ(static_cast<int>(MessageKind::Start), 0);
    EXPECT_EQ(static_cast<int>(MessageKind::Task), 1);
    EXPECT_EQ(static_cast<int>(MessageKind::Counts), 5);
    EXPECT_EQ(static_cast<int>(MessageKind::Returned), 9);
    EXPECT_EQ(static_cast<int>(MessageKind::Alive), 10);
}

TEST(TaskOnWire, IsReadFromTheHeadersOfTasksAndResultsOnly) {
    const auto wire = encode(example);
    const auto task = task_on_wire(wire);
    ASSERT_TRUE(task);
    EXPECT_TRUE(task->result);
    EXPECT_EQ(task->task, 0x01020304u);
    EXPECT_EQ(task->subtask, 0x0110u);
    EXPECT_FALSE(task_on_wire(std::span(wire).first(19)));
    EXPECT_FALSE(task_on_wire(encode({.kind = MessageKind::Token})));
    EXPECT_FALSE(task_on_wire(encode({.kind = static_cast<MessageKind>(200)})));
}

TEST(TaskOnWire, IsReadFromAHeaderWithATag) {
    const auto size = encode(example);
    Bytes wire(size.begin(), size.end());
    wire.resize(wire.size() + 8);
    const auto task = task_on_wire(wire);
    ASSERT_TRUE(task);
    EXPECT_EQ(task->task, 0x01020304u);
}

TEST(Counts, AreFourBytesANode) {
    const Bytes wire = trek_kernel::encode_counts({{1, 258}, {3, 1}}, 4);
    EXPECT_EQ(wire, bytes({0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}));
    EXPECT_TRUE(trek_kernel::are_counts(wire.size(), 4));
    EXPECT_FALSE(trek_kernel::are_counts(wire.size(), 5));
    trek_kernel::Counts all = {{0, 1}, {1, 1}};
    trek_kernel::add_counts(wire, all);
    EXPECT_EQ(all, (trek_kernel::Counts{{0, 1}, {1, 259}, {3, 1}}));
}

TEST(JoinTable, NumbersTheBranchesByTheLevelOfTheNode) {
    trek_kernel::JoinTable top(0), below(1);
    EXPECT_EQ(top.subtask_of(0, 3), 0x30u);
    EXPECT_EQ(below.subtask_of(0x30, 2), 0x230u);
    EXPECT_EQ(below.branch_of(0x230), 2u);
    EXPECT_EQ(top.branch_of(0x230), 3u);
}

TEST(JoinTable, TakesNoPartTwiceAndNoneOfAnotherTask) {
    trek_kernel::JoinTable table(0);
    table.open({5, 0}, 2, true);
    const auto first = table.place_of({5, 0x10});
    ASSERT_TRUE(first);
    EXPECT_FALSE(table.add(*first, *result(5, 0x10)));
    EXPECT_FALSE(table.place_of({5, 0x10}));
    EXPECT_FALSE(table.place_of({5, 0x20}));
    EXPECT_FALSE(table.place_of({6, 0x00}));
    const auto second = table.place_of({5, 0});
    ASSERT_TRUE(second);
    EXPECT_TRUE(table.add(*second, *result(5)));
    table.complete(*second);
    EXPECT_EQ(table.first_open(), nullptr);
    EXPECT_FALSE(table.empty());
    EXPECT_TRUE(table.take_next()->again);
    EXPECT_TRUE(table.empty());
}

TEST(Outputs, SendsWhatWasHeldBackAfterTheNextOutputOfTheSameProcess) {
    PaperNode node(PaperNode::leaf);
    std::vector<std::uint32_t> sent;
    const auto send = [&](ItemPtr one) { sent.push_back(one->id.task); };
    trek_kernel::Outputs outputs;
    outputs.emit(node.api, result(1), {.held_back = true}, send);
    EXPECT_THAT(sent, ElementsAre());
    outputs.emit(node.api, result(2), {.copies = 2}, send);
    EXPECT_THAT(sent, ElementsAre(2, 2, 1));
    outputs.emit(node.api, result(3), {.omitted = true}, send);
    outputs.emit(node.api, result(4), {.task = 9, .also_as = 8}, send);
    EXPECT_THAT(sent, ElementsAre(2, 2, 1, 9, 8));
}

TEST(MasterCalls, WaitWhileNoBufferIsFree) {
    PaperNode node(PaperNode::manager);
    trek_kernel::MasterCalls calls(node.desk);
    calls.put_task(node.api, bytes({1}), {});
    EXPECT_EQ(node.desk.ledger.account().issued, 1u);
    EXPECT_THAT(node.port.woken, ElementsAre("data manager"));
    EXPECT_TRUE(node.until_it_waits([&] { calls.put_task(node.api, bytes({2}), {}); }));
    EXPECT_THAT(tasks_of(node.desk.tasks.items), ElementsAre(0));
    EXPECT_EQ(node.desk.generator, &node.port.running);
}

TEST(MasterCalls, TakeResultsInTheOrderOfTheirArrivalAndFreeTheirRoom) {
    PaperNode node(PaperNode::manager);
    trek_kernel::MasterCalls calls(node.desk);
    EXPECT_TRUE(node.until_it_waits([&] { calls.take_result(node.api, nullptr); }));
    for (const std::uint32_t number : {4u, 2u}) {
        auto one = result(number);
        ASSERT_TRUE(node.desk.room.make_room(node.calls, *one).get());
        node.desk.collected.items.push_back(std::move(one));
    }
    TaskIdentity whose;
    EXPECT_EQ(calls.take_result(node.api, &whose), bytes({1, 2, 3}));
    EXPECT_EQ(whose.task, 4u);
    EXPECT_EQ(calls.taken(), 1u);
    EXPECT_EQ(node.desk.room.queue().waiting, 1u);
    EXPECT_EQ(node.port.charged_us, price::queue);
}

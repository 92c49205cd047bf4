// The link writer: what leaves a node for its parent and its children, and in which order.
#include "link_writer.hpp"

#include "paper_node.hpp"

using namespace trek_roles_test;
using testing::ElementsAre;
using testing::IsEmpty;
using trek_kernel::LinkWriter;

namespace {

struct Writing {
    explicit Writing(std::uint16_t number, const FarmSpec& config = farm_of_tasks())
        : node(number, config), writer(node.desk) {}

    const std::vector<Sent>& up() {
        EXPECT_TRUE(node.until_it_waits([&] { writer.run_to_parent(node.calls).get(); }));
        return node.port.sent;
    }
    const std::vector<Sent>& down(std::size_t index) {
        EXPECT_TRUE(node.until_it_waits([&] { writer.run_to_child(node.calls, node.child(index)).get(); }));
        return node.port.sent;
    }

    PaperNode node;
    LinkWriter writer;
};

std::vector<MessageKind> kinds(const std::vector<Sent>& sent) {
    std::vector<MessageKind> result;
    result.reserve(sent.size());
    for (const Sent& one : sent) result.push_back(one.size.kind);
    return result;
}

}  // namespace

TEST(LinkWriter, SendsAResultWithAllTokensAsSizeAndData) {
    Writing at(PaperNode::inner);
    at.node.desk.tokens_up.add(2);
    auto one = result(7, 0x10);
    ASSERT_TRUE(at.node.desk.room.make_room(at.node.calls, *one).get());
    at.node.desk.up.items.push_back(std::move(one));
    ASSERT_EQ(at.up().size(), 1u);
    const Sent& sent = at.node.port.sent.front();
    EXPECT_EQ(sent.link, LinkNo(0));
    EXPECT_EQ(sent.size.kind, MessageKind::Result);
    EXPECT_EQ(sent.size.task, 7u);
    EXPECT_EQ(sent.size.subtask, 0x10u);
    EXPECT_EQ(sent.size.size, 3u);
    EXPECT_EQ(sent.size.tokens(), 2u);
    EXPECT_EQ(sent.messages, 2u);
    EXPECT_EQ(sent.wire_bytes, size_message_bytes + 3);
    EXPECT_EQ(at.node.port.charged_us, price::queue + 2 * price::link_message);
    EXPECT_EQ(at.node.desk.room.queue().waiting, 0u);
    EXPECT_THAT(at.node.witness.notes, ElementsAre("sent result 7"));
}

TEST(LinkWriter, MakesThePauseOfThePacketBeforeItPaysForIt) {
    const SimTime pause = SimTime::us(price::link_message);
    Writing up(PaperNode::inner);
    up.node.desk.up.items.push_back(result(7));
    up.node.port.meanwhile = [&] { up.node.port.slowness = 5; };
    ASSERT_EQ(up.up().size(), 1u);
    EXPECT_EQ(up.node.port.sent.back().pause, pause);

    Writing down(PaperNode::inner);
    down.node.child(0).queue.push_back(task(7));
    down.node.port.meanwhile = [&] {  // while it pays for the start
        down.node.port.meanwhile = [&] { down.node.port.slowness = 5; };
    };
    ASSERT_THAT(kinds(down.down(0)), ElementsAre(MessageKind::Start, MessageKind::Task));
    EXPECT_EQ(down.node.port.sent.back().pause, pause);
}

TEST(LinkWriter, SendsTokensByThemselvesOnlyWhenTheyHurry) {
    Writing at(PaperNode::inner);
    at.node.desk.tokens_up.add(2);
    EXPECT_THAT(at.up(), IsEmpty());
    at.node.desk.tokens_up.hurry();
    EXPECT_THAT(kinds(at.up()), ElementsAre(MessageKind::Token));
    EXPECT_EQ(at.node.port.sent.front().size.tokens(), 2u);
    EXPECT_EQ(at.node.port.sent.front().messages, 1u);
}

TEST(LinkWriter, SendsResultsBeforeTokens) {
    Writing at(PaperNode::inner);
    at.node.desk.ask_parent(at.node.calls, 1).get();
    at.node.desk.up.items.push_back(result(7));
    EXPECT_THAT(kinds(at.up()), ElementsAre(MessageKind::Result));
    EXPECT_EQ(at.node.port.sent.front().size.tokens(), 1u);
}

TEST(LinkWriter, LetsOneTokenGoWithEachResultWhereResultsCrowd) {
    Writing at(PaperNode::leaf);  // with two places
    at.node.desk.tokens_up.add(5);
    for (std::uint32_t number = 0; number < 4; ++number) at.node.desk.up.items.push_back(result(number));
    at.up();
    std::vector<std::uint32_t> tokens;
    for (const Sent& sent : at.node.port.sent) tokens.push_back(sent.size.tokens());
    // Three wait behind the first, two behind the second.
    EXPECT_THAT(tokens, ElementsAre(1, 4, 0, 0));
}

TEST(LinkWriter, SaysTheSizeThatAPlantedBugAnnounces) {
    Writing at(PaperNode::inner);
    auto one = result(7);
    one->announced_bytes = 99;
    at.node.desk.up.items.push_back(std::move(one));
    ASSERT_EQ(at.up().size(), 1u);
    EXPECT_EQ(at.node.port.sent.front().size.size, 99u);
    EXPECT_EQ(at.node.port.sent.front().body.size(), 3u);
}

TEST(LinkWriter, SendsNothingBeforeTheParentIsThere) {
    Writing at(PaperNode::inner);
    at.node.desk.started = false;
    at.node.desk.tokens_up.add(1);
    at.node.desk.tokens_up.hurry();
    EXPECT_THAT(at.up(), IsEmpty());
    EXPECT_THAT(at.down(0), IsEmpty());
}

TEST(LinkWriter, TellsAChildFirstThatItsParentIsThere) {
    Writing at(PaperNode::inner);
    at.node.child(1).queue.push_back(task(7));
    at.node.child(1).queue.push_back(trek_kernel::signal_item(MessageKind::Stop));
    EXPECT_THAT(kinds(at.down(1)), ElementsAre(MessageKind::Start, MessageKind::Task, MessageKind::Stop));
    EXPECT_EQ(at.node.port.sent.front().link, LinkNo(2));
    EXPECT_THAT(at.node.witness.notes, ElementsAre("sent task 7"));
    EXPECT_EQ(at.node.port.charged_us, 2 * price::queue + 4 * price::link_message);
}

TEST(LinkWriter, SendsThePriorityOfATaskWherePrioritiesRule) {
    Writing at(PaperNode::inner, farm_with(Policy::Priorities));
    auto urgent = task(7);
    urgent->priority = -2;
    at.node.child(0).queue.push_back(std::move(urgent));
    EXPECT_EQ(at.down(0).back().size.priority(), -2);
}

TEST(LinkWriter, SaysThatALostMessageWasLost) {
    Writing at(PaperNode::inner);
    at.node.port.link_is_there = false;
    at.node.desk.up.items.push_back(result(7));
    EXPECT_EQ(at.up().size(), 1u);
    EXPECT_THAT(at.node.dropped, ElementsAre("the link's path changed during the message"));
}

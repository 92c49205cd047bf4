// The link reader: what it accepts from a neighbour, and where that goes.
#include "link_reader.hpp"

#include "paper_node.hpp"

using namespace trek_roles_test;
using testing::ElementsAre;
using testing::IsEmpty;
using trek_kernel::LinkReader;

namespace {

// A node that hears its parent or one of its children.
struct Listening {
    explicit Listening(std::uint16_t number, const FarmSpec& config = farm_of_tasks())
        : node(number, config), reader(node.desk) {}

    void from_parent(Coming what) {
        node.port.coming.push_back(std::move(what));
        EXPECT_TRUE(node.until_it_waits([&] { reader.run(node.calls, *node.desk.place.parent, nullptr).get(); }));
    }
    void from_child(std::size_t index, Coming what) {
        node.port.coming.push_back(std::move(what));
        EXPECT_TRUE(node.until_it_waits([&] { reader.run(node.calls, node.child(index).at, &node.child(index)).get(); }));
    }

    PaperNode node;
    LinkReader reader;
};

Coming signal(MessageKind kind, std::uint32_t word = 0) {
    return {.size = {.kind = kind, .word = word}, .body = {}};
}
Coming item(MessageKind kind, std::uint32_t task, Bytes body, std::uint32_t word = 0) {
    const auto size = static_cast<std::uint32_t>(body.size());
    return {.size = {.kind = kind, .task = task, .size = size, .word = word}, .body = std::move(body), .messages = 2};
}

}  // namespace

TEST(LinkReader, PutsATaskWhereTheDataManagerFindsIt) {
    Listening at(PaperNode::inner);
    at.from_parent(item(MessageKind::Task, 7, bytes({1, 2})));
    EXPECT_THAT(tasks_of(at.node.desk.tasks.items), ElementsAre(7));
    EXPECT_EQ(at.node.desk.tasks.items.front()->body, bytes({1, 2}));
    EXPECT_THAT(at.node.port.woken, ElementsAre("data manager"));
    EXPECT_THAT(at.node.witness.notes, ElementsAre("received task 7"));
    EXPECT_EQ(at.node.port.charged_us, 2 * price::link_message + price::queue);
}

TEST(LinkReader, AsksForATaskForEachPlaceWhenTheParentIsThere) {
    FarmSpec config = farm_of_tasks();
    config.buffers = 3;
    Listening at(PaperNode::inner, config);
    at.node.desk.started = false;
    at.from_parent(signal(MessageKind::Start));
    EXPECT_TRUE(at.node.desk.started);
    EXPECT_TRUE(at.node.desk.tokens_up.hurries());
    EXPECT_EQ(at.node.desk.tokens_up.take_all(), 4u);
    EXPECT_THAT(at.node.port.woken, ElementsAre("writer to n2", "writer down", "writer up"));
}

TEST(LinkReader, PassesTheTokensOfAChildOnInAProcessorFarmOnly) {
    Listening farm(PaperNode::inner), divides(PaperNode::inner, farm_that_divides());
    for (Listening* at : {&farm, &divides}) {
        at->from_child(1, signal(MessageKind::Token, 2));
        EXPECT_EQ(at->node.desk.distribution->tokens(1), 2u);
    }
    EXPECT_EQ(farm.node.desk.tokens_up.take_all(), 2u);
    EXPECT_THAT(farm.node.port.woken, ElementsAre("writer up"));
    EXPECT_EQ(divides.node.desk.tokens_up.take_all(), 0u);
}

TEST(LinkReader, WakesTheDataManagerForATokenWhenATaskWaits) {
    Listening at(PaperNode::manager);
    at.node.desk.tasks.items.push_back(task(0));
    at.from_child(0, signal(MessageKind::Token, 1));
    EXPECT_THAT(at.node.port.woken, ElementsAre("data manager"));
}

TEST(LinkReader, TakesAResultWithItsTokens) {
    Listening at(PaperNode::inner);
    at.node.child(0).handed_over = 2;
    at.from_child(0, item(MessageKind::Result, 7, bytes({1}), 1));
    EXPECT_THAT(tasks_of(at.node.desk.results.items), ElementsAre(7));
    EXPECT_EQ(at.node.child(0).handed_over, 1u);
    EXPECT_EQ(at.node.desk.distribution->tokens(0), 1u);
    EXPECT_EQ(at.node.desk.room.queue().bytes, 1 + size_message_bytes);
    EXPECT_THAT(at.node.port.woken, ElementsAre("result manager"));
    EXPECT_FALSE(at.node.desk.tokens_up.hurries());  // they go on with the result
    EXPECT_EQ(at.node.desk.tokens_up.take_all(), 1u);
}

TEST(LinkReader, DropsAResultWithoutRoomAndKeepsItsTokens) {
    Listening at(PaperNode::inner);
    at.node.port.free_memory = 2;
    at.from_child(0, item(MessageKind::Result, 7, bytes({1}), 1));
    EXPECT_THAT(at.node.desk.results.items, IsEmpty());
    EXPECT_THAT(at.node.witness.notes, IsEmpty());
    EXPECT_EQ(at.node.desk.distribution->tokens(0), 1u);
    EXPECT_THAT(at.node.dropped, ElementsAre("no memory for a result"));
}

TEST(LinkReader, ReadsTheWordOfATaskAsItsPriorityWherePrioritiesRule) {
    Listening at(PaperNode::inner, farm_with(Policy::Priorities));
    at.from_parent(item(MessageKind::Task, 7, bytes({1}), std::bit_cast<std::uint32_t>(std::int32_t{-3})));
    EXPECT_EQ(at.node.desk.tasks.items.front()->priority, -3);
}

TEST(LinkReader, StopsTheChildrenWhenTheParentSaysSo) {
    Listening at(PaperNode::inner);
    at.from_parent(signal(MessageKind::Stop));
    EXPECT_TRUE(at.node.ending.stopping());
    EXPECT_EQ(at.node.child(0).queue.front()->kind, MessageKind::Stop);
    EXPECT_EQ(at.node.child(1).queue.front()->kind, MessageKind::Stop);
}

TEST(LinkReader, DropsADamagedMessageAndGoesOn) {
    struct Case {
        const char* why;
        bool from_child;
        Coming what;
    };
    Coming no_size = signal(MessageKind::Token, 1);
    no_size.header_bytes = 3;
    Coming one_of_two = item(MessageKind::Task, 7, bytes({1}));
    one_of_two.messages = 1;
    Coming wrong_size = item(MessageKind::Task, 7, bytes({1}));
    wrong_size.size.size = 2;
    const std::vector<Case> cases = {
        {"data without a size message", true, no_size},
        {"a kind that does not fit the received messages", false, one_of_two},
        {"a size that differs from the data", false, wrong_size},
        {"a start from below, or a second start", false, signal(MessageKind::Start)},
        {"a stop from below or before the start", true, signal(MessageKind::Stop)},
        {"a task from below or before the start", true, item(MessageKind::Task, 7, bytes({1}))},
        {"tokens from above, or for more places than there are", true, signal(MessageKind::Token, 9)},
        {"tokens from above, or for more places than there are", true, signal(MessageKind::Token, 0)},
        {"a result from above, or with tokens for more places than there are", false, item(MessageKind::Result, 7, bytes({1}))},
        {"impossible numbers of computed tasks", true, item(MessageKind::Counts, 0, Bytes(16))},
        {"a message of work stealing, in a farm that does not steal", true, signal(MessageKind::Steal)},
        {"a heartbeat from above, or an unexpected one", true, signal(MessageKind::Alive)},
        {"an unknown kind of message", true, signal(static_cast<MessageKind>(99))},
    };
    for (const Case& one : cases) {
        Listening at(PaperNode::inner);
        if (one.from_child) {
            at.from_child(0, one.what);
        } else {
            at.from_parent(one.what);
        }
        EXPECT_THAT(at.node.dropped, ElementsAre(one.why));
        EXPECT_THAT(at.node.port.woken, IsEmpty()) << one.why;
        EXPECT_EQ(at.node.port.charged_us, price::link_message * one.what.messages) << one.why;
    }
}

TEST(LinkReader, DropsABundleWhoseLengthsDoNotFit) {
    Listening at(PaperNode::inner, farm_with_bundles(4));
    at.from_parent(item(MessageKind::Task, 4, bytes({9, 0, 0, 0, 1})));
    EXPECT_THAT(at.node.dropped, ElementsAre("a bundle with inconsistent lengths"));
    at.from_parent(item(MessageKind::Task, 4, bytes({1, 0, 0, 0, 1})));
    EXPECT_THAT(tasks_of(at.node.desk.tasks.items), ElementsAre(4));
}

// Work stealing on one node: as the thief, as the one that gives up a task, and as the parent of both.
#include "stealing.hpp"

#include "paper_node.hpp"

using namespace trek_roles_test;
using testing::ElementsAre;
using testing::IsEmpty;
using trek_kernel::Stealing;

namespace {

struct Thief {
    explicit Thief(std::uint16_t number) : node(number, farm_with(Policy::WorkStealing)), stealing(*node.desk.stealing) {}
    PaperNode node;
    Stealing& stealing;
};

std::vector<MessageKind> kinds(const trek_kernel::Fifo<ItemPtr>& queue) {
    std::vector<MessageKind> result;
    for (const ItemPtr& one : queue) result.push_back(one->kind);
    return result;
}

}  // namespace

TEST(Stealing, AsksWithTheResultOfTheLastTask) {
    Thief at(PaperNode::leaf);
    EXPECT_TRUE(at.stealing.would_steal());
    auto last = result(7);
    EXPECT_FALSE(at.stealing.asks_with(*last));
    last->steals = true;
    EXPECT_TRUE(at.stealing.asks_with(*last));
    EXPECT_TRUE(at.stealing.has_asked());
    EXPECT_FALSE(at.stealing.asks_with(*last));  // until it is answered
    at.stealing.is_answered();
    EXPECT_TRUE(at.stealing.would_steal());
}

TEST(Stealing, AsksForNothingWhenATaskHasComeMeanwhile) {
    Thief at(PaperNode::leaf);
    auto last = result(7);
    last->steals = true;
    at.node.desk.tasks.items.push_back(task(8));
    EXPECT_FALSE(at.stealing.asks_with(*last));
    EXPECT_FALSE(at.stealing.would_steal());
}

TEST(Stealing, AsksByItselfWhenThereIsNoResult) {
    Thief at(PaperNode::leaf);
    at.stealing.steal_without_result().get();
    EXPECT_TRUE(at.stealing.is_to_ask());
    EXPECT_THAT(at.node.port.woken, ElementsAre("writer up"));
    EXPECT_TRUE(at.stealing.asks_now());
    EXPECT_FALSE(at.stealing.is_to_ask());
    EXPECT_TRUE(at.stealing.has_asked());
}

TEST(Stealing, AsksNobodyWhereThereIsNoSibling) {
    Thief at(PaperNode::inner);  // the manager's only child
    EXPECT_FALSE(at.stealing.would_steal());
}

TEST(Stealing, GivesUpTheTaskThatCameLast) {
    Thief at(PaperNode::leaf);
    at.node.desk.tasks.items.push_back(task(7));
    at.node.desk.tasks.items.push_back(task(8));
    at.stealing.give_up(at.node.calls).get();
    EXPECT_THAT(tasks_of(at.node.desk.up.items), ElementsAre(8));
    EXPECT_THAT(kinds(at.node.desk.up.items), ElementsAre(MessageKind::Returned));
    EXPECT_THAT(tasks_of(at.node.desk.tasks.items), ElementsAre(7));
    EXPECT_EQ(at.node.port.charged_us, price::decision + price::queue);
}

TEST(Stealing, SaysSoWhenThereIsNoTaskToGiveUp) {
    Thief at(PaperNode::leaf);
    at.stealing.give_up(at.node.calls).get();
    EXPECT_THAT(kinds(at.node.desk.up.items), ElementsAre(MessageKind::Nothing));
}

TEST(Stealing, HandsTheThiefATaskThatWaitsForItsSibling) {
    Thief at(PaperNode::inner);
    at.node.give_tokens(0, 1);
    at.node.child(1).pending.push_back(task(7));
    at.node.child(1).pending.push_back(task(8));
    at.stealing.task_asked_for(at.node.calls, at.node.child(0)).get();
    EXPECT_THAT(tasks_of(at.node.child(0).pending), ElementsAre(8));
    EXPECT_TRUE(at.node.child(0).pending.front()->answers);
    EXPECT_FALSE(at.stealing.is_asked_by(at.node.child(0)));
    EXPECT_THAT(at.node.port.woken, ElementsAre("data manager"));
}

TEST(Stealing, AsksTheFullestSiblingAndAnswersWithItsTask) {
    Thief at(PaperNode::inner);
    at.node.give_tokens(0, 1);
    at.node.child(1).handed_over = 3;
    at.stealing.task_asked_for(at.node.calls, at.node.child(0)).get();
    EXPECT_THAT(kinds(at.node.child(1).queue), ElementsAre(MessageKind::GiveUp));
    EXPECT_TRUE(at.stealing.is_asked_by(at.node.child(0)));
    at.node.forget();
    at.stealing.task_returned(at.node.calls, at.node.child(1), 0, item(MessageKind::Returned, 8)).get();
    EXPECT_THAT(tasks_of(at.node.child(0).pending), ElementsAre(8));
    EXPECT_THAT(kinds(at.node.child(0).pending), ElementsAre(MessageKind::Task));
    EXPECT_EQ(at.node.child(1).handed_over, 2u);
    EXPECT_EQ(at.node.desk.distribution->tokens(1), 1u);  // the place that is free again
    EXPECT_FALSE(at.stealing.is_asked_by(at.node.child(0)));
}

TEST(Stealing, SendsATaskBackToItsChildWhenTheThiefHasGotAnother) {
    Thief at(PaperNode::inner);
    at.node.give_tokens(0, 1);
    at.node.child(1).handed_over = 3;
    at.stealing.task_asked_for(at.node.calls, at.node.child(0)).get();
    at.node.desk.distribution->take(0);
    at.stealing.task_returned(at.node.calls, at.node.child(1), 0, item(MessageKind::Returned, 8)).get();
    EXPECT_THAT(tasks_of(at.node.child(1).pending), ElementsAre(8));
    EXPECT_THAT(kinds(at.node.child(0).queue), ElementsAre(MessageKind::Nothing));
}

TEST(Stealing, AnswersNothingWhenNobodyHasATask) {
    Thief at(PaperNode::inner);
    at.node.give_tokens(0, 1);
    at.stealing.task_asked_for(at.node.calls, at.node.child(0)).get();
    EXPECT_THAT(kinds(at.node.child(0).queue), ElementsAre(MessageKind::Nothing));
    EXPECT_FALSE(at.stealing.is_asked_by(at.node.child(0)));
}

TEST(Stealing, AnswersTheThiefWhenItsSiblingHasNothingOrIsLost) {
    for (const bool lost : {false, true}) {
        Thief at(PaperNode::inner);
        at.node.give_tokens(0, 1);
        at.node.child(1).handed_over = 3;
        at.stealing.task_asked_for(at.node.calls, at.node.child(0)).get();
        if (lost) {
            at.stealing.child_lost(at.node.child(1)).get();
        } else {
            at.stealing.nothing_came(&at.node.child(1)).get();
        }
        EXPECT_THAT(kinds(at.node.child(0).queue), ElementsAre(MessageKind::Nothing));
    }
}

TEST(Stealing, RefusesAnswersToNothingThatWasAsked) {
    Thief at(PaperNode::inner);
    const auto wrong = [&](MessageKind kind, const Child* from) {
        return at.stealing.what_is_wrong({.kind = kind}, from) != nullptr;
    };
    const Child& child = at.node.child(1);
    EXPECT_FALSE(wrong(MessageKind::Steal, &child));
    EXPECT_TRUE(wrong(MessageKind::Steal, nullptr));
    EXPECT_FALSE(wrong(MessageKind::GiveUp, nullptr));
    EXPECT_TRUE(wrong(MessageKind::GiveUp, &child));
    EXPECT_TRUE(wrong(MessageKind::Nothing, nullptr));
    EXPECT_TRUE(wrong(MessageKind::Nothing, &child));
    EXPECT_TRUE(wrong(MessageKind::Returned, &child));
    at.node.give_tokens(0, 1);
    at.node.child(1).handed_over = 3;
    at.stealing.task_asked_for(at.node.calls, at.node.child(0)).get();
    EXPECT_FALSE(wrong(MessageKind::Returned, &child));
    EXPECT_TRUE(wrong(MessageKind::Returned, nullptr));
    EXPECT_TRUE(wrong(MessageKind::Steal, &at.node.child(0)));  // unanswered
}

TEST(Stealing, IsSilentAfterTheStop) {
    Thief at(PaperNode::inner);
    at.node.ending.stop_arrived(at.node.calls).get();
    at.node.forget();
    at.stealing.task_asked_for(at.node.calls, at.node.child(0)).get();
    at.stealing.give_up(at.node.calls).get();
    EXPECT_THAT(at.node.port.woken, IsEmpty());
    EXPECT_EQ(at.node.port.charged_us, 0);
}

// Properties that hold at both levels of the links.
#include <gtest/gtest.h>

#include "relay_pair.hpp"

using hw_model::Channel;
using hw_model::LinkLevel;
using hw_test::RelayPair;
using hw_test::SimTime;

namespace {

class EachLevel : public testing::TestWithParam<LinkLevel> {
protected:
    RelayPair pair{GetParam()};
};

constexpr SimTime first_send = SimTime::us(10);
constexpr vocabulary::Account system_account{};

double us(SimTime time) {
    return static_cast<double>(time.in_ps()) * 1e-6;
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(Level, EachLevel, testing::Values(LinkLevel::Message, LinkLevel::Byte),
                         [](const auto& level) { return level.param == LinkLevel::Byte ? "Byte" : "Message"; });

TEST_P(EachLevel, BringsHeaderAndBodyUnchangedBothWays) {
    auto& large = pair.send_at(first_send, 0, 10'000);
    auto& small = pair.send_at(first_send, 1, 5);
    pair.run();
    EXPECT_TRUE(large.received() && large.sent() && large.content_arrived());
    EXPECT_TRUE(small.received() && small.sent() && small.content_arrived());
}

TEST_P(EachLevel, BringsAllWhetherTheWireHasMoreBytesOrLess) {
    auto& padded = pair.prepare(0, 20);
    padded.message.wire_bytes = 60;
    auto& squeezed = pair.prepare(1, 20);  // 8 bytes of header, modelled as 4
    squeezed.message.wire_bytes = 16;
    auto& empty = pair.prepare(0, 0, Channel::Circuit);
    pair.script.at(first_send, [&] {
        for (auto* message : {&padded, &squeezed, &empty}) {
            message->receive();
            message->send();
        }
    });
    pair.run();
    EXPECT_TRUE(padded.content_arrived() && squeezed.content_arrived());
    EXPECT_TRUE(empty.received() && empty.sent());
}

TEST_P(EachLevel, GivesARoomThatGrowsTheLengthThatComes) {
    auto& message = pair.prepare(0, 100);
    std::vector<std::byte> body;
    message.request.any_body = &body;
    pair.script.at(first_send, [&] {
        message.receive();
        message.send();
    });
    pair.run();
    EXPECT_EQ(body.size(), 92u);
    EXPECT_EQ(message.request.header_bytes, 8u);
    EXPECT_EQ(message.request.body_bytes, 92u);
}

TEST_P(EachLevel, IsHeldUpByAMessageThatNobodyTakes) {
    auto& plug = pair.prepare(0, 50, Channel::Datalink);
    auto& behind = pair.prepare(0, 50, Channel::Circuit);
    pair.script.at(first_send, [&] {
        plug.send();
        behind.send();
        behind.receive();
    });
    pair.script.at(SimTime::us(500), [&] {
        EXPECT_FALSE(plug.sent() || behind.sent() || pair.links[1]->receiving());
        plug.receive();
    });
    pair.run();
    EXPECT_TRUE(plug.content_arrived() && behind.content_arrived());
    EXPECT_LT(plug.arrived(), behind.arrived());
}

TEST_P(EachLevel, KeepsAMessageOnTheWireForEverWhenTheReceiverDies) {
    auto& message = pair.send_at(first_send, 0, 1000);
    pair.script.at(SimTime::us(300), [&] { pair.links[1]->cut(); });
    pair.run();
    EXPECT_FALSE(message.sent() || message.received());
    EXPECT_TRUE(pair.links[0]->sending());
    EXPECT_FALSE(pair.links[1]->moving());
}

TEST_P(EachLevel, KeepsAMessageOnTheWireForEverWhenTheSenderDies) {
    auto& message = pair.send_at(first_send, 0, 1000);
    pair.script.at(SimTime::us(300), [&] {
        EXPECT_TRUE(pair.links[1]->moving());
        pair.links[0]->cut();
        EXPECT_FALSE(pair.links[1]->moving());
    });
    pair.run();
    EXPECT_FALSE(message.sent() || message.received());
    EXPECT_TRUE(pair.links[1]->receiving());
}

TEST_P(EachLevel, StartsNothingThatADeadNodeHadOffered) {
    auto& message = pair.prepare(0, 100);
    pair.script.at(first_send, [&] { message.send(); });
    pair.script.at(SimTime::us(20), [&] { pair.links[0]->cut(); });
    pair.script.at(SimTime::us(30), [&] { message.receive(); });
    pair.run();
    EXPECT_FALSE(message.received());
}

TEST_P(EachLevel, FinishesAMessageWhoseReceiverWasStoppedAndGivesItToNobody) {
    auto& message = pair.send_at(first_send, 0, 1000);
    auto& next = pair.prepare(0, 100);
    pair.script.at(SimTime::us(300), [&] { message.withdraw(); });
    pair.script.at(SimTime::us(800), [&] {
        next.receive();
        next.send();
    });
    pair.run();
    EXPECT_TRUE(message.sent());
    EXPECT_FALSE(message.received());
    EXPECT_TRUE(next.content_arrived());
}

TEST_P(EachLevel, CountsBytesMessagesAndBusyTimeByAccount) {
    pair.send_at(first_send, 0, 100);
    pair.send_at(SimTime::us(500), 0, 300);
    pair.run();
    const auto totals = pair.links[0]->totals();
    EXPECT_EQ(totals.of[system_account].bytes, 400u);
    EXPECT_EQ(totals.of[system_account].messages, 2u);
    EXPECT_EQ(totals.of[system_account].busy, SimTime::ns(400 * 575));
    EXPECT_EQ(totals.waiting, SimTime());
    EXPECT_EQ(pair.links[1]->totals().of[system_account].busy, SimTime());
}

TEST_P(EachLevel, CountsHowLongAMessageWasOfferedAndNotBegun) {
    auto& message = pair.prepare(0, 100);
    pair.script.at(first_send, [&] { message.send(); });
    pair.script.at(SimTime::us(200), [&] {
        EXPECT_EQ(pair.links[0]->totals().waiting, SimTime::us(190));  // still
        message.receive();
    });
    pair.run();
    const auto totals = pair.links[0]->totals();
    EXPECT_NEAR(us(totals.waiting), 190, 0.3);  // byte level: less a turn-round, since the first byte is there already
    EXPECT_EQ(totals.of[system_account].busy, SimTime::ns(100 * 575));
}

TEST_P(EachLevel, LosesATransferWhosePathIsBrokenAndBothEndsCountIt) {
    auto& message = pair.send_at(first_send, 0, 1000);
    pair.script.at(SimTime::us(300), [&] { pair.break_link(); });
    pair.run();
    EXPECT_TRUE(message.sent() && message.lost());
    EXPECT_EQ(message.sender_went_on(), SimTime::us(300));
    EXPECT_FALSE(message.received());
    EXPECT_EQ(pair.links[0]->totals().lost, 1u);
    EXPECT_EQ(pair.links[1]->totals().lost_on_arrival, 1u);
    EXPECT_EQ(pair.links[0]->totals().of[system_account].bytes, 0u);
    EXPECT_EQ(pair.links[0]->totals().of[system_account].busy, SimTime::us(290));
    EXPECT_FALSE(pair.links[0]->sending() || pair.links[1]->receiving());
}

TEST_P(EachLevel, TheReceiverOfALostTransferGetsTheNextMessage) {
    auto& lost = pair.send_at(first_send, 0, 1000);
    auto& next = pair.prepare(0, 1000);
    next.request = lost.request;
    pair.script.at(first_send, [&] { next.send(); });
    pair.script.at(SimTime::us(300), [&] { pair.break_link(); });
    pair.script.at(SimTime::us(400), [&] {
        EXPECT_FALSE(next.sent());
        pair.join_link();
    });
    pair.run();
    EXPECT_TRUE(lost.lost() && !next.lost());
    EXPECT_TRUE(lost.received() && lost.content_arrived());  // the room of the first holds the second, which has the same text
    EXPECT_NEAR(us(next.sender_went_on()), 400 + 575, 0.001);
}

TEST_P(EachLevel, OffersAgainWhatHadNotBegunWhenItsPathWasBroken) {
    auto& message = pair.prepare(0, 1000);
    pair.script.at(first_send, [&] { message.send(); });
    pair.script.at(SimTime::us(300), [&] { pair.break_link(); });
    pair.script.at(SimTime::us(350), [&] { message.receive(); });
    pair.script.at(SimTime::us(400), [&] { pair.join_link(); });
    pair.run();
    EXPECT_TRUE(message.sent() && !message.lost() && message.content_arrived());
    EXPECT_EQ(message.sender_went_on(), SimTime::us(400 + 575));
    EXPECT_EQ(pair.links[0]->totals().lost + pair.links[1]->totals().lost_on_arrival, 0u);
}

TEST_P(EachLevel, OffersNothingWhileThePathIsBroken) {
    auto& message = pair.prepare(0, 100);
    pair.script.at(first_send, [&] { pair.break_link(); });
    pair.script.at(SimTime::us(20), [&] {
        message.receive();
        message.send();
        EXPECT_TRUE(message.unconnected());
    });
    pair.script.at(SimTime::us(30), [&] { pair.join_link(); });
    pair.run();
    EXPECT_TRUE(message.content_arrived());
    EXPECT_FALSE(message.unconnected());
    EXPECT_EQ(message.sender_went_on(), SimTime::ns(30'000 + 57'500));
}

TEST_P(EachLevel, OffersAgainWhatWentIntoAnUnconnectedWay) {
    pair.path(0).connected = pair.path(1).connected = false;
    auto& message = pair.send_at(first_send, 0, 100);
    pair.script.at(SimTime::us(30), [&] { pair.join_link(); });
    pair.run();
    EXPECT_TRUE(message.content_arrived());
}

TEST_P(EachLevel, TheOtherDirectionIsFasterAgainWhenATransferIsLost) {
    auto& slow = pair.send_at(first_send, 0, 1000);
    auto& lost = pair.send_at(first_send, 1, 10'000);
    pair.script.at(SimTime::us(10 + 425), [&] { pair.path(1).break_path(), pair.path(1).join_path(); });  // after 500 bytes
    pair.run();
    EXPECT_TRUE(lost.lost());
    EXPECT_TRUE(slow.received());
    EXPECT_NEAR(us(slow.arrived() - first_send), 500 * 0.85 + 500 * 0.575, 1);
}

TEST_P(EachLevel, ForgetsTheTransferOfADeadSenderWhenItsPathIsBroken) {
    auto& never = pair.send_at(first_send, 0, 1000);
    pair.script.at(SimTime::us(300), [&] { pair.links[0]->cut(); });
    pair.script.at(SimTime::us(400), [&] { pair.break_link(); });
    pair.run();
    EXPECT_FALSE(never.received());
    EXPECT_FALSE(pair.links[1]->receiving());
    EXPECT_EQ(pair.links[1]->totals().lost_on_arrival, 1u);
}

TEST_P(EachLevel, AResetLosesWhatIsUnderWayInBothDirectionsAndGoesOnWithTheRest) {
    auto& out = pair.send_at(first_send, 0, 1000);
    auto& in = pair.send_at(first_send, 1, 1000);
    auto& next_out = pair.prepare(0, 100);
    auto& next_in = pair.prepare(1, 100);
    pair.script.at(SimTime::us(300), [&] {
        out.withdraw();
        in.withdraw();
        next_out.receive();
        next_in.receive();
        next_out.send();
        next_in.send();
        pair.links[0]->reset();
    });
    pair.run();
    EXPECT_TRUE(out.lost() && in.lost());
    EXPECT_TRUE(next_out.content_arrived() && next_in.content_arrived());
    for (const auto& link : pair.links) {
        EXPECT_EQ(link->totals().lost, 1u);
        EXPECT_EQ(link->totals().lost_on_arrival, 1u);
    }
}

TEST_P(EachLevel, TakesNoMemoryCyclesForATransferThatADeathHasStopped) {
    auto& out = pair.send_at(first_send, 0, 1000);
    auto& in = pair.send_at(first_send, 1, 1000);
    pair.script.at(SimTime::us(300), [&] { pair.links[0]->cut(); });
    std::array<SimTime, 2> ended;
    std::deque<hw_model::Fiber> programs;
    for (const std::size_t i : {0U, 1U}) {
        programs.emplace_back(hw_model::Priority::Low, *pair.arenas[i], [&, i] {
            programs[i].use(vocabulary::Cycles(20'000));
            ended[i] = pair.timeline.now();
        });
        pair.script.at(SimTime::us(400), [&, i] { pair.processors[i]->start(programs[i]); });
    }
    pair.run();
    EXPECT_FALSE(out.received() || in.received());
    for (const std::size_t i : {0U, 1U}) {
        EXPECT_GT(ended[i], SimTime::us(400));
        EXPECT_EQ(pair.processors[i]->totals().stolen, SimTime());
    }
}

TEST_P(EachLevel, TakesTheMemoryCyclesOfAMessageFromAProcessorThatIsBusyHalfOfTheTime) {
    hw_model::Fiber program(hw_model::Priority::Low, *pair.arenas[1], [&] { program.use(vocabulary::Cycles(5'750)); });
    auto& message = pair.send_at(first_send, 0, 1000);  // 575 us, 250 words, 750 cycles of memory
    pair.script.at(first_send, [&] { pair.processors[1]->start(program); });
    hw_model::Fiber after(hw_model::Priority::Low, *pair.arenas[1], [&] { after.use(vocabulary::Cycles(100)); });
    pair.script.at(SimTime::us(580), [&] { pair.processors[1]->start(after); });
    pair.run();
    EXPECT_TRUE(message.received());
    const double stolen = us(pair.processors[1]->totals().stolen) * 20;
    // The stolen cycles make the program longer, so more are stolen from it.
    EXPECT_NEAR(stolen, 375 / (1 - 0.065), 15);
}

// Sender's memory external, receiver's on chip.
TEST_P(EachLevel, TakesFromEachEndTheCyclesOfTheMemoryThatItsWordsLieIn) {
    std::array<std::unique_ptr<hw_model::Fiber>, 2> programs;
    for (std::size_t i = 0; i < 2; ++i) {
        programs[i] = std::make_unique<hw_model::Fiber>(hw_model::Priority::Low, *pair.arenas[i],
                                                        [&, i] { programs[i]->use(vocabulary::Cycles(20'000)); });
        pair.script.at(first_send, [&, i] { pair.processors[i]->start(*programs[i]); });
    }
    auto& message = pair.prepare(0, 1000);
    message.request.memory = hw_model::Memory::OnChip;
    pair.script.at(first_send + SimTime::us(10), [&] {
        message.receive();
        message.send();
    });
    pair.run();
    EXPECT_TRUE(message.received());
    EXPECT_NEAR(us(pair.processors[0]->totals().stolen) * 20, 750, 5);
    EXPECT_NEAR(us(pair.processors[1]->totals().stolen) * 20, 250, 5);
}

TEST(LinkLevels, WithoutStolenCyclesAProcessorDoesNotNoticeItsLinks) {
    auto costs = hw_test::costs();
    costs.set("link.stolen_cycles", 0, "test");
    RelayPair pair(LinkLevel::Byte, 20'000'000, costs);
    SimTime ended;
    hw_model::Fiber program(hw_model::Priority::Low, *pair.arenas[1], [&] {
        program.use(vocabulary::Cycles(20'000));
        ended = pair.timeline.now();
    });
    pair.script.at(first_send, [&] { pair.processors[1]->start(program); });
    auto& message = pair.prepare(0, 100);
    pair.script.at(first_send, [&] { message.send(); });
    pair.run();
    EXPECT_EQ(ended, first_send + SimTime::ns((20'000 + 16) * 50));
}

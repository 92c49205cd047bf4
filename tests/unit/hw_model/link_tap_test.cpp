#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "tapped_chain.hpp"

using Effect = hw_model::FaultEffect;
using hw_model::LinkLevel;
using hw_model::LinkTap;
using hw_test::Hits;
using hw_test::run_machine;
using hw_test::SimTime;
using hw_test::TappedChain;

namespace {

constexpr LinkTap::Ways both{true, true}, along{true, false}, against{false, true};

// A seed with which a fault of one packet makes the next one unrecognisable.
std::uint64_t seed_that_loses() {
    for (std::uint64_t seed = 1;; ++seed) {
        if (hw_model::SeededStream(seed, 0).below(LinkTap::data_bits) < LinkTap::first_data_bit) return seed;
    }
}

// A seed with which a rate of a tenth first strikes that acknowledge.
std::uint64_t seed_that_strikes_first(std::uint32_t position) {
    for (std::uint64_t seed = 1;; ++seed) {
        hw_model::SeededStream stream(seed, 3);
        std::uint32_t struck = 0;
        while (stream.uniform() >= 0.1) ++struck;
        if (struck == position) return seed;
    }
}

double in_us(SimTime time) {
    return static_cast<double>(time.in_ps()) * 1e-6;
}

class Tap : public testing::TestWithParam<LinkLevel> {
protected:
    Tap() : chain(GetParam()) { chain.tap().set_witness(&hits); }
    void run() { run_machine(SimTime::s(1)); }
    // The same, with a program of a millisecond on each node from `when` on. Cycles can be taken from it.
    void run_from(SimTime when) {
        std::deque<hw_model::Fiber> programs;
        for (const std::uint16_t node : {0, 1}) {
            auto& program = programs.emplace_back(hw_model::Priority::Low, chain.machine.node(hw_test::NodeId(node)).arena,
                                                  [&programs, node] { programs[node].use(hw_test::Cycles(20'000)); });
            chain.script.at(when, [this, node, &program] { processor(node).start(program); });
        }
        run();
    }
    hw_model::Processor& processor(std::uint16_t node) { return chain.machine.node(hw_test::NodeId(node)).processor; }
    SimTime stolen(std::uint16_t node) { return processor(node).totals().stolen; }
    TappedChain chain;
    Hits hits;
};

}  // namespace

TEST_P(Tap, ChangesNoTimeWhileItIsQuiet) {
    auto& tapped = chain.send_at(SimTime::us(10), 0, 1, 1000);
    auto& tapped_back = chain.send_at(SimTime::us(200), 1, 0, 300);
    auto& plain = chain.send_at(SimTime::us(10), 1, 2, 1000);
    auto& plain_back = chain.send_at(SimTime::us(200), 2, 1, 300);
    run();
    EXPECT_EQ(tapped.arrived(), plain.arrived());
    EXPECT_EQ(tapped_back.arrived(), plain_back.arrived());
    EXPECT_TRUE(tapped.sent() && tapped_back.sent() && tapped.changed().empty());
    EXPECT_TRUE(hits.all.empty());
}

TEST_P(Tap, StopsWhatIsOnACutLinkForEver) {
    auto& message = chain.send_at(SimTime::us(10), 0, 1, 1000);
    chain.script.at(SimTime::us(300), [&] { chain.tap().block(0, both); });
    run();
    EXPECT_FALSE(message.sent() || message.received());
    EXPECT_FALSE(chain.machine.node(hw_test::NodeId(1)).link(hw_test::LinkNo(0))->moving());
    ASSERT_EQ(hits.all.size(), 1U);
    EXPECT_EQ(hits.all[0].effect, Effect::Stopped);
    EXPECT_EQ(hits.all[0].way, LinkTap::Along);
}

TEST_P(Tap, CarriesNothingEitherWayWhenOneWayIsCut) {
    auto& there = chain.send_at(SimTime::us(10), 0, 1, 100);
    auto& back = chain.send_at(SimTime::us(10), 1, 0, 100);
    auto& elsewhere = chain.send_at(SimTime::us(10), 1, 2, 100);
    chain.tap().block(0, against);
    run();
    EXPECT_FALSE(there.sent() || back.sent());
    EXPECT_TRUE(elsewhere.sent());
    EXPECT_EQ(hits.all.size(), 2U);
}

TEST_P(Tap, LetsAMessageThroughThatWasOfferedWhileTheLinkWasCut) {
    chain.tap().block(3, both);
    auto& message = chain.send_at(SimTime::us(10), 0, 1, 100);
    chain.script.at(SimTime::us(500), [&] { chain.tap().end(3); });
    run();
    EXPECT_TRUE(message.sent());
    EXPECT_GT(message.arrived(), SimTime::us(500));
    EXPECT_TRUE(message.changed().empty());
    EXPECT_EQ(hits.count(Effect::Refused), 1U);
}

TEST_P(Tap, RefusesUntilTheCutEndsWhicheverOfTheTwoDirectionsIsCut) {
    chain.script.at(SimTime::us(5), [&] { chain.tap().block(3, along); });
    auto& there = chain.send_at(SimTime::us(10), 0, 1, 100);
    auto& back = chain.send_at(SimTime::us(10), 1, 0, 100);
    chain.script.at(SimTime::us(500), [&] { chain.tap().end(3); });
    chain.script.at(SimTime::us(1005), [&] { chain.tap().block(4, against); });
    auto& there_again = chain.send_at(SimTime::us(1010), 0, 1, 100);
    auto& back_again = chain.send_at(SimTime::us(1010), 1, 0, 100);
    chain.script.at(SimTime::us(1500), [&] { chain.tap().end(4); });
    run();
    ASSERT_TRUE(there.sent() && back.sent() && there_again.sent() && back_again.sent());
    EXPECT_GT(std::min(there.arrived(), back.arrived()), SimTime::us(500));
    EXPECT_GT(std::min(there_again.arrived(), back_again.arrived()), SimTime::us(1500));
    EXPECT_EQ(hits.count(Effect::Refused), 4U);
    EXPECT_EQ(hits.all.size(), 4U);
}

TEST_P(Tap, OffersAgainWhatWaitedForTheReceiverWhenTheLinkWasCut) {
    auto& message = chain.prepare(0, 1, 100);
    chain.script.at(SimTime::us(10), [&] { message.send(); });
    chain.script.at(SimTime::us(100), [&] { chain.tap().block(3, both); });
    chain.script.at(SimTime::us(200), [&] { message.receive(); });
    chain.script.at(SimTime::us(500), [&] { chain.tap().end(3); });
    run();
    EXPECT_TRUE(message.sent() && message.received());
    EXPECT_GT(message.arrived(), SimTime::us(500));
    EXPECT_TRUE(message.changed().empty());
    EXPECT_EQ(hits.count(Effect::Refused), 1U);
    EXPECT_EQ(hits.all.size(), 1U);
}

TEST_P(Tap, NeverEndsAMessageThatACutHasStoppedAlsoWhenTheLinkComesBack) {
    auto& message = chain.send_at(SimTime::us(10), 0, 1, 1000);
    auto& other_way = chain.send_at(SimTime::us(900), 1, 0, 10);
    chain.script.at(SimTime::us(300), [&] { chain.tap().block(0, both); });
    chain.script.at(SimTime::us(600), [&] { chain.tap().end(0); });
    run();
    EXPECT_FALSE(message.sent() || message.received());
    EXPECT_TRUE(other_way.sent());
}

TEST_P(Tap, KeepsAMessageThatWaitsForItsReceiverThroughACut) {
    auto& message = chain.prepare(0, 1, 100);
    chain.script.at(SimTime::us(10), [&] { message.send(); });
    chain.script.at(SimTime::us(100), [&] { chain.tap().block(0, both); });
    chain.script.at(SimTime::us(200), [&] { chain.tap().end(0); });
    chain.script.at(SimTime::us(300), [&] { message.receive(); });
    run();
    EXPECT_TRUE(message.sent() && message.changed().empty());
}

TEST_P(Tap, IsOpenOnlyWhenBothOfTwoCutsHaveEnded) {
    chain.tap().block(0, along);
    chain.tap().block(1, both);
    auto& message = chain.send_at(SimTime::us(10), 0, 1, 100);
    chain.script.at(SimTime::us(500), [&] { chain.tap().end(0); });
    chain.script.at(SimTime::us(700), [&] { chain.tap().end(1); });
    run();
    EXPECT_TRUE(message.sent());
    EXPECT_GT(message.arrived(), SimTime::us(700));
}

// The draws are the same at both levels: one a byte, and one for the bit.
TEST_P(Tap, FlipsTheBytesThatTheSeedSaysAtTheGivenRate) {
    constexpr double rate = 0.002;
    chain.tap().flip(0, along, rate, 4);
    auto& message = chain.send_at(SimTime::us(10), 0, 1, 4000);
    hw_model::SeededStream stream(4, 0);
    std::vector<std::uint32_t> changed;
    bool lost = false;
    for (std::uint32_t i = 0; i < 4000 && !lost; ++i) {
        if (stream.uniform() >= rate) continue;
        const std::uint64_t bit = stream.below(LinkTap::data_bits);
        lost = bit < LinkTap::first_data_bit || bit == LinkTap::data_bits - 1;
        if (!lost) changed.push_back(i);
    }
    run();
    EXPECT_EQ(hits.count(Effect::ByteChanged), changed.size());
    EXPECT_EQ(hits.count(Effect::PacketLost), lost ? 1U : 0U);
    EXPECT_EQ(message.received(), !lost);
    EXPECT_TRUE(lost || message.changed() == changed);
}

TEST_P(Tap, StrikesOnePacketWhenItHasNoRate) {
    chain.tap().flip(0, along, std::nullopt, 11);
    auto& first = chain.send_at(SimTime::us(10), 0, 1, 64);
    auto& second = chain.send_at(SimTime::ms(1), 0, 1, 64);
    run();
    ASSERT_EQ(hits.all.size(), 1U);
    EXPECT_EQ(hits.all[0].position, 0U);
    const bool changed = hits.all[0].effect == Effect::ByteChanged;
    EXPECT_EQ(first.received(), changed);
    EXPECT_EQ(first.changed().empty(), !changed || !first.received());
    EXPECT_EQ(second.received(), changed);  // behind a transfer that never ends
    EXPECT_TRUE(!changed || second.changed().empty());
}

TEST_P(Tap, GoesOnWhenThePathIsChangedAfterTheFirstPacketWasLost) {
    chain.tap().flip(0, along, std::nullopt, seed_that_loses());
    auto& struck = chain.send_at(SimTime::us(10), 0, 1, 64);
    auto& next = chain.prepare(0, 1, 64);
    chain.script.at(SimTime::us(500), [&] { EXPECT_EQ(hits.count(Effect::PacketLost), 1U); });
    chain.script.at(SimTime::us(500), [&] { chain.machine.node(hw_test::NodeId(0)).link(hw_test::LinkNo(1))->reset(); });
    chain.script.at(SimTime::us(600), [&] { next.send(); });
    run();
    EXPECT_TRUE(struck.sent() && struck.received()) << "its receiver gets it, or the next one in its place";
}

TEST_P(Tap, BringsNothingBackWhoseFirstPacketWasLostWhenALaterCutEnds) {
    chain.tap().flip(0, along, std::nullopt, seed_that_loses());
    auto& struck = chain.send_at(SimTime::us(10), 0, 1, 64);
    chain.script.at(SimTime::us(500), [&] { chain.tap().block(1, both); });
    chain.script.at(SimTime::us(600), [&] { chain.tap().end(1); });
    run();
    EXPECT_FALSE(struck.sent() || struck.received());
    EXPECT_EQ(hits.all.size(), 1U);
}

TEST_P(Tap, LosesOneAcknowledgeAndTheSenderWaitsForEver) {
    auto& message = chain.send_at(SimTime::us(10), 0, 1, 100);
    chain.tap().lose_acknowledges(0, against, std::nullopt, 1);
    run();
    EXPECT_FALSE(message.sent() || message.received());
    EXPECT_EQ(hits.count(Effect::AcknowledgeLost), 1U);
}

TEST_P(Tap, GivesTheReceiverAllWhenTheLastAcknowledgeIsLost) {
    auto& message = chain.send_at(SimTime::us(10), 0, 1, 1);
    chain.tap().lose_acknowledges(0, against, std::nullopt, 1);
    run();
    EXPECT_TRUE(message.received());
    EXPECT_FALSE(message.sent());
}

TEST_P(Tap, LosesNoAcknowledgeThatGoesTheOtherWay) {
    auto& message = chain.send_at(SimTime::us(10), 0, 1, 100);
    chain.tap().lose_acknowledges(0, along, 1.0, 1);
    run();
    EXPECT_TRUE(message.sent() && message.received());
}

TEST_P(Tap, LosesAcknowledgesToFlipsInTheirOwnDirectionOnly) {
    auto& message = chain.send_at(SimTime::us(10), 0, 1, 3000);
    chain.tap().flip(0, against, 0.05, 1);
    run();
    EXPECT_FALSE(message.sent());
    EXPECT_EQ(hits.count(Effect::AcknowledgeLost), 1U);
    EXPECT_EQ(hits.count(Effect::ByteChanged), 0U);
}

TEST_P(Tap, GivesTheOtherDirectionTheRateOfOneWayWhenATransferIsStuck) {
    auto& back = chain.send_at(SimTime::us(10), 1, 0, 1000);
    auto& alone = chain.send_at(SimTime::us(10), 2, 1, 1000);
    auto& stuck = chain.send_at(SimTime::us(10), 0, 1, 1000);
    chain.script.at(SimTime::us(10), [&] { chain.tap().lose_acknowledges(0, against, std::nullopt, 1); });
    auto& later = chain.send_at(SimTime::ms(2), 1, 0, 1000);
    auto& later_alone = chain.send_at(SimTime::ms(2), 2, 1, 1000);
    run();
    EXPECT_FALSE(stuck.sent() || stuck.received());
    EXPECT_NEAR(in_us(back.arrived()), in_us(alone.arrived()), 3);
    EXPECT_EQ(later.arrived(), later_alone.arrived());
}

TEST_P(Tap, TakesNoMemoryCyclesForATransferThatItStopped) {
    auto& stuck = chain.send_at(SimTime::us(10), 0, 1, 1000);
    chain.script.at(SimTime::us(200), [&] { chain.tap().block(0, both); });
    run_from(SimTime::us(400));
    EXPECT_FALSE(stuck.sent() || stuck.received());
    for (const std::uint16_t node : {0, 1}) EXPECT_EQ(stolen(node), SimTime()) << node;
}

TEST_P(Tap, TakesNoMemoryCyclesForATransferWhoseLastAcknowledgeIsLost) {
    auto& message = chain.send_at(SimTime::us(10), 0, 1, 4);
    chain.tap().lose_acknowledges(0, against, 0.1, seed_that_strikes_first(3));
    run_from(SimTime::us(400));
    EXPECT_TRUE(message.received() && !message.sent());
    EXPECT_FALSE(chain.machine.node(hw_test::NodeId(0)).link(hw_test::LinkNo(1))->moving_out());
    for (const std::uint16_t node : {0, 1}) EXPECT_EQ(stolen(node), SimTime()) << node;
}

INSTANTIATE_TEST_SUITE_P(At, Tap, testing::Values(LinkLevel::Message, LinkLevel::Byte),
                         [](const auto& level) { return level.param == LinkLevel::Byte ? "ByteLevel" : "MessageLevel"; });

// Byte level to the picosecond, at 20 Mbit/s. A bit takes 50 ns, a data packet 550 ns, an acknowledge 100 ns. Turn-rounds take
// 275 ns (acknowledge) and 300 ns (data).
#include <gtest/gtest.h>

#include "relay_pair.hpp"

using hw_model::Channel;
using hw_model::LinkLevel;
using hw_test::RelayPair;
using hw_test::SimTime;

namespace {

constexpr SimTime start = SimTime::us(10);
constexpr SimTime packet = SimTime::ns(550), turn_round_data = SimTime::ns(300);
constexpr SimTime period = SimTime::ns(575);  // of bytes one way

class ByteLinkLength : public testing::TestWithParam<int> {};

}  // namespace

TEST_P(ByteLinkLength, TakesBothTurnRoundsAByteAndThePacketOfTheLast) {
    RelayPair pair(LinkLevel::Byte);
    const int bytes = GetParam();
    auto& message = pair.send_at(start, 0, static_cast<std::uint32_t>(bytes));
    pair.run();
    EXPECT_EQ(message.arrived(), start + period * (bytes - 1) + packet);
    EXPECT_EQ(message.sender_went_on(), start + period * bytes);
    EXPECT_TRUE(message.content_arrived());
}

INSTANTIATE_TEST_SUITE_P(Bytes, ByteLinkLength, testing::Values(1, 2, 3, 4, 5, 4096));

TEST(ByteLink, AddsTheDelayOfTheWayTwiceToAPeriod) {
    RelayPair pair(LinkLevel::Byte, 20'000'000, hw_test::costs(), 3);  // 5.25 bits
    auto& message = pair.send_at(start, 0, 3);
    pair.run();
    const SimTime delay = SimTime::ps(262'500), long_period = period + delay + delay;
    EXPECT_EQ(message.arrived(), start + long_period * 2 + delay + packet);
    EXPECT_EQ(message.sender_went_on(), start + long_period * 3);
}

TEST(ByteLink, SendsNoFasterThanPacketsFollowEachOther) {
    RelayPair pair(LinkLevel::Byte, 5'000'000);  // both turn-rounds are 8.5 bits together, a packet 11
    auto& message = pair.send_at(start, 0, 3);
    pair.run();
    EXPECT_EQ(message.arrived(), start + SimTime::ns(2200 * 3));
    EXPECT_EQ(message.sender_went_on(), start + SimTime::ns(2200 * 3));
}

TEST(ByteLink, HoldsTheAcknowledgeOfTheFirstByteBackUntilAProcessWaits) {
    RelayPair pair(LinkLevel::Byte);
    auto& message = pair.prepare(0, 3);
    const SimTime late = SimTime::us(500);
    pair.script.at(start, [&] { message.send(); });
    pair.script.at(late, [&] { message.receive(); });
    pair.run();
    EXPECT_EQ(message.arrived(), late + turn_round_data + period + packet);
    EXPECT_EQ(message.sender_went_on(), late + turn_round_data + period * 2);
}

TEST(ByteLink, GivesAProcessTheByteThatLiesInTheBufferAtOnce) {
    RelayPair pair(LinkLevel::Byte);
    auto& message = pair.prepare(0, 1);
    const SimTime late = SimTime::us(500);
    pair.script.at(start, [&] { message.send(); });
    pair.script.at(late, [&] { message.receive(); });
    pair.run();
    EXPECT_EQ(message.arrived(), late);
    EXPECT_EQ(message.sender_went_on(), late + turn_round_data);
}

TEST(ByteLink, AcknowledgesAByteThatIsComingInWhenAProcessBeginsToWaitWithoutDelay) {
    RelayPair pair(LinkLevel::Byte);
    auto& message = pair.prepare(0, 2);
    const SimTime late = start + SimTime::ns(400);  // after the 275 ns of an early acknowledge, before the 550 of the packet
    pair.script.at(start, [&] { message.send(); });
    pair.script.at(late, [&] { message.receive(); });
    pair.run();
    EXPECT_EQ(message.sender_went_on(), late + turn_round_data + period);
}

TEST(ByteLink, TakesAcknowledgesBetweenItsOwnDataPackets) {
    RelayPair pair(LinkLevel::Byte);
    auto& there = pair.send_at(start, 0, 3);
    auto& back = pair.send_at(start, 1, 3);
    pair.run();
    // Both wires are busy with data until 11 bits, so the acknowledges leave then, and 6 bits later the next data: 17 bits.
    const SimTime both_ways = SimTime::ns(850);
    for (const auto* message : {&there, &back}) {
        EXPECT_EQ(message->arrived(), start + both_ways * 2 + packet);
        EXPECT_EQ(message->sender_went_on(), start + both_ways * 3);
    }
}

TEST(ByteLink, SendsAnAcknowledgeBeforeADataPacketThatCouldBeginAtTheSameTime) {
    RelayPair pair(LinkLevel::Byte);
    auto& there = pair.send_at(start, 0, 2);
    auto& back = pair.prepare(1, 1);  // lies in the buffer of end 0 until the second byte of the other could begin
    pair.script.at(SimTime::us(5), [&] { back.send(); });
    pair.script.at(start + period, [&] { back.receive(); });
    pair.run();
    EXPECT_EQ(back.sender_went_on(), start + period + turn_round_data);
    EXPECT_EQ(there.arrived(), start + period + SimTime::ns(100) + packet);
}

TEST(ByteLink, BringsTheNextMessageWithoutAGap) {
    RelayPair pair(LinkLevel::Byte);
    auto& first = pair.send_at(start, 0, 5, Channel::Datalink);
    auto& second = pair.send_at(start, 0, 5, Channel::Circuit);
    pair.run();
    EXPECT_EQ(first.sender_went_on(), start + period * 5);
    EXPECT_EQ(second.arrived(), start + period * 9 + packet);
}

TEST(ByteLink, HoldsTheFirstByteOfAMessageUntilTheOneBeforeItIsDelivered) {
    RelayPair pair(LinkLevel::Byte, 10'000'000, hw_test::costs(), 2);
    auto& first = pair.send_at(start, 0, 4);
    auto& second = pair.prepare(0, 4);  // the same channel: the process takes the first before it waits for the second
    pair.script.at(start, [&] { second.send(); });
    pair.script.at(SimTime::us(60), [&] { second.receive(); });
    pair.run();
    EXPECT_TRUE(first.content_arrived() && second.content_arrived());
    EXPECT_GT(second.arrived(), SimTime::us(60));
}

TEST(ByteLink, SetsUpTheSecondOfTwoMessagesBeforeItsFirstByte) {
    RelayPair pair(LinkLevel::Byte);
    auto& message = pair.prepare(0, 20);  // 8 bytes of header, 12 of body
    message.message.pause = SimTime::us(3);
    message.message.messages = 2;
    std::vector<SimTime> began;
    pair.path(0).on_data = [&](hw_model::LinkMessage&) {
        began.push_back(pair.timeline.now());
        return true;
    };
    pair.script.at(start, [&] {
        message.receive();
        message.send();
    });
    pair.run();
    ASSERT_EQ(began.size(), 20u);
    EXPECT_EQ(began[7], start + period * 7);
    EXPECT_EQ(began[8], start + period * 8 + SimTime::us(3));
    EXPECT_EQ(message.sender_went_on(), start + period * 20 + SimTime::us(3));
}

TEST(ByteLink, CarriesTheBytesThemselvesSoThatAFaultOnTheWayCanChangeOne) {
    RelayPair pair(LinkLevel::Byte);
    auto& message = pair.send_at(start, 0, 100);
    pair.path(0).on_data = [](hw_model::LinkMessage& packet_on_the_way) {
        if (packet_on_the_way.position == 50) packet_on_the_way.byte ^= 0x10;
        return true;
    };
    pair.run();
    EXPECT_TRUE(message.received());
    EXPECT_EQ(message.arrived_byte(50), static_cast<std::byte>((50 * 31) ^ 0x10));
    EXPECT_EQ(message.arrived_byte(51), static_cast<std::byte>(51 * 31));
}

TEST(ByteLink, StandsStillWhenAnAcknowledgeIsDropped) {
    RelayPair pair(LinkLevel::Byte);
    auto& message = pair.send_at(start, 0, 100);
    pair.path(0).on_acknowledge = [](hw_model::LinkMessage& acknowledged) { return acknowledged.position != 50; };
    pair.run();
    EXPECT_FALSE(message.sent() || message.received());
    EXPECT_TRUE(pair.links[0]->sending() && pair.links[1]->receiving());
}

TEST(ByteLink, NeedsTwoEventsAByteOneWay) {
    RelayPair pair(LinkLevel::Byte);
    pair.send_at(start, 0, 1000);
    pair.run();
    EXPECT_LE(pair.timeline.fired(), 2u * 1000 + 10);
}

TEST(ByteLink, TakesTheMemoryCyclesOfAWordWithEachWordFromABusyProcessor) {
    RelayPair pair(LinkLevel::Byte);
    std::array<SimTime, 2> ended{};
    std::deque<hw_model::Fiber> programs;
    for (std::size_t i = 0; i < 2; ++i) {
        programs.emplace_back(hw_model::Priority::Low, *pair.arenas[i], [&, i] {
            programs[i].use(vocabulary::Cycles(20'000));
            ended[i] = pair.timeline.now();
        });
    }
    auto& message = pair.prepare(0, 402);  // 101 words
    pair.script.at(SimTime::us(5), [&] {
        pair.processors[0]->start(programs[0]);
        pair.processors[1]->start(programs[1]);
    });
    pair.script.at(start, [&] {
        message.receive();
        message.send();
    });
    pair.run();
    EXPECT_EQ(pair.processors[0]->totals().stolen, SimTime::ns(101 * 3 * 50));
    EXPECT_EQ(pair.processors[1]->totals().stolen, SimTime::ns(101 * 3 * 50));
}

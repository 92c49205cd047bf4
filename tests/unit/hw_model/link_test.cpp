#include <gtest/gtest.h>

#include "link_pair.hpp"

using hw_model::Channel;
using hw_test::LinkPair;
using hw_test::run_machine;
using hw_test::SimTime;
using vocabulary::Account;

namespace {
constexpr std::int64_t fast = 20'000'000;
constexpr std::int64_t one_way_ps = 575'000, both_ways_ps = 850'000;  // a byte at 20 Mbit/s
// A re-timing keeps what is left in 1/65536 of a byte.
constexpr std::int64_t rounding_ps = 50;
}  // namespace

TEST(Link, BringsHeaderAndBodyUnchanged) {
    LinkPair pair(fast, 0);
    auto& large = pair.send_at(SimTime::us(10), 0, 100'000);
    auto& small = pair.send_at(SimTime::us(10), 1, 5);
    run_machine(SimTime::s(1));
    EXPECT_TRUE(large.received() && large.sent() && large.content_arrived());
    EXPECT_TRUE(small.received() && small.sent() && small.content_arrived());
}

TEST(Link, TakesTheSameTimeForEveryByte) {
    LinkPair pair(fast, 0);
    auto& one = pair.send_at(SimTime::us(10), 0, 1);
    auto& many = pair.send_at(SimTime::ms(1), 0, 4096);
    run_machine(SimTime::s(1));
    EXPECT_EQ(one.arrived(), SimTime::us(10) + SimTime::ps(one_way_ps));
    EXPECT_EQ(many.arrived(), SimTime::ms(1) + SimTime::ps(4096 * one_way_ps));
}

TEST(Link, StartsWhenBothSidesAreReady) {
    LinkPair pair(fast, 0);
    auto& late_receiver = pair.prepare(0, 100);
    auto& late_sender = pair.prepare(1, 100);
    pair.script.at(SimTime::us(10), [&] { late_receiver.send(); });
    pair.script.at(SimTime::us(500), [&] { late_receiver.receive(); });
    pair.script.at(SimTime::us(1010), [&] { late_sender.receive(); });
    pair.script.at(SimTime::us(1500), [&] { late_sender.send(); });
    run_machine(SimTime::s(1));
    EXPECT_EQ(late_receiver.arrived(), SimTime::us(500) + SimTime::ps(100 * one_way_ps));
    EXPECT_EQ(late_sender.arrived(), SimTime::us(1500) + SimTime::ps(100 * one_way_ps));
}

TEST(Link, IsSlowedByAReverseMessageThatStartsInTheMiddle) {
    LinkPair pair(fast, 0);
    auto& first = pair.send_at(SimTime::us(0), 0, 10'000);
    auto& reverse = pair.send_at(SimTime::us(1150), 1, 100'000);  // 2000 bytes have gone by then
    run_machine(SimTime::s(1));
    const SimTime first_ends = SimTime::us(1150) + SimTime::ps(8000 * both_ways_ps);
    EXPECT_NEAR(static_cast<double>((first.arrived() - first_ends).in_ps()), 0, rounding_ps);
    // And the reverse one is faster again when the first has ended.
    const SimTime reverse_ends = first_ends + SimTime::ps(92'000 * one_way_ps);
    EXPECT_NEAR(static_cast<double>((reverse.arrived() - reverse_ends).in_ps()), 0, rounding_ps);
}

TEST(Link, LosesNoTimeToManyShortReverseMessages) {
    LinkPair pair(fast, 0);
    auto& first = pair.send_at(SimTime::us(0), 0, 1'000'000);
    for (int i = 1; i <= 200; ++i) pair.send_at(SimTime::us(997) * i, 1, 37);
    run_machine(SimTime::s(2));
    // Each reverse message is on the wire for 37 * 850 ns, in which 37 bytes go this way.
    const SimTime ends = SimTime::ps((1'000'000LL - 200 * 37) * one_way_ps + 200 * 37 * both_ways_ps);
    EXPECT_NEAR(static_cast<double>((first.arrived() - ends).in_ps()), 0, 400 * rounding_ps);
}

TEST(Link, NeverBringsAMessageThroughAnUnconnectedSwitch) {
    LinkPair pair(fast, 1);
    pair.machine.link_switch(vocabulary::SwitchId(0)).disconnect(vocabulary::WayNo(29));
    auto& lost = pair.send_at(SimTime::us(10), 0, 100);
    auto& reverse =
        pair.send_at(SimTime::us(10), 1, 100);  // the other direction is connected, but its answers cannot come back
    run_machine(SimTime::s(1));
    EXPECT_FALSE(lost.received() || lost.sent());
    EXPECT_TRUE(lost.unconnected());
    EXPECT_FALSE(reverse.sent());
}

TEST(Link, KeepsAMessageOnTheWireForEverWhenTheReceiverDies) {
    LinkPair pair(fast, 0);
    auto& message = pair.send_at(SimTime::us(10), 0, 1000);
    pair.script.at(SimTime::us(300), [&] { pair.end(1).crash(); });
    run_machine(SimTime::s(1));
    EXPECT_FALSE(message.sent());
    EXPECT_TRUE(pair.link(0).sending());
}

TEST(Link, KeepsAMessageOnTheWireForEverWhenTheSenderDies) {
    LinkPair pair(fast, 0);
    auto& message = pair.send_at(SimTime::us(10), 0, 1000);
    pair.script.at(SimTime::us(300), [&] { pair.end(0).crash(); });
    run_machine(SimTime::s(1));
    EXPECT_FALSE(message.received());
    EXPECT_FALSE(message.content_arrived());
}

TEST(Link, StartsNothingThatADeadNodeHadOffered) {
    LinkPair pair(fast, 0);
    auto& message = pair.prepare(0, 100);
    pair.script.at(SimTime::us(10), [&] { message.send(); });
    pair.script.at(SimTime::us(20), [&] { pair.end(0).crash(); });
    pair.script.at(SimTime::us(30), [&] { message.receive(); });
    run_machine(SimTime::s(1));
    EXPECT_FALSE(message.received());
}

TEST(Link, BringsEachChannelsMessagesToItsOwnReceiverInOrder) {
    LinkPair pair(fast, 0);
    auto& packet = pair.send_at(SimTime::us(10), 0, 50, Channel::Datalink);
    auto& task = pair.send_at(SimTime::us(10), 0, 100, Channel::Circuit);
    auto& next = pair.prepare(0, 70, Channel::Circuit);
    pair.script.at(SimTime::us(10), [&] { next.send(); });
    pair.script.at(SimTime::us(400), [&] { next.receive(); });
    run_machine(SimTime::s(1));
    EXPECT_TRUE(packet.content_arrived() && task.content_arrived() && next.content_arrived());
    EXPECT_EQ(packet.arrived(), SimTime::us(10) + SimTime::ps(50 * one_way_ps));
    EXPECT_EQ(task.arrived(), SimTime::us(10) + SimTime::ps(150 * one_way_ps));
    EXPECT_EQ(next.arrived(), SimTime::us(400) + SimTime::ps(70 * one_way_ps));
}

TEST(Link, IsHeldUpByAMessageThatNobodyTakes) {
    LinkPair pair(fast, 0);
    auto& plug = pair.prepare(0, 50, Channel::Datalink);
    auto& behind = pair.prepare(0, 50, Channel::Circuit);
    pair.script.at(SimTime::us(10), [&] {
        plug.send();
        behind.send();
        behind.receive();
    });
    run_machine(SimTime::s(1));
    EXPECT_FALSE(plug.sent() || behind.sent());
}

TEST(Link, CountsBytesMessagesAndBusyTimeByAccount) {
    LinkPair pair(fast, 0);
    pair.send_at(SimTime::us(10), 0, 100);
    pair.send_at(SimTime::us(500), 0, 300);
    run_machine(SimTime::s(1));
    const auto& totals = pair.link(0).totals();
    EXPECT_EQ(totals.of[Account()].bytes, 400u);
    EXPECT_EQ(totals.of[Account()].messages, 2u);
    EXPECT_EQ(totals.of[Account()].busy, SimTime::ps(400 * one_way_ps));
    EXPECT_EQ(pair.link(1).totals().of[Account()].busy, SimTime());
}

TEST(LinkDeathTest, TwoReceiversOnOneChannelAreABrokenContract) {
    LinkPair pair(fast, 0);
    auto& a = pair.prepare(0, 10);
    auto& b = pair.prepare(0, 10);
    a.receive();
    EXPECT_DEATH(b.receive(), "link_end.receive.twice");
}

TEST(LinkDeathTest, SendingBeforeTheLinkIsWiredIsABrokenContract) {
    LinkPair pair(fast, 0);  // it is wired at the end of the elaboration
    auto& message = pair.prepare(0, 10);
    EXPECT_DEATH(message.send(), "link_end.send.unwired");
}

// A damaged or foreign message may be of any length. The part for which a program gives no room is lost.
TEST(Link, CutsAMessageThatIsLongerThanTheRoomForIt) {
    LinkPair pair(fast, 0);
    auto& big = pair.prepare(0, 100);
    auto& little = pair.prepare(0, 10);
    pair.script.at(SimTime::us(10), [&] {
        little.receive();
        big.send();
    });
    run_machine(SimTime::s(1));
    EXPECT_TRUE(big.sent());
    EXPECT_EQ(little.arrived(), SimTime::us(10) + SimTime::ps(100 * one_way_ps));
}

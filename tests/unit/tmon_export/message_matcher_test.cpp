#include "message_matcher.hpp"

#include <gtest/gtest.h>

namespace tmon_export {
namespace {

Event send(std::uint16_t from, std::uint16_t to, std::uint32_t task, std::uint32_t seq = 0) {
    return {.seq = seq, .task = task, .node = from, .peer = to, .kind = EventKind::Send};
}
Event receive(std::uint16_t to, std::uint16_t from, std::uint32_t task, std::uint32_t seq = 0) {
    return {.seq = seq, .task = task, .node = to, .peer = from, .kind = EventKind::Receive};
}

TEST(MessageMatcher, JoinsASendAndItsReceiveWhicheverComesFirst) {
    MessageMatcher matcher(2);
    EXPECT_FALSE(matcher.match(send(0, 1, 7, 70)).second);
    const Match forward = matcher.match(receive(1, 0, 7, 71));
    EXPECT_TRUE(forward.second);
    EXPECT_EQ(forward.node, 0);
    EXPECT_EQ(forward.seq, 70U);
    EXPECT_FALSE(matcher.match(receive(1, 0, 8, 81)).second);
    const Match backward = matcher.match(send(0, 1, 8, 80));
    EXPECT_TRUE(backward.second);
    EXPECT_EQ(backward.node, 1);
    EXPECT_EQ(backward.seq, 81U);
    EXPECT_EQ(matcher.matched(), 2U);
    EXPECT_EQ(matcher.unmatched(), 0U);
}

TEST(MessageMatcher, JoinsTheSameMessageSentTwiceFirstInFirstOut) {
    MessageMatcher matcher(2);
    matcher.match(send(0, 1, 7, 1));
    matcher.match(send(0, 1, 7, 2));
    EXPECT_EQ(matcher.match(receive(1, 0, 7)).seq, 1U);
    EXPECT_EQ(matcher.match(receive(1, 0, 7)).seq, 2U);
}

TEST(MessageMatcher, GivesUpNothingOfATraceWithoutLossesHoweverLateItComes) {
    MessageMatcher matcher(2);
    for (std::uint32_t i = 0; i < 1000; ++i) matcher.match(send(0, 1, i, i));
    for (std::uint32_t i = 1000; i-- > 0;) EXPECT_TRUE(matcher.match(receive(1, 0, i, i)).second) << i;
    EXPECT_EQ(matcher.unmatched(), 0U);
}

TEST(MessageMatcher, GivesUpASendWhoseReceiveIsLostWhenALaterOneIsJoined) {
    MessageMatcher matcher(2);
    for (std::uint32_t i = 0; i < 10; ++i) matcher.match(send(0, 1, i, i));
    matcher.lost(1);
    EXPECT_EQ(matcher.match(receive(1, 0, 9)).seq, 9U);
    EXPECT_EQ(matcher.waiting(), 0U);
    EXPECT_EQ(matcher.unmatched(), 9U);
}

TEST(MessageMatcher, GivesUpAReceiveWhoseSendIsLostWhenALaterOneIsJoined) {
    MessageMatcher matcher(2);
    for (std::uint32_t i = 0; i < 10; ++i) matcher.match(receive(1, 0, i, i));
    matcher.lost(0);
    EXPECT_EQ(matcher.match(send(0, 1, 5)).seq, 5U);
    EXPECT_EQ(matcher.waiting(), 4U);  // those behind may still come
    EXPECT_EQ(matcher.unmatched(), 9U);
}

TEST(MessageMatcher, ALossOfOneNodeTouchesNoOtherLinkOrDirection) {
    MessageMatcher matcher(3);
    matcher.match(send(0, 1, 1));
    matcher.match(send(0, 2, 1));
    matcher.match(send(1, 0, 1));
    matcher.lost(1);
    matcher.match(send(0, 2, 2));
    EXPECT_TRUE(matcher.match(receive(2, 0, 2)).second);
    EXPECT_EQ(matcher.waiting(), 3U);
}

TEST(MessageMatcher, GivesUpWhatWaitsForAStreamThatHasEnded) {
    MessageMatcher matcher(3);
    matcher.match(send(0, 1, 1));
    matcher.match(receive(2, 1, 4));
    matcher.match(send(0, 2, 2));
    matcher.ended(1);
    EXPECT_EQ(matcher.waiting(), 1U);
    matcher.match(send(0, 1, 3));  // at once
    EXPECT_EQ(matcher.waiting(), 1U);
    EXPECT_EQ(matcher.unmatched(), 4U);
    matcher.match(send(0, 9, 3));  // of a node that has no stream at all
    EXPECT_EQ(matcher.waiting(), 1U);
}

TEST(MessageMatcher, NeverHoldsMoreThanItsBound) {
    MessageMatcher matcher(2);
    constexpr std::uint32_t many = 1'000'000;
    for (std::uint32_t i = 0; i < many; ++i) {
        matcher.match(send(0, 1, i, i));
        ASSERT_LE(matcher.waiting(), MessageMatcher::most_waiting);
    }
    EXPECT_EQ(matcher.unmatched(), many);
    EXPECT_TRUE(matcher.match(receive(1, 0, many - 1)).second) << "the newest are kept";
}

}  // namespace
}  // namespace tmon_export

#include <tmon_order/message_matcher.hpp>

#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace tmon_order {
namespace {

using trace_record::Event;
using trace_record::EventKind;

Event send(std::uint16_t from, std::uint16_t to, std::uint32_t task, std::uint32_t seq = 0) {
    return {.seq = seq, .task = task, .node = from, .peer = to, .kind = EventKind::Send};
}
Event receive(std::uint16_t to, std::uint16_t from, std::uint32_t task, std::uint32_t seq = 0) {
    return {.seq = seq, .task = task, .node = to, .peer = from, .kind = EventKind::Receive};
}

// Each event waits under the number of its record.
std::optional<std::uint64_t> match(MessageMatcher& matcher, const Event& event) {
    return matcher.match(event, event.node * 10'000'000ULL + event.seq);
}

TEST(MessageMatcher, JoinsASendAndItsReceiveWhicheverComesFirst) {
    MessageMatcher matcher(2);
    EXPECT_EQ(match(matcher, send(0, 1, 7, 70)), std::nullopt);
    EXPECT_EQ(match(matcher, receive(1, 0, 7, 71)), 70U);
    EXPECT_EQ(match(matcher, receive(1, 0, 8, 81)), std::nullopt);
    EXPECT_EQ(match(matcher, send(0, 1, 8, 80)), 10'000'081U);
    EXPECT_EQ(matcher.matched(), 2U);
    EXPECT_EQ(matcher.unmatched(), 0U);
}

TEST(MessageMatcher, JoinsTheSameMessageSentTwiceFirstInFirstOut) {
    MessageMatcher matcher(2);
    match(matcher, send(0, 1, 7, 1));
    match(matcher, send(0, 1, 7, 2));
    EXPECT_EQ(match(matcher, receive(1, 0, 7)), 1U);
    EXPECT_EQ(match(matcher, receive(1, 0, 7)), 2U);
}

TEST(MessageMatcher, GivesUpNothingOfATraceWithoutLossesHoweverLateItComes) {
    MessageMatcher matcher(2);
    for (std::uint32_t i = 0; i < 1000; ++i) match(matcher, send(0, 1, i, i));
    for (std::uint32_t i = 1000; i-- > 0;) EXPECT_TRUE(match(matcher, receive(1, 0, i, i))) << i;
    EXPECT_EQ(matcher.unmatched(), 0U);
}

TEST(MessageMatcher, GivesUpASendWhoseReceiveIsLostWhenALaterOneIsJoined) {
    MessageMatcher matcher(2);
    for (std::uint32_t i = 0; i < 10; ++i) match(matcher, send(0, 1, i, i));
    matcher.lost(1);
    EXPECT_EQ(match(matcher, receive(1, 0, 9)), 9U);
    EXPECT_EQ(matcher.waiting(), 0U);
    EXPECT_EQ(matcher.unmatched(), 9U);
}

TEST(MessageMatcher, GivesUpAReceiveWhoseSendIsLostWhenALaterOneIsJoined) {
    MessageMatcher matcher(2);
    for (std::uint32_t i = 0; i < 10; ++i) match(matcher, receive(1, 0, i, i));
    matcher.lost(0);
    EXPECT_EQ(match(matcher, send(0, 1, 5)), 10'000'005U);
    EXPECT_EQ(matcher.waiting(), 4U);  // those behind may still come
    EXPECT_EQ(matcher.unmatched(), 9U);
}

TEST(MessageMatcher, ALossOfOneNodeTouchesNoOtherLinkOrDirection) {
    MessageMatcher matcher(3);
    match(matcher, send(0, 1, 1));
    match(matcher, send(0, 2, 1));
    match(matcher, send(1, 0, 1));
    matcher.lost(1);
    match(matcher, send(0, 2, 2));
    EXPECT_TRUE(match(matcher, receive(2, 0, 2)));
    EXPECT_EQ(matcher.waiting(), 3U);
}

TEST(MessageMatcher, GivesUpWhatWaitsForAStreamThatHasEnded) {
    MessageMatcher matcher(3);
    match(matcher, send(0, 1, 1));
    match(matcher, receive(2, 1, 4));
    match(matcher, send(0, 2, 2));
    matcher.ended(1);
    EXPECT_EQ(matcher.waiting(), 1U);
    match(matcher, send(0, 1, 3));  // at once
    EXPECT_EQ(matcher.waiting(), 1U);
    EXPECT_EQ(matcher.unmatched(), 4U);
    match(matcher, send(0, 9, 3));  // of a node that has no stream at all
    EXPECT_EQ(matcher.waiting(), 1U);
}

TEST(MessageMatcher, NeverHoldsMoreThanItsBound) {
    constexpr std::size_t most_waiting = 1000;
    MessageMatcher matcher(2, most_waiting);
    constexpr std::uint32_t many = 100'000;
    for (std::uint32_t i = 0; i < many; ++i) {
        match(matcher, send(0, 1, i, i));
        ASSERT_LE(matcher.waiting(), most_waiting);
    }
    EXPECT_EQ(matcher.unmatched(), many);
    EXPECT_TRUE(match(matcher, receive(1, 0, many - 1))) << "the newest are kept";
}

// Joined as the k-th send of a message and its k-th receive, whatever the order in which the nodes' records are given.
TEST(MessageMatcher, JoinsTheSameInEveryOrderOfTheNodes) {
    std::mt19937 random(7);
    for (int round = 0; round < 50; ++round) {
        constexpr std::uint16_t nodes = 4;
        std::vector<std::vector<Event>> records(nodes);
        for (std::uint32_t i = 0; i < 2000; ++i) {
            const auto node = static_cast<std::uint16_t>(random() % nodes), peer = static_cast<std::uint16_t>(random() % nodes);
            const auto seq = static_cast<std::uint32_t>(records[node].size());
            const std::uint32_t task = random() % 40;
            records[node].push_back(random() % 2 == 0 ? send(node, peer, task, seq) : receive(node, peer, task, seq));
        }
        const auto partners = [&](bool side_by_side) {
            MessageMatcher matcher(nodes);
            std::vector<std::vector<std::uint64_t>> of(nodes);
            for (std::uint16_t node = 0; node < nodes; ++node) of[node].resize(records[node].size(), 0);
            const auto take = [&](std::uint16_t node, std::size_t i) {
                const auto own = node * 10'000'000ULL + i + 1;
                const auto other = matcher.match(records[node][i], own);
                if (!other) return;
                of[node][i] = *other;
                of[*other / 10'000'000][*other % 10'000'000 - 1] = own;
            };
            std::vector<std::size_t> next(nodes, 0);
            for (std::uint16_t node = 0; !side_by_side && node < nodes; ++node) {
                for (std::size_t i = 0; i < records[node].size(); ++i) take(node, i);
            }
            for (std::size_t left = 2000; side_by_side && left > 0;) {
                const auto node = static_cast<std::uint16_t>(random() % nodes);
                if (next[node] == records[node].size()) continue;
                take(node, next[node]++);
                --left;
            }
            return of;
        };
        EXPECT_EQ(partners(false), partners(true));
    }
}

}  // namespace
}  // namespace tmon_order

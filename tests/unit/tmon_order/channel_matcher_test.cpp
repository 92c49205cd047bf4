// Messages of the kernel are joined by their names, whatever was lost and in whatever order nodes come.
#include <tmon_order/channel_matcher.hpp>

#include <gmock/gmock.h>

#include <map>
#include <random>
#include <set>
#include <vector>

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using tmon_order::ChannelMatcher;
using trace_record::Event;
using trace_record::EventKind;

Event send_call(std::uint16_t node, std::uint16_t to, std::uint32_t message) {
    return {.bytes = message, .node = node, .peer = to, .kind = EventKind::SendCall};
}
Event partner(std::uint16_t node, std::uint32_t seq, std::uint16_t sender, std::uint32_t message) {
    return {.seq = seq, .task = message, .node = node, .peer = sender, .kind = EventKind::Partner};
}
Event receive(std::uint16_t node, std::uint32_t seq) {
    return {.seq = seq, .node = node, .kind = EventKind::MessageReceive};
}

std::vector<std::uint64_t> take(ChannelMatcher& matcher, const Event& event, std::uint64_t number) {
    const auto found = matcher.match(event, number);
    return {found.begin(), found.end()};
}
// A receive with its partner at sequence number 2 message.
std::vector<std::uint64_t> take_receive(ChannelMatcher& matcher, std::uint16_t at, std::uint16_t sender, std::uint32_t message,
                                        std::uint64_t number) {
    matcher.match(partner(at, 2 * message, sender, message), 0);
    return take(matcher, receive(at, 2 * message + 1), number);
}

}  // namespace

TEST(ChannelMatcher, JoinsAReceiveWithTheSendThatItsPartnerNames) {
    ChannelMatcher matcher(3);
    EXPECT_THAT(take(matcher, send_call(0, 1, 1), 100), IsEmpty());
    EXPECT_THAT(take(matcher, send_call(0, 2, 2), 101), IsEmpty());
    EXPECT_THAT(take(matcher, send_call(0, 1, 3), 102), IsEmpty());
    EXPECT_THAT(take_receive(matcher, 1, 0, 3, 200), ElementsAre(102U)) << "another event's message came first";
    EXPECT_THAT(take_receive(matcher, 2, 0, 2, 201), ElementsAre(101U));
    EXPECT_THAT(take_receive(matcher, 1, 0, 1, 202), ElementsAre(100U));
    EXPECT_EQ(matcher.matched(), 3U);
    EXPECT_EQ(matcher.unmatched(), 0U);
}

TEST(ChannelMatcher, JoinsAReceiveThatComesBeforeItsSend) {
    ChannelMatcher matcher(2);
    EXPECT_THAT(take_receive(matcher, 1, 0, 1, 200), IsEmpty());
    EXPECT_EQ(matcher.waiting(), 1U);
    EXPECT_THAT(take(matcher, send_call(0, 1, 1), 100), ElementsAre(200U));
    EXPECT_EQ(matcher.unmatched(), 0U);
}

TEST(ChannelMatcher, TakesAPartnerForTheNextRecordOfItsNodeOnly) {
    ChannelMatcher matcher(2);
    matcher.match(send_call(0, 1, 1), 100);
    matcher.match(partner(1, 5, 0, 1), 0);
    EXPECT_THAT(take(matcher, receive(1, 7), 200), IsEmpty()) << "the record between them was lost";
    EXPECT_THAT(take(matcher, receive(1, 8), 201), IsEmpty());
    EXPECT_EQ(matcher.waiting(), 1U) << "the send";
}

TEST(ChannelMatcher, GivesAReceiveUpWhenItsSendHasBeenPassedOver) {
    ChannelMatcher matcher(2);
    take_receive(matcher, 1, 0, 3, 200);
    EXPECT_THAT(take(matcher, send_call(0, 1, 4), 100), IsEmpty());
    EXPECT_THAT(take_receive(matcher, 1, 0, 2, 201), IsEmpty());
    EXPECT_EQ(matcher.waiting(), 1U) << "the send";
    EXPECT_EQ(matcher.unmatched(), 3U);
}

TEST(ChannelMatcher, GivesReceivesUpWhenTheirSendersStreamEndsAndSendsToOne) {
    ChannelMatcher matcher(2);
    take_receive(matcher, 1, 0, 3, 200);
    matcher.ended(0);
    EXPECT_EQ(matcher.waiting(), 0U);
    take_receive(matcher, 1, 0, 4, 201);
    EXPECT_EQ(matcher.waiting(), 0U);
    matcher.match(send_call(1, 0, 1), 100);
    EXPECT_EQ(matcher.waiting(), 0U);
    EXPECT_EQ(matcher.unmatched(), 3U);
}

TEST(ChannelMatcher, GivesUpTheOlderHalfOfTheSendsThatAreTooMany) {
    ChannelMatcher matcher(2, 4);
    for (std::uint32_t message = 1; message <= 5; ++message) matcher.match(send_call(0, 1, message), message);
    EXPECT_EQ(matcher.waiting(), 3U);
    EXPECT_THAT(take_receive(matcher, 1, 0, 2, 200), IsEmpty());
    EXPECT_THAT(take_receive(matcher, 1, 0, 3, 201), ElementsAre(3U));
}

TEST(ChannelMatcher, JoinsAMessageToACastWithEachReceiver) {
    ChannelMatcher matcher(4);
    take_receive(matcher, 1, 0, 1, 200);
    take_receive(matcher, 2, 0, 1, 201);
    EXPECT_THAT(take(matcher, send_call(0, 0x8000, 1), 100), ElementsAre(200U, 201U));
    EXPECT_THAT(take_receive(matcher, 3, 0, 1, 202), ElementsAre(100U));
    EXPECT_EQ(matcher.matched(), 3U);
    EXPECT_EQ(matcher.unmatched(), 0U);
}

TEST(ChannelMatcher, RefusesAPartnerThatNamesTheMessageOfAnother) {
    ChannelMatcher matcher(3);
    matcher.match(send_call(0, 1, 1), 100);
    EXPECT_THAT(take_receive(matcher, 2, 0, 1, 200), IsEmpty()) << "the message is for node 1";
    EXPECT_THAT(take_receive(matcher, 2, 77, 1, 201), IsEmpty()) << "no such node";
    EXPECT_THAT(take_receive(matcher, 1, 0, 1, 202), ElementsAre(100U));
}

TEST(ChannelMatcher, DoesNotCountMessagesWithoutAName) {
    ChannelMatcher matcher(2);
    matcher.match(send_call(0, 1, 0), 100);
    matcher.match(receive(1, 9), 200);
    EXPECT_EQ(matcher.unmatched(), 0U);
}

namespace {

// Random messages of four nodes, as each node's records.
struct RandomTrace {
    std::vector<std::vector<Event>> nodes{4};
    std::map<std::pair<std::uint16_t, std::uint32_t>, std::set<std::pair<std::uint16_t, std::uint32_t>>> receives;  // by send

    explicit RandomTrace(std::mt19937& random) {
        std::vector<std::uint32_t> messages(nodes.size());
        std::vector<std::pair<Event, std::uint32_t>> under_way;  // the call, and how many receive it
        for (int step = 0; step < 200; ++step) {
            if (under_way.empty() || random() % 2 == 0) {
                const auto node = static_cast<std::uint16_t>(random() % 4);
                const bool cast = random() % 8 == 0;
                const auto to = static_cast<std::uint16_t>(cast ? 0x8000 : random() % 4);
                under_way.emplace_back(add(send_call(node, to, ++messages[node])), 0);
                continue;
            }
            const std::size_t at = random() % under_way.size();
            auto& [call, count] = under_way[at];
            const bool cast = call.peer == 0x8000;
            const auto node = static_cast<std::uint16_t>(cast ? count++ : call.peer);
            add(partner(node, 0, call.node, call.bytes));
            const Event got = add(receive(node, 0));
            receives[{call.node, call.seq}].insert({node, got.seq});
            if (!cast || count == 4) under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(at));
        }
    }
    Event add(Event event) {
        event.seq = static_cast<std::uint32_t>(nodes[event.node].size());
        nodes[event.node].push_back(event);
        return event;
    }
};

std::uint64_t id(const Event& event) {
    return std::uint64_t{event.node} << 32 | event.seq;
}
std::pair<std::uint16_t, std::uint32_t> place(std::uint64_t number) {
    return {static_cast<std::uint16_t>(number >> 32), static_cast<std::uint32_t>(number)};
}

}  // namespace

// Every kept receive whose call and partner are kept is joined with that call, and nothing else is.
TEST(ChannelMatcher, JoinsExactlyWhatBelongsTogetherWhateverIsLostAndHoweverNodesInterleave) {
    for (unsigned seed = 1; seed <= 300; ++seed) {
        std::mt19937 random(seed);
        const RandomTrace trace(random);
        const unsigned lost_percent = seed % 3 * 15;
        std::vector<std::vector<Event>> kept(4);
        std::set<std::uint64_t> there;
        for (const auto& records : trace.nodes) {
            for (const Event& event : records) {
                if (random() % 100 < lost_percent) continue;
                kept[event.node].push_back(event);
                there.insert(id(event));
            }
        }
        std::set<std::pair<std::uint64_t, std::uint64_t>> expected, joined;  // call and receive
        for (const auto& [call, receives] : trace.receives) {
            const std::uint64_t send = std::uint64_t{call.first} << 32 | call.second;
            for (const auto& [node, seq] : receives) {
                const std::uint64_t got = std::uint64_t{node} << 32 | seq;
                if (there.contains(send) && there.contains(got) && there.contains(got - 1)) expected.emplace(send, got);
            }
        }
        ChannelMatcher matcher(4);
        std::vector<std::size_t> next(4);
        std::size_t left = there.size();
        while (left > 0) {
            const std::size_t node = random() % 4;
            if (next[node] == kept[node].size()) continue;
            const Event& event = kept[node][next[node]++];
            --left;
            for (const std::uint64_t other : matcher.match(event, id(event))) {
                const bool call = event.kind == EventKind::SendCall;
                joined.emplace(call ? id(event) : other, call ? other : id(event));
            }
            if (next[node] == kept[node].size()) matcher.ended(static_cast<std::uint16_t>(node));
        }
        for (const auto& pair : joined)
            ASSERT_TRUE(expected.contains(pair))
                << "seed " << seed << ": " << place(pair.first).first << ":" << place(pair.first).second << " with "
                << place(pair.second).first << ":" << place(pair.second).second;
        EXPECT_EQ(matcher.matched(), joined.size()) << "seed " << seed;
        EXPECT_EQ(joined.size(), expected.size()) << "seed " << seed;
    }
}

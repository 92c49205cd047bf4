// bufferd: messages that nobody has taken yet, the limits of the pool, and the order of messages.
#include <gmock/gmock.h>

#include <vector>

#include <trollius_os/services.hpp>

#include "test_multicomputer.hpp"

using test_support::NodeId;
using test_support::SimTime;
using test_support::TestMulticomputer;
using trollius_os::Api;
using trollius_os::EventNo;
using trollius_os::Message;

namespace {
constexpr EventNo meeting{77}, elsewhere{78};

struct BufferBench : TestMulticomputer {
    explicit BufferBench(std::size_t nodes, const topologies::CostTable& costs = test_support::standard_costs())
        : TestMulticomputer(topologies::chain(nodes), costs) {
        box.start_at_once();
        run_for(SimTime::ms(20));
    }
    // Sends `count` numbered messages and counts those that have left.
    void send(std::uint16_t from, std::uint16_t to, EventNo event, int count, std::uint32_t bytes, int& left,
              std::uint32_t flags = 0) {
        user(from, [=, &left](Api& api) {
            std::vector<std::byte> body(bytes);
            for (int i = 0; i < count; ++i) {
                Message message{.node = NodeId(to), .event = event, .flags = flags, .data = {i}, .length = bytes, .body = body};
                api.nsend(message);
                ++left;
            }
        });
    }
    void receive(std::uint16_t at, EventNo event, int count, std::vector<int>& got, std::uint32_t flags = 0) {
        user(at, [=, &got](Api& api) {
            for (int i = 0; i < count; ++i) {
                Message message{.event = event, .flags = flags};
                api.nrecv(message);
                got.push_back(message.data[0]);
            }
        });
    }
};

std::vector<int> numbers(int count) {
    std::vector<int> result;
    for (int i = 0; i < count; ++i) result.push_back(i);
    return result;
}

}  // namespace

TEST(Buffers, KeepAMessageThatNobodyReceivesUntilSomebodyDoes) {
    BufferBench bench(2);
    int left = 0;
    std::vector<int> got;
    bench.send(0, 1, meeting, 1, 100, left);
    bench.run_for(SimTime::ms(50));
    EXPECT_EQ(left, 1);
    bench.receive(1, meeting, 1, got);
    bench.run_for(SimTime::ms(50));
    EXPECT_THAT(got, testing::ElementsAre(0));
}

TEST(Buffers, DoNotLetAnUnreceivedMessageHinderOthers) {
    BufferBench bench(2);
    int left = 0;
    std::vector<int> got;
    bench.send(0, 1, meeting, 3, 100, left);
    bench.receive(1, elsewhere, 2, got);
    bench.send(0, 1, elsewhere, 2, 100, left);
    bench.run_for(SimTime::ms(50));
    EXPECT_THAT(got, testing::ElementsAre(0, 1));
}

TEST(Buffers, KeepMessagesOfOneSenderInOrderOverAnyNumberOfHops) {
    BufferBench bench(5);
    for (const std::uint32_t bytes : {0U, 40U, 3000U}) {
        SCOPED_TRACE(bytes);
        int left = 0;
        std::vector<int> got;
        const EventNo event(100 + static_cast<std::int32_t>(bytes));
        bench.receive(4, event, 300, got);
        bench.send(0, 4, event, 300, bytes, left);
        bench.run_for(SimTime::s(10));
        EXPECT_EQ(got, numbers(300));
    }
}

TEST(Buffers, KeepTheOrderOfEachSenderWhenSeveralShareTheWay) {
    BufferBench bench(5);
    std::vector<int> left(4);
    std::vector<std::vector<int>> got(4);
    for (std::uint16_t from = 0; from < 4; ++from) {
        const EventNo event(200 + from);
        bench.receive(4, event, 200, got[from]);
        bench.send(from, 4, event, 200, 16U << (2 * from), left[from]);
    }
    bench.run_for(SimTime::s(20));
    for (const auto& each : got) EXPECT_EQ(each, numbers(200));
}

TEST(Buffers, PutAMessageOfManyPacketsTogetherAgain) {
    BufferBench bench(4);
    std::vector<std::byte> sent(50'000), got(60'000);
    for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::byte>(i * 7 + i / 256);
    std::uint32_t length = 0;
    bench.user(3, [&](Api& api) {
        Message message{.event = meeting, .body = got};
        api.nrecv(message);
        length = message.length;
    });
    bench.user(0, [&](Api& api) {
        Message message{.node = NodeId(3), .event = meeting, .length = 50'000, .body = sent};
        api.nsend(message);
    });
    bench.run_for(SimTime::s(2));
    ASSERT_EQ(length, 50'000u);
    EXPECT_TRUE(std::equal(sent.begin(), sent.end(), got.begin()));
}

TEST(Buffers, ThrowAwayWhatIsLongerThanTheReceiversRoom) {
    BufferBench bench(2);
    std::vector<std::byte> sent(10'000, std::byte{7}), got(5'000);
    std::uint32_t length = 0;
    bench.user(1, [&](Api& api) {
        Message message{.event = meeting, .body = got};
        api.nrecv(message);
        length = message.length;
    });
    bench.user(0, [&](Api& api) {
        Message message{.node = NodeId(1), .event = meeting, .length = 10'000, .body = sent};
        api.nsend(message);
    });
    bench.run_for(SimTime::s(1));
    EXPECT_EQ(length, 5'000u);
}

// The worker of a link asks for the event of its output. A message for that event on its own node is for no link.
TEST(Buffers, DropAMessageOfAUserForAProcessThatMovesMessages) {
    BufferBench bench(3);
    int to_link = 0, left = 0;
    std::vector<int> got;
    for (std::uint8_t link = 0; link < 2; ++link)
        bench.send(1, 1, trollius_os::datalink_event(trollius_os::LinkNo(link)), 2, 10, to_link);
    bench.send(1, 1, trollius_os::events::router, 1, 10, to_link);
    bench.run_for(SimTime::ms(50));
    EXPECT_EQ(to_link, 5);
    EXPECT_EQ(bench.box.kernel(NodeId(1)).dropped_damaged(), 5u);
    bench.send(0, 2, meeting, 5, 4000, left);  // n1 stores them for its link: they come faster than they leave
    bench.send(1, 2, elsewhere, 5, 4000, left);
    bench.receive(2, meeting, 5, got);
    bench.run_for(SimTime::s(1));
    EXPECT_EQ(got, numbers(5));
}

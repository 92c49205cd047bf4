// The calls of the network layer that do not wait, and the transport layer.
#include <gmock/gmock.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <trollius_os/services.hpp>

#include "test_multicomputer.hpp"

using test_support::NodeId;
using test_support::SimTime;
using test_support::TestMulticomputer;
using trollius_os::Api;
using trollius_os::EventNo;
using trollius_os::Message;
using trollius_os::Outcome;

namespace {
constexpr EventNo transported{77};
constexpr std::uint32_t long_message = 3 * 4096;

struct TransportBench : TestMulticomputer {
    explicit TransportBench(std::size_t nodes = 3) : TestMulticomputer(topologies::chain(nodes)) {
        box.start_at_once();
        run_for(SimTime::ms(20));
    }
    static void pause(Api& api, std::uint64_t us) {
        api.wait_until_clock(api.port().clock_us(trollius_os::Priority::Low) + us);
    }
};

}  // namespace

TEST(Transport, WaitsForTheReceiverAndCarriesTypeAndPouch) {
    TransportBench bench;
    bool sent = false;
    bench.user(0, [&](Api& api) {
        std::vector<std::byte> body(10, std::byte{3});
        Message message{.node = NodeId(2), .event = transported, .type = 6, .data = {1, 2, 3}, .length = 10, .body = body};
        api.tsend(message);
        sent = true;
    });
    bench.run_for(SimTime::ms(200));
    EXPECT_FALSE(sent);
    Message got;
    std::vector<std::byte> room(20);
    bench.user(2, [&](Api& api) {
        Message message{.event = transported, .type = 4, .body = room};
        api.trecv(message);
        got = message;
    });
    bench.run_for(SimTime::ms(200));
    EXPECT_TRUE(sent);
    EXPECT_EQ(got.length, 10u);
    EXPECT_EQ(got.type, 6);
    EXPECT_EQ(got.event, transported);
    EXPECT_EQ(got.data[2], 3);
    EXPECT_EQ(room[9], std::byte{3});
}

TEST(Transport, IsThreeMessages) {
    TransportBench bench;
    bench.user(1, [](Api& api) {
        Message message{.event = transported};
        api.trecv(message);
    });
    bench.user(0, [](Api& api) {  // fills the route caches of nobody else
        Message message{.node = NodeId(1), .event = transported};
        api.tsend(message);
    });
    const std::uint64_t before = bench.rendezvous();
    bench.run_for(SimTime::ms(100));
    // Three buffered messages over one hop, four rendez-vous each, and a route that each side does not know yet, two each.
    EXPECT_EQ(bench.rendezvous() - before, 3u * 4 + 2 * 2);
}

TEST(TryReceive, TakesAMessageThatIsHereAndWaitsForNone) {
    TransportBench bench;
    std::vector<Outcome> outcomes;
    std::vector<int> got;
    bench.user(1, [&](Api& api) {
        for (int i = 0; i < 3; ++i) {
            Message message{.event = transported};
            outcomes.push_back(api.ntry_recv(message));
            got.push_back(message.data[0]);
            TransportBench::pause(api, 30'000);
        }
    });
    bench.run_for(SimTime::ms(5));
    bench.user(0, [](Api& api) {
        Message message{.node = NodeId(1), .event = transported, .data = {9}};
        api.nsend(message);
    });
    bench.run_for(SimTime::ms(100));
    EXPECT_THAT(outcomes, testing::ElementsAre(Outcome::WouldBlock, Outcome::Done, Outcome::WouldBlock));
    EXPECT_THAT(got, testing::ElementsAre(0, 9, 0));
}

TEST(TryReceive, PastTheBuffersTakesWhatASenderOffers) {
    TransportBench bench;
    std::vector<Outcome> outcomes;
    bench.user(1, [&](Api& api) {
        for (int i = 0; i < 2; ++i) {
            Message message{.event = transported, .flags = trollius_os::flags::no_buffer};
            outcomes.push_back(api.ntry_recv(message));
            TransportBench::pause(api, 30'000);
        }
    });
    bench.run_for(SimTime::ms(5));
    bench.user(0, [](Api& api) {
        Message message{.node = NodeId(1), .event = transported, .flags = trollius_os::flags::no_buffer};
        api.nsend(message);
    });
    bench.run_for(SimTime::ms(100));
    EXPECT_THAT(outcomes, testing::ElementsAre(Outcome::WouldBlock, Outcome::Done));
}

TEST(TrySend, SendsNothingIfNobodyTakesItAtOnce) {
    TransportBench bench;
    std::vector<Outcome> outcomes;
    int received = 0;
    bench.user(1, [&](Api& api) {
        const auto attempt = [&] {
            Message message{.node = NodeId(1), .event = transported, .flags = trollius_os::flags::no_buffer};
            outcomes.push_back(api.ntry_send(message));
        };
        attempt();
        TransportBench::pause(api, 30'000);
        attempt();
    });
    bench.run_for(SimTime::ms(5));
    bench.user(1, [&](Api& api) {
        Message message{.event = transported, .flags = trollius_os::flags::no_buffer};
        api.nrecv(message);
        ++received;
        api.nrecv(message);
        ++received;
    });
    bench.run_for(SimTime::ms(50));
    EXPECT_THAT(outcomes, testing::ElementsAre(Outcome::WouldBlock, Outcome::Done));
    EXPECT_EQ(received, 1);
}

TEST(TrySend, SendsALongMessageWholeOnceItHasBegun) {
    TransportBench bench;
    std::optional<Outcome> outcome;
    std::uint32_t length = 0;
    bench.user(0, [&](Api& api) {
        std::vector<std::byte> body(long_message);
        Message message{.node = NodeId(2), .event = transported, .length = long_message, .body = body};
        outcome = api.ntry_send(message);
    });
    bench.user(2, [&](Api& api) {
        std::vector<std::byte> room(long_message);
        Message message{.event = transported, .body = room};
        api.nrecv(message);
        length = message.length;
    });
    bench.run_for(SimTime::s(1));
    EXPECT_EQ(outcome, Outcome::Done);
    EXPECT_EQ(length, long_message);
}

TEST(Probe, TellsTypeAndLengthOfTheFirstMessageAndLeavesItThere) {
    TransportBench bench;
    bench.user(0, [](Api& api) {
        for (const std::uint32_t length : {5u, 6u}) {
            std::vector<std::byte> body(length);
            Message message{.node = NodeId(1), .event = transported, .type = 2, .length = length, .body = body};
            api.nsend(message);
        }
    });
    bench.run_for(SimTime::ms(50));
    bool done = false;
    bench.user(1, [&](Api& api) {
        const std::uint64_t before = bench.rendezvous();
        const auto first = api.nprobe(transported, 0);
        EXPECT_EQ(bench.rendezvous() - before, 2u);
        ASSERT_TRUE(first);
        EXPECT_EQ(first->type, 2);
        EXPECT_EQ(first->length, 5u);
        EXPECT_FALSE(first->more);
        EXPECT_FALSE(api.nprobe(transported, 4));
        EXPECT_FALSE(api.nprobe(EventNo(78), 0));
        Message message{.event = transported};
        api.nrecv(message);
        EXPECT_EQ(api.nprobe(transported, 2)->length, 6u);
        done = true;
    });
    bench.run_for(SimTime::ms(50));
    EXPECT_TRUE(done);
}

TEST(Probe, TellsThatAMessageHasMorePackets) {
    TransportBench bench;
    bench.user(0, [](Api& api) {
        std::vector<std::byte> body(5000);
        Message message{.node = NodeId(1), .event = transported, .length = 5000, .body = body};
        api.nsend(message);
    });
    bench.run_for(SimTime::ms(50));
    std::optional<trollius_os::Probed> probed;
    bench.user(1, [&](Api& api) { probed = api.nprobe(transported, 0); });
    bench.run_for(SimTime::ms(50));
    ASSERT_TRUE(probed);
    EXPECT_EQ(probed->length, 4096u);
    EXPECT_TRUE(probed->more);
}

// A first message that names no sender to whom an answer can go: the receiver waits for the next.
class ReadyOfNobody : public testing::TestWithParam<std::pair<std::int32_t, std::int32_t>> {};

TEST_P(ReadyOfNobody, DoesNotHoldTheReceiver) {
    TransportBench bench;
    bench.user(0, [](Api& api) {
        Message damaged{.node = NodeId(1), .event = transported, .data = {GetParam().first, GetParam().second}};
        api.nsend(damaged);
    });
    bench.run_for(SimTime::ms(50));
    int got = 0;
    bench.user(1, [&](Api& api) {
        Message message{.event = transported};
        api.trecv(message);
        got = message.data[0];
    });
    bench.user(0, [&](Api& api) {
        Message message{.node = NodeId(1), .event = transported, .data = {9}};
        api.tsend(message);
    });
    bench.run_for(SimTime::ms(200));
    EXPECT_EQ(got, 9);
    EXPECT_EQ(bench.box.kernel(NodeId(1)).dropped_damaged(), 1u);
}
INSTANTIATE_TEST_SUITE_P(NodeAndEvent, ReadyOfNobody,
                         testing::Values(std::pair(5000, -1234),  // there is no such node
                                         std::pair(0, 1234),      // no process's own event
                                         std::pair(0, trollius_os::events::router.value()), std::pair(0x10000, -1234)));

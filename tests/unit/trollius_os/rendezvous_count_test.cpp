// Number of rendez-vous of each operation, as the cost model of Trollius has them.
#include <gmock/gmock.h>

#include <vector>

#include "test_multicomputer.hpp"

using test_support::NodeId;
using test_support::SimTime;
using test_support::TestMulticomputer;
using trollius_os::Api;
using trollius_os::EventNo;
using trollius_os::Message;

namespace {
constexpr EventNo meeting_event{77};

struct CountBench : TestMulticomputer {
    explicit CountBench(const topologies::MachineDescription& description) : TestMulticomputer(description) {
        box.start_at_once();
    }

    void receive_always(std::uint16_t node, std::uint32_t flags) {
        user(node, [flags](Api& api) {
            while (true) {
                Message message{.event = meeting_event, .flags = flags};
                api.nrecv(message);
            }
        });
    }
    // Rendez-vous of each of `times` messages, one at a time, on the whole machine.
    std::vector<std::uint64_t> counts(std::uint16_t from, std::uint16_t to, std::uint32_t flags, int times) {
        auto result = std::make_shared<std::vector<std::uint64_t>>();
        run_for(SimTime::ms(20));  // everybody waits
        bool done = false;
        user(from, [this, result, to, flags, times, &done](Api& api) {
            for (int i = 0; i < times; ++i) {
                const std::uint64_t before = rendezvous();
                Message message{.node = NodeId(to), .event = meeting_event, .flags = flags};
                api.nsend(message);
                api.wait_until_clock(api.port().clock_us(trollius_os::Priority::Low) + 20'000);
                result->push_back(rendezvous() - before);
            }
            done = true;
        });
        run_for(SimTime::ms(25 * times + 10));
        EXPECT_TRUE(done);
        return *result;
    }
};

}  // namespace

TEST(RendezvousCount, IsOneForALocalSendAndReceive) {
    CountBench bench(topologies::chain(2));
    bench.run_for(SimTime::ms(20));
    const std::uint64_t before = bench.rendezvous();
    bench.user(1, [](Api& api) {
        Message message{.event = meeting_event};
        api.krecv(message);
    });
    bench.user(1, [](Api& api) {
        Message message{.event = meeting_event};
        api.ksend(message);
    });
    bench.run_for(SimTime::ms(20));
    EXPECT_EQ(bench.rendezvous() - before, 1u);
}

TEST(RendezvousCount, IsThreeForABufferedLocalMessageAndOneForAnUnbufferedOne) {
    CountBench bench(topologies::chain(2));
    bench.receive_always(1, 0);
    EXPECT_THAT(bench.counts(1, 1, 0, 2), testing::ElementsAre(3, 3));
}

TEST(RendezvousCount, IsOneForAnUnbufferedLocalMessage) {
    CountBench bench(topologies::chain(2));
    bench.receive_always(1, trollius_os::flags::no_buffer);
    EXPECT_THAT(bench.counts(1, 1, trollius_os::flags::no_buffer, 2), testing::ElementsAre(1, 1));
}

class RendezvousOverHops : public testing::TestWithParam<std::uint16_t> {};

TEST_P(RendezvousOverHops, IsHopsPlusOneUnbufferedAndTwoMoreForEveryRouteAskedFirst) {
    const std::uint16_t hops = GetParam();
    CountBench bench(topologies::chain(6));
    bench.receive_always(hops, trollius_os::flags::no_buffer);
    const auto counts = bench.counts(0, hops, trollius_os::flags::no_buffer, 3);
    // The sender and the link processes on the way each ask the router once.
    EXPECT_THAT(counts, testing::ElementsAre(hops + 1 + 2 * hops, hops + 1, hops + 1));
}

TEST_P(RendezvousOverHops, IsFourBufferedOverOneHopAndTwoMoreForEveryFurtherHop) {
    const std::uint16_t hops = GetParam();
    CountBench bench(topologies::chain(6));
    bench.receive_always(hops, 0);
    const auto counts = bench.counts(0, hops, 0, 3);
    EXPECT_THAT(counts, testing::ElementsAre(4 + 2 * (hops - 1) + 2 * hops, 4 + 2 * (hops - 1), 4 + 2 * (hops - 1)));
}
INSTANTIATE_TEST_SUITE_P(Hops, RendezvousOverHops, testing::Values(1, 2, 3, 5));

TEST(RendezvousCount, ShowsThatEveryPairIsConnectedByAShortestPath) {
    CountBench bench(test_support::machine_file("btree_8"));
    for (std::uint16_t node = 0; node < 8; ++node) bench.receive_always(node, trollius_os::flags::no_buffer);
    for (std::uint16_t from = 0; from < 8; ++from) {
        const auto hops = bench.box.machine().network().hops(NodeId(from));
        for (std::uint16_t to = 0; to < 8; ++to) {
            if (from == to) continue;
            EXPECT_EQ(bench.counts(from, to, trollius_os::flags::no_buffer, 2).back(), *hops[to] + 1) << from << " to " << to;
        }
    }
}

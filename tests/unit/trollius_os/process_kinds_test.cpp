// Processes that are coroutines beside those with a stack.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "test_multicomputer.hpp"

using coroutines::Task;
using test_support::NodeId;
using test_support::SimTime;
using test_support::TestMulticomputer;
using trollius_os::Api;
using trollius_os::Calls;
using trollius_os::EventNo;
using trollius_os::Message;

namespace {

constexpr EventNo meeting_point{78};

Task<> waits(Calls& calls) {
    co_await calls.wait();
}

}  // namespace

TEST(KindsOfProcesses, MeetInARendezVous) {
    TestMulticomputer bench(topologies::chain(2));
    std::vector<std::int32_t> got;
    bench.user(1, [](Api& api) {
        Message message{.event = meeting_point, .data = {5}};
        api.ksend(message);
    });
    bench.user(1, [&](Calls& calls) -> Task<> {
        Message message{.event = meeting_point};
        co_await calls.krecv(message);
        got.push_back(message.data[0]);
        ++message.data[0];
        co_await calls.ksend(message);
    });
    bench.user(1, [&](Api& api) {
        api.compute(SimTime::ms(1));
        Message message{.event = meeting_point};
        api.krecv(message);
        got.push_back(message.data[0]);
    });
    bench.run_for(SimTime::ms(5));
    EXPECT_THAT(got, testing::ElementsAre(5, 6));
}

TEST(KindsOfProcesses, TakeTheSamePlacesOfANode) {
    TestMulticomputer bench(topologies::chain(2));
    std::size_t made = 0;
    while (bench.user(1, waits) != nullptr) ++made;
    EXPECT_EQ(made, hw_model::Arena::most_places);
    EXPECT_EQ(bench.user(1, [](Api& api) { api.wait(); }), nullptr);
}

TEST(KindsOfProcesses, GiveTheirPlacesBackWhenTheyEnd) {
    TestMulticomputer bench(topologies::chain(2));
    int ended = 0;
    for (int i = 0; i < 200; ++i) {
        ASSERT_NE(bench.user(1,
                             [&](Calls& calls) -> Task<> {
                                 co_await calls.compute(SimTime::us(10));
                                 ++ended;
                             }),
                  nullptr);
        bench.run_for(SimTime::us(100));
    }
    EXPECT_EQ(ended, 200);
}

TEST(KindsOfProcesses, CanBeDoomedInMidWait) {
    TestMulticomputer bench(topologies::chain(2));
    std::array<std::byte, 4> room{}, from{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
    const auto receive = [&](Calls& calls) -> Task<> {
        co_await calls.link_receive(vocabulary::LinkNo(0), trollius_os::LinkChannel::Circuit, {.header = {}, .body = room});
    };
    auto* first = bench.user(1, receive);
    bench.run_for(SimTime::ms(1));
    bench.box.kernel(NodeId(1)).doom(*first);
    auto* second = bench.user(1, receive);
    bench.user(0, [&](Calls& calls) -> Task<> {
        co_await calls.link_send(vocabulary::LinkNo(1),
                                 {.channel = trollius_os::LinkChannel::Circuit, .body = from, .wire_bytes = 4});
    });
    bench.run_for(SimTime::ms(5));
    EXPECT_EQ(second->state(), trollius_os::ProcessState::Ended);
    EXPECT_EQ(room, from);
}

TEST(KindsOfProcessesDeathTest, BlockingInACoroutineIsABrokenContract) {
    TestMulticomputer bench(topologies::chain(2));
    EXPECT_DEATH(
        {
            bench.user(1, [](Calls& calls) -> Task<> {
                calls.wait().get();
                co_return;
            });
            bench.run_for(SimTime::ms(1));
        },
        "node_port.step.waits");
}

TEST(KindsOfProcessesDeathTest, UsingANegativeTimeIsABrokenContract) {
    TestMulticomputer bench(topologies::chain(2));
    EXPECT_DEATH(
        {
            bench.user(1, [](Api& api) { api.compute(SimTime::us(-10)); });
            bench.run_for(SimTime::ms(1));
        },
        "sc_node_port.use.negative");
}

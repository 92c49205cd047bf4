// Requests to the bufferd of any node: what its pool holds, and what is discarded.
#include <gmock/gmock.h>

#include <vector>

#include <trollius_os/services.hpp>

#include "test_multicomputer.hpp"

using test_support::NodeId;
using test_support::SimTime;
using test_support::TestMulticomputer;
using testing::ElementsAre;
using trollius_os::Api;
using trollius_os::BufferState;
using trollius_os::EventNo;
using trollius_os::Message;

namespace {
constexpr EventNo pooled{77}, beside{78};
constexpr std::uint32_t header = 56;

topologies::CostTable full_pool() {
    auto costs = test_support::standard_costs();
    costs.set("kernel.buffer_pool", 40'000, "test");
    costs.set("kernel.user_pool", 20'000, "test");
    return costs;
}

struct PoolBench : TestMulticomputer {
    explicit PoolBench(const topologies::CostTable& costs = test_support::standard_costs())
        : TestMulticomputer(topologies::chain(4), costs) {
        box.start_at_once();
        run_for(SimTime::ms(20));
    }
    void send(EventNo event, std::vector<std::uint32_t> lengths, std::uint16_t from = 0) {
        user(from, [=, this](Api& api) {
            for (const std::uint32_t length : lengths) {
                std::vector<std::byte> body(length, std::byte(length));
                Message message{.node = NodeId(2), .event = event, .type = 3, .length = length, .body = body};
                api.nsend(message);
                ++left;
            }
        });
        run_for(SimTime::ms(200));
    }
    // Runs `code` on the host, or on a node.
    void ask(const std::function<void(Api&)>& code, std::optional<std::uint16_t> node = std::nullopt) {
        bool done = false;
        const auto all = [&](Api& api) {
            code(api);
            done = true;
        };
        if (node) {
            user(*node, all);
        } else {
            box.host().create({"user", trollius_os::Priority::Low, 0, 1024, all});
        }
        run_for(SimTime::s(1));
        EXPECT_TRUE(done);
    }
    int left = 0;
};

std::vector<std::uint32_t> lengths(const BufferState& state) {
    std::vector<std::uint32_t> result;
    for (const auto& packet : state.packets) result.push_back(packet.length);
    return result;
}

}  // namespace

class PoolAskedFrom : public testing::TestWithParam<std::optional<std::uint16_t>> {};

TEST_P(PoolAskedFrom, ListsItsPacketsWithTheirSpace) {
    PoolBench bench;
    bench.send(pooled, {10, 5000});
    bench.ask(
        [&](Api& api) {
            const BufferState state = trollius_os::buffer_state(api, NodeId(2));
            EXPECT_THAT(lengths(state), ElementsAre(10, 4096, 904));
            EXPECT_EQ(state.used, 5010u + 3 * header);
            EXPECT_EQ(state.space, 262'144u);
            EXPECT_EQ(state.user_space, 196'608u);
            EXPECT_EQ(state.packets[0].node.id(), NodeId(2));
            EXPECT_EQ(state.packets[0].event, pooled);
            EXPECT_EQ(state.packets[0].type, 3);
            EXPECT_EQ(state.packets[0].flags, 0u);
            EXPECT_EQ(state.packets[1].flags, trollius_os::flags::more);
            EXPECT_EQ(state.packets[2].flags, trollius_os::flags::second);
            EXPECT_THAT(trollius_os::buffer_state(api, NodeId(1)).packets, testing::IsEmpty());
        },
        GetParam());
}

TEST_P(PoolAskedFrom, DiscardsForOneEventForUsersOrAll) {
    PoolBench bench;
    bench.send(pooled, {1, 2});
    bench.send(beside, {3});
    bench.send(EventNo(-5000), {4});
    bench.ask(
        [&](Api& api) {
            EXPECT_EQ(trollius_os::sweep_buffers(api, NodeId(2), beside), 1u);
            EXPECT_THAT(lengths(trollius_os::buffer_state(api, NodeId(2))), ElementsAre(1, 2, 4));
            EXPECT_EQ(trollius_os::sweep_buffers(api, NodeId(2)), 2u);
            EXPECT_THAT(lengths(trollius_os::buffer_state(api, NodeId(2))), ElementsAre(4));
            EXPECT_EQ(trollius_os::wipe_buffers(api, NodeId(2)), 1u);
            EXPECT_EQ(trollius_os::buffer_state(api, NodeId(2)).used, 0u);
        },
        GetParam());
}

TEST_P(PoolAskedFrom, ShowsTheContentOfAPacket) {
    PoolBench bench;
    bench.send(pooled, {7, 9});
    bench.ask(
        [&](Api& api) {
            EXPECT_EQ(trollius_os::look_into_buffers(api, NodeId(2), 1), std::vector<std::byte>(9, std::byte{9}));
            EXPECT_EQ(trollius_os::look_into_buffers(api, NodeId(2), 2), std::nullopt);
        },
        GetParam());
}

TEST_P(PoolAskedFrom, TakesNewLimitsThatHoldAPacket) {
    PoolBench bench;
    bench.ask(
        [&](Api& api) {
            EXPECT_FALSE(trollius_os::set_buffer_space(api, NodeId(2), 10'000, 4'000));
            EXPECT_FALSE(trollius_os::set_buffer_space(api, NodeId(2), 5'000, 6'000));
            const auto ram = static_cast<std::uint32_t>(bench.box.machine().node(NodeId(2)).arena.ram_bytes());
            EXPECT_FALSE(trollius_os::set_buffer_space(api, NodeId(2), ram + 1, 5'000));
            EXPECT_TRUE(trollius_os::set_buffer_space(api, NodeId(2), ram, 5'000));
            EXPECT_TRUE(trollius_os::set_buffer_space(api, NodeId(2), 10'000, 5'000));
            EXPECT_EQ(trollius_os::buffer_state(api, NodeId(2)).space, 10'000u);
            EXPECT_EQ(trollius_os::buffer_state(api, NodeId(2)).user_space, 5'000u);
        },
        GetParam());
    bench.send(pooled, std::vector<std::uint32_t>(20, 1000), 1);
    EXPECT_LT(bench.left, 8);  // the sender waits at its link
}
INSTANTIATE_TEST_SUITE_P(HostNeighbourOrItself, PoolAskedFrom,
                         testing::Values(std::nullopt, std::uint16_t{1}, std::uint16_t{2}));

TEST(Pool, ListsMorePacketsThanOneAnswerHolds) {
    PoolBench bench;
    bench.send(pooled, std::vector<std::uint32_t>(500, 0));
    bench.run_for(SimTime::s(2));
    bench.ask([&](Api& api) { EXPECT_EQ(trollius_os::buffer_state(api, NodeId(2)).packets.size(), 500u); });
}

// Behaviours 6 and 7: a pool that nobody empties fills up to the users' limit. Requests still pass, if they do not come by
// the plugged link. A sweep frees the sender.
TEST(Pool, IsSweptFromAfarWhileItIsFull) {
    PoolBench bench(full_pool());
    bench.send(pooled, std::vector<std::uint32_t>(40, 1000), 1);
    bench.run_for(SimTime::s(1));
    const int before = bench.left;
    EXPECT_LT(before, 40);
    bench.ask(
        [&](Api& api) {
            EXPECT_GT(trollius_os::buffer_state(api, NodeId(2)).used, 20'000u - 4096 - header);
            EXPECT_GT(trollius_os::sweep_buffers(api, NodeId(2)), 10u);
        },
        3);
    EXPECT_GT(bench.left, before);
}

TEST(Pool, GivesNoMessageToARequestFromAfar) {
    PoolBench bench;
    bench.send(pooled, {5});
    bench.user(0, [](Api& api) {
        Message request{
            .node = NodeId(2),
            .event = trollius_os::events::bufferd,
            .type = trollius_os::classes::control,
            .data = trollius_os::encode(trollius_os::services::BufferRequest{.event = pooled, .asker = {api.pid(), 1}})};
        api.nsend(request);
    });
    bench.run_for(SimTime::ms(100));
    EXPECT_EQ(bench.box.kernel(NodeId(2)).dropped_damaged(), 1u);
    bench.ask([&](Api& api) { EXPECT_EQ(trollius_os::buffer_state(api, NodeId(2)).packets.size(), 1u); });
}

// A request from afar in the name of a process that has asked for another event.
TEST(Pool, GivesNoMessageToARequestFromAfarInTheNameOfAnAsker) {
    PoolBench bench;
    bench.send(pooled, {5});
    auto* asker = bench.user(2, [](Api& api) {
        Message message{.event = beside};
        api.nrecv(message);
    });
    bench.run_for(SimTime::ms(50));
    bench.user(0, [asker](Api& api) {
        Message request{
            .node = NodeId(2),
            .event = trollius_os::events::bufferd,
            .type = trollius_os::classes::control,
            .data = trollius_os::encode(trollius_os::services::BufferRequest{.event = pooled, .asker = {asker->pid(), 1}})};
        api.nsend(request);
    });
    bench.run_for(SimTime::ms(100));
    bench.send(beside, {6});
    EXPECT_EQ(asker->state(), trollius_os::ProcessState::Ended);
    bench.ask([&](Api& api) { EXPECT_THAT(lengths(trollius_os::buffer_state(api, NodeId(2))), ElementsAre(5)); });
}

// The caller of a query, and the node that sends it. The first is of the node itself, and its event damaged or not.
struct QueryInAFalseName {
    std::uint16_t from, names;
    EventNo reply;
};
class FalseQuery : public testing::TestWithParam<QueryInAFalseName> {};

TEST_P(FalseQuery, IsDroppedAndDoesNoHarm) {
    PoolBench bench;
    const auto [from, names, reply] = GetParam();
    bool answered = false;
    bench.user(2, [&](Api& api) {  // the process in whose name it comes
        Message answer{.event = EventNo(-12345)};
        api.krecv(answer);
        answered = true;
    });
    bench.user(from, [names = names, reply = reply](Api& api) {
        Message request = trollius_os::services::request_to(
            NodeId(2), trollius_os::events::bufferd,
            trollius_os::services::BufferQuery{.call = trollius_os::services::BufferCall::State,
                                               .caller = {NodeId(names), reply}});
        request.type = trollius_os::classes::control;
        api.nsend(request);
    });
    bench.run_for(SimTime::ms(100));
    EXPECT_FALSE(answered);
    EXPECT_EQ(bench.box.kernel(NodeId(2)).dropped_damaged(), 1u);
    for (const std::uint16_t node : {1, 2, 3}) {
        bench.ask([](Api& api) { EXPECT_EQ(trollius_os::buffer_state(api, NodeId(2)).packets.size(), 0u); }, node);
        bench.ask([](Api& api) { EXPECT_EQ(trollius_os::buffer_state(api, NodeId(0)).packets.size(), 0u); }, node);
    }
}
INSTANTIATE_TEST_SUITE_P(InTheNameOf, FalseQuery,
                         testing::Values(QueryInAFalseName{0, 2, EventNo(-12345)}, QueryInAFalseName{2, 0, EventNo(-12345)},
                                         QueryInAFalseName{0, 2, trollius_os::events::router},
                                         QueryInAFalseName{2, 2, trollius_os::events::router},
                                         QueryInAFalseName{2, 2, trollius_os::events::bufferd},
                                         QueryInAFalseName{0, 0, trollius_os::nowhere},
                                         QueryInAFalseName{0, 2, trollius_os::datalink_event(trollius_os::LinkNo(0))},
                                         QueryInAFalseName{2, 2, trollius_os::buffer_worker_event(trollius_os::LinkNo(1))}));

// Answers wait for a plugged link in a space of their own. The rest is dropped, and the node works.
TEST(Pool, KeepsFewAnswersForALinkThatIsPlugged) {
    PoolBench bench;
    bench.user(2, [](Api& api) {
        Message plug{.node = NodeId(1), .event = pooled, .flags = trollius_os::flags::no_buffer};
        api.nsend(plug);
    });
    bench.user(1, [](Api& api) {
        for (int i = 0; i < 200; ++i) {
            Message query = trollius_os::services::request_to(
                NodeId(2), trollius_os::events::bufferd,
                trollius_os::services::BufferQuery{.caller = trollius_os::services::caller(api)});
            query.type = trollius_os::classes::control;
            api.nsend(query);
        }
    });
    bench.run_for(SimTime::s(1));
    constexpr std::uint32_t space = 4 * (4096 + header);
    bench.ask(
        [&](Api& api) {
            const BufferState state = trollius_os::buffer_state(api, NodeId(2));
            EXPECT_GT(state.used, space - 4096);
            EXPECT_LE(state.used, space);
            EXPECT_LE(state.packets.size() + 2 + bench.box.kernel(NodeId(2)).dropped_damaged(), 200u);
        },
        2);
    EXPECT_GT(bench.box.kernel(NodeId(2)).dropped_damaged(), 100u);
    bench.ask(
        [](Api& api) {
            Message plug{.event = pooled, .flags = trollius_os::flags::no_buffer};
            api.nrecv(plug);
            api.wait_until_clock(api.port().clock_us(trollius_os::Priority::Low) + 200'000);  // the answers leave
            EXPECT_EQ(trollius_os::buffer_state(api, NodeId(2)).used, 0u);
        },
        1);
}

// Single damaged messages, each at the place that it would harm.
#include <gmock/gmock.h>

#include <cstring>
#include <string>
#include <vector>

#include <instrumentation/message_seal.hpp>
#include <trollius_os/services.hpp>

#include "test_farm.hpp"

namespace damaged_message_cases {

namespace {

using test_support::NodeId;
using test_support::SimTime;
using test_support::TestFarm;
using test_support::TestMulticomputer;
using trollius_os::Api;
using trollius_os::EventNo;
using trollius_os::Message;
using vocabulary::LinkNo;

constexpr EventNo meeting{77};

struct DamageBench : TestMulticomputer, private trollius_os::Witness {
    explicit DamageBench(std::size_t nodes) : TestMulticomputer(topologies::chain(nodes)) {
        for (std::size_t i = 0; i <= nodes; ++i) {
            box.kernel(NodeId(static_cast<std::uint16_t>(i))).add_witness(*this);
        }
        box.start_at_once();
        run_for(SimTime::ms(20));
    }
    void send(std::uint16_t from, Message message) {
        user(from, [message](Api& api) {
            Message mine = message;
            api.nsend(mine);
        });
        run_for(SimTime::ms(50));
    }
    bool echoes(std::uint16_t from, std::uint16_t to) {
        bool answered = false;
        user(from, [&answered, to](Api& api) {
            trollius_os::echo(api, NodeId(to), 10);
            answered = true;
        });
        run_for(SimTime::ms(200));
        return answered;
    }
    std::vector<std::string> dropped;

private:
    void on_dropped(const trollius_os::MessageDropped& what) override {
        dropped.push_back("n" + std::to_string(what.node.value()) + " " + what.where + ": " + what.why);
    }
};

// Changes the header of the next message over a node's links, as bytes on the wire would be changed.
void spoil_next(TestMulticomputer& bench, std::uint16_t node, std::size_t at, std::uint8_t bits) {
    bench.box.port(NodeId(node)).set_damage([at, bits, done = false](LinkNo, std::span<std::byte> header, auto) mutable {
        if (!std::exchange(done, true)) header[at] ^= static_cast<std::byte>(bits);
        return true;
    });
}

constexpr std::size_t header_node = 0, header_length = 16;  // of the kernel's packet

struct FarmBench : TestFarm {
    explicit FarmBench(std::uint32_t tasks)
        : TestFarm({.nodes = 3, .tree = farm_spec::TreeKind::Chain, .tasks = tasks}, test_support::uniform_tasks(300)) {
        for (std::uint16_t i = 0; i < 3; ++i) box.kernel(NodeId(i)).add_witness(truth);
    }
    // Applies `change` to the circuit messages over a link of the node, until it returns true.
    void spoil(std::uint16_t node, const std::function<bool(std::uint8_t kind, std::span<std::byte>)>& change) {
        box.port(NodeId(node)).set_damage([change, done = false](LinkNo, std::span<std::byte> header, auto) mutable {
            constexpr std::size_t circuit_header = 20;
            if (!done && header.size() == circuit_header) done = change(std::to_integer<std::uint8_t>(header[0]), header);
            return true;
        });
    }
};

constexpr std::uint8_t task = 1, result = 2, token = 3;  // kinds on the wire

}  // namespace

TEST(DamagedPacket, WithALengthThatIsNotItsOwnIsDroppedAndCounted) {
    DamageBench bench(2);
    spoil_next(bench, 1, header_length, 0x40);
    std::vector<std::byte> body(20);
    bench.send(0, {.node = NodeId(1), .event = meeting, .length = 20, .body = body});
    EXPECT_THAT(bench.dropped, testing::ElementsAre("n1 dli: a packet with a wrong length"));
    EXPECT_EQ(bench.box.kernel(NodeId(1)).dropped_damaged(), 1U);
    EXPECT_TRUE(bench.echoes(0, 1));
}

TEST(DamagedPacket, ForANodeThatIsNotThereIsDroppedAndDoesNotFillThePool) {
    DamageBench bench(2);
    spoil_next(bench, 1, header_node + 1, 0x20);
    bench.send(0, {.node = NodeId(1), .event = meeting});
    EXPECT_THAT(bench.dropped, testing::ElementsAre("n1 bufferd: a packet for an unreachable node"));
}

TEST(DamagedPacket, ForTheRouterOfANodeDoesNotReachIt) {
    DamageBench bench(2);
    bench.send(0, {.node = NodeId(1), .event = trollius_os::events::router, .flags = trollius_os::flags::no_buffer});
    EXPECT_THAT(bench.dropped, testing::ElementsAre("n1 dli: a packet for a process that takes none from other nodes"));
    EXPECT_TRUE(bench.echoes(1, 0));
}

TEST(DamagedRequest, ThatNamesNoNodeToAnswerDoesNotBlockTheService) {
    DamageBench bench(2);
    for (const EventNo service : {trollius_os::events::echod, trollius_os::events::kenyad, trollius_os::events::flatd})
        bench.send(0, {.node = NodeId(1), .event = service, .data = {2, 999, 5}});
    bench.send(0, {.node = NodeId(1), .event = trollius_os::events::flatd, .data = {1, 999, 5}});
    EXPECT_TRUE(bench.echoes(0, 1));
    EXPECT_EQ(bench.box.kernel(NodeId(1)).dropped_damaged(), 4U);
}

TEST(DamagedRequest, ToFlatdTakesNoMemoryAndGivesNoneBack) {
    DamageBench bench(2);
    const std::uint64_t before = bench.box.machine().node(NodeId(1)).arena.used_bytes();
    for (const std::int32_t what : {2, 3, 77})
        bench.send(0, {.node = NodeId(1), .event = trollius_os::events::flatd, .data = {what, 0, -1, 42, 1000}});
    EXPECT_EQ(bench.dropped, std::vector<std::string>(3, "n1 flatd: an unreadable request"));
    EXPECT_EQ(bench.box.machine().node(NodeId(1)).arena.used_bytes(), before);
}

TEST(DamagedRequest, ThatKenyadCannotReadIsDroppedAndNotAnswered) {
    DamageBench bench(2);
    for (const std::int32_t what : {0, 6, -1})
        bench.send(0, {.node = NodeId(1), .event = trollius_os::events::kenyad, .data = {what, 0, -1}});
    EXPECT_EQ(bench.dropped, std::vector<std::string>(3, "n1 kenyad: an unreadable request"));
}

TEST(DamagedRequest, ThatTheFileServerDoesNotKnowIsDroppedAndItsCallerGoesOn) {
    DamageBench bench(2);
    bool went_on = false;
    bench.user(1, [&](Api& api) {
        const NodeId host = bench.box.host_id();
        Message request{.node = host,
                        .event = trollius_os::events::filed,
                        .data = {0, api.node().value(), api.process().reply_event().value(), 5}};
        api.nsend(request);
        Message answer{.event = api.process().reply_event()};
        api.nrecv(answer);
        went_on = true;
    });
    bench.run_for(SimTime::ms(100));
    EXPECT_TRUE(went_on);
    EXPECT_EQ(bench.dropped, std::vector<std::string>(1, "n2 filed: an unknown request"));
}

TEST(DamagedRequest, WhoseRouteTableIsShortIsAnsweredAndChangesNoRoute) {
    DamageBench bench(2);
    std::int32_t tag = 0;
    std::vector<std::byte> table(2);
    bench.user(0, [&](Api& api) {
        const std::int32_t reply = api.process().reply_event().value();
        Message request{.node = NodeId(1),
                        .event = trollius_os::events::kenyad,
                        .data = {3, api.node().value(), reply, 17},
                        .length = 2,
                        .body = table};
        api.nsend(request);
        Message answer{.event = api.process().reply_event()};
        api.nrecv(answer);
        tag = answer.data[1];
    });
    bench.run_for(SimTime::ms(100));
    EXPECT_EQ(tag, 17);
    EXPECT_THAT(bench.dropped, testing::IsEmpty());
    EXPECT_TRUE(bench.echoes(1, 0));
}

TEST(DamagedRequest, WhoseCallersNodeIsDamagedInTheUpperHalfOfItsWordIsServed) {
    DamageBench bench(2);
    std::int32_t dropped = -1;
    bench.user(0, [&](Api& api) {
        const std::int32_t reply = api.process().reply_event().value();
        Message request{
            .node = NodeId(1), .event = trollius_os::events::kenyad, .data = {2, api.node().value() | 0x10000, reply}};
        api.nsend(request);
        std::vector<std::byte> records(4000);
        Message answer{.event = api.process().reply_event(), .body = records};
        api.nrecv(answer);
        dropped = answer.data[0];
    });
    bench.run_for(SimTime::ms(100));
    EXPECT_EQ(dropped, 0);
}

TEST(UnbufferedMessage, ToAProcessThatReceivesBufferedDoesNotWedgeTheBuffers) {
    DamageBench bench(2);
    std::vector<int> got;
    bench.user(1, [&got](Api& api) {
        for (int i = 0; i < 4; ++i) {
            Message message{.event = meeting};
            api.nrecv(message);
            got.push_back(message.data[0]);
        }
    });
    bench.run_for(SimTime::ms(20));
    bench.send(0, {.node = NodeId(1), .event = meeting, .flags = trollius_os::flags::no_buffer, .data = {1}});
    for (int i = 2; i <= 4; ++i) bench.send(0, {.node = NodeId(1), .event = meeting, .data = {i}});
    EXPECT_THAT(got, testing::ElementsAre(1, 2, 3, 4));
    EXPECT_TRUE(bench.echoes(0, 1));
}

TEST(DamagedTask, WithAWrongSizeIsDroppedAndTheFarmStandsStill) {
    FarmBench farm(20);
    farm.spoil(1, [](std::uint8_t kind, std::span<std::byte> header) {
        if (kind == task) header[12] ^= std::byte{4};
        return kind == task;
    });
    EXPECT_FALSE(farm.run(SimTime::s(2)));
    EXPECT_EQ(farm.truth.dropped_count(), 1U);
    EXPECT_EQ(farm.farm.account().completed, farm.farm.account().issued - 1);
}

TEST(DamagedTask, UnderTheNumberOfAnotherEndsNothingEarly) {
    FarmBench farm(20);
    int seen = 0;
    farm.spoil(1, [&seen](std::uint8_t kind, std::span<std::byte> header) {
        const bool fifth = kind == task && ++seen == 5;
        if (fifth) header[4] ^= std::byte{1};  // task 4 becomes 5
        return fifth;
    });
    EXPECT_FALSE(farm.run(SimTime::s(2)));
    EXPECT_EQ(farm.farm.account().unexpected, 1U);
    EXPECT_EQ(farm.farm.account().completed, 19U);
}

TEST(DamagedResult, OfATaskThatWasNeverIssuedIsNotCounted) {
    FarmBench farm(20);
    farm.spoil(0, [](std::uint8_t kind, std::span<std::byte> header) {
        if (kind == result) header[5] ^= std::byte{1};  // 256 is added
        return kind == result;
    });
    EXPECT_FALSE(farm.run(SimTime::s(2)));
    EXPECT_EQ(farm.farm.account().unexpected, 1U);
    EXPECT_EQ(farm.farm.account().completed, 19U);
}

TEST(DamagedToken, ForBillionsOfPlacesIsDropped) {
    FarmBench farm(5);
    farm.spoil(0, [](std::uint8_t kind, std::span<std::byte> header) {
        if (kind == token) header[19] ^= std::byte{0x80};
        return kind == token;
    });
    farm.run(SimTime::s(2));
    EXPECT_GE(farm.truth.dropped_count(), 1U);
}

class DamagedKind : public testing::TestWithParam<int> {};

TEST_P(DamagedKind, InAnyBitIsSeenByWhoeverReceivesIt) {
    FarmBench farm(10);
    farm.spoil(1, [](std::uint8_t, std::span<std::byte> header) {
        header[0] ^= static_cast<std::byte>(1U << GetParam());
        return true;
    });
    farm.run(SimTime::s(2));
    EXPECT_EQ(farm.truth.dropped_count(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Bits, DamagedKind, testing::Range(0, 8));

TEST(SecondSlave, OnANodeIsNotStarted) {
    FarmBench farm(10);
    farm.run_for(SimTime::ms(1));
    farm.user(1, farm.farm.slave().code({}));
    EXPECT_TRUE(farm.run());
    EXPECT_EQ(farm.box.kernel(NodeId(1)).dropped_damaged(), 1U);
}

TEST(Seal, SeesEveryBitOfPouchAndBody) {
    std::vector<std::byte> body(40, std::byte{7});
    Message message{.data = {1, 2, 3, 4, 5}, .length = 40, .body = body};
    instrumentation::seal(message);
    EXPECT_EQ(instrumentation::check_seal(message), instrumentation::Seal::Whole);
    for (std::size_t bit = 0; bit < 8 * body.size(); ++bit) {
        body[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
        EXPECT_EQ(instrumentation::check_seal(message), instrumentation::Seal::BodyDamaged);
        body[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    }
    for (std::size_t bit = 0; bit < 32 * message.data.size(); ++bit) {
        message.data[bit / 32] ^= static_cast<std::int32_t>(1U << bit % 32);
        EXPECT_EQ(instrumentation::check_seal(message), instrumentation::Seal::Damaged);
        message.data[bit / 32] ^= static_cast<std::int32_t>(1U << bit % 32);
    }
}

}  // namespace damaged_message_cases

// Casts: their creation, trees, and the messages that go to every node of a cast.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>

#include <trollius_hosted/unreceived.hpp>

#include "cast_bench.hpp"

using trollius_os::Api;
using trollius_os::Message;
using vocabulary::NodeId;
using vocabulary::SimTime;
namespace errors = trollius_os::errors;

namespace {

// Every node of the cast reads; the others do, too. Returns what each has got from one message of each node.
std::vector<std::string> heard(CastBench& bench, NodeId cast) {
    std::vector<std::string> got(bench.box.node_count());
    for (std::uint16_t node = 0; node < got.size(); ++node) bench.read(node, got[node]);
    for (std::uint16_t node = 0; node < got.size(); ++node) bench.send(node, cast, static_cast<char>('a' + node));
    bench.run_for(SimTime::s(1));
    for (std::string& letters : got) std::sort(letters.begin(), letters.end());
    return got;
}

}  // namespace

TEST(Cast, BringsOneMessageToEachOfItsNodesOnceWhoeverSends) {
    CastBench bench(topologies::mesh(3, 3));
    const auto created = bench.create(CastBench::nodes({0, 4, 5, 8}), 2);
    ASSERT_EQ(created.error, 0);
    EXPECT_TRUE(trollius_os::is_cast(created.cast));
    const auto got = heard(bench, created.cast);
    for (std::size_t node = 0; node < got.size(); ++node) {
        const bool is_member = node == 0 || node == 4 || node == 5 || node == 8;
        EXPECT_EQ(got[node], is_member ? "abcdefghi" : "") << "n" << node;
    }
    for (std::uint16_t node = 0; node < got.size(); ++node) EXPECT_EQ(bench.box.kernel(NodeId(node)).dropped_damaged(), 0u);
}

TEST(Cast, GoesToAllNodesOfALargeMachine) {
    CastBench bench(topologies::mesh(8, 9));
    const auto created = bench.create(bench.all_nodes());
    ASSERT_EQ(created.error, 0);
    std::vector<std::string> got(bench.box.node_count());
    for (std::uint16_t node = 0; node < got.size(); ++node) bench.read(node, got[node]);
    bench.send(40, created.cast, 'x', 2);
    bench.run_for(SimTime::s(1));
    EXPECT_THAT(got, testing::Each("xx"));
}

TEST(Cast, CarriesALongMessageWithTypeAndPouch) {
    CastBench bench(topologies::chain(4));
    const auto created = bench.create(CastBench::nodes({1, 3}));
    ASSERT_EQ(created.error, 0);
    std::array<Message, 4> got;
    std::array<std::vector<std::byte>, 4> bodies;
    for (const std::uint16_t node : {1, 3}) {
        bench.user(node, [&, node](Api& api) {
            Message message{.event = CastBench::chat, .type = 4, .any_body = &bodies[node]};
            api.nrecv(message);
            got[node] = message;
        });
    }
    bench.user(0, [&](Api& api) {
        std::vector<std::byte> body(10'000);
        for (std::size_t i = 0; i < body.size(); ++i) body[i] = static_cast<std::byte>(i * 7 >> 3);
        Message message{.node = created.cast,
                        .event = CastBench::chat,
                        .type = 6,
                        .data = {1, 2, 3, 4, 5, 6, 7, 8},
                        .length = 10'000,
                        .body = body};
        api.nsend(message);
    });
    bench.run_for(SimTime::s(1));
    for (const std::size_t node : {1, 3}) {
        ASSERT_EQ(got[node].length, 10'000u);
        EXPECT_EQ(got[node].type, 6);
        EXPECT_EQ(got[node].data[7], 8);
        EXPECT_EQ(bodies[node][9'999], static_cast<std::byte>(9'999 * 7 >> 3));
    }
}

TEST(Cast, IsRefusedWithTheReason) {
    CastBench bench(topologies::chain(3));
    EXPECT_EQ(bench.create({}).error, errors::no_nodes);
    EXPECT_EQ(bench.create(CastBench::nodes({1, 17})).error, errors::bad_node);
    EXPECT_EQ(bench.create(CastBench::nodes({1, 2, 1})).error, EINVAL);
    EXPECT_EQ(bench.create(std::vector<NodeId>(2000, NodeId(1))).error, errors::message_length);
    for (int i = 0; i < 32; ++i) EXPECT_EQ(bench.create(CastBench::nodes({1})).error, 0);
    EXPECT_EQ(bench.create(CastBench::nodes({1})).error, errors::full);
}

// The tables of a ring that do not agree: n0 sends to n2 by n1, and to n1 by n3, which sends on by n2.
TEST(Cast, CollidesWhenATreeMeetsItself) {
    CastBench bench(topologies::ring(4));
    const auto set = [&](std::uint16_t node, std::vector<int> next) {
        bench.box.services(NodeId(node)).cast_routes = [next] {
            std::vector<std::optional<NodeId>> neighbours;
            for (const int n : next)
                neighbours.push_back(n < 0 ? std::nullopt : std::optional(NodeId(static_cast<std::uint16_t>(n))));
            return neighbours;
        };
    };
    set(0, {-1, 3, 1, 3, 4});
    set(1, {0, -1, 2, 0, 0});
    set(2, {1, 1, -1, 3, 1});
    set(3, {0, 2, 2, -1, 0});
    EXPECT_EQ(bench.create(CastBench::nodes({0, 1, 2})).error, errors::collide);
    bench.run_for(SimTime::ms(100));
    std::size_t left = 0;
    bench.user(0, [&](Api& api) {
        for (std::uint16_t node = 0; node < 4; ++node) left += trollius_os::cast_state(api, NodeId(node)).size();
    });
    bench.run_for(SimTime::ms(100));
    EXPECT_EQ(left, 0u);
    EXPECT_EQ(bench.create(CastBench::nodes({0, 2})).error, 0);
}

TEST(Cast, IsKnownToTheHostAndItsNodes) {
    CastBench bench(topologies::chain(4));
    const auto created = bench.create(CastBench::nodes({3, 1}));
    std::string got;
    bench.read(1, got);
    bench.send(0, created.cast, 'x', 3);
    bench.run_for(SimTime::s(1));
    trollius_os::CastNodes asked, unknown;
    std::vector<trollius_os::CastState> at1, at0, at2;
    bench.user(2, [&](Api& api) {
        asked = trollius_os::rcask(api, created.cast);
        unknown = trollius_os::rcask(api, NodeId(0x9000));
        at0 = trollius_os::cast_state(api, NodeId(0));
        at1 = trollius_os::cast_state(api, NodeId(1));
        at2 = trollius_os::cast_state(api, NodeId(2));
    });
    bench.run_for(SimTime::s(1));
    EXPECT_EQ(asked.nodes, CastBench::nodes({3, 1}));
    EXPECT_EQ(unknown.error, errors::bad_node);
    ASSERT_EQ(at1.size(), 1u);
    EXPECT_EQ(at1[0].received, 3u);
    EXPECT_EQ(at1[0].nodes, asked.nodes);
    ASSERT_EQ(at0.size(), 1u);
    EXPECT_EQ(at0[0].sent, 3u);
    EXPECT_TRUE(at2.empty());
}

TEST(Cast, MessageForNoneOfThemIsDroppedAndNoted) {
    CastBench bench(topologies::chain(2));
    bench.send(1, NodeId(0x9000), 'x', 2);
    bench.run_for(SimTime::ms(500));
    EXPECT_EQ(bench.box.kernel(NodeId(1)).dropped_damaged(), 2u);
}

// A machine without casts has no castd, and the first message for it begins one.
TEST(Castd, BeginsWithTheFirstMessageForIt) {
    CastBench bench(topologies::chain(2));
    const auto has_castd = [&](std::uint16_t node) {
        const auto& all = bench.box.kernel(NodeId(node)).processes();
        return std::any_of(all.begin(), all.end(), [](const auto& p) { return p->name() == "castd"; });
    };
    EXPECT_FALSE(has_castd(0));
    EXPECT_FALSE(has_castd(2));
    EXPECT_EQ(bench.create(CastBench::nodes({0})).error, 0);
    EXPECT_TRUE(has_castd(0));
    EXPECT_TRUE(has_castd(2));
    EXPECT_FALSE(has_castd(1));
}

// A process may know the number of a cast, or guess it, before the cast's trees are there.
TEST(Cast, NoPacketIsLostThatComesWhileTheTreesAreLaid) {
    CastBench bench(topologies::chain(6));
    std::string got;
    bench.read(5, got);
    int sent = 0;
    bench.user(2, [&](Api& api) {
        for (; sent < 60; ++sent) {
            Message message{.node = NodeId(trollius_os::first_cast), .event = CastBench::chat, .data = {'a'}};
            api.nsend(message);
            api.wait_until_clock(api.port().clock_us(trollius_os::Priority::Low) + 100);
        }
    });
    ASSERT_EQ(bench.create(CastBench::nodes({2, 5})).error, 0);
    bench.run_for(SimTime::s(1));
    ASSERT_EQ(sent, 60);
    std::uint64_t dropped = 0;
    for (std::uint16_t node = 0; node < 6; ++node) dropped += bench.box.kernel(NodeId(node)).dropped_damaged();
    EXPECT_LT(dropped, 60u);
    EXPECT_EQ(got.size() + dropped, 60u);
}

TEST(Cast, ItsMessagesAreToldAsUnreceivedOnTheirWay) {
    CastBench bench(topologies::chain(4));
    const auto created = bench.create(CastBench::nodes({3}));
    ASSERT_EQ(created.error, 0);
    bench.user(0, [&](Api& api) {
        std::vector<std::byte> body(3000);
        for (int i = 0; i < 4; ++i) {
            Message message{.node = created.cast, .event = CastBench::chat, .length = 3000, .body = body};
            api.nsend(message);
        }
    });
    std::set<std::string> seen;
    for (int step = 0; step < 1000; ++step) {
        bench.run_for(SimTime::us(50));
        for (const auto& one : trollius_hosted::unreceived_messages(bench.box)) {
            EXPECT_EQ(one.event, CastBench::chat);
            EXPECT_EQ(one.bytes, one.messages * 3000);
            seen.insert(trollius_os::is_cast(one.node) ? "cast" : "n" + std::to_string(one.node.value()));
        }
    }
    EXPECT_THAT(seen, testing::ElementsAre("cast", "n3"));
    const auto left = trollius_hosted::unreceived_messages(bench.box);
    ASSERT_EQ(left.size(), 1u);
    EXPECT_EQ(left[0].messages, 4u);
}

// Lists of traces on any node.
#include <gmock/gmock.h>

#include "daemon_bench.hpp"

using test_support::DaemonBench;
using test_support::NodeId;
using trollius_os::Api;
namespace errors = trollius_os::errors;

namespace {

std::vector<std::byte> trace_of(std::size_t bytes, int value) {
    return std::vector<std::byte>(bytes, std::byte(value));
}
constexpr NodeId keeper{2};

}  // namespace

TEST(Traced, GivesAListInTheOrderOfItsBuffers) {
    DaemonBench bench;
    bench.ask([](Api& api) {
        auto all = trace_of(3000, 1);
        const auto second = trace_of(5000, 2);
        EXPECT_EQ(trollius_os::rtrstore(api, keeper, 7, all).error, 0);
        EXPECT_EQ(trollius_os::rtrstore(api, keeper, 8, trace_of(10, 9)).error, 0);
        EXPECT_EQ(trollius_os::rtrstore(api, keeper, 7, second).error, 0);
        all.insert(all.end(), second.begin(), second.end());
        EXPECT_EQ(trollius_os::rtrget(api, keeper, 7), all);
        EXPECT_EQ(trollius_os::rtrget(api, keeper, 7), all);  // it stays
        EXPECT_TRUE(trollius_os::rtrget(api, keeper, 6).empty());
        EXPECT_EQ(trollius_os::rtrforget(api, keeper, 7).count, 2U);
        EXPECT_TRUE(trollius_os::rtrget(api, keeper, 7).empty());
        EXPECT_EQ(trollius_os::rtrget(api, keeper, 8), trace_of(10, 9));
    });
}

TEST(Traced, DropsTheOldestOfPositiveListsWhenItIsFull) {
    auto costs = test_support::standard_costs();
    costs.set("traced.space", 4096, "test");
    DaemonBench bench(costs);
    bench.ask([](Api& api) {
        EXPECT_EQ(trollius_os::rtrstore(api, keeper, -1, trace_of(1000, 1)).error, 0);
        EXPECT_EQ(trollius_os::rtrstore(api, keeper, 1, trace_of(1000, 2)).count, 0U);
        EXPECT_EQ(trollius_os::rtrstore(api, keeper, 2, trace_of(1000, 3)).count, 0U);
        const auto more = trollius_os::rtrstore(api, keeper, 2, trace_of(1500, 4));
        EXPECT_EQ(more.error, 0);
        EXPECT_EQ(more.count, 1U);
        EXPECT_TRUE(trollius_os::rtrget(api, keeper, 1).empty());
        EXPECT_EQ(trollius_os::rtrget(api, keeper, -1), trace_of(1000, 1));
        EXPECT_EQ(trollius_os::rtrstore(api, keeper, 3, trace_of(4081, 5)).error, errors::message_length);
        const auto no_room = trollius_os::rtrstore(api, keeper, -2, trace_of(4080, 6));
        EXPECT_EQ(no_room.error, errors::full);
        EXPECT_EQ(trollius_os::rtrget(api, keeper, -1), trace_of(1000, 1));
    });
}

TEST(Traced, SweepsWipesAndForgetsAProcess) {
    DaemonBench bench;
    const auto fill = [](Api& api) {
        trollius_os::rtrstore(api, keeper, -1, trace_of(8, 1));
        trollius_os::rtrstore(api, keeper, 1, trace_of(8, 2));
        trollius_os::rtrstore(api, keeper, 2, trace_of(8, 3));
    };
    vocabulary::ProcessId other;
    bench.ask(
        [&](Api& api) {
            other = api.pid();
            fill(api);
        },
        0);
    bench.ask([&](Api& api) {
        fill(api);
        EXPECT_EQ(trollius_os::rtrudie(api, keeper, NodeId(1), other).count, 0U);  // of another node
        EXPECT_EQ(trollius_os::rtrudie(api, keeper, NodeId(0), other).count, 3U);
        EXPECT_EQ(trollius_os::rtrsweep(api, keeper).count, 2U);
        EXPECT_EQ(trollius_os::rtrget(api, keeper, -1), trace_of(8, 1));
        fill(api);
        EXPECT_EQ(trollius_os::rtrwipe(api, keeper, 2).count, 1U);
        EXPECT_EQ(trollius_os::rtrwipe(api, keeper).count, 3U);
        EXPECT_TRUE(trollius_os::rtrget(api, keeper, -1).empty());
    });
}

TEST(Traced, GivesBackTheMemoryOfTheNode) {
    DaemonBench bench;
    bench.ask([&](Api& api) {
        trollius_os::rtrsweep(api, keeper);
        const std::uint64_t used = bench.box.port(keeper).memory_used();
        for (int i = 0; i < 100; ++i) trollius_os::rtrstore(api, keeper, 1 + i % 3, trace_of(2000, i));
        EXPECT_LE(bench.box.port(keeper).memory_used(), used + api.kernel().costs().trace_space);
        EXPECT_GT(bench.box.port(keeper).memory_used(), used + api.kernel().costs().trace_space - 2100);
        trollius_os::rtrwipe(api, keeper);
        EXPECT_EQ(bench.box.port(keeper).memory_used(), used);
    });
}

TEST(Traced, ServesTheHostToo) {
    DaemonBench bench;
    bench.ask(
        [](Api& api) {
            const NodeId host = api.kernel().host();
            EXPECT_EQ(trollius_os::rtrstore(api, host, 5, trace_of(20, 1)).error, 0);
            EXPECT_EQ(trollius_os::rtrget(api, host, 5), trace_of(20, 1));
        },
        3);
}

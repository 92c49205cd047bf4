// ncombine(): global reductions over the tree of a cast.
#include <gmock/gmock.h>

#include <bit>
#include <cerrno>
#include <numeric>

#include "cast_bench.hpp"

using trollius_os::Api;
using trollius_os::ErrorNumber;
using trollius_os::Reduction;
using trollius_os::WordKind;
using vocabulary::NodeId;
using vocabulary::SimTime;

namespace {

struct Combined {
    ErrorNumber error = -1;
    std::vector<std::int32_t> words;
};

// Each of these nodes contributes its words; what each gets.
std::vector<Combined> combine(CastBench& bench, NodeId cast, const std::vector<std::vector<std::int32_t>>& words, Reduction how,
                              WordKind kind) {
    std::vector<Combined> results(words.size());
    for (std::uint16_t node = 0; node < words.size(); ++node) {
        if (words[node].empty()) continue;
        bench.user(node, [&results, its = words[node], node, cast, how, kind](Api& api) {
            auto mine = its;
            const ErrorNumber error = trollius_os::ncombine(api, cast, how, kind, mine);
            results[node] = {error, mine};
        });
    }
    bench.run_for(SimTime::s(2));
    return results;
}

}  // namespace

TEST(Combine, GivesEveryNodeSumLeastAndMost) {
    CastBench bench(topologies::mesh(3, 3));
    const NodeId cast = bench.create(bench.all_nodes()).cast;
    std::vector<std::vector<std::int32_t>> words;
    for (int node = 0; node < 9; ++node) words.push_back({node, -node, node * node});
    for (const auto& [how, expected] : {std::pair(Reduction::Sum, std::vector<std::int32_t>{36, -36, 204}),
                                        {Reduction::Least, {0, -8, 0}},
                                        {Reduction::Most, {8, 0, 64}}}) {
        for (const Combined& its : combine(bench, cast, words, how, WordKind::Int)) {
            EXPECT_EQ(its.error, 0);
            EXPECT_EQ(its.words, expected);
        }
    }
}

TEST(Combine, AddsFloatsInAnOrderThatDoesNotDependOnTime) {
    CastBench bench(topologies::mesh(3, 2));
    const NodeId cast = bench.create(bench.all_nodes()).cast;
    std::vector<std::int32_t> sums;
    for (const int delay : {0, 1, 7}) {
        std::int32_t sum = 0;
        for (std::uint16_t node = 0; node < 6; ++node) {
            bench.user(node, [&sum, node, cast, delay](Api& api) {
                const int later = delay * 1000 * ((node * 5 + 3) % 6);
                api.wait_until_clock(api.port().clock_us(trollius_os::Priority::Low) + static_cast<std::uint64_t>(later));
                std::int32_t word = std::bit_cast<std::int32_t>(1.0F / static_cast<float>(node * node + 3));
                trollius_os::ncombine(api, cast, Reduction::Sum, WordKind::Float, std::span(&word, 1));
                sum = word;
            });
        }
        bench.run_for(SimTime::s(2));
        sums.push_back(sum);
    }
    EXPECT_NEAR(std::bit_cast<float>(sums[0]), 0.89787, 0.0001);
    EXPECT_THAT(sums, testing::Each(sums[0]));
}

TEST(Combine, SecondCallOfANodeBelongsToTheNextRound) {
    CastBench bench(topologies::chain(3));
    const NodeId cast = bench.create(CastBench::nodes({2, 0})).cast;
    std::vector<std::int32_t> at2(3);
    for (int i = 0; i < 3; ++i) {
        bench.user(2, [&, i](Api& api) {
            std::int32_t word = 10 * (i + 1);
            trollius_os::ncombine(api, cast, Reduction::Sum, WordKind::Int, std::span(&word, 1));
            at2[static_cast<std::size_t>(i)] = word;
        });
    }
    std::vector<std::int32_t> at0;
    bench.user(0, [&](Api& api) {
        for (int i = 0; i < 3; ++i) {
            std::int32_t word = i + 1;
            trollius_os::ncombine(api, cast, Reduction::Sum, WordKind::Int, std::span(&word, 1));
            at0.push_back(word);
        }
    });
    bench.run_for(SimTime::s(2));
    EXPECT_THAT(at0, testing::ElementsAre(11, 22, 33));
    EXPECT_THAT(at2, testing::ElementsAre(11, 22, 33));
}

TEST(Combine, TellsAllWhenContributionsDoNotFit) {
    CastBench bench(topologies::chain(3));
    const NodeId cast = bench.create(CastBench::nodes({0, 1, 2})).cast;
    for (const Combined& its : combine(bench, cast, {{1}, {2, 3}, {4}}, Reduction::Sum, WordKind::Int))
        EXPECT_EQ(its.error, EINVAL);
    for (const Combined& its : combine(bench, cast, {{1}, {2}, {4}}, Reduction::Sum, WordKind::Int))
        EXPECT_EQ(its.words, std::vector<std::int32_t>{7});
}

TEST(Combine, IsForTheNodesOfTheCast) {
    CastBench bench(topologies::chain(3));
    const NodeId cast = bench.create(CastBench::nodes({0, 2})).cast;
    EXPECT_EQ(combine(bench, cast, {{}, {5}}, Reduction::Sum, WordKind::Int)[1].error, trollius_os::errors::bad_node);
    EXPECT_EQ(combine(bench, NodeId(0x9999), {{5}}, Reduction::Sum, WordKind::Int)[0].error, trollius_os::errors::bad_node);
    std::vector<std::int32_t> many(2000, 1);
    EXPECT_EQ(combine(bench, cast, {many}, Reduction::Sum, WordKind::Int)[0].error, trollius_os::errors::message_length);
}

// Links as streams of bytes: the lengths of outputs and inputs need not agree. Both levels carry the same bytes. Where one
// direction is busy each transfer ends at the same time, and where both are, within 1 % of the run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <tuple>
#include <vector>

#include "child_process.hpp"
#include "stream_pair.hpp"

using hw_model::LinkLevel;
using hw_test::SimTime;
using hw_test::StreamPair;
using hw_test::StreamSide;

namespace {

struct StreamTimes {
    std::vector<std::int64_t> ends;  // in ps, in the order: outputs, inputs, of end 0, then of end 1
    std::vector<std::uint8_t> got;
    bool right = true;  // bytes came in order
};

std::int64_t stream_total_of(const std::vector<StreamSide::Act>& acts) {
    std::int64_t sum = 0;
    for (const auto& act : acts) sum += act.count;
    return sum;
}

StreamTimes stream_times_of(StreamPair& pair) {
    StreamTimes times;
    for (const auto& side : pair.sides) {
        for (const SimTime end : side->output_ends) times.ends.push_back(end.in_ps());
        for (const SimTime end : side->input_ends) times.ends.push_back(end.in_ps());
        for (std::size_t i = 0; i < side->got.size(); ++i) times.right = times.right && side->got[i] == (i & 0xff);
    }
    return times;
}

using StreamActs = std::vector<StreamSide::Act>;

std::vector<std::int64_t> stream_one_way(LinkLevel level, std::int64_t speed, std::uint32_t passes, const StreamActs& outputs,
                                         const StreamActs& inputs) {
    const auto packed = test_support::in_child([&] {
        StreamPair pair(level, speed, passes);
        pair.sides[0]->begin(outputs, {});
        pair.sides[1]->begin({}, inputs);
        pair.run();
        const StreamTimes times = stream_times_of(pair);
        std::array<std::int64_t, 32> all{};
        std::copy_n(times.ends.begin(), std::min<std::size_t>(times.ends.size(), 31), all.begin() + 1);
        all[0] = times.right ? static_cast<std::int64_t>(times.ends.size()) : -1;
        return all;
    });
    if (!packed) return {};
    return {packed->begin(), packed->begin() + 1 + std::max<std::int64_t>(0, (*packed)[0])};
}

class StreamsOneWay : public testing::TestWithParam<std::tuple<std::int64_t, std::uint32_t>> {};

}  // namespace

TEST_P(StreamsOneWay, EndAtTheSameTimeAtBothLevels) {
    const auto [speed, passes] = GetParam();
    const SimTime soon = SimTime::us(1), late = SimTime::us(500);
    const std::vector<std::pair<StreamActs, StreamActs>> cases = {
        {{{soon, 104}}, {{{}, 4}, {{}, 100}}},                        // one output, two inputs
        {{{soon, 104}}, {{late, 4}, {late, 100}}},                    // both of them late
        {{{soon, 3}, {soon, 1}, {late, 8}}, {{{}, 12}}},              // three outputs, one input
        {{{soon, 1}, {late, 1}}, {{late, 1}, {{}, 1}}},               // bytes
        {{{soon, 4}, {soon, 4}, {soon, 4}}, {{late, 5}, {soon, 7}}},  // ends that never meet
        {{{soon, 10'000}}, {{late, 9'999}, {late, 1}}},               // several chunks
    };
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const auto& [outputs, inputs] = cases[i];
        const auto message = stream_one_way(LinkLevel::Message, speed, passes, outputs, inputs);
        const auto byte = stream_one_way(LinkLevel::Byte, speed, passes, outputs, inputs);
        ASSERT_EQ(byte.size(), 1 + outputs.size() + inputs.size()) << "case " << i;
        ASSERT_EQ(message.size(), byte.size()) << "case " << i;
        for (std::size_t k = 1; k < byte.size(); ++k) EXPECT_NEAR(message[k], byte[k], 12'000) << "case " << i << ", end " << k;
    }
}
INSTANTIATE_TEST_SUITE_P(Links, StreamsOneWay,
                         testing::Combine(testing::Values(5'000'000, 10'000'000, 20'000'000), testing::Values(0U, 1U, 3U)));

namespace {

// Random transfers in both directions: the last end of each kind.
std::vector<std::int64_t> stream_both_ways(LinkLevel level, std::uint32_t seed) {
    const auto packed = test_support::in_child([&] {
        std::mt19937 random(seed);
        const auto below = [&](std::uint32_t most) { return static_cast<std::uint32_t>(random() % most); };
        StreamPair pair(level, 20'000'000, below(2));
        std::array<StreamActs, 2> outputs, inputs;
        for (std::size_t side = 0; side < 2; ++side) {
            for (int i = 0; i < 200; ++i)
                outputs[side].push_back({SimTime::ns(below(4) == 0 ? below(40'000) : 1'000), 1 + below(1U << below(9))});
            for (std::int64_t left = stream_total_of(outputs[side]); left > 0;) {
                const auto count = std::min<std::int64_t>(left, 1 + below(1U << below(9)));
                inputs[1 - side].push_back(
                    {SimTime::ns(below(4) == 0 ? below(40'000) : 1'000), static_cast<std::uint32_t>(count)});
                left -= count;
            }
        }
        for (std::size_t side = 0; side < 2; ++side) pair.sides[side]->begin(outputs[side], inputs[side]);
        pair.run();
        const StreamTimes times = stream_times_of(pair);
        std::array<std::int64_t, 5> ends{times.right ? 1 : 0};
        for (std::size_t side = 0; side < 2; ++side) {
            ends[1 + side] = pair.sides[side]->output_ends.size() == 200 ? pair.sides[side]->output_ends.back().in_ps() : 0;
            ends[3 + side] =
                pair.sides[side]->input_ends.size() == inputs[side].size() ? pair.sides[side]->input_ends.back().in_ps() : 0;
        }
        return ends;
    });
    return packed ? std::vector<std::int64_t>(packed->begin(), packed->end()) : std::vector<std::int64_t>{};
}

}  // namespace

TEST(StreamLink, RandomTransfersBothWaysAgreeWithinOnePerCent) {
    for (std::uint32_t seed = 1; seed <= 20; ++seed) {
        const auto message = stream_both_ways(LinkLevel::Message, seed), byte = stream_both_ways(LinkLevel::Byte, seed);
        ASSERT_EQ(byte.size(), 5U) << seed;
        ASSERT_EQ(message.size(), 5U) << seed;
        EXPECT_EQ(message[0], 1) << seed;
        EXPECT_EQ(byte[0], 1) << seed;
        for (std::size_t i = 1; i < byte.size(); ++i) {
            EXPECT_GT(byte[i], 0) << seed;

            EXPECT_NEAR(static_cast<double>(message[i]) / static_cast<double>(byte[i]), 1, 0.01)
                << "seed " << seed << ", " << i;
        }
    }
}

namespace {

std::int64_t stream_told_at(LinkLevel level) {
    return test_support::in_child([&] {
               StreamPair pair(level);
               pair.stream(1).ask(true);
               pair.sides[0]->begin({{SimTime::us(3), 2}}, {});
               pair.sides[1]->begin({}, {{SimTime::us(90), 2}});
               pair.run();
               const auto& told = pair.sides[1]->told;
               return told.size() == 1 && pair.sides[1]->got.size() == 2 ? told[0].in_ps() : std::int64_t{-1};
           })
        .value_or(-2);
}

}  // namespace

// An ALT looks at the link: it is told when the first byte is whole, and nobody takes the byte.
TEST(StreamLink, TellsOnceThatAByteWaits) {
    const std::int64_t at = SimTime::us(3).in_ps() + 11 * 50'000;
    EXPECT_EQ(stream_told_at(LinkLevel::Message), at);
    EXPECT_EQ(stream_told_at(LinkLevel::Byte), at);
}

namespace {

// The path breaks in the middle and comes back: ends of outputs, ends of inputs, bytes that came, transfers lost.
std::array<std::int64_t, 4> stream_broken(LinkLevel level) {
    return test_support::in_child([&] {
               StreamPair pair(level);
               pair.sides[0]->begin({{SimTime::us(1), 100}, {SimTime::us(300), 5}}, {});
               pair.sides[1]->begin({}, {{{}, 10}, {{}, 10}, {SimTime::us(200), 5}});
               pair.script.at(SimTime::us(30), [&] { pair.relays[0]->break_path(), pair.relays[1]->break_path(); });
               pair.script.at(SimTime::us(40), [&] { pair.relays[0]->join_path(), pair.relays[1]->join_path(); });
               pair.run();
               return std::array<std::int64_t, 4>{static_cast<std::int64_t>(pair.sides[0]->output_ends.size()),
                                                  static_cast<std::int64_t>(pair.sides[1]->input_ends.size()),
                                                  static_cast<std::int64_t>(pair.sides[1]->got.size()),
                                                  static_cast<std::int64_t>(pair.links[0]->totals().lost)};
           })
        .value_or(std::array<std::int64_t, 4>{-1, -1, -1, -1});
}

TEST(LinkStreamDeathTest, TakesOneTransferOfAtLeastOneByteInEachDirection) {
    const auto begin = [](bool output, std::uint32_t count, int times) {
        StreamPair pair(LinkLevel::Message);
        for (int i = 0; i < times; ++i) {
            if (output)
                pair.stream(0).output(count, hw_model::Memory::External);
            else
                pair.stream(0).input(count, hw_model::Memory::External);
        }
    };
    EXPECT_DEATH(begin(true, 0, 1), "link_stream.output");
    EXPECT_DEATH(begin(true, 5000, 2), "link_stream.output");
    EXPECT_DEATH(begin(false, 0, 1), "link_stream.input");
    EXPECT_DEATH(begin(false, 4, 2), "link_stream.input");
}

}  // namespace

TEST(StreamLink, LosesATransferWithItsPathAndGoesOn) {
    for (const LinkLevel level : {LinkLevel::Message, LinkLevel::Byte}) {
        const auto end = stream_broken(level);
        EXPECT_EQ(end[0], 2);  // the sender was let go, and sent again
        EXPECT_EQ(end[1], 3);
        EXPECT_EQ(end[2], 25);
        EXPECT_EQ(end[3], 1);
    }
}

TEST(StreamLink, ResetOfTheOutputLetsTheReceiverWaitForAnother) {
    for (const LinkLevel level : {LinkLevel::Message, LinkLevel::Byte}) {
        const auto got = test_support::in_child([&] {
            StreamPair pair(level);
            pair.sides[0]->begin({{SimTime::us(1), 50}}, {});
            pair.script.at(SimTime::us(100), [&] { pair.stream(0).reset_output(); });
            pair.script.at(SimTime::us(110), [&] { pair.stream(0).output(3, hw_model::Memory::External); });
            pair.sides[1]->begin({}, {{SimTime::us(200), 3}});
            pair.run();
            return std::array<std::uint8_t, 4>{static_cast<std::uint8_t>(pair.sides[1]->got.size()), pair.sides[1]->got.at(0)};
        });
        ASSERT_TRUE(got);
        EXPECT_EQ((*got)[0], 3);
        EXPECT_EQ((*got)[1], 50);  // the first byte behind those of the output that was reset
    }
}

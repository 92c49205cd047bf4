#include <tmon_clocks/controlled_clock.hpp>

#include <cmath>
#include <cstdlib>
#include <optional>
#include <random>
#include <vector>

#include <gmock/gmock.h>

namespace tmon_clocks {
namespace {

struct Happened {
    std::uint32_t node = 0;
    std::uint64_t seq = 0;
    std::int64_t true_ns = 0, raw_ns = 0;
    std::optional<std::size_t> source{};
};

struct Clocks {
    std::vector<std::int64_t> offset_ns;
    std::vector<double> rate;
};

// A run in the order of true time: each node computes, and sends to others; a message is under way for 10 us or more.
std::vector<Happened> random_run(std::mt19937& random, std::uint32_t nodes, std::size_t count, const Clocks& clocks) {
    std::vector<Happened> run;
    std::vector<std::uint64_t> next(nodes, 0);
    std::vector<std::vector<std::size_t>> under_way(nodes);
    std::int64_t now = 1'000'000;
    for (std::size_t i = 0; i < count; ++i) {
        now += 1 + static_cast<std::int64_t>(random() % 20'000);
        const auto node = static_cast<std::uint32_t>(random() % nodes);
        const double raw = static_cast<double>(now) * clocks.rate[node];
        Happened one{node, next[node]++, now, clocks.offset_ns[node] + static_cast<std::int64_t>(raw), std::nullopt};
        std::vector<std::size_t>& messages = under_way[node];
        if (!messages.empty() && now - run[messages.front()].true_ns >= 10'000) {
            one.source = messages.front();
            messages.erase(messages.begin());
        } else if (random() % 2 == 0) {
            under_way[random() % nodes].push_back(run.size());
        }
        run.push_back(one);
    }
    return run;
}

ControlledClock clock_of(const std::vector<Happened>& run, std::uint16_t nodes, std::int64_t latency_ns) {
    ControlledClock clock(nodes, latency_ns);
    for (const Happened& one : run) {
        std::optional<tmon_order::Cause> source;
        if (one.source) source = tmon_order::Cause{{run[*one.source].node, run[*one.source].seq}, run[*one.source].raw_ns, 0};
        clock.record({one.node, one.seq}, one.raw_ns, source);
    }
    clock.finish();
    return clock;
}

std::vector<std::int64_t> finals_of(const std::vector<Happened>& run, const ControlledClock& clock) {
    std::vector<std::int64_t> finals;
    for (const Happened& one : run) finals.push_back(one.raw_ns + clock.shift_ns(one.node, one.seq));
    return finals;
}

std::uint32_t cases_of(std::uint32_t usual) {
    const char* wanted = std::getenv("CONTROLLED_CLOCK_CASES");
    return wanted != nullptr ? static_cast<std::uint32_t>(std::strtoul(wanted, nullptr, 10)) : usual;
}

Clocks random_clocks(std::mt19937& random, std::uint32_t nodes) {
    Clocks clocks;
    for (std::uint32_t node = 0; node < nodes; ++node) {
        clocks.offset_ns.push_back(static_cast<std::int64_t>(random() % 200'001) - 100'000);
        clocks.rate.push_back(1 + (static_cast<double>(random() % 2001) - 1000) * 1e-6);
    }
    return clocks;
}

// Neither an effect before its cause, nor a node's records out of order, nor a record before its raw time.
TEST(ControlledClock, KeepsEveryOrderOnRandomRuns) {
    std::mt19937 random(11);
    for (std::uint32_t turn = 0; turn < cases_of(400); ++turn) {
        const auto nodes = static_cast<std::uint16_t>(1 + random() % 6);
        const std::int64_t latency_ns = turn % 3 == 0 ? 0 : 5'000;
        const std::vector<Happened> run = random_run(random, nodes, 20 + random() % 400, random_clocks(random, nodes));
        const ControlledClock clock = clock_of(run, nodes, latency_ns);
        const std::vector<std::int64_t> finals = finals_of(run, clock);
        std::vector<std::optional<std::size_t>> before(nodes);
        std::int64_t most = 0;
        for (std::size_t i = 0; i < run.size(); ++i) {
            const Happened& one = run[i];
            ASSERT_GE(finals[i], one.raw_ns);
            most = std::max(most, finals[i] - one.raw_ns);
            const std::int64_t earliest = one.source ? finals[*one.source] + latency_ns : one.raw_ns;
            ASSERT_GE(finals[i], earliest) << turn << " n" << one.node << ":" << one.seq;
            if (before[one.node]) {
                const std::size_t last = *before[one.node];
                // At least 99 % of each interval remain.
                ASSERT_GE(finals[i] - finals[last], (one.raw_ns - run[last].raw_ns) * 99 / 100 - 1);
            }
            ASSERT_EQ(clock.forced_by(one.node, one.seq).has_value(), finals[i] > one.raw_ns);
            before[one.node] = i;
        }
        ASSERT_EQ(clock.most_shift_ns(), most);
        ASSERT_EQ(clock.jumps() > 0, most > 0);
    }
}

TEST(ControlledClock, LeavesTimesAloneThatContradictNothing) {
    std::mt19937 random(12);
    const Clocks right{{0, 0, 0}, {1, 1, 1}};
    const std::vector<Happened> run = random_run(random, 3, 500, right);
    const ControlledClock clock = clock_of(run, 3, 10'000);
    for (const Happened& one : run) EXPECT_EQ(clock.shift_ns(one.node, one.seq), 0);
    EXPECT_EQ(clock.jumps(), 0U);
    EXPECT_EQ(clock.mean_shift_ns(), 0);
}

// One jump of 1000 ns at 200 us: a line over the 100 us before it, then back by 1 % of the time.
TEST(ControlledClock, SpreadsOneJumpOverBothSides) {
    ControlledClock clock(2);
    clock.record({1, 0}, 201'000, std::nullopt);
    for (std::uint64_t seq = 0; seq < 20; ++seq) clock.record({0, seq}, static_cast<std::int64_t>(seq) * 10'000, std::nullopt);
    clock.record({0, 20}, 200'000, tmon_order::Cause{{1, 0}, 201'000, 0});
    for (std::uint64_t seq = 21; seq < 35; ++seq) clock.record({0, seq}, static_cast<std::int64_t>(seq) * 10'000, std::nullopt);
    clock.finish();
    EXPECT_EQ(clock.shift_ns(0, 10), 0);
    EXPECT_EQ(clock.shift_ns(0, 20), 1000);
    EXPECT_NEAR(static_cast<double>(clock.shift_ns(0, 15)), 500, 10);
    EXPECT_EQ(clock.shift_ns(0, 25), 500);
    EXPECT_EQ(clock.shift_ns(0, 30), 0);
    EXPECT_EQ(clock.shift_ns(0, 34), 0);
    EXPECT_EQ(clock.forced_by(0, 15), (tmon_order::RecordId{1, 0}));
    EXPECT_EQ(clock.forced_by(0, 34), std::nullopt);
    EXPECT_EQ(clock.shift_ns(1, 7), 0);
}

// A send 20 us before the jump, received 100 ns after it by final times, moves no further than that.
TEST(ControlledClock, MovesNoSendBehindItsReceive) {
    ControlledClock clock(3);
    clock.record({1, 0}, 201'000, std::nullopt);
    for (std::uint64_t seq = 0; seq <= 18; ++seq) clock.record({0, seq}, static_cast<std::int64_t>(seq) * 10'000, std::nullopt);
    clock.record({2, 0}, 180'100, tmon_order::Cause{{0, 18}, 180'000, 0});
    clock.record({0, 19}, 190'000, std::nullopt);
    clock.record({0, 20}, 200'000, tmon_order::Cause{{1, 0}, 201'000, 0});
    clock.finish();
    EXPECT_EQ(clock.shift_ns(0, 18), 100);
    EXPECT_NEAR(static_cast<double>(clock.shift_ns(0, 14)), 50, 5);   // the line to that bound
    EXPECT_NEAR(static_cast<double>(clock.shift_ns(0, 19)), 528, 1);  // and from there to the jump
}

TEST(ControlledClock, RefusesUnknownNodesAndNumbersThatFall) {
    ControlledClock clock(1);
    clock.record({0, 3}, 10, std::nullopt);
    EXPECT_DEATH(clock.record({1, 0}, 10, std::nullopt), "controlled_clock.node");
    EXPECT_DEATH(clock.record({0, 3}, 10, std::nullopt), "controlled_clock.order");
    clock.finish();
    EXPECT_DEATH(clock.shift_ns(1, 0), "controlled_clock.shift");
    EXPECT_DEATH(clock.forced_by(1, 0), "controlled_clock.forced_by");
}

}  // namespace
}  // namespace tmon_clocks

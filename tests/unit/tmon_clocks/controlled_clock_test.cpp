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
    std::vector<std::size_t> sources{};
    std::uint64_t shared = 0;
};

struct Clocks {
    std::vector<std::int64_t> offset_ns;
    std::vector<double> rate;
};

// Makes a run in the order of true time: each node computes, sends to others, and takes part in operations of groups. What is
// sent is under way for 10 us or more.
class RandomRun {
public:
    RandomRun(std::mt19937& random, std::uint32_t nodes, const Clocks& clocks)
        : random_(random), clocks_(clocks), next_(nodes, 0), under_way_(nodes) {}

    std::vector<Happened> make(std::size_t count) {
        while (run_.size() < count) {
            const auto node = static_cast<std::uint32_t>(random_() % next_.size());
            std::vector<Happened>& waiting = under_way_[node];
            if (random_() % 20 == 0) {
                operation();
            } else if (!waiting.empty() && now_ - run_[waiting.front().sources.back()].true_ns >= 10'000) {
                happen(node, waiting.front().sources, waiting.front().shared);
                waiting.erase(waiting.begin());
            } else {
                happen(node, {}, 0);
                if (random_() % 2 == 0) under_way_[random_() % next_.size()].push_back({.sources = {run_.size() - 1}});
            }
        }
        return std::move(run_);
    }

private:
    void happen(std::uint32_t node, const std::vector<std::size_t>& sources, std::uint64_t shared) {
        now_ += 1 + static_cast<std::int64_t>(random_() % 20'000);
        const auto raw = static_cast<std::int64_t>(static_cast<double>(now_) * clocks_.rate[node]);
        run_.push_back({node, next_[node]++, now_, clocks_.offset_ns[node] + raw, sources, shared});
    }
    // Each member's end follows from all begins.
    void operation() {
        std::vector<std::uint32_t> members;
        for (std::uint32_t node = 0; node < next_.size(); ++node) {
            if (random_() % 2 == 0) members.push_back(node);
        }
        if (members.size() < 2) return;
        std::vector<std::size_t> begins;
        for (const std::uint32_t node : members) {
            happen(node, {}, 0);
            begins.push_back(run_.size() - 1);
        }
        ++operations_;
        for (const std::uint32_t node : members) under_way_[node].push_back({.sources = begins, .shared = operations_});
    }

    std::mt19937& random_;
    const Clocks& clocks_;
    std::vector<std::uint64_t> next_;
    std::vector<std::vector<Happened>> under_way_;  // ends that are to come, by node
    std::vector<Happened> run_;
    std::int64_t now_ = 1'000'000;
    std::uint64_t operations_ = 0;
};

std::vector<Happened> random_run(std::mt19937& random, std::uint32_t nodes, std::size_t count, const Clocks& clocks) {
    return RandomRun(random, nodes, clocks).make(count);
}

ControlledClock clock_of(const std::vector<Happened>& run, std::uint16_t nodes, std::int64_t latency_ns) {
    ControlledClock clock(nodes, latency_ns);
    for (const Happened& one : run) {
        std::vector<tmon_order::Cause> sources;
        for (const std::size_t source : one.sources)
            sources.push_back({{run[source].node, run[source].seq}, run[source].raw_ns});
        clock.record({one.node, one.seq}, one.raw_ns, sources, one.shared);
    }
    clock.finish();
    return clock;
}

std::vector<tmon_order::Cause> one_source(std::uint32_t node, std::uint64_t seq) {
    return {{{node, seq}}};
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
            for (const std::size_t source : one.sources) {
                if (one.shared != 0 && run[source].node == one.node) continue;
                ASSERT_GE(finals[i], finals[source] + latency_ns) << turn << " n" << one.node << ":" << one.seq;
            }
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
    clock.record({1, 0}, 201'000, {});
    for (std::uint64_t seq = 0; seq < 20; ++seq) clock.record({0, seq}, static_cast<std::int64_t>(seq) * 10'000, {});
    clock.record({0, 20}, 200'000, one_source(1, 0));
    for (std::uint64_t seq = 21; seq < 35; ++seq) clock.record({0, seq}, static_cast<std::int64_t>(seq) * 10'000, {});
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
    clock.record({1, 0}, 201'000, {});
    for (std::uint64_t seq = 0; seq <= 18; ++seq) clock.record({0, seq}, static_cast<std::int64_t>(seq) * 10'000, {});
    clock.record({2, 0}, 180'100, one_source(0, 18));
    clock.record({0, 19}, 190'000, {});
    clock.record({0, 20}, 200'000, one_source(1, 0));
    clock.finish();
    EXPECT_EQ(clock.shift_ns(0, 18), 100);
    EXPECT_NEAR(static_cast<double>(clock.shift_ns(0, 14)), 50, 5);   // the line to that bound
    EXPECT_NEAR(static_cast<double>(clock.shift_ns(0, 19)), 528, 1);  // and from there to the jump
}

// The end on node 0 of three begins follows from the latest of the others; no begin moves behind the other ends.
TEST(ControlledClock, KeepsAnEndBehindTheBeginsOfAllMembers) {
    ControlledClock clock(3, 1'000);
    const std::vector<tmon_order::Cause> begins{{{0, 0}}, {{1, 0}}, {{2, 0}}};
    clock.record({0, 0}, 300'000, {});
    clock.record({1, 0}, 290'000, {});
    clock.record({2, 0}, 100'000, {});
    clock.record({0, 1}, 290'500, begins, 1);
    clock.record({1, 1}, 301'500, begins, 1);
    clock.record({2, 1}, 400'000, begins, 1);
    clock.finish();
    EXPECT_EQ(clock.shift_ns(0, 1), 9'500);  // its own begin, by the clock that ran back
    EXPECT_EQ(clock.forced_by(0, 1), std::nullopt);
    EXPECT_EQ(clock.shift_ns(1, 1), 0);
    EXPECT_EQ(clock.jumps(), 0U);

    ControlledClock late(2);
    const std::vector<tmon_order::Cause> two{{{0, 0}}, {{1, 0}}};
    late.record({0, 0}, 10'000, {});
    late.record({1, 0}, 500'000, {});
    late.record({0, 1}, 20'000, two, 7);
    late.record({1, 1}, 510'000, two, 7);
    late.finish();
    EXPECT_EQ(late.shift_ns(0, 1), 480'000);
    EXPECT_EQ(late.forced_by(0, 1), (tmon_order::RecordId{1, 0}));
    EXPECT_EQ(late.jumps(), 1U);
    EXPECT_EQ(late.shift_ns(1, 1), 0);
}

TEST(ControlledClock, RefusesUnknownNodesAndNumbersThatFall) {
    ControlledClock clock(1);
    clock.record({0, 3}, 10, {});
    EXPECT_DEATH(clock.record({1, 0}, 10, {}), "controlled_clock.node");
    EXPECT_DEATH(clock.record({0, 3}, 10, {}), "controlled_clock.order");
    const tmon_order::Cause unknown_node{.id = {1, 0}}, unknown_record{.id = {0, 2}};
    EXPECT_DEATH(clock.record({0, 4}, 10, {&unknown_node, 1}), "controlled_clock.source_node");
    EXPECT_DEATH(clock.record({0, 4}, 10, {&unknown_record, 1}), "controlled_clock.source");
    clock.finish();
    EXPECT_DEATH(clock.shift_ns(1, 0), "controlled_clock.shift");
    EXPECT_DEATH(clock.forced_by(1, 0), "controlled_clock.forced_by");
}

}  // namespace
}  // namespace tmon_clocks

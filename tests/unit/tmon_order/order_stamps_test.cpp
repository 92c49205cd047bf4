#include <tmon_order/order_stamps.hpp>

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <tmon_order/causal_sorter.hpp>

#include "random_history.hpp"

namespace tmon_order {
namespace {

struct StampedRun {
    std::vector<RecordId> records;
    std::vector<std::vector<std::size_t>> sources;
    std::vector<std::uint64_t> shared;    // by record: the number of its sources' list, or 0
    std::vector<std::vector<bool>> past;  // by record: which records precede it, itself among them
};

// None, one or several sources of the newest record, or a list that another record has.
std::vector<std::size_t> random_sources(std::mt19937& random, StampedRun& run, std::vector<std::vector<std::size_t>>& lists) {
    const std::size_t i = run.records.size() - 1;
    const auto way = random() % 10;
    if (i == 0 || way < 4) return {};
    if (way == 4 && !lists.empty()) {
        run.shared.back() = lists.size() - random() % std::min<std::size_t>(lists.size(), 3);
        return lists[run.shared.back() - 1];
    }
    std::vector<std::size_t> sources;
    for (auto left = way < 7 ? 1 : 1 + random() % 6; left > 0; --left) {
        const std::size_t source = i - 1 - random() % std::min<std::size_t>(i, 30);
        if (run.records[source].stream != run.records[i].stream) sources.push_back(source);
    }
    if (way == 9 && !sources.empty()) {
        lists.push_back(sources);
        run.shared.back() = lists.size();
    }
    return sources;
}

// Records in causal order; some numbers are missing, as where records were lost.
StampedRun random_stamped_run(std::mt19937& random, std::uint32_t streams, std::size_t count) {
    StampedRun run;
    std::vector<std::uint64_t> next(streams, 0);
    std::vector<std::optional<std::size_t>> newest(streams);
    std::vector<std::vector<std::size_t>> lists;
    for (std::size_t i = 0; i < count; ++i) {
        const auto stream = static_cast<std::uint32_t>(random() % streams);
        next[stream] += random() % 10 == 0 ? 1 + random() % 3 : 0;
        run.records.push_back({stream, next[stream]++});
        std::vector<bool> past(count, false);
        past[i] = true;
        const auto follow = [&](std::size_t before) {
            for (std::size_t j = 0; j < count; ++j) past[j] = past[j] || run.past[before][j];
        };
        if (newest[stream]) follow(*newest[stream]);
        run.shared.push_back(0);
        run.sources.push_back(random_sources(random, run, lists));
        for (const std::size_t source : run.sources.back()) follow(source);
        run.past.push_back(std::move(past));
        newest[stream] = i;
    }
    return run;
}

void add_record(const StampedRun& run, std::size_t i, OrderStamps& stamps) {
    std::vector<Cause> sources;
    for (const std::size_t source : run.sources[i]) sources.push_back({run.records[source]});
    stamps.record(run.records[i], sources, run.shared[i]);
}

void add_all(const StampedRun& run, OrderStamps& stamps) {
    for (std::size_t i = 0; i < run.records.size(); ++i) add_record(run, i, stamps);
}

TEST(OrderStamps, AreThePastOfEachRecordWithVectorsAndWithLinks) {
    std::mt19937 random(5);
    for (std::uint32_t turn = 0; turn < 60; ++turn) {
        const auto streams = static_cast<std::uint32_t>((turn % 2 == 0 ? 1 : 65) + random() % 10);
        const StampedRun run = random_stamped_run(random, streams, 50 + random() % 250);
        OrderStamps stamps(streams);
        add_all(run, stamps);
        for (std::uint32_t look = 0; look < 100; ++look) {
            const std::size_t i = random() % run.records.size(), j = random() % run.records.size();
            ASSERT_EQ(stamps.precedes(run.records[i], run.records[j]), i != j && run.past[j][i])
                << turn << ' ' << i << ' ' << j;
            OrderStamps::Stamp expected(streams, 0);
            for (std::size_t k = 0; k < run.records.size(); ++k) {
                if (!run.past[j][k]) continue;
                std::uint32_t& count = expected[run.records[k].stream];
                count = std::max(count, static_cast<std::uint32_t>(run.records[k].number) + 1);
            }
            ASSERT_EQ(stamps.stamp(run.records[j]), expected) << turn << ' ' << j;
        }
    }
}

// Vectors that left the ring, as sources and when they are asked for.
TEST(OrderStamps, AreRebuiltFromCheckpointsWithFewStreams) {
    constexpr std::uint32_t streams = 64;
    std::mt19937 random(7);
    OrderStamps stamps(streams);
    std::vector<OrderStamps::Stamp> all;
    std::vector<RecordId> ids;
    std::vector<OrderStamps::Stamp> newest(streams, OrderStamps::Stamp(streams, 0));
    for (std::uint32_t i = 0; i < 20'000; ++i) {  // the ring holds 4096
        const auto stream = static_cast<std::uint32_t>(random() % streams);
        OrderStamps::Stamp& now = newest[stream];
        std::vector<Cause> sources;
        for (auto left = i > 0 && random() % 3 == 0 ? 1 + random() % 2 : 0; left > 0; --left) {
            const std::size_t from = random() % 50 == 0 ? random() % i : i - 1 - random() % std::min<std::size_t>(i, 100);
            sources.push_back({ids[from]});
            for (std::uint32_t k = 0; k < streams; ++k) now[k] = std::max(now[k], all[from][k]);
        }
        ids.push_back({stream, now[stream]++});
        all.push_back(now);
        stamps.record(ids.back(), sources);
    }
    for (std::size_t i = 0; i < ids.size(); i += 13) ASSERT_EQ(stamps.stamp(ids[i]), all[i]) << i;
}

// More rebuilt stamps than are kept.
TEST(OrderStamps, StayRightWhenKeptOnesAreForgotten) {
    std::mt19937 random(6);
    const StampedRun run = random_stamped_run(random, 70, 5000);
    OrderStamps fresh(70), used(70);
    add_all(run, fresh);
    for (std::size_t i = 0; i < run.records.size(); ++i) {
        add_record(run, i, used);
        used.stamp(run.records[i]);
        used.stamp(run.records[random() % (i + 1)]);
    }
    for (std::size_t i = 0; i < run.records.size(); i += 7) ASSERT_EQ(used.stamp(run.records[i]), fresh.stamp(run.records[i]));
}

struct StampEach : SortedOutput {
    explicit StampEach(OrderStamps& all) : stamps(all) {}
    void report(const SortedRecord& record) override {
        if (record.kind == SortedRecord::Kind::Record) stamps.record(record.id, record.sources(), record.shared);
    }
    OrderStamps& stamps;
};

// Operations of random groups. The causes are those of the definition, and the judge follows each of them.
TEST(OrderStamps, OfTheSortAreTheWholePastOfEachRecord) {
    for (std::uint32_t seed = 1; seed <= 150; ++seed) {
        const testing_support::History history = testing_support::random_history(
            {.seed = seed, .most_streams = seed % 2 == 0 ? 12U : 90U, .most_together = 1 + seed % 3});
        OrderStamps stamps(history.streams);
        StampEach output(stamps);
        CausalSorter sorter(history.streams, output);
        std::vector<OrderStamps::Stamp> past;
        for (const testing_support::HistoryRecord& record : history.records) {
            sorter.insert(record.id, record.raw_ns, 0, record.ends);
            past.emplace_back(history.streams, 0);
            for (const std::size_t cause : record.causes) {
                for (std::uint32_t k = 0; k < history.streams; ++k) past.back()[k] = std::max(past.back()[k], past[cause][k]);
            }
            past.back()[record.id.stream] = static_cast<std::uint32_t>(record.id.number) + 1;
        }
        for (std::size_t i = 0; i < past.size(); ++i)
            ASSERT_EQ(stamps.stamp(history.records[i].id), past[i]) << seed << ' ' << i;
    }
}

TEST(OrderStamps, RefuseRecordsOutOfOrder) {
    OrderStamps stamps(2);
    const std::vector<Cause> wrong{{{0, 4}}, {{0, 3}}};
    stamps.record({0, 4}, {});
    EXPECT_DEATH(stamps.record({2, 0}, {}), "order_stamps.stream");
    EXPECT_DEATH(stamps.record({0, 4}, {}), "order_stamps.number");
    EXPECT_DEATH(stamps.record({1, 0}, wrong), "order_stamps.source");
    EXPECT_DEATH(stamps.stamp({0, 3}), "order_stamps.stamp");
    EXPECT_DEATH(stamps.precedes({0, 5}, {0, 4}), "order_stamps.precedes");
    EXPECT_DEATH(OrderStamps(65'537), "order_stamps.streams");
}

}  // namespace
}  // namespace tmon_order

// What goes by in a merge is what the whole trace in memory holds.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <random>

#include "tmon/trace_merge.hpp"
#include "tmon/trace_store.hpp"

namespace tmon {
namespace {

class TraceMergeTest : public testing::Test {
protected:
    TraceMergeTest()
        : path_((std::filesystem::temp_directory_path() / ("trace_merge_test_" + std::to_string(::getpid()))).string()) {}
    ~TraceMergeTest() override { std::filesystem::remove(path_); }

    static std::vector<Event> some_events(std::uint16_t node, std::uint32_t first, std::uint32_t count) {
        std::vector<Event> events(count);
        for (std::uint32_t i = 0; i < count; ++i) {
            events[i].node = node;
            events[i].seq = first + i;
            events[i].time_us = 10ULL * (first + i) + node;
        }
        return events;
    }
    // Blocks of four nodes in any order, some twice, some lost, some with another's numbers.
    void write_at_random(std::mt19937& random) const {
        trace_record::TraceFileWriter writer(path_, R"({"expected_nodes":4})", {.compress = random() % 2 == 0, .force = true});
        std::vector<std::pair<std::uint16_t, std::uint32_t>> blocks;
        for (std::uint16_t node = 0; node < 5; ++node) {
            for (std::uint32_t block = 0; block < 8; ++block) blocks.emplace_back(node, block);
        }
        std::shuffle(blocks.begin(), blocks.end(), random);
        for (const auto& [node, block] : blocks) {
            const std::uint32_t first = 10 * block;
            const unsigned fate = random() % 8;
            if (fate == 0) continue;
            if (fate == 1) {
                writer.loss({node, first, first + 9, LossCause::BufferFull});
                continue;
            }
            writer.events(node, first, some_events(node, first, 10), 10 * first + 150);
            if (fate == 2) writer.events(node, first + 5, some_events(node, first + 5, 10));
        }
        for (std::uint16_t node = 0; node < 3; ++node) writer.stream_end(node, 80);
        writer.close();
    }

    std::string path_;
};

TEST_F(TraceMergeTest, GivesTheRecordsAndLossesOfTheWholeTrace) {
    std::mt19937 random(3);
    for (int round = 0; round < 50; ++round) {
        write_at_random(random);
        const StoredTrace stored = load_trace(path_);
        const trace_record::TraceScan scan(path_);
        TraceMerge merge(scan, 4);
        std::vector<std::vector<Event>> records(4);
        std::vector<std::vector<LossRange>> losses(4);
        std::vector<bool> finished(4);
        while (const TraceItem* item = merge.next()) {
            if (item->kind == TraceItem::Kind::Record) records[item->node].push_back(item->event);
            if (item->kind == TraceItem::Kind::Lost) losses[item->node].push_back(item->loss);
            if (item->kind == TraceItem::Kind::End) finished[item->node] = item->finished;
        }
        for (const Stream& stream : stored.trace.streams) {
            std::vector<Event> expected;
            for (const auto part : stream.parts) expected.insert(expected.end(), part.begin(), part.end());
            EXPECT_EQ(records[stream.node], expected) << "round " << round << ", node " << stream.node;
            EXPECT_EQ(losses[stream.node], stream.losses) << "round " << round << ", node " << stream.node;
            EXPECT_EQ(finished[stream.node], stream.state == StreamState::Finished);
        }
    }
}

TEST_F(TraceMergeTest, IsSortedByTheMainClockAndEachNodeByItsNumbers) {
    std::mt19937 random(4);
    write_at_random(random);
    const trace_record::TraceScan scan(path_);
    TraceMerge merge(scan, 4,
                     [](const Event& event) { return static_cast<std::int64_t>(event.time_us) * 1000 - 7000 * event.node; });
    std::int64_t last = merge.first_ns();
    std::map<std::uint16_t, std::uint32_t> next;
    while (const TraceItem* item = merge.next()) {
        EXPECT_LE(last, item->main_ns);
        last = item->main_ns;
        if (item->kind != TraceItem::Kind::Record) continue;
        EXPECT_GE(item->event.seq, next[item->node]);
        next[item->node] = item->event.seq + 1;
    }
}

TEST_F(TraceMergeTest, UnloadsComeAtTheirTimesAndCountTheirRecords) {
    {
        trace_record::TraceFileWriter writer(path_, R"({"expected_nodes":1})", {.compress = false, .force = true});
        writer.events(0, 0, some_events(0, 0, 10), 125);  // while the records at 100, 110 and 120 of the next block were made
        writer.events(0, 10, some_events(0, 10, 10), 300);
        writer.stream_end(0, 20);
        writer.close();
    }
    const trace_record::TraceScan scan(path_);
    TraceMerge merge(scan, 1);
    std::vector<std::pair<std::uint64_t, std::size_t>> unloads;  // time, records seen before
    std::size_t records = 0;
    while (const TraceItem* item = merge.next()) {
        if (item->kind == TraceItem::Kind::Record) ++records;
        if (item->kind == TraceItem::Kind::Unloaded) unloads.emplace_back(item->node_us, records);
    }
    EXPECT_THAT(unloads, testing::ElementsAre(testing::Pair(125, 13), testing::Pair(300, 20)));
}

TEST_F(TraceMergeTest, ALossThatNobodyTimedLiesBetweenTheRecordsAroundIt) {
    {
        trace_record::TraceFileWriter writer(path_, R"({"expected_nodes":1})", {.compress = false, .force = true});
        writer.events(0, 0, some_events(0, 0, 10));
        writer.events(0, 20, some_events(0, 20, 10));
        writer.close();
    }
    const trace_record::TraceScan scan(path_);
    TraceMerge merge(scan, 1);
    while (const TraceItem* item = merge.next()) {
        if (item->kind != TraceItem::Kind::Lost) continue;
        EXPECT_EQ(item->node_us, 90U);
        EXPECT_EQ(item->until_us, 200U);
        EXPECT_EQ(item->loss.until_us, 0U);
        return;
    }
    FAIL() << "no loss went by";
}

}  // namespace
}  // namespace tmon

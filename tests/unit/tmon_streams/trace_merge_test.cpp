// A merge yields what the whole trace in memory holds.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>

#include <tmon_streams/trace_merge.hpp>
#include <tmon_streams/trace_store.hpp>
#include <tmon_streams/trace_summary.hpp>
#include <vocabulary/source_position.hpp>

namespace tmon_streams {
namespace {

class TraceMergeTest : public testing::Test {
protected:
    TraceMergeTest()
        : path((std::filesystem::temp_directory_path() / ("trace_merge_test_" + std::to_string(::getpid()))).string()) {}
    ~TraceMergeTest() override { std::filesystem::remove(path); }

    static std::vector<Event> some_events(std::uint16_t node, std::uint32_t first, std::uint32_t count) {
        std::vector<Event> events(count);
        for (std::uint32_t i = 0; i < count; ++i) {
            events[i].node = node;
            events[i].seq = first + i;
            events[i].time_us = 10ULL * (first + i) + node;
        }
        return events;
    }
    // Blocks of four nodes in any order, some twice, some lost; so many that their places are not all in memory.
    void write_at_random(std::mt19937& random, std::uint32_t blocks_a_node, bool in_order) const {
        trace_record::TraceFileWriter writer(path, R"({"expected_nodes":4})", {.compress = random() % 2 == 0, .force = true});
        std::vector<std::pair<std::uint16_t, std::uint32_t>> blocks;
        for (std::uint16_t node = 0; node < 5; ++node) {
            for (std::uint32_t block = 0; block < blocks_a_node; ++block) blocks.emplace_back(node, block);
        }
        if (!in_order) std::shuffle(blocks.begin(), blocks.end(), random);
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
        for (std::uint16_t node = 0; node < 3; ++node) writer.stream_end(node, 10 * blocks_a_node);
        writer.close();
    }

    std::string path;
};

TEST_F(TraceMergeTest, LeavesOutABlockWithATimeThatNoClockShows) {
    auto records = some_events(0, 0, 10);
    records[4].time_us = 504'403'162'560'462'878;
    {
        trace_record::TraceFileWriter writer(path, R"({"expected_nodes":1})");
        writer.events(0, 0, records);
        writer.loss({0, 20, 29, LossCause::BufferFull, trace_record::ClassSet::all(), 1, UINT64_MAX});
        writer.events(0, 10, some_events(0, 10, 10), UINT64_MAX);
        writer.close();
    }
    const Trace trace = load_trace(path).trace;
    EXPECT_EQ(trace.size(), 10U);
    EXPECT_EQ(trace.suspect_records, 10U);
    ASSERT_EQ(trace.streams[0].losses.size(), 2U);
    EXPECT_EQ(trace.streams[0].losses[0], (LossRange{0, 0, 9, LossCause::Unknown}));
    EXPECT_EQ(trace.streams[0].losses[1].until_us, 0U) << "a time that no clock shows is not known";
    const TraceIndex index(path);
    TraceMerge merge(index, 1);
    std::size_t records_given = 0;
    while (const TraceItem* item = merge.next()) records_given += item->kind == TraceItem::Kind::Record ? 1 : 0;
    EXPECT_EQ(records_given, 10U);
    EXPECT_EQ(merge.left_out(), 10U);
}

TEST_F(TraceMergeTest, LeavesOutABlockWithANumberThatIsOutOfOrder) {
    auto records = some_events(0, 0, 10);
    std::swap(records[4].seq, records[5].seq);
    {
        trace_record::TraceFileWriter writer(path, R"({"expected_nodes":1})");
        writer.events(0, 0, records);
        writer.close();
    }
    EXPECT_EQ(load_trace(path).trace.suspect_records, 10U);
}

TEST_F(TraceMergeTest, GivesTheRecordsAndLossesOfTheWholeTrace) {
    std::mt19937 random(3);
    for (int round = 0; round < 50; ++round) {
        write_at_random(random, round % 5 == 0 ? 400 : 8, round % 2 == 0);
        const StoredTrace stored = load_trace(path);
        const TraceIndex index(path);
        TraceMerge merge(index, 4);
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
        const TraceSummary summary = summarise(path);
        EXPECT_EQ(summary.left_out, merge.left_out());
        EXPECT_EQ(summary.losses, [&] {
            std::vector<LossRange> all;
            for (const Stream& stream : stored.trace.streams) all.insert(all.end(), stream.losses.begin(), stream.losses.end());
            return all;
        }());
    }
}

TEST_F(TraceMergeTest, IsSortedByTheMainClockAndEachNodeByItsNumbers) {
    std::mt19937 random(4);
    write_at_random(random, 300, false);
    const TraceIndex index(path);
    TraceMerge merge(index, 4,
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

TEST_F(TraceMergeTest, SaysWhereATemporaryFileCannotBeMade) {
    std::mt19937 random(5);
    write_at_random(random, 100, true);
    ASSERT_EQ(::setenv("TMPDIR", "/no/such/folder", 1), 0);
    try {
        const TraceIndex index(path);
        FAIL();
    } catch (const vocabulary::InputError& error) {
        EXPECT_STREQ(error.what(),
                     "/no/such/folder: a temporary file cannot be made: No such file or directory; make room, or name another "
                     "folder in TMPDIR");
    }
    ::unsetenv("TMPDIR");
}

// Each range explains its own gap: with as many of both, looking at all ranges for every gap would take minutes.
TEST_F(TraceMergeTest, ManyLossesTakeATimeThatFollowsTheirNumber) {
    constexpr std::uint32_t many = 100'000;
    {
        trace_record::TraceFileWriter writer(path, R"({"expected_nodes":1})", {.compress = false, .force = true});
        for (std::uint32_t i = 0; i < many; ++i) {
            writer.events(0, 10 * i, some_events(0, 10 * i, 2));
            writer.loss({0, 10 * i + 2, 10 * i + 9, LossCause::BufferFull});
        }
        writer.close();
    }
    const TraceSummary summary = summarise(path);
    ASSERT_EQ(summary.losses.size(), many);
    EXPECT_EQ(summary.losses.back(), (LossRange{0, 10 * many - 8, 10 * many - 1, LossCause::BufferFull}));
    EXPECT_EQ(load_trace(path).trace.streams[0].losses, summary.losses);
}

TEST_F(TraceMergeTest, UnloadsComeAtTheirTimesAndCountTheirRecords) {
    {
        trace_record::TraceFileWriter writer(path, R"({"expected_nodes":1})", {.compress = false, .force = true});
        writer.events(0, 0, some_events(0, 0, 10), 125);  // while the records at 100, 110 and 120 of the next block were made
        writer.events(0, 10, some_events(0, 10, 10), 300);
        writer.stream_end(0, 20);
        writer.close();
    }
    const TraceIndex index(path);
    TraceMerge merge(index, 1);
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
        trace_record::TraceFileWriter writer(path, R"({"expected_nodes":1})", {.compress = false, .force = true});
        writer.events(0, 0, some_events(0, 0, 10));
        writer.events(0, 20, some_events(0, 20, 10));
        writer.close();
    }
    const TraceIndex index(path);
    TraceMerge merge(index, 1);
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
}  // namespace tmon_streams

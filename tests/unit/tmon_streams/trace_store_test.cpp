#include <tmon_streams/trace_store.hpp>

#include <gmock/gmock.h>

#include <fstream>

#include <tmon_streams/collector.hpp>
#include <trace_record/trace_scan.hpp>
#include <vocabulary/source_position.hpp>
#include "farm_trace.hpp"

namespace tmon_streams {
namespace {

using testing_support::FarmTrace;
using testing_support::TestFolder;

TEST(TraceStore, AStoredTraceComesBackWithLossesEndsAndSession) {
    const TestFolder folder;
    FarmTrace farm(farm_spec::FarmSpec{4, farm_spec::TreeKind::Binary, 10, 2, 5});
    farm.finish_tasks(0, 9);
    Trace trace = farm.trace(SessionEnd::StoodStill, {3});
    trace.streams[2].losses.push_back({2, 100, 120, LossCause::BufferFull});
    store_trace(trace, folder.path("a"), R"({"expected_nodes":4,"session_end":"stood-still"})");
    const StoredTrace back = load_trace(folder.path("a"));
    EXPECT_EQ(back.status, "complete");
    EXPECT_EQ(back.trace.session, SessionEnd::StoodStill);
    EXPECT_EQ(back.trace.size(), trace.size());
    EXPECT_EQ(back.trace.streams[3].state, StreamState::Open);
    EXPECT_EQ(back.trace.streams[2].losses.back(), (LossRange{2, 100, 120, LossCause::BufferFull}));
    EXPECT_TRUE(std::ranges::equal(back.trace.streams[1].parts[0], farm.records()[1]));
}

TEST(TraceStore, BlocksStandAsTheyCameToTheHost) {
    const TestFolder folder;
    const auto records = [](std::uint16_t node, std::uint32_t first) {
        std::vector<Event> events(2);
        for (std::uint32_t i = 0; i < 2; ++i) {
            events[i].node = node;
            events[i].seq = first + i;
        }
        return events;
    };
    Collector collector(2);
    collector.receive(1, 0, records(1, 0));
    collector.receive(0, 0, records(0, 0));
    collector.dropped({1, 2, 3, LossCause::BufferFull});
    collector.receive(1, 4, records(1, 4));
    collector.receive(0, 2, records(0, 2));
    collector.end(1, 6);
    store_trace(collector.finish(), folder.path("a"), R"({"expected_nodes":2})");
    std::vector<std::string> order;
    const auto put = [&](std::uint16_t node, std::uint32_t seq) {
        order.push_back("n" + std::to_string(node) + ":" + std::to_string(seq));
    };
    const trace_record::TraceScan scan(
        folder.path("a"), trace_record::TraceScan::Visits{[&](const trace_record::BlockPlace& block, std::span<const Event>) {
                                                              put(block.node, block.first_seq);
                                                          },
                                                          [&](const LossRange& loss) { put(loss.node, loss.first_seq); },
                                                          {}});
    EXPECT_THAT(order, testing::ElementsAre("n1:0", "n0:0", "n1:2", "n1:4", "n0:2"));
    store_trace(load_trace(folder.path("a")).trace, folder.path("b"), R"({"expected_nodes":2})");
    EXPECT_EQ(folder.get("a"), folder.get("b"));
}

TEST(TraceStore, AnIncompleteFileIsASessionThatWasCut) {
    const TestFolder folder;
    {
        trace_record::TraceFileWriter writer(folder.path("a"), R"({"expected_nodes":2,"session_end":"stood-still"})");
        writer.stream_end(0, 0);
    }
    const StoredTrace back = load_trace(folder.path("a.incomplete"));
    EXPECT_EQ(back.trace.session, SessionEnd::Cut);
    EXPECT_EQ(back.status, "incomplete after block 1");
}

TEST(TraceStore, ADamagedFileIsASessionThatWasCutAndSaysThatItIsDamaged) {
    const TestFolder folder;
    {
        trace_record::TraceFileWriter writer(folder.path("a"), R"({"expected_nodes":2,"session_end":"stood-still"})");
        writer.stream_end(0, 0);
        writer.stream_end(1, 0);
        writer.close();
    }
    std::fstream(folder.path("a"), std::ios::in | std::ios::out | std::ios::binary).seekp(32 + 48 + 48 + 8).put(7);
    const StoredTrace back = load_trace(folder.path("a"));
    EXPECT_EQ(back.trace.session, SessionEnd::Cut);
    EXPECT_EQ(back.end, trace_record::TraceEnd::Damaged);
    EXPECT_EQ(back.status, "damaged after block 1 at byte 128");
}

TEST(TraceStore, AManifestThatNestsTooDeepIsRefused) {
    const std::size_t levels = 1'000'000;
    const std::string deep = R"({"expected_nodes":3,"a":)" + std::string(levels, '[') + std::string(levels, ']') + "}";
    EXPECT_EQ(whole_manifest(deep, "{}"), deep);
    EXPECT_THROW(read_manifest("a", whole_manifest(deep, "{}")), vocabulary::InputError);
    EXPECT_EQ(whole_manifest(R"({"expected_nodes":3})", deep), R"({"expected_nodes":3})");
}

TEST(TraceStore, AManifestSaysWhoRaisesTheInterrupts) {
    const auto master = [](const std::string& value) {
        return read_manifest("a", R"({"expected_nodes":3,"interrupt_master":)" + value + "}").interrupt_master;
    };
    EXPECT_EQ(master("2"), 2);
    for (const char* nobody : {"3", "65536", "-1", "1.0", "\"1\"", "null"}) EXPECT_EQ(master(nobody), std::nullopt) << nobody;
    EXPECT_EQ(read_manifest("a", R"({"expected_nodes":3})").interrupt_master, std::nullopt);
}

TEST(TraceStore, KeepsThatTheFarmNeverBegan) {
    const TestFolder folder;
    trace_record::TraceFileWriter(folder.path("a"), R"({"expected_nodes":2,"session_end":"never-began"})").close();
    EXPECT_EQ(load_trace(folder.path("a")).trace.session, SessionEnd::NeverBegan);
}

TEST(TraceStore, KeepsHowManyResultsTheFinalReportTells) {
    const TestFolder folder;
    const auto reported = [&](const std::string& name, const std::string& value) {
        trace_record::TraceFileWriter(folder.path(name), R"({"expected_nodes":2,"reported_results":)" + value + "}").close();
        return load_trace(folder.path(name)).trace.reported_results;
    };
    EXPECT_EQ(reported("a", "80"), 80U);
    EXPECT_EQ(reported("b", "0"), 0U);
    for (const char* nothing : {"-1", "1.0", "\"1\"", "null", "4294967296"})
        EXPECT_EQ(reported(std::string("n") + nothing[0] + nothing[1], nothing), std::nullopt) << nothing;
}

TEST(TraceStore, AManifestWithoutNodesIsAnError) {
    const TestFolder folder;
    trace_record::TraceFileWriter(folder.path("a"), "{}").close();
    try {
        load_trace(folder.path("a"));
        FAIL();
    } catch (const vocabulary::InputError& error) {
        EXPECT_EQ(error.message(),
                  "its manifest does not say how many nodes were expected (key \"expected_nodes\", 1 to 65535); "
                  "record the run again");
    }
}

}  // namespace
}  // namespace tmon_streams

#include <tmon_streams/collector.hpp>

#include <gmock/gmock.h>

#include <numeric>
#include <random>

namespace tmon_streams {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<Event> records(std::uint16_t node, std::uint32_t first, std::uint32_t count) {
    std::vector<Event> result(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        result[i].node = node;
        result[i].seq = first + i;
        result[i].time_us = 10 * (first + i);
    }
    return result;
}

std::vector<std::uint32_t> sequence(const Stream& stream) {
    std::vector<std::uint32_t> result;
    for (const auto part : stream.parts) {
        for (const Event& event : part) result.push_back(event.seq);
    }
    return result;
}

TEST(Collector, PutsBlocksOfAnyOrderTogether) {
    std::vector<std::uint32_t> starts(20);
    std::iota(starts.begin(), starts.end(), 0);
    std::mt19937 random(7);
    for (int round = 0; round < 20; ++round) {
        std::shuffle(starts.begin(), starts.end(), random);
        Collector collector(1);
        for (const std::uint32_t start : starts) collector.receive(0, start * 5, records(0, start * 5, 5));
        collector.end(0, 100);
        const Trace trace = collector.finish();
        std::vector<std::uint32_t> expected(100);
        std::iota(expected.begin(), expected.end(), 0);
        EXPECT_EQ(sequence(trace.streams[0]), expected);
        EXPECT_TRUE(trace.streams[0].whole());
    }
}

TEST(Collector, AnUnexplainedGapIsALossOfUnknownCause) {
    Collector collector(1);
    collector.receive(0, 0, records(0, 0, 5));
    collector.receive(0, 8, records(0, 8, 2));
    collector.end(0, 12);
    EXPECT_THAT(collector.finish().streams[0].losses,
                ElementsAre(LossRange{0, 5, 7, LossCause::Unknown}, LossRange{0, 10, 11, LossCause::Unknown}));
}

TEST(Collector, AReportedLossKeepsItsCauseAndTheRestOfTheGapIsUnknown) {
    Collector collector(1);
    collector.receive(0, 0, records(0, 0, 5));
    collector.dropped({0, 6, 7, LossCause::BufferFull});
    collector.receive(0, 9, records(0, 9, 1));
    EXPECT_THAT(collector.finish().streams[0].losses,
                ElementsAre(LossRange{0, 5, 5, LossCause::Unknown}, LossRange{0, 6, 7, LossCause::BufferFull},
                            LossRange{0, 8, 8, LossCause::Unknown}));
}

TEST(Collector, TwoLossesThatGoOnBeyondAGapEndWithIt) {
    Collector collector(1);
    collector.dropped({0, 0, 9, LossCause::BufferFull});
    collector.dropped({0, 1, 8, LossCause::LinkLost});
    collector.receive(0, 3, records(0, 3, 10));
    EXPECT_THAT(collector.finish().streams[0].losses, ElementsAre(LossRange{0, 0, 2, LossCause::BufferFull}));
}

TEST(Collector, RecordsThatArriveAfterAllAreNoLoss) {
    Collector collector(1);
    collector.dropped({0, 2, 5, LossCause::LinkLost});
    collector.receive(0, 0, records(0, 0, 5));
    EXPECT_THAT(collector.finish().streams[0].losses, ElementsAre(LossRange{0, 5, 5, LossCause::LinkLost}));
}

TEST(Collector, ALossKeepsItsClassesAndItsTimesAndSoDoPiecesOfIt) {
    const auto messages = trace_record::ClassSet::of(trace_record::EventClass::Message);
    Collector collector(1);
    collector.dropped({0, 0, 3, LossCause::Thinned, messages, 10, 40});
    collector.receive(0, 2, records(0, 2, 1), 77);
    const Trace trace = collector.finish();
    EXPECT_THAT(trace.streams[0].losses, ElementsAre(LossRange{0, 0, 1, LossCause::Thinned, messages, 10, 40},
                                                     LossRange{0, 3, 3, LossCause::Thinned, messages, 10, 40}));
    EXPECT_EQ(trace.streams[0].unloaded(0), 77u);
}

TEST(Collector, JoinsReportsOfOneLossAndNoOthers) {
    const auto messages = trace_record::ClassSet::of(trace_record::EventClass::Message);
    Collector collector(1);
    collector.dropped({0, 0, 3, LossCause::BufferFull, messages, 10, 40});
    collector.dropped({0, 4, 5, LossCause::BufferFull, messages, 50, 60});
    collector.dropped({0, 6, 6, LossCause::BufferFull, trace_record::ClassSet::all(), 70, 70});
    collector.dropped({0, 7, 7, LossCause::Overwritten, messages, 80, 80});
    EXPECT_THAT(collector.finish().streams[0].losses,
                ElementsAre(LossRange{0, 0, 5, LossCause::BufferFull, messages, 10, 60},
                            LossRange{0, 6, 6, LossCause::BufferFull, trace_record::ClassSet::all(), 70, 70},
                            LossRange{0, 7, 7, LossCause::Overwritten, messages, 80, 80}));
}

TEST(Collector, RepeatedRecordsAreTakenOnceAndConflictingOnesAreCounted) {
    Collector collector(1);
    collector.receive(0, 0, records(0, 0, 6));
    collector.receive(0, 4, records(0, 4, 4));
    auto other = records(0, 2, 1);
    other[0].task = 9;
    collector.receive(0, 2, other);
    const auto statistics = collector.statistics();
    EXPECT_EQ(statistics[0].events, 8u);
    EXPECT_EQ(statistics[0].repeated, 2u);
    EXPECT_EQ(statistics[0].conflicting, 1u);
    EXPECT_EQ(statistics[0].last_time_us, 70u);
    EXPECT_EQ(collector.finish().suspect_records, 1u);
}

TEST(Collector, ANodeWithoutAnEndMarkIsOpen) {
    Collector collector(2);
    collector.end(0, 0);
    const Trace trace = collector.finish();
    EXPECT_EQ(trace.streams[0].state, StreamState::Finished);
    EXPECT_EQ(trace.streams[1].state, StreamState::Open);
    EXPECT_THAT(trace.streams[1].losses, IsEmpty());
}

TEST(Collector, ABlockWithOtherNumbersThanItClaimsIsNotPlaced) {
    Collector collector(1);
    collector.receive(0, 3, records(0, 0, 2));
    collector.end(0, 5);
    const Trace trace = collector.finish();
    EXPECT_EQ(trace.suspect_records, 2u);
    EXPECT_THAT(trace.streams[0].losses, ElementsAre(LossRange{0, 0, 4, LossCause::Unknown}));
}

TEST(Collector, RefusesANodeThatIsNotExpected) {
    Collector collector(2);
    EXPECT_FALSE(collector.receive(2, 0, records(2, 0, 1)));
    EXPECT_FALSE(collector.end(2, 1));
}

TEST(Collector, TheTraceOutlivesTheCollector) {
    Trace trace;
    {
        Collector collector(1);
        collector.receive(0, 0, records(0, 0, 3));
        trace = collector.finish(SessionEnd::StoodStill);
    }
    EXPECT_THAT(sequence(trace.streams[0]), ElementsAre(0, 1, 2));
    EXPECT_EQ(trace.session, SessionEnd::StoodStill);
}

TEST(CollectorDeathTest, ExpectsANode) {
    EXPECT_DEATH(Collector(0), "collector.nodes");
}

// Blocks are passed on in their order, and the collector may keep none of them.
class NotedFeed final : public TraceFeed {
public:
    void records(std::uint16_t node, std::uint32_t first_seq, std::span<const Event> events, std::uint64_t came_us) override {
        noted += fmt_line("records", node, first_seq, events.size(), came_us);
    }
    void lost(const LossRange& range) override { noted += fmt_line("lost", range.node, range.first_seq, range.last_seq, 0); }
    void ended(std::uint16_t node, std::uint32_t total_records) override {
        noted += fmt_line("ended", node, total_records, 0, 0);
    }
    std::string noted;

private:
    static std::string fmt_line(const char* what, std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
        return std::string(what) + " " + std::to_string(a) + " " + std::to_string(b) + " " + std::to_string(c) + " " +
               std::to_string(d) + "\n";
    }
};

TEST(Collector, PassesOnWhatComesAndMayKeepNothing) {
    NotedFeed feed;
    Collector collector(2, Collector::Keep::Nothing, &feed);
    std::vector<Event> events(3);
    for (std::uint32_t i = 0; i < events.size(); ++i) events[i].seq = 5 + i;
    EXPECT_TRUE(collector.receive(1, 5, events, 0, 77));
    EXPECT_FALSE(collector.receive(2, 5, events));
    EXPECT_TRUE(collector.dropped({1, 0, 4, LossCause::BufferFull}));
    EXPECT_TRUE(collector.end(1, 8));
    EXPECT_EQ(feed.noted, "records 1 5 3 77\nlost 1 0 4 0\nended 1 8 0 0\n");
    EXPECT_EQ(collector.finish().size(), 0U);
}

}  // namespace
}  // namespace tmon_streams

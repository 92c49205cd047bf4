// Records of every class in the text files of a session, and tvmfilter, which sorts them by class.
#include <tmon_streams/thesis_files.hpp>

#include <gmock/gmock.h>

#include <algorithm>

#include <vocabulary/source_position.hpp>
#include "farm_trace.hpp"

namespace tmon_streams {
namespace {

using testing_support::FarmTrace;
using testing_support::TestFolder;

const farm_spec::FarmSpec tree_of_4{4, farm_spec::TreeKind::Binary, 100, 2, 5};

class RecordClasses : public testing::Test {
protected:
    TestFolder folder;
};

TEST_F(RecordClasses, TvmfilterMakesTheTvmOfAnAll) {
    FarmTrace farm(tree_of_4);
    farm.finish_tasks(0, 2);
    const Trace trace = farm.trace(SessionEnd::StoodStill);
    write_all(folder.path("a.all"), trace);
    write_config(folder.path("a.config"), config_of(trace));
    EXPECT_EQ(tvmfilter(folder.path("a")).task, trace.size());
    write_tvm(folder.path("b.tvm"), trace);
    EXPECT_EQ(folder.get("a.tvm"), folder.get("b.tvm"));
}

// Node 1: task records 0 and 3, detail of every kind at 1 and 4 to 12, and 2 was lost.
Trace of_all_classes() {
    std::vector<Event> events;
    const auto add = [&](std::uint32_t seq, EventKind kind) {
        events.push_back({.time_us = 10 * seq,
                          .seq = seq,
                          .task = 0x80000000 + seq,
                          .subtask = 0xFEDCBA98,
                          .bytes = 5,
                          .node = 1,
                          .peer = 65535,
                          .kind = kind});
        if (kind <= EventKind::Receive) events.back() = {.time_us = 10 * seq, .seq = seq, .task = 3, .node = 1, .kind = kind};
    };
    add(0, EventKind::Receive);
    add(1, EventKind::MessageSend);
    add(3, EventKind::Send);
    std::uint32_t seq = 4;
    for (auto kind = EventKind::MessageReceive; kind <= EventKind::CollectiveEnd;
         kind = static_cast<EventKind>(static_cast<int>(kind) + 1))
        add(seq++, kind);
    Collector collector(4);
    collector.receive(1, 0, std::span(events).first(2));
    collector.receive(1, 3, std::span(events).subspan(2));
    collector.dropped({1, 2, 2, LossCause::Overwritten, trace_record::ClassSet::of(trace_record::EventClass::Task), 12, 20});
    collector.end(1, seq);
    return collector.finish(SessionEnd::StoodStill);
}

TEST_F(RecordClasses, TvmfilterSortsTheRecordsByClass) {
    const Trace trace = of_all_classes();
    write_all(folder.path("a.all"), trace);
    write_config(folder.path("a.config"), config_of(trace));
    const FilteredEvents events = tvmfilter(folder.path("a"));
    EXPECT_EQ(filtered_text(events, "a"), "2 events in a.tvm; 1 in .usage, 11 in .standard, 1 in .user");
    EXPECT_EQ(folder.get("a.usage"), "80 1 2147483656 4275878552 5 0 0 0 65535\n");
    EXPECT_EQ(folder.get("a.standard"),
              "10 1 msend 65535 -2147483647 4275878552 5\n40 1 mrecv 65535 -2147483644 4275878552 5\n"
              "50 1 rcall -2147483643 4275878552\n60 1 pstart 65535 ?\n70 1 pend 65535 ?\n"
              "90 1 sync 2147483657\n110 1 scall 65535 -2147483637 4275878552 5\n120 1 partner 65535 2147483660 4275878552\n"
              "130 1 member 65535 2147483661 4275878552 5\n140 1 cbegin 65535 2147483662 4275878552 5\n"
              "150 1 cend 65535 2147483663 4275878552 5\n");
    EXPECT_EQ(folder.get("a.user"), "100 1 2147483658 25750715032\n");
}

TEST_F(RecordClasses, TvmfilterWritesNothingWhenAFileIsThereAlready) {
    const Trace trace = of_all_classes();
    write_all(folder.path("a.all"), trace);
    write_config(folder.path("a.config"), config_of(trace));
    folder.put("a.user", "mine\n");
    try {
        tvmfilter(folder.path("a"));
        FAIL();
    } catch (const vocabulary::InputError& error) {
        EXPECT_EQ(std::string(error.what()), folder.path("a.user") +
                                                 ": exists already and is not replaced; name another file, or "
                                                 "replace it with -f");
    }
    EXPECT_EQ(folder.get("a.tvm"), "");
    EXPECT_EQ(folder.get("a.user"), "mine\n");
}

TEST_F(RecordClasses, AllCarriesEveryClass) {
    const Trace trace = of_all_classes();
    write_all(folder.path("a.all"), trace);
    EXPECT_THAT(folder.get("a.all"), testing::HasSubstr("1 10 1 msend 65535 2147483649 fedcba98 - 5\n"));
    const Trace back = read_all(folder.path("a.all"), config_of(trace));
    ASSERT_EQ(back.streams[1].parts.size(), 2u);
    for (std::size_t part = 0; part < 2; ++part)
        EXPECT_TRUE(std::ranges::equal(back.streams[1].parts[part], trace.streams[1].parts[part]));
}

TEST_F(RecordClasses, ATvmHasTaskRecordsOnlyAndTheirNumbers) {
    const Trace trace = of_all_classes();
    write_tvm(folder.path("a.tvm"), trace);
    EXPECT_EQ(folder.get("a.tvm"), "0 1 recv 0 3 0000\n30 1 send 0 3 0000\n");
    write_config(folder.path("a.config"), config_of(trace));
    const Trace back = read_tvm(folder.path("a.tvm"), tree_of_4, read_config(folder.path("a.config")));
    ASSERT_EQ(back.streams[1].size(), 2u);
    EXPECT_EQ(back.streams[1].parts[1][0].seq, 3u);
    EXPECT_EQ(back.streams[1].losses, trace.streams[1].losses);
}

TEST_F(RecordClasses, ConfigSaysWhatALossMayHideAndWhatATvmLeavesOut) {
    const ConfigFile config = config_of(of_all_classes());
    write_config(folder.path("a.config"), config);
    EXPECT_THAT(folder.get("a.config"),
                testing::HasSubstr("node 1 finished 15 150\nloss 1 2 2 overwritten task 12 20\nother 1 1 1\nother 1 4 15\n"));
    EXPECT_EQ(read_config(folder.path("a.config")), config);
}

}  // namespace
}  // namespace tmon_streams

// A scan of whole, cut and damaged files shows the records, losses, ends and words that the reader of whole files keeps.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>

#include "trace_sample.hpp"

namespace trace_record {
namespace {

using TraceScanTest = TraceSample;

TEST_F(TraceScanTest, ShowsWhatTheReaderOfWholeFilesKeeps) {
    for (const bool compress : {false, true}) {
        write(compress);
        expect_the_same_from_both_readers();
        EXPECT_EQ(TraceScan(trace_path).closing(), R"({"run_hash":"abc"})");
        EXPECT_EQ(TraceScan(trace_path).records(), 65U);
        EXPECT_EQ(TraceScan(trace_path).end_byte(), bytes().size());
    }
}

TEST_F(TraceScanTest, GivesEveryWholeBlockOfACutFile) {
    for (const bool compress : {false, true}) {
        write(compress);
        const std::string whole = bytes();
        for (std::size_t size = 0; size < whole.size(); size += 7) {
            put(whole.substr(0, size));
            expect_the_same_from_both_readers();
        }
    }
}

TEST_F(TraceScanTest, EndsBeforeADamagedBlockAndNeverCrashes) {
    write(true);
    const std::string whole = bytes();
    std::mt19937 random(7);
    for (int i = 0; i < 300; ++i) {
        std::string damaged = whole;
        for (unsigned flips = 1 + random() % 3; flips > 0; --flips)
            damaged[random() % damaged.size()] ^= static_cast<char>(1 << random() % 8);
        put(damaged);
        expect_the_same_from_both_readers();
    }
}

TEST_F(TraceScanTest, MappedShowsRecordsThatStayWhereTheyAre) {
    write(false);
    std::vector<std::span<const Event>> seen;
    const TraceScan scan(
        trace_path, [&](const BlockPlace&, std::span<const Event> records) { seen.push_back(records); },
        TraceScan::Access::Mapped);
    ASSERT_EQ(seen.size(), 3U);
    EXPECT_TRUE(std::ranges::equal(seen[0], some_events(0, 0, 40)));
    EXPECT_TRUE(std::ranges::equal(seen[2], some_events(1, 30, 5)));
}

TEST_F(TraceScanTest, SaysWhenTheFileWasCutOrChangedWhileItWasRead) {
    for (const bool cut : {true, false}) {
        {
            TraceFileWriter writer(trace_path, "{}", {.compress = false, .force = true});
            for (std::uint32_t i = 0; i < 20; ++i) writer.events(0, 1000 * i, some_events(0, 1000 * i, 1000));
            writer.close();
        }
        BlockPlace first;
        const TraceScan scan(trace_path, [&](const BlockPlace& block, std::span<const Event>) {
            if (block.first_seq == 0) first = block;
        });
        if (cut) {
            std::filesystem::resize_file(trace_path, 200);
        } else {
            put(std::string(bytes().size(), 'x'));
        }
        std::vector<Event> records;
        try {
            scan.read(first, records);
            FAIL();
        } catch (const vocabulary::InputError& error) {
            EXPECT_EQ(error.message(), "has changed while it was read; let its writer finish, or copy it first");
        }
    }
}

TEST_F(TraceScanTest, SeesEachFlushedBlockOfAFileThatStillGrows) {
    TraceFileWriter writer(trace_path, "{}");
    for (std::uint32_t i = 0; i < 5; ++i) {
        writer.events(0, 10 * i, some_events(0, 10 * i, 10));
        writer.flush();
        const TraceScan scan(writer.growing_path());
        EXPECT_EQ(scan.end(), TraceEnd::Incomplete);
        EXPECT_EQ(scan.status(), "incomplete after block " + std::to_string(i + 1));
        EXPECT_EQ(scan.records(), 10U * (i + 1));
    }
}

TEST_F(TraceScanTest, AForkedChildLeavesTheFileOfItsParentAlone) {
    TraceFileWriter writer(trace_path, "{}");
    writer.events(0, 0, some_events(0, 0, 10));
    writer.flush();
    const pid_t child = ::fork();
    if (child == 0) {
        writer.events(0, 10, some_events(0, 10, 10));
        writer.flush();
        writer.close();
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    writer.events(0, 10, some_events(0, 10, 3));
    writer.close();
    EXPECT_EQ(TraceScan(trace_path).records(), 13U);
}

}  // namespace
}  // namespace trace_record

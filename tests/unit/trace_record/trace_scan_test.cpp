// The reader that goes block by block gives what the one that maps the file gives, of whole, cut and damaged files.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "trace_record/trace_file.hpp"
#include "trace_record/trace_scan.hpp"
#include "vocabulary/source_position.hpp"

namespace trace_record {
namespace {

class TraceScanTest : public testing::Test {
protected:
    TraceScanTest() {
        folder_ = std::filesystem::temp_directory_path() / ("trace_scan_test_" + std::to_string(::getpid()));
        std::filesystem::create_directories(folder_);
        path_ = (folder_ / "run.mwt").string();
    }
    ~TraceScanTest() override { std::filesystem::remove_all(folder_); }

    static std::vector<Event> some_events(std::uint16_t node, std::uint32_t first, std::uint32_t count) {
        std::vector<Event> events(count);
        for (std::uint32_t i = 0; i < count; ++i) {
            events[i].node = node;
            events[i].seq = first + i;
            events[i].time_us = 100ULL * (first + i);
            events[i].task = (first + i) / 4;
        }
        return events;
    }
    void write(bool compress) const {
        TraceFileWriter writer(path_, R"({"expected_nodes":2})", {.compress = compress, .force = true});
        writer.events(0, 0, some_events(0, 0, 40), 4100);
        writer.events(1, 0, some_events(1, 0, 20));
        writer.loss({1, 20, 29, LossCause::BufferFull});
        writer.events(1, 30, some_events(1, 30, 5), 9000);
        writer.stream_end(0, 40);
        writer.closing(R"({"run_hash":"abc"})");
        writer.close();
    }
    std::string bytes() const {
        std::ifstream in(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    void put(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
    template <class Reader>
    std::string error_of() const {
        try {
            Reader reader(path_);
        } catch (const vocabulary::InputError& error) {
            return error.message();
        }
        return "";
    }
    void expect_the_same_from_both_readers() const {
        const std::string error = error_of<TraceFileReader>();
        ASSERT_EQ(error_of<TraceScan>(), error);
        if (!error.empty()) return;
        const TraceFileReader mapped(path_);
        const TraceScan scan(path_);
        EXPECT_EQ(scan.status(), mapped.status());
        EXPECT_EQ(scan.closing(), mapped.closing());
        EXPECT_EQ(scan.losses(), mapped.losses());
        ASSERT_EQ(scan.blocks().size(), mapped.blocks().size());
        std::vector<Event> records;
        for (std::size_t i = 0; i < scan.blocks().size(); ++i) {
            scan.read(scan.blocks()[i], records);
            EXPECT_TRUE(std::ranges::equal(records, mapped.blocks()[i].events));
            EXPECT_EQ(scan.blocks()[i].unloaded_us, mapped.blocks()[i].unloaded_us);
        }
    }

    std::filesystem::path folder_;
    std::string path_;
};

TEST_F(TraceScanTest, GivesWhatTheMappedReaderGives) {
    for (const bool compress : {false, true}) {
        write(compress);
        expect_the_same_from_both_readers();
        EXPECT_EQ(TraceScan(path_).closing(), R"({"run_hash":"abc"})");
        EXPECT_EQ(TraceScan(path_).records(), 65U);
    }
}

TEST_F(TraceScanTest, GivesEveryWholeBlockOfACutFile) {
    write(true);
    const std::string whole = bytes();
    for (std::size_t size = 0; size < whole.size(); size += 7) {
        put(whole.substr(0, size));
        expect_the_same_from_both_readers();
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

TEST_F(TraceScanTest, SaysWhenTheFileWasCutWhileItWasRead) {
    TraceFileWriter writer(path_, "{}", {.compress = false, .force = true});
    for (std::uint32_t i = 0; i < 20; ++i) writer.events(0, 1000 * i, some_events(0, 1000 * i, 1000));
    writer.close();
    const TraceScan scan(path_);
    std::filesystem::resize_file(path_, 200);
    std::vector<Event> records;
    try {
        scan.read(scan.blocks().front(), records);
        FAIL();
    } catch (const vocabulary::InputError& error) {
        EXPECT_EQ(error.message(), "has changed while it was read; let its writer finish, or copy it first");
    }
}

TEST_F(TraceScanTest, StopsWhereItIsTold) {
    write(false);
    int seen = 0;
    const TraceScan scan(path_, [&](const BlockPlace&, std::span<const Event>) { return ++seen < 2; });
    EXPECT_EQ(seen, 2);
    EXPECT_EQ(scan.blocks().size(), 2U);
}

TEST_F(TraceScanTest, SeesEachFlushedBlockOfAFileThatStillGrows) {
    TraceFileWriter writer(path_, "{}");
    for (std::uint32_t i = 0; i < 5; ++i) {
        writer.events(0, 10 * i, some_events(0, 10 * i, 10));
        writer.flush();
        const TraceScan scan(writer.growing_path());
        EXPECT_EQ(scan.status(), "incomplete after block " + std::to_string(i + 1));
        EXPECT_EQ(scan.records(), 10U * (i + 1));
    }
}

TEST_F(TraceScanTest, AForkedChildLeavesTheFileOfItsParentAlone) {
    TraceFileWriter writer(path_, "{}");
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
    EXPECT_EQ(TraceScan(path_).records(), 13U);
}

}  // namespace
}  // namespace trace_record

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "trace_record/trace_file.hpp"
#include "vocabulary/source_position.hpp"

namespace trace_record {
namespace {

class TraceFile : public testing::Test {
protected:
    TraceFile() {
        folder_ = std::filesystem::temp_directory_path() / ("trace_file_test_" + std::to_string(::getpid()));
        std::filesystem::create_directories(folder_);
        path_ = (folder_ / "run.mwtrace").string();
    }
    ~TraceFile() override { std::filesystem::remove_all(folder_); }

    static std::vector<Event> some_events(std::uint16_t node, std::uint32_t first, std::uint32_t count) {
        std::vector<Event> events;
        for (std::uint32_t i = 0; i < count; ++i) {
            Event event;
            event.node = node;
            event.seq = first + i;
            event.time_us = 100ull * (first + i);
            event.task = (first + i) / 4;
            events.push_back(event);
        }
        return events;
    }
    void write_two_blocks(TraceFileOptions options = {}) const {
        TraceFileWriter writer(path_, manifest_, options);
        writer.events(0, 0, some_events(0, 0, 100));
        writer.events(1, 0, some_events(1, 0, 50));
        writer.loss({1, 50, 59, LossCause::BufferFull});
        writer.stream_end(0, 100);
        writer.close();
    }
    static std::string error_of(const std::string& path) {
        try {
            TraceFileReader reader(path);
        } catch (const vocabulary::InputError& error) {
            return error.message();
        }
        return "";
    }
    void put(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
    std::string bytes() const {
        std::ifstream in(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }

    std::filesystem::path folder_;
    std::string path_;
    std::string manifest_ = R"({"expected_nodes":2})";
};

TEST_F(TraceFile, GivesBackWhatWasWritten) {
    write_two_blocks();
    const TraceFileReader reader(path_);
    EXPECT_TRUE(reader.complete());
    EXPECT_EQ(reader.status(), "complete");
    EXPECT_EQ(reader.manifest(), manifest_);
    ASSERT_EQ(reader.blocks().size(), 2u);
    EXPECT_EQ(reader.blocks()[1].node, 1);
    const auto expected = some_events(1, 0, 50);
    EXPECT_TRUE(std::ranges::equal(reader.blocks()[1].events, expected));
    EXPECT_THAT(reader.losses(), testing::ElementsAre(LossRange{1, 50, 59, LossCause::BufferFull}));
    ASSERT_EQ(reader.stream_ends().size(), 1u);
    EXPECT_EQ(reader.stream_ends()[0].total_records, 100u);
}

TEST_F(TraceFile, CompressedBlocksGiveTheSameEventsFromFewerBytes) {
    write_two_blocks();
    const auto raw = std::filesystem::file_size(path_);
    write_two_blocks({.compress = true, .force = true});
    EXPECT_LT(std::filesystem::file_size(path_), raw / 2);
    const TraceFileReader reader(path_);
    EXPECT_TRUE(std::ranges::equal(reader.blocks()[0].events, some_events(0, 0, 100)));
}

TEST_F(TraceFile, HasItsNameOnlyAfterACleanClose) {
    {
        TraceFileWriter writer(path_, manifest_);
        writer.events(0, 0, some_events(0, 0, 10));
        EXPECT_FALSE(std::filesystem::exists(path_));
    }
    EXPECT_EQ(error_of(path_),
              "cannot open: No such file or directory; its writer did not finish, open " + path_ + ".incomplete");
    const TraceFileReader reader(path_ + ".incomplete");
    EXPECT_FALSE(reader.complete());
    EXPECT_EQ(reader.status(), "incomplete after block 1");
}

TEST_F(TraceFile, ACutFileGivesEveryWholeBlockAndSaysWhereItEnds) {
    write_two_blocks();
    const std::string whole = bytes();
    std::size_t best = 0;
    for (std::size_t size = 32 + 24; size < whole.size(); ++size) {
        put(whole.substr(0, size));
        const TraceFileReader reader(path_);
        EXPECT_FALSE(reader.complete());
        EXPECT_GE(reader.whole_blocks(), best);  // never fewer than from a shorter piece
        best = reader.whole_blocks();
        EXPECT_EQ(reader.status(), "incomplete after block " + std::to_string(best));
    }
    EXPECT_EQ(best, 4u);
}

TEST_F(TraceFile, ADamagedByteEndsTheTraceBeforeItsBlock) {
    write_two_blocks();
    std::string damaged = bytes();
    damaged[32 + 24 + 48 + 3200 + 48 + 7] ^= 1;  // in the events of the second block
    put(damaged);
    const TraceFileReader reader(path_);
    EXPECT_EQ(reader.status(), "incomplete after block 1");
    EXPECT_EQ(reader.blocks().size(), 1u);
}

TEST_F(TraceFile, RefusesToReplaceAFileUnlessTold) {
    write_two_blocks();
    try {
        write_two_blocks();
        FAIL();
    } catch (const vocabulary::InputError& error) {
        EXPECT_EQ(error.message(), "exists already; choose another name or allow it to be replaced");
    }
    EXPECT_NO_THROW(write_two_blocks({.compress = false, .force = true}));
}

TEST_F(TraceFile, SaysThatAnotherKindOfFileIsNoTrace) {
    put("17 0 send 1 0 0000\n");
    EXPECT_EQ(error_of(path_),
              "is not a Magicwire trace (its first bytes differ); the text files of the thesis are read by detrek -p PREFIX");
}

TEST_F(TraceFile, NamesTheVersionItCannotRead) {
    write_two_blocks();
    std::string later = bytes();
    later[8] = 9;
    put(later);
    EXPECT_EQ(error_of(path_),
              "has trace version 9.1, this program reads version 1.1; use the program that wrote it to convert it");
}

TEST_F(TraceFile, EmptyAndHeaderOnlyFilesAreErrorsNotCrashes) {
    put("");
    EXPECT_EQ(error_of(path_), "is empty or not a plain file; give a trace written by Magicwire");
    put("MWTRACE\n");
    EXPECT_EQ(error_of(path_), "ends within its header; nothing of the trace can be read");
}

}  // namespace
}  // namespace trace_record

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <trace_record/trace_file.hpp>
#include <vocabulary/source_position.hpp>
#include "trace_format.hpp"

namespace trace_record {
namespace {

class TraceFile : public testing::Test {
protected:
    TraceFile() {
        folder = std::filesystem::temp_directory_path() / ("trace_file_test_" + std::to_string(::getpid()));
        std::filesystem::create_directories(folder);
        trace_path = (folder / "run.mwtrace").string();
    }
    ~TraceFile() override { std::filesystem::remove_all(folder); }

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
        TraceFileWriter writer(trace_path, manifest, options);
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
    void put(const std::string& bytes) const { std::ofstream(trace_path, std::ios::binary) << bytes; }
    std::string bytes() const {
        std::ifstream in(trace_path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }

    std::filesystem::path folder;
    std::string trace_path;
    std::string manifest = R"({"expected_nodes":2})";
};

TEST_F(TraceFile, GivesBackWhatWasWritten) {
    write_two_blocks();
    const TraceFileReader reader(trace_path);
    EXPECT_TRUE(reader.complete());
    EXPECT_EQ(reader.status(), "complete");
    EXPECT_EQ(reader.manifest(), manifest);
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
    const auto raw = std::filesystem::file_size(trace_path);
    write_two_blocks({.compress = true, .force = true});
    EXPECT_LT(std::filesystem::file_size(trace_path), raw / 2);
    const TraceFileReader reader(trace_path);
    EXPECT_TRUE(std::ranges::equal(reader.blocks()[0].events, some_events(0, 0, 100)));
}

TEST_F(TraceFile, HasItsNameOnlyAfterACleanClose) {
    {
        TraceFileWriter writer(trace_path, manifest);
        writer.events(0, 0, some_events(0, 0, 10));
        EXPECT_FALSE(std::filesystem::exists(trace_path));
    }
    EXPECT_EQ(error_of(trace_path),
              "cannot open: No such file or directory; its writer did not finish, open " + trace_path + ".incomplete");
    const TraceFileReader reader(trace_path + ".incomplete");
    EXPECT_FALSE(reader.complete());
    EXPECT_EQ(reader.status(), "incomplete after block 1");
}

TEST_F(TraceFile, ACutFileGivesEveryWholeBlockAndSaysWhereItEnds) {
    write_two_blocks();
    const std::string whole = bytes();
    std::size_t best = 0;
    for (std::size_t size = 32 + 24; size < whole.size(); ++size) {
        put(whole.substr(0, size));
        const TraceFileReader reader(trace_path);
        EXPECT_FALSE(reader.complete());
        EXPECT_GE(reader.whole_blocks(), best);  // never fewer than from a shorter piece
        best = reader.whole_blocks();
        EXPECT_EQ(reader.status(), "incomplete after block " + std::to_string(best));
    }
    EXPECT_EQ(best, 4u);
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
    EXPECT_EQ(error_of(trace_path),
              "is not a Magicwire trace (its first bytes differ); the text files of the thesis are read by detrek -p PREFIX");
}

TEST_F(TraceFile, NamesTheVersionItCannotRead) {
    write_two_blocks();
    std::string later = bytes();
    later[8] = 9;
    put(later);
    EXPECT_EQ(error_of(trace_path),
              "has trace version 9.3, this program reads versions 1.1 to 3.3; use the program that wrote it to convert it");
}

TEST_F(TraceFile, KeepsWhenABlockWasUnloadedAndWhatALossMayHide) {
    const LossRange range{0, 3, 9, LossCause::Thinned, ClassSet::of(EventClass::Message, EventClass::User), 340, 910};
    const LossRange last{0, 10, 10, LossCause::SwitchedOff, ClassSet::of(EventClass::Task), 1ull << 40, 1ull << 41};
    {
        TraceFileWriter writer(trace_path, manifest);
        writer.events(0, 0, some_events(0, 0, 3), (1ull << 40) + 17);
        writer.events(1, 0, some_events(1, 0, 3));
        writer.loss(range);
        writer.loss(last);
        writer.close();
    }
    const TraceFileReader reader(trace_path);
    ASSERT_EQ(reader.blocks().size(), 2u);
    EXPECT_EQ(reader.blocks()[0].unloaded_us, (1ull << 40) + 17);
    EXPECT_EQ(reader.blocks()[1].unloaded_us, 0u);
    EXPECT_THAT(reader.losses(), testing::ElementsAre(range, last));
}

// Two records, a loss and an end mark, written by the program of version 1.
constexpr const char* version_1 =
    "4d5754524143450a010000000100000014000000000000000e0067e1e8d16e977b2265787065637465645f6e6f646573"
    "223a327d000000004d57424b010000000000000002000000000000000000000040000000000000004000000000000000"
    "bc8b070d97bfb0a76400000000000000000000000700000000000000000000000000010001000000fa00000000000000"
    "0100000007000000000000004000000000000100020100004d57424b0200000002000000030000000400000000000000"
    "000000000000000000000000000000008284add5024b46ed4d57424b0300000005000000000000000000000000000000"
    "00000000000000000000000000000000d588b037e1da7e384d57424b0400000000000000000000000000000000000000"
    "000000000000000000000000000000001ce638a03e998fc1";

TEST_F(TraceFile, OfVersion1IsReadWithLossesThatMayHideAnything) {
    std::string file;
    for (const char* at = version_1; *at != 0; at += 2)
        file.push_back(static_cast<char>(std::stoi(std::string(at, 2), nullptr, 16)));
    put(file);
    const TraceFileReader reader(trace_path);
    EXPECT_EQ(reader.status(), "complete");
    ASSERT_EQ(reader.blocks().size(), 1u);
    EXPECT_EQ(reader.blocks()[0].events[1].task, 7u);
    EXPECT_EQ(reader.blocks()[0].events[1].kind, EventKind::Receive);
    EXPECT_EQ(reader.blocks()[0].unloaded_us, 0u);
    EXPECT_THAT(reader.losses(), testing::ElementsAre(LossRange{0, 2, 4, LossCause::Damaged, ClassSet::all()}));
    ASSERT_EQ(reader.stream_ends().size(), 1u);
    EXPECT_EQ(reader.stream_ends()[0].total_records, 5u);
}

// Its bytes are those of version 3, which has more kinds of records.
TEST_F(TraceFile, OfVersion2IsRead) {
    write_two_blocks();
    std::string file = bytes();
    file[8] = file[12] = 2;
    put(file);
    const TraceFileReader reader(trace_path);
    EXPECT_EQ(reader.status(), "complete");
    EXPECT_EQ(reader.blocks().size(), 2u);
}

TEST_F(TraceFile, EmptyAndHeaderOnlyFilesAreErrorsNotCrashes) {
    put("");
    EXPECT_EQ(error_of(trace_path), "is empty or not a plain file; give a trace written by Magicwire");
    put("MWTRACE\n");
    EXPECT_EQ(error_of(trace_path), "ends within its header; nothing of the trace can be read");
}

// Runs `function` in a fork of the writer; returns the child's wait status.
template <class Function>
int in_fork(Function function) {
    const pid_t child = ::fork();
    if (child == 0) {
        function();
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
}

TEST_F(TraceFile, GoesOnInAnotherFileInAForkedProcess) {
    const std::string other = (folder / "other.mwtrace").string();
    {
        TraceFileWriter writer(trace_path, manifest, {.compress = true});
        writer.events(0, 0, some_events(0, 0, 100));
        writer.flush();
        EXPECT_EQ(in_fork([&] {
                      writer.events(7, 0, some_events(7, 0, 10));  // written nowhere: the file is the parent's
                      writer.go_on_in(other);
                      writer.events(0, 100, some_events(0, 100, 50));
                      writer.close();
                  }),
                  0);
        writer.events(0, 100, some_events(0, 100, 50));
        writer.close();
    }
    const std::string mine = bytes();
    trace_path = other;
    EXPECT_EQ(bytes(), mine);
    EXPECT_TRUE(TraceFileReader(other).complete());
}

using TraceFileDeathTest = TraceFile;

TEST_F(TraceFileDeathTest, WritingAfterTheCloseIsABrokenContract) {
    TraceFileWriter writer(trace_path, manifest);
    writer.close();
    EXPECT_DEATH(writer.events(0, 0, {}), "trace_file.write.open");
    EXPECT_DEATH(writer.loss({}), "trace_file.write.open");
    EXPECT_DEATH(writer.stream_end(0, 0), "trace_file.write.open");
    EXPECT_DEATH(writer.closing("{}"), "trace_file.write.open");
    EXPECT_DEATH(writer.go_on_in(trace_path), "trace_file.write.open");
    EXPECT_DEATH(writer.flush(), "trace_file.write.open");
    EXPECT_DEATH(writer.close(), "trace_file.write.open");
}

TEST_F(TraceFileDeathTest, RecordsWithOtherNumbersAreABrokenContract) {
    TraceFileWriter writer(trace_path, manifest);
    std::vector<Event> events = some_events(0, 0, 3);
    EXPECT_DEATH(writer.events(0, 1, events), "trace_file.write.sequence");
    events.back().seq = 7;
    EXPECT_DEATH(writer.events(0, 0, events), "trace_file.write.sequence");
}

TEST_F(TraceFileDeathTest, ALossThatEndsBeforeItBeginsIsABrokenContract) {
    TraceFileWriter writer(trace_path, manifest);
    EXPECT_DEATH(writer.loss({1, 5, 4, LossCause::BufferFull}), "trace_file.write.loss_range");
}

TEST_F(TraceFileDeathTest, MoreRecordsThanABlockCanHoldAreABrokenContract) {
    TraceFileWriter writer(trace_path, manifest);
    constexpr std::size_t count = format::most_events_in_block + 1;
    // Addresses without memory behind them; nobody reads there.
    void* const room = ::mmap(nullptr, count * sizeof(Event), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ASSERT_NE(room, MAP_FAILED);
    const std::span records(static_cast<const Event*>(room), count);
    EXPECT_DEATH(writer.events(0, 0, records), "trace_file.write.block_size");
    ::munmap(room, count * sizeof(Event));
}

TEST_F(TraceFileDeathTest, AClosingTextThatIsTooLongIsABrokenContract) {
    TraceFileWriter writer(trace_path, manifest);
    EXPECT_DEATH(writer.closing(std::string(format::most_closing_bytes + 1, ' ')), "trace_file.write.closing_size");
}

// The writer is made in the process of the death test, which is a fork too.
TEST_F(TraceFileDeathTest, GoingOnInAnotherFileWithoutAForkIsABrokenContract) {
    EXPECT_DEATH(TraceFileWriter(trace_path, manifest).go_on_in(trace_path + ".other"), "trace_file.write.forked");
}

}  // namespace
}  // namespace trace_record

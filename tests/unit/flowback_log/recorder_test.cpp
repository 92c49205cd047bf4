// The log that a process keeps, written and read again; what an interval knows of memory; damage of any kind.
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <flowback_log/log_file.hpp>
#include <flowback_log/reader.hpp>
#include <flowback_log/recorder.hpp>

namespace {

using flowback_log::Effect;
using flowback_log::Entry;
using flowback_log::Kind;
using flowback_log::Log;
using flowback_log::LogFile;
using flowback_log::Range;
using flowback_log::Recorder;
using testing::ElementsAre;
using testing::IsEmpty;

// A source without globals.
constexpr std::uint64_t no_addresses[] = {1, 0};

class FlowbackLog : public testing::Test {
protected:
    FlowbackLog() : place(std::filesystem::temp_directory_path() / ("flowback_log_" + std::to_string(getpid()))) {}
    ~FlowbackLog() override { std::filesystem::remove(place); }

    // The recorder writes to it; it is closed with the next one, or by entries().
    struct File final : flowback_log::ChunkSink {
        explicit File(const std::string& path) : file(path) {}
        void put(std::uint64_t number, std::vector<std::byte> chunk) override { file.put(number, std::move(chunk)); }
        LogFile file;
    };
    Recorder recorder(Range shared = {0, 0}, std::size_t content = flowback_log::chunk_bytes) {
        sink.emplace(place.string());
        return {*sink, {.name = "n1.compute_fn", .like = "", .program = "abc", .shared = shared}, content};
    }
    std::vector<Entry> entries() {
        sink.reset();
        read_back = Log::read(place.string());
        std::vector<Entry> all;
        std::uint64_t offset = 0;
        while (auto entry = read_back.next(offset)) all.push_back(*entry);
        return all;
    }
    std::vector<Kind> kinds() {
        std::vector<Kind> result;
        for (const Entry& each : entries()) result.push_back(each.kind);
        return result;
    }
    static std::uint64_t address(const void* place) { return reinterpret_cast<std::uintptr_t>(place); }

    std::filesystem::path place;
    std::optional<File> sink;
    Log read_back;
    int value = 42, other = 7;
};

TEST_F(FlowbackLog, KeepsTheFirstReadOfAPlaceOnly) {
    {
        Recorder log = recorder();
        log.enter(5, no_addresses, nullptr, 0);
        log.read(address(&value), sizeof value);
        log.read(address(&value), sizeof value);
        log.wrote(address(&other), sizeof other);
        log.read(address(&other), sizeof other);
        log.leave(1, nullptr, 0);
        log.finish();
    }
    ASSERT_THAT(kinds(), ElementsAre(Kind::Process, Kind::Addresses, Kind::Enter, Kind::Read, Kind::Leave));
    const auto all = entries();
    EXPECT_EQ(all[0].name, "n1.compute_fn");
    int read = 0;
    ASSERT_EQ(all[3].bytes.size(), sizeof read);
    std::memcpy(&read, all[3].bytes.data(), sizeof read);
    EXPECT_EQ(read, 42);
    EXPECT_THAT(all[4].ranges, ElementsAre(Range{address(&other), sizeof other}));
    EXPECT_TRUE(read_back.whole());
}

TEST_F(FlowbackLog, AnOuterIntervalForgetsWhatAnInnerOneWrote) {
    {
        Recorder log = recorder();
        log.enter(1, no_addresses, nullptr, 0);
        log.read(address(&value), sizeof value);
        log.read(address(&other), sizeof other);
        log.enter(2, no_addresses, nullptr, 0);
        log.read(address(&value), sizeof value);  // it knows nothing yet
        log.wrote(address(&other), sizeof other);
        log.leave(2, nullptr, 0);
        log.read(address(&value), sizeof value);  // still known
        log.read(address(&other), sizeof other);  // written meanwhile
        log.leave(1, nullptr, 0);
        log.finish();
    }
    EXPECT_THAT(kinds(), ElementsAre(Kind::Process, Kind::Addresses, Kind::Enter, Kind::Read, Kind::Read, Kind::Enter,
                                     Kind::Read, Kind::Leave, Kind::Read, Kind::Leave));
    EXPECT_THAT(entries().back().ranges, ElementsAre(Range{address(&other), sizeof other}));
}

TEST_F(FlowbackLog, ACallWithoutKnownEffectsForgetsEverything) {
    {
        Recorder log = recorder();
        log.enter(1, no_addresses, nullptr, 0);
        log.read(address(&value), sizeof value);
        log.call(9, 1, Effect::None, nullptr, 0, 0, 0);
        log.read(address(&value), sizeof value);
        log.call(9, 1, Effect::Unknown, nullptr, 0, 0, 0);
        log.read(address(&value), sizeof value);
        log.leave(1, nullptr, 0);
        log.finish();
    }
    EXPECT_THAT(kinds(), ElementsAre(Kind::Process, Kind::Addresses, Kind::Enter, Kind::Read, Kind::Call, Kind::Call,
                                     Kind::Read, Kind::Leave));
    EXPECT_TRUE(entries().back().unknown_inside);
}

TEST_F(FlowbackLog, SharedMemoryIsReadAnewEachTime) {
    {
        Recorder log = recorder({address(&value), sizeof value});
        log.enter(1, no_addresses, nullptr, 0);
        log.read(address(&value), sizeof value);
        log.read(address(&value), sizeof value);
        log.leave(1, nullptr, 0);
        log.finish();
    }
    EXPECT_THAT(kinds(), ElementsAre(Kind::Process, Kind::Addresses, Kind::Enter, Kind::Read, Kind::Read, Kind::Leave));
}

// Accesses behind the last entry are counted, so that a reader knows how far the process came.
TEST_F(FlowbackLog, AProcessThatEndsInsideAnIntervalSaysHowFarItCame) {
    {
        Recorder log = recorder();
        log.enter(1, no_addresses, nullptr, 0);
        log.read(address(&value), sizeof value);
        log.read(address(&value), sizeof value);
        log.wrote(address(&other), sizeof other);
        log.finish();
    }
    const auto all = entries();
    EXPECT_EQ(all.back().kind, Kind::Stopped);
    EXPECT_EQ(all.back().touches, 2U);
}

TEST_F(FlowbackLog, IntervalsThatNeverReturnAreClosed) {
    {
        Recorder log = recorder();
        log.enter(1, no_addresses, nullptr, 0);
        log.enter(2, no_addresses, nullptr, 0);
        log.enter(3, no_addresses, nullptr, 0);
        log.leave(1, nullptr, 0);  // of the outermost: the others were jumped over
        log.root(2, 17, 3, {{16, 4}});
        log.finish();
    }
    const auto all = entries();
    ASSERT_EQ(all.size(), 8U);
    EXPECT_EQ(all[5].kind, Kind::Unwound);
    EXPECT_EQ(all[5].depth, 1U);
    EXPECT_TRUE(all[6].unknown_inside);
    EXPECT_EQ(all[7].task, 17U);
    EXPECT_THAT(all[7].ranges, ElementsAre(Range{16, 4}));
}

TEST(FlowbackRanges, MergeAndSubtract) {
    EXPECT_THAT(flowback_log::merged({{10, 5}, {0, 4}, {15, 1}, {2, 1}}), ElementsAre(Range{0, 4}, Range{10, 6}));
    EXPECT_THAT(flowback_log::difference({{0, 10}, {20, 5}}, {{2, 3}, {8, 14}}),
                ElementsAre(Range{0, 2}, Range{5, 3}, Range{22, 3}));
    EXPECT_THAT(flowback_log::difference({{5, 5}}, {{0, 20}}), IsEmpty());
}

// A cut or changed file gives the entries before the damage, or none, and never others.
TEST_F(FlowbackLog, DamageIsFound) {
    std::vector<int> much(20'000);
    {
        Recorder log = recorder();
        log.enter(1, no_addresses, nullptr, 0);
        for (int& each : much) log.read(address(&each), sizeof each);
        log.leave(1, nullptr, 0);
        log.finish();
    }
    const auto good = kinds();
    std::ifstream file(place, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    std::mt19937 random(1);
    for (int i = 0; i < 300; ++i) {
        std::string damaged = bytes;
        if (i % 2 == 0) {
            damaged.resize(random() % bytes.size());
        } else {
            damaged[random() % bytes.size()] ^= static_cast<char>(1U << random() % 8);
        }
        std::ofstream(place, std::ios::binary) << damaged;
        try {
            const auto left = kinds();
            EXPECT_FALSE(read_back.whole());
            ASSERT_LT(left.size(), good.size());
            EXPECT_TRUE(std::equal(left.begin(), left.end(), good.begin()));
        } catch (const std::runtime_error&) {  // its first bytes
        }
    }
}

// Blocks of a log, kept apart as messages are.
struct Blocks final : flowback_log::ChunkSink {
    void put(std::uint64_t number, std::vector<std::byte> chunk) override {
        EXPECT_EQ(number, chunks.size());
        chunks.push_back(std::move(chunk));
    }
    std::vector<std::vector<std::byte>> chunks;
};

TEST_F(FlowbackLog, BlocksMayArriveInAnyOrder) {
    std::vector<int> much(500);
    Blocks blocks;
    {
        Recorder log(blocks, {.name = "n1.compute_fn", .like = "", .program = "abc"}, 100);
        log.enter(1, no_addresses, nullptr, 0);
        for (int& each : much) log.read(address(&each), sizeof each);
        log.finish();
        const flowback_log::Work work = log.take_work();
        EXPECT_EQ(work.checks, 500U);
        EXPECT_GT(work.entries, 500U);
        EXPECT_EQ(log.take_work().checks, 0U);
    }
    ASSERT_GT(blocks.chunks.size(), 20U);
    for (const bool turned : {false, true}) {
        {
            LogFile file(place.string());
            for (std::size_t i = 0; i < blocks.chunks.size(); ++i) {
                const std::size_t number = turned ? blocks.chunks.size() - 1 - i : i;
                file.put(number, blocks.chunks[number]);
                file.put(number, blocks.chunks[number]);  // once more: it counts once
            }
            EXPECT_FALSE(file.has_gap());
        }
        EXPECT_EQ(kinds().size(), 504U);
        EXPECT_TRUE(read_back.whole());
    }
}

TEST_F(FlowbackLog, AMissingBlockEndsTheLogAndIsNamed) {
    std::vector<int> much(500);
    Blocks blocks;
    {
        Recorder log(blocks, {.name = "n1.compute_fn", .like = "", .program = "abc"}, 100);
        log.enter(1, no_addresses, nullptr, 0);
        for (int& each : much) log.read(address(&each), sizeof each);
        log.finish();
    }
    for (const auto& [why, problem] : {std::pair(flowback_log::Ending::Missing, "chunk 7 did not reach the host"),
                                       std::pair(flowback_log::Ending::NoRoom, "the node had no memory for more of it")}) {
        {
            LogFile file(place.string());
            for (std::size_t i = 0; i < blocks.chunks.size(); ++i) {
                if (i != 7) file.put(i, blocks.chunks[i]);
            }
            EXPECT_TRUE(file.has_gap());
            file.end(why);
        }
        const std::size_t left = kinds().size();
        EXPECT_GT(left, 50U);
        EXPECT_LT(left, 300U);
        EXPECT_FALSE(read_back.whole());
        EXPECT_EQ(read_back.problem(), problem);
    }
}

}  // namespace

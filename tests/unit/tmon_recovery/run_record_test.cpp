#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>

#include <tmon_recovery/breakpoints.hpp>
#include <tmon_recovery/run_record.hpp>
#include <vocabulary/source_position.hpp>

#include "drawn_run.hpp"

namespace run_records {
namespace {

using namespace tmon_recovery;
namespace fs = std::filesystem;

class RunRecords : public testing::Test {
protected:
    RunRecords() : path_((fs::temp_directory_path() / ("run_record_" + std::to_string(getpid()) + ".mwr")).string()) {}
    ~RunRecords() override { fs::remove(path_); }

    // A token that goes round among three; a block for each turn.
    void write(int turns, bool finishes) {
        RecordWriter writer(path_, "{}", 3);
        for (ProcessNo process = 0; process < 3; ++process) writer.begins(process, {100, 100, 0, 0});
        for (int turn = 0; turn < turns; ++turn) {
            for (int at = 0; at < 3; ++at) {
                Message its;
                its.from = static_cast<std::uint16_t>(at);
                its.to = static_cast<std::uint16_t>((at + 1) % 3);
                its.sent = static_cast<EventNo>(2 * turn + (at == 0 ? 1 : 2));
                its.received = static_cast<EventNo>(2 * turn + (at == 2 ? 2 : 1));
                its.sent_ns = 1000 + 100 * (3 * turn + at);
                its.received_ns = its.sent_ns + 50;
                its.sent_line = writer.line("ring.c:" + std::to_string(turn));
                writer.add(its, static_cast<std::uint32_t>(turn));
            }
            writer.add(FailedLooks{1, 0, static_cast<EventNo>(2 * turn + 1), 7});
            writer.add(ClockRead{2, 0, 0.5 * turn});
            writer.flush();
        }
        if (finishes) writer.finish(std::vector<ProcessSpan>(3, {100, 1'000'000, 0, 5}), "{\"end\":\"ended\"}");
    }
    std::string bytes() const {
        std::ifstream file(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    void put(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
    std::string refusal() const {
        try {
            read_record(path_);
            return "";
        } catch (const vocabulary::InputError& error) {
            return error.what();
        }
    }

    std::string path_;
};

TEST_F(RunRecords, AreReadAsTheyWereWritten) {
    write(5, true);
    const RunRecord its = read_record(path_);
    EXPECT_TRUE(its.whole());
    EXPECT_EQ(its.messages.size(), 15U);
    EXPECT_EQ(its.checks[14], 4U);
    EXPECT_EQ(its.lines.at(its.messages[14].sent_line), "ring.c:4");
    EXPECT_EQ(its.looks.size(), 5U);
    EXPECT_EQ(its.clocks[4].seconds, 2.0);
    EXPECT_EQ(its.processes[1].end_ns, 1'000'000);
    EXPECT_EQ(its.processes[1].drift_ppb, 5);
}

TEST_F(RunRecords, CutAtAnyByteHoldToTheLastWholeBlock) {
    write(2, true);
    const std::string all = bytes();
    std::size_t last = 0;
    for (std::size_t size = 0; size < all.size(); ++size) {
        put(all.substr(0, size));
        const std::string why = refusal();
        if (!why.empty()) {
            EXPECT_EQ(last, 0U) << "the refusal of " << size << " bytes: " << why;
            continue;
        }
        const RunRecord its = read_record(path_);
        EXPECT_GE(its.messages.size(), last);
        EXPECT_EQ(its.messages.size() % 3, 0U);
        last = its.messages.size();
        EXPECT_TRUE(!its.whole() || its.messages.size() == 6U);
    }
    EXPECT_EQ(last, 6U);
}

TEST_F(RunRecords, EventsBehindAGapAreLeftOut) {
    {
        RecordWriter writer(path_, "{}", 2);
        for (ProcessNo process = 0; process < 2; ++process) writer.begins(process, {100, 100, 0, 0});
        Message its;
        its.from = 0;
        its.to = 1;
        its.sent = its.received = 1;
        its.sent_ns = 200;
        its.received_ns = 300;
        writer.add(its, 0);
        its.sent = 3;  // the second is under way
        its.received = 2;
        its.sent_ns = its.received_ns = 400;
        writer.add(its, 0);
        writer.flush();
    }
    const RunRecord record = read_record(path_);
    EXPECT_FALSE(record.whole());
    EXPECT_EQ(record.messages.size(), 1U);
    EXPECT_EQ(record.left_out, 1U);
    EXPECT_EQ(record.processes[1].end_ns, 300);
}

TEST_F(RunRecords, DamageIsRefused) {
    write(4, true);
    const std::string all = bytes();
    for (std::size_t at = 60; at < all.size() / 2; at += 13) {
        std::string broken = all;
        broken[at] = static_cast<char>(broken[at] ^ 16);
        put(broken);
        const std::string why = refusal();
        // A length that grew may hide the rest, which is then as a file that was cut off.
        EXPECT_TRUE(!why.empty() || !read_record(path_).whole()) << "at " << at;
    }
    std::string other = all;
    other[4] = 9;
    put(other);
    EXPECT_THAT(refusal(), testing::HasSubstr("version 9"));
    put("something else");
    EXPECT_THAT(refusal(), testing::HasSubstr("no record of events"));
}

TEST(Conflicts, TheChainPassesProcessesWithoutBreakpoints) {
    testing_support::DrawnRun run({{}, {}, {}});
    const MessageNo first = run.message(0, 1, 10, 20);
    const MessageNo second = run.message(1, 2, 30, 40);
    const EventGraph graph = run.graph(100);
    const std::optional<Conflict> its = conflict(graph, {0, 0, 1}, {true, false, true});
    ASSERT_TRUE(its);
    EXPECT_EQ(its->after, 0U);
    EXPECT_EQ(its->before, 2U);
    EXPECT_THAT(its->chain, testing::ElementsAre(first, second));
    EXPECT_FALSE(conflict(graph, {1, 0, 1}, {true, false, true}));
}

}  // namespace
}  // namespace run_records

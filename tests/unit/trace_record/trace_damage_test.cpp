// Every kind of damage: the part before it is read, and the file is told apart from one that its writer did not finish.
#include <gmock/gmock.h>

#include <cstring>

#include "trace_format.hpp"
#include "trace_sample.hpp"

namespace trace_record {
namespace {

// The sample without compression has blocks of 40 and 20 records, a loss, 5 records, an end of a stream and a closing block.
constexpr std::size_t manifest_end = 32 + 24, header = 48;
constexpr std::size_t second = manifest_end + header + 40 * 32, third = second + header + 20 * 32, fourth = third + header + 16,
                      fifth = fourth + header + 5 * 32, closing = fifth + header, end_mark = closing + header + 24;
constexpr std::size_t stored_bytes = 32, raw_bytes = 24, checksum = 40;  // in the header of a block

class TraceDamage : public TraceSample {
protected:
    TraceDamage() {
        write(false);
        whole = bytes();
    }
    // Writes the file anew and says what both readers make of it.
    void expect(const std::string& file, TraceEnd end, const std::string& status, std::size_t events) const {
        put(file);
        expect_the_same_from_both_readers();
        const TraceFileReader reader(trace_path);
        EXPECT_EQ(reader.end(), end);
        EXPECT_EQ(reader.complete(), end == TraceEnd::Complete);
        EXPECT_EQ(reader.status(), status);
        EXPECT_EQ(reader.blocks().size(), events);
    }
    template <class Value>
    std::string with(std::size_t at, Value value) const {
        std::string file = whole;
        std::memcpy(file.data() + at, &value, sizeof value);
        return file;
    }
    std::string whole;
};

TEST_F(TraceDamage, TheSampleLiesAsTheseTestsHaveIt) {
    ASSERT_EQ(whole.size(), end_mark + header);
    for (const std::size_t block : {manifest_end, second, third, fourth, fifth, closing, end_mark})
        EXPECT_EQ(whole.substr(block, 4), "MWBK");
    expect(whole, TraceEnd::Complete, "complete", 3);
}

TEST_F(TraceDamage, AFileCutBetweenTwoBlocksIsIncomplete) {
    expect(whole.substr(0, second), TraceEnd::Incomplete, "incomplete after block 1", 1);
    expect(whole.substr(0, manifest_end), TraceEnd::Incomplete, "incomplete after block 0", 0);
}

TEST_F(TraceDamage, AFileCutWithinAHeaderIsIncomplete) {
    for (const std::size_t more : {1, 3, 4, 47})
        expect(whole.substr(0, second + more), TraceEnd::Incomplete, "incomplete after block 1", 1);
}

TEST_F(TraceDamage, AFileCutWithinABlockIsIncomplete) {
    for (const std::size_t more : {header, header + 1, header + 20 * 32 - 1})
        expect(whole.substr(0, second + more), TraceEnd::Incomplete, "incomplete after block 1", 1);
}

TEST_F(TraceDamage, AFileWithoutItsEndMarkIsIncompleteWithWhatTheClosingBlockSays) {
    expect(whole.substr(0, end_mark), TraceEnd::Incomplete, "incomplete after block 6", 3);
    EXPECT_EQ(TraceScan(trace_path).closing(), R"({"run_hash":"abc"})");
    expect(whole.substr(0, closing), TraceEnd::Incomplete, "incomplete after block 5", 3);
    EXPECT_EQ(TraceScan(trace_path).closing(), "");
}

TEST_F(TraceDamage, AFileWithoutItsClosingBlockThatWasClosedIsComplete) {
    expect(whole.substr(0, closing) + whole.substr(end_mark), TraceEnd::Complete, "complete", 3);
    EXPECT_EQ(TraceScan(trace_path).closing(), "");
}

TEST_F(TraceDamage, ACutHeaderOfTheFileIsAnError) {
    for (const std::size_t size : {8, 31}) {
        put(whole.substr(0, size));
        EXPECT_EQ(error_of<TraceScan>(), "ends within its header; nothing of the trace can be read");
        EXPECT_EQ(error_of<TraceFileReader>(), error_of<TraceScan>());
    }
    put(whole.substr(0, 40));
    EXPECT_EQ(error_of<TraceScan>(), "ends within its manifest; nothing of the trace can be read");
    put(with(manifest_end - 20, 'X'));
    EXPECT_EQ(error_of<TraceScan>(),
              "has a damaged manifest (checksum differs); copy the file again from where it was written");
}

// The length would be taken as memory before the block is unpacked.
TEST_F(TraceDamage, APackedBlockThatIsFarTooShortForItsRecordsIsDamaged) {
    format::BlockHeader block;
    block.flags = format::flag_zstd;
    block.count = format::most_events_in_block;
    block.raw_bytes = std::uint64_t{block.count} * sizeof(Event);
    block.stored_bytes = 16;
    const std::string payload(block.stored_bytes, '\0');
    block.checksum = format::checksum(block, payload.data());
    const std::string bytes(reinterpret_cast<const char*>(&block), sizeof block);
    expect(whole.substr(0, manifest_end) + bytes + payload, TraceEnd::Damaged,
           "damaged after block 0 at byte " + std::to_string(manifest_end), 0);
}

TEST_F(TraceDamage, AnyByteOfABlockThatChangesIsFound) {
    std::size_t found = 0;
    for (std::size_t at = manifest_end; at < whole.size(); ++at) {
        std::string file = whole;
        file[at] ^= 0x10;
        put(file);
        const TraceScan scan(trace_path);
        const bool padding = at >= closing + header + 18 && at < end_mark;
        EXPECT_EQ(scan.end(), padding ? TraceEnd::Complete : TraceEnd::Damaged) << at;
        if (padding) continue;
        ++found;
        EXPECT_LE(scan.end_byte(), at);
        EXPECT_THAT(scan.status(), testing::EndsWith(" at byte " + std::to_string(scan.end_byte())));
    }
    EXPECT_EQ(found, whole.size() - manifest_end - 6);
}

TEST_F(TraceDamage, AByteInTheMiddleIsToldWithItsBlock) {
    std::string file = whole;
    file[second + header + 7] ^= 1;
    expect(file, TraceEnd::Damaged, "damaged after block 1 at byte " + std::to_string(second), 1);
}

TEST_F(TraceDamage, AWrongChecksumIsDamage) {
    expect(with(third + checksum, std::uint64_t{0}), TraceEnd::Damaged,
           "damaged after block 2 at byte " + std::to_string(third), 2);
    expect(with(end_mark + checksum, std::uint64_t{0}), TraceEnd::Damaged,
           "damaged after block 6 at byte " + std::to_string(end_mark), 3);
}

TEST_F(TraceDamage, AnAbsurdLengthIsDamage) {
    for (const std::uint64_t length : {std::uint64_t{1} << 63, ~std::uint64_t{0}, std::uint64_t{1} << 31, std::uint64_t{0}}) {
        for (const std::size_t block : {second, third, fifth, closing, end_mark}) {
            std::string file = with(block + stored_bytes, length);
            std::memcpy(file.data() + block + raw_bytes, &length, sizeof length);
            if (file == whole) continue;  // an end has no bytes
            put(file);
            expect_the_same_from_both_readers();
            EXPECT_EQ(TraceScan(trace_path).end(), TraceEnd::Damaged) << block << " " << length;
            EXPECT_EQ(TraceScan(trace_path).end_byte(), block);
        }
    }
}

// Only the end mark distinguishes a length that grew from a block that was cut.
TEST_F(TraceDamage, ALengthBeyondTheEndOfAClosedFileIsDamageAndOfAnOpenOneACut) {
    std::string file = with(closing + stored_bytes, std::uint64_t{1000});
    const std::uint64_t length = 1000;
    std::memcpy(file.data() + closing + raw_bytes, &length, sizeof length);
    expect(file, TraceEnd::Damaged, "damaged after block 5 at byte " + std::to_string(closing), 3);
    expect(file.substr(0, end_mark), TraceEnd::Incomplete, "incomplete after block 5", 3);
}

TEST_F(TraceDamage, ABlockOfAnUnknownKindIsDamage) {
    expect(with(third + 4, char{9}), TraceEnd::Damaged, "damaged after block 2 at byte " + std::to_string(third), 2);
    expect(with(third + 4, char{0}), TraceEnd::Damaged, "damaged after block 2 at byte " + std::to_string(third), 2);
}

TEST_F(TraceDamage, ALossBeyondTheLastNumberIsDamageThoughItsChecksumIsRight) {
    constexpr std::uint32_t last = ~std::uint32_t{0};
    const auto loss = [&](std::uint32_t first, std::uint32_t count) {
        format::BlockHeader block;
        std::memcpy(&block, whole.data() + third, header);
        block.first_seq = first, block.count = count;
        block.checksum = format::checksum(block, whole.data() + third + header);
        return with(third, block);
    };
    const std::string status = "damaged after block 2 at byte " + std::to_string(third);
    expect(loss(last - 9, 11), TraceEnd::Damaged, status, 2);
    expect(loss(1, last), TraceEnd::Complete, "complete", 3);
    expect(loss(2, last), TraceEnd::Damaged, status, 2);
    expect(loss(last - 9, 10), TraceEnd::Complete, "complete", 3);
    EXPECT_EQ(TraceScan(trace_path).losses().at(0), (LossRange{1, last - 9, last, LossCause::BufferFull}));
}

TEST_F(TraceDamage, WhatComesBehindTheEndMarkIsDamageAndTakesNoBlockAway) {
    for (const std::string& more : {std::string("x"), std::string("MWBK"), whole, std::string(4096, '\0')}) {
        expect(whole + more, TraceEnd::Damaged, "damaged after block 6 at byte " + std::to_string(whole.size()), 3);
        EXPECT_EQ(TraceScan(trace_path).closing(), R"({"run_hash":"abc"})");
    }
}

TEST_F(TraceDamage, ZerosWhereAHostThatFellHadNotWrittenAreDamage) {
    expect(whole.substr(0, second) + std::string(4096, '\0'), TraceEnd::Damaged,
           "damaged after block 1 at byte " + std::to_string(second), 1);
}

TEST_F(TraceDamage, ABlockThatIsMissingIsALossAndNoDamage) {
    expect(whole.substr(0, second) + whole.substr(third), TraceEnd::Complete, "complete", 2);
}

}  // namespace
}  // namespace trace_record

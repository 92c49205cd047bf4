#include <instrumentation/trace_buffers.hpp>

#include <gmock/gmock.h>

namespace {

using instrumentation::TraceBuffers;
using testing::ElementsAre;
using testing::IsEmpty;

trace_record::Event event(std::uint32_t task) {
    trace_record::Event result;
    result.task = task;
    return result;
}

// How many of the next `count` records were kept; their task is their number.
std::size_t fill(TraceBuffers& buffers, std::size_t count) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i)
        kept += buffers.record(event(buffers.next_seq())) == instrumentation::Recorded::Kept ? 1 : 0;
    return kept;
}

std::vector<std::uint32_t> leave(TraceBuffers& buffers) {
    std::vector<std::uint32_t> seqs;
    for (const auto& record : buffers.start_leaving()) seqs.push_back(record.seq);
    buffers.leave_done();
    return seqs;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> dropped(TraceBuffers& buffers) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;
    for (const trace_record::LossRange& range : buffers.take_losses()) ranges.emplace_back(range.first_seq, range.last_seq);
    return ranges;
}

}  // namespace

TEST(TraceBuffers, NumberRecordsFromZeroWithoutGaps) {
    TraceBuffers buffers(4);
    fill(buffers, 6);
    EXPECT_THAT(leave(buffers), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(leave(buffers), ElementsAre(4, 5));
    EXPECT_EQ(buffers.next_seq(), 6U);
}

TEST(TraceBuffers, KeepWhatWasRecordedAndItsOrder) {
    TraceBuffers buffers(3);
    trace_record::Event first = event(7);
    first.time_us = 123;
    first.seq = 99;  // the buffers number the records, not the caller
    buffers.record(first);
    const auto leaving = buffers.start_leaving();
    EXPECT_EQ(leaving.front().task, 7U);
    EXPECT_EQ(leaving.front().time_us, 123U);
    EXPECT_EQ(leaving.front().seq, 0U);
}

TEST(TraceBuffers, HaveTheRoomOfBoth) {
    TraceBuffers buffers(128);
    EXPECT_EQ(buffers.room(), 256U);
    EXPECT_EQ(fill(buffers, 256), 256U);
    EXPECT_EQ(buffers.count(), 256U);
    EXPECT_FALSE(buffers.has_losses());
}

TEST(TraceBuffers, DropTheNewestRecordWhenBothAreFull) {
    TraceBuffers buffers(2);
    EXPECT_EQ(fill(buffers, 7), 4U);
    EXPECT_EQ(buffers.next_seq(), 7U);
    EXPECT_THAT(dropped(buffers), ElementsAre(std::pair(4U, 6U)));
    EXPECT_THAT(leave(buffers), ElementsAre(0, 1));
    EXPECT_THAT(leave(buffers), ElementsAre(2, 3));
}

TEST(TraceBuffers, TellEachDroppedRangeOnce) {
    TraceBuffers buffers(2);
    fill(buffers, 5);
    EXPECT_TRUE(buffers.has_losses());
    EXPECT_THAT(dropped(buffers), ElementsAre(std::pair(4U, 4U)));
    EXPECT_FALSE(buffers.has_losses());
    EXPECT_THAT(dropped(buffers), IsEmpty());
}

TEST(TraceBuffers, BeginANewRangeAfterARecordWasKept) {
    TraceBuffers buffers(1);
    fill(buffers, 3);  // 0 and 1 kept, 2 dropped
    EXPECT_THAT(leave(buffers), ElementsAre(0));
    fill(buffers, 3);  // 3 kept, 4 and 5 dropped
    EXPECT_THAT(dropped(buffers), ElementsAre(std::pair(2U, 2U), std::pair(4U, 5U)));
    EXPECT_THAT(leave(buffers), ElementsAre(1));
    EXPECT_THAT(leave(buffers), ElementsAre(3));
}

TEST(TraceBuffers, GoOnFillingWhileOneBufferLeaves) {
    TraceBuffers buffers(2);
    fill(buffers, 2);
    const auto leaving = buffers.start_leaving();
    EXPECT_EQ(fill(buffers, 2), 2U);
    EXPECT_EQ(leaving.size(), 2U);
    EXPECT_EQ(leaving.front().seq, 0U);
    EXPECT_EQ(leaving.back().seq, 1U);
    EXPECT_EQ(buffers.count(), 4U) << "what leaves still takes its room";
    buffers.leave_done();
    EXPECT_EQ(buffers.count(), 2U);
    EXPECT_THAT(leave(buffers), ElementsAre(2, 3));
}

TEST(TraceBuffers, NeverTouchTheBufferThatLeaves) {
    TraceBuffers buffers(2);
    fill(buffers, 1);  // one that is half full leaves all the same
    const auto leaving = buffers.start_leaving();
    EXPECT_EQ(fill(buffers, 3), 2U);
    EXPECT_EQ(leaving.size(), 1U);
    EXPECT_THAT(dropped(buffers), ElementsAre(std::pair(3U, 3U)));
    buffers.leave_done();
    EXPECT_EQ(fill(buffers, 1), 1U);
    EXPECT_THAT(leave(buffers), ElementsAre(1, 2));
    EXPECT_THAT(leave(buffers), ElementsAre(4));
}

TEST(TraceBuffers, SendTheOlderBufferFirst) {
    TraceBuffers buffers(2);
    fill(buffers, 3);
    EXPECT_THAT(leave(buffers), ElementsAre(0, 1));
    fill(buffers, 2);
    EXPECT_THAT(leave(buffers), ElementsAre(2, 3));
    EXPECT_THAT(leave(buffers), ElementsAre(4));
}

TEST(TraceBuffers, AccountForEveryRecordWhateverTheRhythm) {
    for (std::size_t each = 1; each <= 5; ++each) {
        TraceBuffers buffers(each);
        std::uint64_t received = 0, lost = 0, expected = 0;
        for (std::size_t round = 0; round < 200; ++round) {
            fill(buffers, round * 7 % 11);
            if (round % 3 == 0 && buffers.count() > 0) {
                for (const std::uint32_t seq : leave(buffers)) {
                    EXPECT_GE(seq, expected);
                    expected = seq + 1U;
                    ++received;
                }
            }
        }
        while (buffers.count() > 0) received += leave(buffers).size();
        for (const auto& [first, last] : dropped(buffers)) lost += last - first + 1;
        EXPECT_EQ(received + lost, buffers.next_seq()) << each << " records in each buffer";
    }
}

TEST(TraceBuffersDeath, LeavingWithoutRecordsOrTwiceBreaksTheContract) {
    TraceBuffers buffers(2);
    EXPECT_DEATH(buffers.start_leaving(), "trace_buffers.start_leaving");
    EXPECT_DEATH(buffers.leave_done(), "trace_buffers.leave_done");
    fill(buffers, 1);
    buffers.start_leaving();
    EXPECT_DEATH(buffers.start_leaving(), "trace_buffers.start_leaving");
}

TEST(TraceBuffers, KeepAPartnerDirectlyBeforeItsEvent) {
    TraceBuffers buffers(4);
    fill(buffers, 1);
    const auto how = buffers.record(event(7), event(8));
    EXPECT_EQ(how.partner, instrumentation::Recorded::Kept);
    EXPECT_EQ(how.event, instrumentation::Recorded::Kept);
    const auto records = buffers.start_leaving();
    ASSERT_EQ(records.size(), 3U);
    EXPECT_EQ(records[1].task, 7U);
    EXPECT_EQ(records[2].task, 8U);
    EXPECT_EQ(records[2].seq, records[1].seq + 1);
}

TEST(TraceBuffers, TakeNeitherAPartnerNorItsEventIfOneOfThemMustWait) {
    class Waits final : public instrumentation::BufferPolicy {
        Choice when_full(const trace_record::Event&, const boost::circular_buffer<trace_record::Event>&) override {
            return {Choice::What::Wait};
        }
    };
    TraceBuffers buffers(2, std::make_unique<Waits>());
    fill(buffers, 3);
    for (int times = 0; times < 2; ++times) {
        const auto how = buffers.record(event(7), event(8));
        EXPECT_EQ(how.partner, instrumentation::Recorded::Full);
        EXPECT_EQ(how.event, instrumentation::Recorded::Full);
        EXPECT_EQ(buffers.next_seq(), 3U);
        EXPECT_EQ(buffers.count(), 3U);
    }
    EXPECT_THAT(leave(buffers), ElementsAre(0, 1));
    buffers.record(event(7), event(8));
    EXPECT_THAT(leave(buffers), ElementsAre(2, 3));
    EXPECT_THAT(leave(buffers), ElementsAre(4));
}

TEST(TraceBuffers, LosePartnerAndEventEachByItsOwnNumber) {
    TraceBuffers buffers(2);
    fill(buffers, 3);
    const auto how = buffers.record(event(7), event(8));
    EXPECT_EQ(how.partner, instrumentation::Recorded::Kept);
    EXPECT_EQ(how.event, instrumentation::Recorded::Lost);
    EXPECT_THAT(dropped(buffers), ElementsAre(std::pair(4U, 4U)));
}

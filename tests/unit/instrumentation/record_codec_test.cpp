#include <instrumentation/record_codec.hpp>

#include <gmock/gmock.h>

#include <array>
#include <limits>
#include <random>

namespace {

using trace_record::Event;
using trace_record::EventKind;
using Record = std::array<std::byte, instrumentation::record_bytes>;

Record encoded(const Event& event) {
    Record record;
    record.fill(std::byte{0xee});
    instrumentation::encode(event, record);
    return record;
}

Event round_trip(const Event& event) {
    return instrumentation::decode(encoded(event));
}

template <class Integer>
Integer most() {
    return std::numeric_limits<Integer>::max();
}

}  // namespace

TEST(RecordCodec, GivesBackWhatWasEncoded) {
    const Event event{
        .time_us = 73211, .task = 49, .subtask = 0x0120, .bytes = 64, .peer = 3, .kind = EventKind::Receive, .is_result = 1};
    EXPECT_EQ(round_trip(event), event);
}

TEST(RecordCodec, GivesBackEveryKindOfTaskAndResult) {
    for (const EventKind kind :
         {EventKind::Send, EventKind::Receive, EventKind::MessageSend, EventKind::MessageReceive, EventKind::ReceiveCall,
          EventKind::ProcessStart, EventKind::ProcessEnd, EventKind::NodeUsage, EventKind::Synchronise, EventKind::User,
          EventKind::SendCall, EventKind::Partner, EventKind::Member, EventKind::CollectiveBegin, EventKind::CollectiveEnd}) {
        for (const std::uint8_t is_result : {std::uint8_t{0}, std::uint8_t{1}}) {
            const Event event{.kind = kind, .is_result = is_result};
            EXPECT_EQ(round_trip(event), event);
        }
    }
}

TEST(RecordCodec, GivesBackTheLeastAndTheMostOfEveryField) {
    EXPECT_EQ(round_trip(Event{}), Event{});
    const Event largest{.time_us = most<std::uint32_t>(),
                        .task = most<std::uint32_t>(),
                        .subtask = most<std::uint32_t>(),
                        .bytes = most<std::uint32_t>(),
                        .peer = most<std::uint16_t>(),
                        .kind = EventKind::Receive,
                        .is_result = 1};
    EXPECT_EQ(round_trip(largest), largest);
}

TEST(RecordCodec, LeavesNodeAndSequenceNumberToTheMessage) {
    const Event event{.seq = 17, .task = 1, .node = 5};
    const Event back = round_trip(event);
    EXPECT_EQ(back.seq, 0U);
    EXPECT_EQ(back.node, 0U);
    EXPECT_EQ(back.task, 1U);
}

TEST(RecordCodec, WrapsTheTimeAfter32BitsAsTheNodesTimerDoes) {
    const Event event{.time_us = (std::uint64_t{1} << 32) + 5};
    EXPECT_EQ(round_trip(event).time_us, 5U);
}

TEST(RecordCodec, SaysHowManyRecordsAreMissingBeforeIt) {
    const Event event{.task = 5, .peer = 9};
    Record record;
    instrumentation::encode(event, record, 255);
    EXPECT_EQ(instrumentation::missing_before(record), 255);
    EXPECT_EQ(instrumentation::decode(record), event);
    EXPECT_EQ(instrumentation::missing_before(encoded(event)), 0);
}

TEST(RecordCodec, HasOneByteOrder) {
    const Event event{.time_us = 0x04030201,
                      .task = 0x0c0b0a09,
                      .subtask = 0x100f0e0d,
                      .bytes = 0x14131211,
                      .peer = 0x0807,
                      .kind = EventKind::Send,
                      .is_result = 1};
    const Record expected = {std::byte{1},  std::byte{2},  std::byte{3},  std::byte{4},  std::byte{0x81},
                             std::byte{0},  std::byte{7},  std::byte{8},  std::byte{9},  std::byte{10},
                             std::byte{11}, std::byte{12}, std::byte{13}, std::byte{14}, std::byte{15},
                             std::byte{16}, std::byte{17}, std::byte{18}, std::byte{19}, std::byte{20}};
    EXPECT_EQ(encoded(event), expected);
}

TEST(RecordCodec, GivesBackRandomRecords) {
    std::mt19937 random(1);
    for (int i = 0; i < 10'000; ++i) {
        const Event event{.time_us = random() & most<std::uint32_t>(),
                          .task = static_cast<std::uint32_t>(random()),
                          .subtask = static_cast<std::uint32_t>(random()),
                          .bytes = static_cast<std::uint32_t>(random()),
                          .peer = static_cast<std::uint16_t>(random()),
                          .kind = random() % 2 == 0 ? EventKind::Send : EventKind::Receive,
                          .is_result = static_cast<std::uint8_t>(random() % 2)};
        ASSERT_EQ(round_trip(event), event);
    }
}

// The records that the buffers give up when both are full, and the losses that they report.
#include <instrumentation/buffer_policy.hpp>

#include <gmock/gmock.h>

#include <random>

#include <instrumentation/trace_buffers.hpp>

namespace {

using instrumentation::BufferPolicy;
using instrumentation::make_buffer_policy;
using instrumentation::Recorded;
using instrumentation::TraceBuffers;
using instrumentation::WhenFull;
using testing::ElementsAre;
using trace_record::ClassSet;
using trace_record::Event;
using trace_record::EventClass;
using trace_record::EventKind;
using trace_record::LossCause;
using trace_record::LossRange;

constexpr std::uint16_t node = 3;

class Policy : public testing::Test {
protected:
    static TraceBuffers buffers(WhenFull policy, std::size_t each = 2) {
        return TraceBuffers(each, make_buffer_policy(policy));
    }
    // Records are made 10 us apart.
    Event at_next(TraceBuffers& to, EventKind kind, std::uint32_t number) {
        return {.time_us = 10U * (to.next_seq() + 1U), .task = number, .node = node, .kind = kind};
    }
    Recorded task(TraceBuffers& to, std::uint32_t number) { return to.record(at_next(to, EventKind::Send, number)); }
    Recorded detail(TraceBuffers& to) { return to.record(at_next(to, EventKind::MessageSend, 0)); }
    static std::vector<std::uint32_t> all(TraceBuffers& of) {
        std::vector<std::uint32_t> seqs;
        while (of.count() > 0) {
            for (const Event& event : of.start_leaving()) seqs.push_back(event.seq);
            of.leave_done();
        }
        return seqs;
    }
    static LossRange loss(std::uint32_t first, std::uint32_t last, LossCause cause, ClassSet classes) {
        return {node, first, last, cause, classes, 10U * (first + 1U), 10U * (last + 1U)};
    }
    const ClassSet tasks = ClassSet::of(EventClass::Task), messages = ClassSet::of(EventClass::Message);
};

}  // namespace

TEST_F(Policy, DropNewestTellsWhenAndWhatWasLost) {
    auto full = buffers(WhenFull::DropNewest);
    for (std::uint32_t i = 0; i < 5; ++i) task(full, i);
    EXPECT_EQ(detail(full), Recorded::Lost);
    EXPECT_THAT(full.take_losses(), ElementsAre(LossRange{node, 4, 5, LossCause::BufferFull,
                                                          ClassSet::of(EventClass::Task, EventClass::Message), 50, 60}));
    EXPECT_THAT(all(full), ElementsAre(0, 1, 2, 3));
}

TEST_F(Policy, OverwriteOldestKeepsTheNewest) {
    auto full = buffers(WhenFull::OverwriteOldest);
    for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(task(full, i), Recorded::Kept);
    for (std::uint32_t i = 4; i < 7; ++i) EXPECT_EQ(task(full, i), Recorded::Lost);
    EXPECT_THAT(full.take_losses(), ElementsAre(loss(0, 2, LossCause::Overwritten, tasks)));
    EXPECT_THAT(all(full), ElementsAre(3, 4, 5, 6));
}

TEST_F(Policy, WhatIsOnItsWayIsNotOverwritten) {
    auto full = buffers(WhenFull::OverwriteOldest);
    for (std::uint32_t i = 0; i < 4; ++i) task(full, i);
    const auto leaving = full.start_leaving();
    for (std::uint32_t i = 4; i < 7; ++i) task(full, i);
    EXPECT_EQ(leaving.front().seq, 0U);
    EXPECT_EQ(leaving.back().seq, 1U);
    full.leave_done();
    EXPECT_THAT(full.take_losses(), ElementsAre(loss(2, 4, LossCause::Overwritten, tasks)));
    EXPECT_THAT(all(full), ElementsAre(5, 6));
}

TEST_F(Policy, StopGivesNoNumberAndLosesNothing) {
    auto full = buffers(WhenFull::Stop);
    for (std::uint32_t i = 0; i < 4; ++i) task(full, i);
    EXPECT_EQ(task(full, 4), Recorded::Full);
    EXPECT_EQ(full.next_seq(), 4U);
    full.start_leaving();
    full.leave_done();
    EXPECT_EQ(task(full, 4), Recorded::Kept);
    EXPECT_FALSE(full.has_losses());
    EXPECT_THAT(all(full), ElementsAre(2, 3, 4));
}

TEST_F(Policy, WithoutAnyRoomNobodyWaits) {
    auto none = buffers(WhenFull::Stop, 0);
    EXPECT_EQ(task(none, 0), Recorded::Lost);
    EXPECT_THAT(none.take_losses(), ElementsAre(loss(0, 0, LossCause::BufferFull, tasks)));
}

TEST_F(Policy, DegradeGivesUpTheOldestDetailFirst) {
    auto full = buffers(WhenFull::Degrade);
    task(full, 0);
    detail(full);
    detail(full);
    task(full, 1);
    EXPECT_EQ(task(full, 2), Recorded::Lost);
    EXPECT_EQ(detail(full), Recorded::Lost);
    EXPECT_THAT(full.take_losses(), ElementsAre(loss(1, 2, LossCause::Thinned, messages)));
    EXPECT_THAT(all(full), ElementsAre(0, 3, 4, 5));
}

TEST_F(Policy, DegradeGivesUpNewDetailForTheSkeleton) {
    auto full = buffers(WhenFull::Degrade);
    for (std::uint32_t i = 0; i < 4; ++i) task(full, i);
    detail(full);
    EXPECT_THAT(full.take_losses(), ElementsAre(loss(4, 4, LossCause::Thinned, messages)));
    EXPECT_THAT(all(full), ElementsAre(0, 1, 2, 3));
}

TEST_F(Policy, DegradeKeepsTheLastEventOfEachTask) {
    auto full = buffers(WhenFull::Degrade);
    task(full, 7);
    task(full, 8);
    task(full, 7);
    task(full, 9);
    task(full, 8);  // 0 goes: 2 is of the same task
    task(full, 9);  // 1 goes: 4 is
    EXPECT_THAT(full.take_losses(), ElementsAre(loss(0, 1, LossCause::Overwritten, tasks)));
    EXPECT_THAT(all(full), ElementsAre(2, 3, 4, 5));
}

TEST_F(Policy, DegradeDropsTheNewestWhenEachTaskHasOneRecord) {
    auto full = buffers(WhenFull::Degrade);
    for (std::uint32_t i = 0; i < 5; ++i) task(full, i);
    EXPECT_THAT(full.take_losses(), ElementsAre(loss(4, 4, LossCause::BufferFull, tasks)));
    EXPECT_THAT(all(full), ElementsAre(0, 1, 2, 3));
}

TEST_F(Policy, SubTasksOfOneTaskAreKeptEach) {
    auto full = buffers(WhenFull::Degrade, 1);
    full.record({.task = 1, .subtask = 0x10, .node = node});
    full.record({.task = 1, .subtask = 0x20, .node = node});
    full.record({.task = 1, .subtask = 0x20, .node = node});
    EXPECT_THAT(all(full), ElementsAre(0, 2));
}

TEST_F(Policy, WhatIsSwitchedOffTakesItsNumberAndIsTold) {
    auto empty = buffers(WhenFull::DropNewest, 4);
    task(empty, 0);
    for (std::uint32_t i = 1; i < 4; ++i) empty.skip(at_next(empty, EventKind::Send, i));
    task(empty, 4);
    EXPECT_THAT(empty.take_losses(), ElementsAre(loss(1, 3, LossCause::SwitchedOff, tasks)));
    EXPECT_THAT(all(empty), ElementsAre(0, 4));
}

TEST_F(Policy, AUsersOwnIsAskedAndItsChoiceIsTold) {
    class KeepsFirst final : public BufferPolicy {
    public:
        Choice when_full(const Event& event, const boost::circular_buffer<Event>& buffered) override {
            EXPECT_EQ(event.seq, buffered.back().seq + 1);
            return {Choice::What::LoseBuffered, buffered.size() - 1, LossCause::Thinned};
        }
    };
    TraceBuffers full(2, std::make_unique<KeepsFirst>());
    for (std::uint32_t i = 0; i < 6; ++i) task(full, i);
    EXPECT_THAT(full.take_losses(), ElementsAre(loss(3, 4, LossCause::Thinned, tasks)));
    EXPECT_THAT(all(full), ElementsAre(0, 1, 2, 5));
}

TEST_F(Policy, ListsOfLossesStayShortAndTrue) {
    std::mt19937 random(5);
    for (const WhenFull policy : {WhenFull::DropNewest, WhenFull::OverwriteOldest, WhenFull::Degrade}) {
        auto full = buffers(policy, 4);
        std::vector<EventClass> made;
        for (int i = 0; i < 2'000; ++i) {
            const bool of_task = random() % 2 == 0, off = of_task && random() % 4 == 0;
            made.push_back(of_task ? EventClass::Task : EventClass::Message);
            Event event = at_next(full, of_task ? EventKind::Receive : EventKind::MessageReceive, random() % 6);
            if (off) {
                full.skip(event);
            } else {
                full.record(event);
            }
        }
        const auto losses = full.take_losses();
        EXPECT_LE(losses.size(), full.room() + 1);
        std::vector<int> told(made.size());
        for (const LossRange& range : losses) {
            EXPECT_LE(range.from_us, 10U * (range.first_seq + 1U));
            EXPECT_GE(range.until_us, 10U * (range.last_seq + 1U));
            for (std::uint32_t seq = range.first_seq; seq <= range.last_seq; ++seq) {
                ++told[seq];
                EXPECT_TRUE(range.classes.has(made[seq])) << "record " << seq << " may not be forgotten";
                if (range.cause != LossCause::Thinned) continue;
                EXPECT_EQ(made[seq], EventClass::Message);
            }
        }
        for (const std::uint32_t seq : all(full)) ++told[seq];
        EXPECT_THAT(told, testing::Each(1)) << "each record is kept or told as lost";
    }
}

TEST(BufferPolicyDeath, AnIndexThatIsNoneBreaksTheContract) {
    class Beyond final : public BufferPolicy {
    public:
        Choice when_full(const Event&, const boost::circular_buffer<Event>& buffered) override {
            return {Choice::What::LoseBuffered, buffered.size()};
        }
    };
    TraceBuffers full(1, std::make_unique<Beyond>());
    full.record({});
    full.record({});
    EXPECT_DEATH(full.record({}), "buffer_policy.index");
}

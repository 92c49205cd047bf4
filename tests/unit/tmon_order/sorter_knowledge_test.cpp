// Conclusions of the sorter from records that did not come, or that contradict each other.
#include <gmock/gmock.h>

#include <memory>

#include <tmon_order/causal_sorter.hpp>
#include <tmon_order/collectives.hpp>

#include "kept_records.hpp"

namespace tmon_order {
namespace {

End message_end(Role role, std::uint32_t from, std::uint32_t to, std::uint64_t number) {
    End end;
    end.key = {std::uint64_t{from} << 32 | to, number};
    end.channel = {from, to};
    end.number = number;
    end.role = role;
    end.from = from;
    end.to = to;
    return end;
}

class SmallSort : public testing::Test {
protected:
    void source(RecordId id, std::uint32_t to, std::uint64_t number, std::int64_t ns = 0) {
        const End end = message_end(Role::Source, id.stream, to, number);
        sorter.insert(id, ns, 0, {&end, 1});
    }
    void target(RecordId id, std::uint32_t from, std::uint64_t number, std::int64_t ns = 0) {
        const End end = message_end(Role::Target, from, id.stream, number);
        sorter.insert(id, ns, 0, {&end, 1});
    }
    const SortedRecord* reported(RecordId id) const {
        for (const SortedRecord& record : kept.records) {
            if (record.id == id && record.kind == SortedRecord::Kind::Record) return &record;
        }
        return nullptr;
    }

    testing_support::KeptRecords kept;
    CausalSorter sorter{3, kept};
};

TEST_F(SmallSort, ALaterMessageOfTheChannelProvesThatAnEarlierOneIsLost) {
    target({1, 0}, 0, 0);
    sorter.lost(0, 0, 0);
    EXPECT_EQ(reported({1, 0}), nullptr) << "the lost record may have been another one";
    source({0, 1}, 1, 1);
    ASSERT_NE(reported({1, 0}), nullptr);
    EXPECT_EQ(reported({1, 0})->assumed, Assumed::Lost);
}

TEST_F(SmallSort, AReceiveThatComesAfterTheLaterMessageDoesNotWait) {
    sorter.lost(0, 0, 0);
    source({0, 1}, 1, 1);
    target({1, 0}, 0, 0);
    ASSERT_NE(reported({1, 0}), nullptr);
    EXPECT_EQ(reported({1, 0})->assumed, Assumed::Lost);
}

TEST_F(SmallSort, ASendWhoseReceiveWasPassedOverDoesNotStay) {
    sorter.lost(1, 0, 0);
    target({1, 1}, 0, 1);
    source({0, 0}, 1, 0);
    source({0, 1}, 1, 1);
    EXPECT_EQ(sorter.counts().window, 2u) << "the newest record of each stream";
    EXPECT_EQ(sorter.counts().targets_missing, 1u);
}

// n1 waits for a message of n0 whose send is lost, and n0 waits for the answer.
TEST_F(SmallSort, ACircleOfWaitsProvesThatAMissingSendIsLost) {
    sorter.lost(0, 0, 0);
    target({1, 0}, 0, 0);
    source({1, 1}, 0, 0);
    EXPECT_FALSE(sorter.break_deadlocks()) << "n0 does not wait yet, and the send may come";
    target({0, 1}, 1, 0);
    EXPECT_EQ(sorter.counts().unreported, 3u);
    EXPECT_TRUE(sorter.break_deadlocks());
    ASSERT_NE(reported({1, 0}), nullptr);
    EXPECT_EQ(reported({1, 0})->assumed, Assumed::Lost);
    ASSERT_NE(reported({0, 1}), nullptr);
    EXPECT_EQ(reported({0, 1})->source->id, (RecordId{1, 1}));
    EXPECT_FALSE(sorter.break_deadlocks());
}

TEST_F(SmallSort, ACircleWithoutALossStays) {
    target({1, 0}, 0, 0);
    source({1, 1}, 0, 0);
    target({0, 0}, 1, 0);
    EXPECT_FALSE(sorter.break_deadlocks());
    EXPECT_EQ(sorter.counts().unreported, 3u);
}

TEST_F(SmallSort, ASendThatMayBeRecordedLateIsLostOrCrossedInACircle) {
    const auto task = [](Role role, std::uint32_t from, std::uint32_t to) {
        End end = message_end(role, from, to, 0);
        end.number.reset();
        end.source_may_be_late = true;
        return end;
    };
    const End to_n1 = task(Role::Source, 0, 1), at_n1 = task(Role::Target, 0, 1), answer = task(Role::Source, 1, 0),
              at_n0 = task(Role::Target, 1, 0);
    sorter.insert({1, 0}, 0, 0, {&at_n1, 1});
    sorter.insert({1, 1}, 0, 0, {&answer, 1});
    sorter.insert({0, 0}, 0, 0, {&at_n0, 1});
    EXPECT_FALSE(sorter.break_deadlocks()) << "n0 has lost nothing, so the send will come";
    sorter.lost(0, 1, 1);
    EXPECT_TRUE(sorter.break_deadlocks());
    ASSERT_NE(reported({1, 0}), nullptr);
    EXPECT_EQ(reported({1, 0})->assumed, Assumed::LostOrCrossed);
    EXPECT_NE(reported({0, 0}), nullptr);
    sorter.insert({0, 2}, 0, 0, {&to_n1, 1});
    ASSERT_NE(reported({0, 2}), nullptr);
    EXPECT_TRUE(reported({0, 2})->late) << "it was crossed, and its receive is out";
}

TEST_F(SmallSort, ACrossedSendIsSeenAsSoonAsItHasCome) {
    const auto task = [](Role role, std::uint32_t from, std::uint32_t to) {
        End end = message_end(role, from, to, 0);
        end.number.reset();
        end.source_may_be_late = true;
        return end;
    };
    const End to_n1 = task(Role::Source, 0, 1), at_n1 = task(Role::Target, 0, 1), answer = task(Role::Source, 1, 0),
              at_n0 = task(Role::Target, 1, 0);
    sorter.insert({1, 0}, 10, 0, {&at_n1, 1});
    sorter.insert({1, 1}, 20, 0, {&answer, 1});
    sorter.insert({0, 0}, 30, 0, {&at_n0, 1});
    sorter.insert({0, 1}, 40, 0, {&to_n1, 1});
    EXPECT_TRUE(sorter.break_deadlocks());
    ASSERT_NE(reported({1, 0}), nullptr);
    EXPECT_EQ(reported({1, 0})->assumed, Assumed::Crossed);
    EXPECT_EQ(reported({1, 0})->contradicted, (RecordId{0, 1}));
    EXPECT_EQ(sorter.counts().unreported, 0u);
}

TEST_F(SmallSort, ACastPrecedesEachOfItsReceives) {
    const auto cast = [](Role role, std::uint64_t number) {
        End end = message_end(role, 0, 0, number);
        end.shape = Shape::Cast;
        return end;
    };
    const End sent = cast(Role::Source, 0), received = cast(Role::Target, 0);
    sorter.insert({1, 0}, 0, 0, {&received, 1});
    EXPECT_EQ(reported({1, 0}), nullptr);
    sorter.insert({0, 0}, 70, 0, {&sent, 1});
    sorter.insert({0, 1}, 80, 0, {});
    EXPECT_EQ(reported({1, 0})->final_ns, 70);
    sorter.insert({2, 0}, 5, 0, {&received, 1});
    EXPECT_EQ(reported({2, 0})->final_ns, 70);
    EXPECT_EQ(sorter.counts().window, 3u) << "a cast does not wait for receivers whose number nobody knows";
    const End later = cast(Role::Target, 1);
    sorter.insert({2, 1}, 5, 0, {&later, 1});
    EXPECT_EQ(reported({2, 1}), nullptr);
    sorter.lost(0, 2, 2);
    const End next = cast(Role::Source, 2);
    sorter.insert({0, 3}, 90, 0, {&next, 1});
    EXPECT_EQ(reported({2, 1})->assumed, Assumed::Lost);
}

TEST(CausalSorter, SendsThatNobodyReceivesDoNotFillTheMemory) {
    testing_support::KeptRecords kept;
    CausalSorter sorter(2, kept, {.most_waiting = 100});
    for (std::uint64_t number = 0; number < 10'000; ++number) {
        const End end = message_end(Role::Source, 0, 1, number);
        sorter.insert({0, number}, 0, 0, {&end, 1});
    }
    EXPECT_LE(sorter.counts().most_window, 102u);
    sorter.finished(0, 10'000);
    const End late = message_end(Role::Target, 0, 1, 3);
    sorter.insert({1, 0}, 0, 0, {&late, 1});
    ASSERT_EQ(kept.records.size(), 10'002u) << "with the end of the stream";
    EXPECT_EQ(kept.records.back().assumed, Assumed::GivenUp) << "it was sent, and forgotten";
}

TEST_F(SmallSort, ALaterMessageBehindAHoleProvesNothing) {
    target({1, 0}, 0, 0);
    source({0, 1}, 1, 1);
    EXPECT_EQ(reported({1, 0}), nullptr) << "the record before it may still come";
    source({0, 0}, 1, 0);
    ASSERT_NE(reported({1, 0}), nullptr);
    EXPECT_EQ(reported({1, 0})->assumed, Assumed::Nothing);
}

TEST_F(SmallSort, AMessageThatAWholeStreamNeverSentIsAContradiction) {
    target({1, 0}, 0, 0);
    sorter.finished(0, 0);
    ASSERT_NE(reported({1, 0}), nullptr);
    EXPECT_EQ(reported({1, 0})->assumed, Assumed::NeverBegan);
    EXPECT_EQ(sorter.counts().contradictions, 1u);
}

TEST_F(SmallSort, WhatComesAfterItsPlaceWasGivenAwayIsLate) {
    target({1, 0}, 0, 0);
    source({0, 2}, 2, 0);
    sorter.give_up(5);
    EXPECT_EQ(reported({1, 0}), nullptr) << "it has not waited so long";
    sorter.give_up(1);
    ASSERT_NE(reported({1, 0}), nullptr);
    EXPECT_EQ(reported({1, 0})->assumed, Assumed::GivenUp);
    EXPECT_EQ(reported({0, 2}), nullptr) << "it is the newest";
    sorter.give_up(0);
    ASSERT_NE(reported({0, 2}), nullptr) << "the numbers before it were given up";
    source({0, 0}, 1, 0);
    ASSERT_NE(reported({0, 0}), nullptr);
    EXPECT_TRUE(reported({0, 0})->late);
    source({0, 0}, 1, 0);
    EXPECT_EQ(sorter.counts().repeated, 1u);
    EXPECT_EQ(sorter.counts().late, 1u);
}

TEST_F(SmallSort, RecordsThatPrecedeEachOtherAreNamedAndCounted) {
    target({0, 0}, 1, 0, 20);
    source({0, 1}, 1, 0, 30);
    target({1, 0}, 0, 0, 10);
    source({1, 1}, 0, 0, 40);
    EXPECT_TRUE(kept.records.empty());
    sorter.finish();
    ASSERT_NE(reported({1, 0}), nullptr);
    EXPECT_EQ(reported({1, 0})->assumed, Assumed::Cycle) << "its raw time is the least";
    EXPECT_EQ(reported({1, 0})->contradicted, (RecordId{0, 1}));
    EXPECT_EQ(reported({0, 0})->assumed, Assumed::Nothing);
    EXPECT_EQ(sorter.counts().contradictions, 1u);
    EXPECT_EQ(sorter.counts().window, 0u);
}

TEST_F(SmallSort, ACycleOverASendThatMayBeRecordedLateIsNoContradiction) {
    const auto insert = [&](RecordId id, End end, std::int64_t ns, bool late) {
        end.source_may_be_late = late;
        sorter.insert(id, ns, 0, {&end, 1});
    };
    insert({0, 0}, message_end(Role::Target, 1, 0, 0), 20, false);
    insert({0, 1}, message_end(Role::Source, 0, 1, 0), 30, true);
    insert({1, 0}, message_end(Role::Target, 0, 1, 0), 25, true);
    insert({1, 1}, message_end(Role::Source, 1, 0, 0), 40, false);
    sorter.finish();
    ASSERT_NE(reported({1, 0}), nullptr);
    EXPECT_EQ(reported({1, 0})->assumed, Assumed::Crossed) << "although n0:0 has the least raw time";
    EXPECT_EQ(reported({1, 0})->contradicted, (RecordId{0, 1}));
    EXPECT_EQ(sorter.counts().contradictions, 0u);
}

TEST_F(SmallSort, ASecondRecordForOneEndIsAContradictionAndStandsByItself) {
    source({0, 0}, 1, 0);
    source({0, 1}, 1, 0);
    target({1, 0}, 0, 0);
    EXPECT_EQ(kept.records.size(), 3u);
    EXPECT_EQ(sorter.counts().contradictions, 1u);
}

TEST_F(SmallSort, ASendToACrashedStreamDoesNotStay) {
    source({0, 0}, 1, 0);
    source({0, 1}, 1, 1);
    EXPECT_EQ(sorter.counts().window, 2u);
    sorter.ended(1, StreamEnding::Crashed);
    EXPECT_EQ(sorter.counts().window, 1u) << "the newest record of a stream that goes on";
    source({0, 2}, 1, 2);
    EXPECT_EQ(sorter.counts().window, 1u);
}

TEST_F(SmallSort, AChainOfAMillionRecordsNeedsNoStack) {
    for (std::uint32_t number = 1'000'000; number > 0; --number) sorter.insert({0, number}, 0, 0, {});
    EXPECT_TRUE(kept.records.empty());
    sorter.insert({0, 0}, 0, 0, {});
    EXPECT_EQ(kept.records.size(), 1'000'001u);
}

TEST(CausalSorterDeathTest, KnowsItsStreamsAndNumbers) {
    testing_support::KeptRecords kept;
    CausalSorter sorter(2, kept);
    EXPECT_DEATH(sorter.insert({2, 0}, 0, 0, {}), "causal_sorter.stream");
    EXPECT_DEATH(sorter.insert({0, ~std::uint64_t{0}}, 0, 0, {}), "causal_sorter.number");
    EXPECT_DEATH(sorter.lost(0, 3, 2), "causal_sorter.range");
    EXPECT_DEATH(sorter.ended(2, StreamEnding::Open), "causal_sorter.stream");
    CollectiveRecord record;
    record.group = std::make_shared<const Group>(Group{0, 1});
    record.rank = 2;
    EXPECT_DEATH(ends_of(record), "collectives.ranks");
}

}  // namespace
}  // namespace tmon_order

// Sessions without a fault, ends of the program, and records that contradict each other.
#include <tmon_detrek/verdict.hpp>

#include <gmock/gmock.h>

#include "verdict_sessions.hpp"

namespace tmon_detrek {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::chain6;
using testing_support::crash_of_49;
using testing_support::dc8;
using testing_support::FarmTrace;
using testing_support::one_is_left;
using testing_support::two_below_the_manager;
using testing_support::verdict_of;

TEST(Verdict, AllTasksFinishedIsNoFault) {
    FarmTrace farm(dc8);
    farm.finish_tasks(0, 99);
    const Verdict verdict = verdict_of(farm.trace(tmon_streams::SessionEnd::Unknown, {4, 5}), dc8);
    EXPECT_EQ(verdict.kind, VerdictKind::None);
    EXPECT_EQ(verdict.sentence, "No fault: all 100 tasks were seen to finish.");
}

TEST(Verdict, AllTasksFinishedInAProgramThatEndedIsNoFault) {
    FarmTrace farm(dc8);
    farm.finish_tasks(0, 99);
    EXPECT_EQ(verdict_of(farm.trace(tmon_streams::SessionEnd::ProgramEnded), dc8).kind, VerdictKind::None);
}

TEST(Verdict, AllTasksFinishedInAProgramThatDidNotEndNamesTheReceiver) {
    FarmTrace farm(dc8);
    farm.finish_tasks(0, 99);
    for (const tmon_streams::SessionEnd how : {tmon_streams::SessionEnd::StoodStill, tmon_streams::SessionEnd::Cut}) {
        const Verdict verdict = verdict_of(farm.trace(how), dc8);
        EXPECT_EQ(verdict.kind, VerdictKind::Likely);
        EXPECT_EQ(verdict.task, std::nullopt);
        EXPECT_EQ(verdict.process, "result_receiver()");
        EXPECT_THAT(verdict.nodes, ElementsAre(0));
        EXPECT_THAT(verdict.sentence,
                    HasSubstr("every task finished, and the program did not end: result_receiver() on node 0"));
        EXPECT_THAT(verdict.depends_on, testing::Not(IsEmpty()));
    }
}

TEST(Verdict, AFarmThatNeverBeganIsNoFaultOfTheProgram) {
    const FarmTrace farm(dc8);
    for (const std::initializer_list<std::uint16_t> open : {std::initializer_list<std::uint16_t>{}, {0}, {0, 1, 2, 3, 4}}) {
        const Verdict verdict = verdict_of(farm.trace(tmon_streams::SessionEnd::NeverBegan, open), dc8);
        EXPECT_EQ(verdict.kind, VerdictKind::Unknown);
        EXPECT_EQ(verdict.process, "");
        EXPECT_EQ(verdict.task, std::nullopt);
        EXPECT_THAT(verdict.sentence, HasSubstr("the farm did not begin"));
        EXPECT_THAT(verdict.depends_on, ElementsAre("the farm had not begun when the session was given up"));
    }
}

TEST(Verdict, RecordsOfAFarmThatIsSaidNotToHaveBegunAreJudgedWithDoubt) {
    const Verdict verdict = verdict_of(crash_of_49().trace(tmon_streams::SessionEnd::NeverBegan, {4, 5, 6, 7}), dc8);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_THAT(verdict.depends_on, testing::Contains("the session is said to have ended before the farm began"));
}

// Every result came back, and one do_task() was too many.
TEST(Verdict, ATaskTooManyIsAFinding) {
    FarmTrace farm(dc8);
    farm.finish_tasks(0, 99).finish_tasks(100, 100);
    tmon_streams::Trace trace = farm.trace(tmon_streams::SessionEnd::ProgramEnded);
    trace.reported_results = 101;
    const Verdict verdict = verdict_of(trace, dc8);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    ASSERT_TRUE(verdict.contradiction.has_value());
    EXPECT_EQ(verdict.contradiction->kind, Contradiction::UnknownTask);
    EXPECT_EQ(verdict.contradiction->node, 0u);
    EXPECT_EQ(verdict.task, 100u);
    EXPECT_THAT(verdict.nodes, ElementsAre(0));
    EXPECT_EQ(verdict.process, "data_generator()");
}

TEST(Verdict, ANumberThatTheSpecificationDoesNotHaveForbidsCertainty) {
    FarmTrace farm = crash_of_49();
    farm.sent(100, 0, 1);
    const Verdict verdict = verdict_of(farm.trace(tmon_streams::SessionEnd::Unknown, {4, 5, 6, 7}), dc8);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_THAT(verdict.sentence,
                HasSubstr(", task 100, sub-task 0000, sent to node 1, is a task number that the specification"));
}

TEST(Verdict, ContradictionsOfADamagedTraceAreNoFaultOfTheProgram) {
    FarmTrace farm = crash_of_49();
    farm.sent(100, 0, 1);
    tmon_streams::Trace trace = farm.trace(tmon_streams::SessionEnd::Unknown, {4, 5, 6, 7});
    trace.suspect_records = 1;
    EXPECT_EQ(verdict_of(trace, dc8).kind, VerdictKind::Unknown);
    trace.suspect_records = 0;
    trace.dropped_messages = 3;
    EXPECT_EQ(verdict_of(trace, dc8).kind, VerdictKind::Unknown);
}

TEST(Verdict, AnEmptyTraceOfOpenNodesIsUnknown) {
    const FarmTrace farm(dc8);
    EXPECT_EQ(verdict_of(farm.trace(tmon_streams::SessionEnd::Unknown, {0, 1, 2, 3, 4, 5, 6, 7}), dc8).kind,
              VerdictKind::Unknown);
}

// Every task finished, and still the records say that a result was sent twice: by node 3 first, since the others pass it on.
TEST(Verdict, ADuplicateIsNamedAtTheNodeThatMadeIt) {
    const farm_spec::FarmSpec spec = two_below_the_manager();
    FarmTrace farm = one_is_left(spec, 7, 3).up(7, 0, 3).up(7, 0, 3).up(7, 0, 1).up(7, 0, 1);
    tmon_streams::Trace trace = farm.trace(tmon_streams::SessionEnd::ProgramEnded);
    trace.dropped_messages = 1;  // node 0 dropped the second, and its records say so
    trace.reported_results = spec.tasks;
    const Verdict verdict = verdict_of(trace, spec);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_EQ(verdict.task, 7u);
    EXPECT_THAT(verdict.nodes, ElementsAre(3));
    EXPECT_EQ(verdict.process, "comp_fn()");
    EXPECT_THAT(verdict.sentence,
                testing::StartsWith("Likely: task 7 went wrong in comp_fn() on node 3: record n3:2, a result of "
                                    "task 7 sent to node 1, is the same event of the same sub-task a second "
                                    "time"));
}

// Task 7 never leaves node 3; a result of task 9, which never was there, does.
TEST(Verdict, AWrongNumberIsNamedWithTheTaskThatItReplaced) {
    const farm_spec::FarmSpec spec = two_below_the_manager();
    FarmTrace farm(spec);
    for (std::uint32_t task = 0; task < 7; ++task) farm.down(task, 0, 2).up(task, 0, 2);
    farm.down(7, 0, 1).down(7, 0, 3).up(9, 0, 3).up(9, 0, 1).down(8, 0, 2).up(8, 0, 2).down(9, 0, 2).up(9, 0, 2);
    const Verdict verdict = verdict_of(farm.trace(tmon_streams::SessionEnd::StoodStill), spec);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_EQ(verdict.task, 7u);
    EXPECT_THAT(verdict.nodes, ElementsAre(3));
    ASSERT_FALSE(verdict.also_possible.empty());
    EXPECT_EQ(verdict.also_possible.front().task, 9u);
}

// A size that the data do not have: node 0 dropped the message.
TEST(Verdict, AResultThatADropExplainsIsNotTheReceiversFault) {
    const farm_spec::FarmSpec spec = two_below_the_manager();
    FarmTrace farm = one_is_left(spec, 7, 2).result_sent(7, 0, 2);
    tmon_streams::Trace trace = farm.trace(tmon_streams::SessionEnd::StoodStill);
    trace.dropped_messages = 1;
    const Verdict verdict = verdict_of(trace, spec);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_EQ(verdict.process, "comp_fn()");
    EXPECT_EQ(verdict.task, 7u);
    EXPECT_THAT(verdict.nodes, ElementsAre(2));
    EXPECT_EQ(verdict.dropped_by, 0);
    ASSERT_EQ(verdict.also_possible.size(), 1u);
    EXPECT_EQ(verdict.also_possible[0].process, "Collecting");
}

// Node 1 sent its end mark while a task was on the way, so its missing send record contradicts nothing.
TEST(Verdict, WhatMovedWhenTheProgramEndedIsNoContradiction) {
    const farm_spec::FarmSpec spec = two_below_the_manager();
    FarmTrace farm(spec);
    for (std::uint32_t task = 0; task < 8; ++task) farm.down(task, 0, 2).up(task, 0, 2);
    farm.down(8, 0, 1).arrived(8, 0, 3);
    const Verdict verdict = verdict_of(farm.trace(tmon_streams::SessionEnd::ProgramEnded), spec);
    EXPECT_EQ(verdict.kind, VerdictKind::Certain);
    EXPECT_EQ(verdict.process, "result_receiver()");
    EXPECT_TRUE(verdict_of(farm.trace(tmon_streams::SessionEnd::StoodStill), spec).contradiction.has_value());
}

TEST(Verdict, ASilentNodesOtherTasksAreNamedAsPossible) {
    FarmTrace farm(chain6);
    farm.down(0, 0, 1).down(1, 0, 1).down(2, 0, 1).down(3, 0, 1);
    const Verdict verdict = verdict_of(farm.trace(tmon_streams::SessionEnd::StoodStill, {1, 2, 3, 4, 5}), chain6);
    EXPECT_EQ(verdict.task, 0u);
    ASSERT_EQ(verdict.also_possible.size(), 3u);
    EXPECT_EQ(verdict.also_possible[0], (PossiblePlace{1, 0, 1, "comp_fn()"}));
    EXPECT_THAT(verdict.sentence, HasSubstr("; also possible: task 1 in comp_fn() on node 1, task 2"));
}

// Node 0 waits for the command to begin, which hangs at a dead node; the others work.
TEST(Verdict, AManagerThatNeverRecordedProvesNothing) {
    const farm_spec::FarmSpec spec = two_below_the_manager();
    FarmTrace farm(spec);
    farm.arrived(0, 0, 1).result_sent(0, 0, 1);
    for (const tmon_streams::SessionEnd how : {tmon_streams::SessionEnd::Cut, tmon_streams::SessionEnd::StoodStill}) {
        const Verdict verdict = verdict_of(farm.trace(how, {2, 5}), spec);
        EXPECT_EQ(verdict.kind, VerdictKind::Unknown);
        ASSERT_EQ(verdict.counter_histories.size(), 2u);
        EXPECT_EQ(verdict.counter_histories[0].text, "with the same records: node 2 failed without a task");
        EXPECT_EQ(verdict.counter_histories[1].text,
                  "if these records were lost: n2 received task 1 from n0, then task 1 in comp_fn() on node 2");
    }
    const Verdict below = verdict_of(farm.trace(tmon_streams::SessionEnd::StoodStill, {5}), spec);
    ASSERT_EQ(below.counter_histories.size(), 2u);
    EXPECT_EQ(below.counter_histories[0].text,
              "with the same records: node 0 waits for its monitor to begin, and no function failed");
    EXPECT_EQ(below.counter_histories[1].text, "with the same records: task 1 in data_generator() on node 0");
}

// The lost message may be one of the farm's end.
TEST(Verdict, AReceiverIsNotBlamedForAnEndThatADroppedMessageMayHaveSpoilt) {
    FarmTrace farm(dc8);
    farm.finish_tasks(0, 99);
    tmon_streams::Trace trace = farm.trace(tmon_streams::SessionEnd::StoodStill);
    trace.dropped_messages = 1;
    EXPECT_EQ(verdict_of(trace, dc8).kind, VerdictKind::Unknown);
}

TEST(Verdict, WhereNothingWasRecordedTwoHistoriesDiffer) {
    const Verdict verdict =
        verdict_of(FarmTrace(chain6).trace(tmon_streams::SessionEnd::StoodStill, {0, 1, 2, 3, 4, 5}), chain6);
    EXPECT_EQ(verdict.kind, VerdictKind::Unknown);
    ASSERT_EQ(verdict.counter_histories.size(), 2u);
    EXPECT_EQ(verdict.counter_histories[0].text, "with the same records: task 0 in data_generator() on node 0");
    EXPECT_EQ(
        verdict.counter_histories[1].text,
        "if these records were lost: n0 sent task 0 to n1, n1 received task 0 from n0, then task 0 in comp_fn() on node 1");
}

TEST(Verdict, ASilentManagerExplainsTheSilenceOfAll) {
    FarmTrace farm(chain6);
    farm.finish_tasks(0, 2).down(3, 0, 1);
    const Verdict verdict = verdict_of(farm.trace(tmon_streams::SessionEnd::StoodStill, {0, 1, 2, 3, 4, 5}), chain6);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_THAT(verdict.nodes, ElementsAre(0));
    EXPECT_THAT(verdict.fell_silent, ElementsAre(0));
}

}  // namespace
}  // namespace tmon_detrek

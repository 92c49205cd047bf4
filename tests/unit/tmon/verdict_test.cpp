#include "tmon/verdict.hpp"

#include <gmock/gmock.h>

#include "farm_trace.hpp"

namespace tmon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::FarmTrace;

const FarmSpec dc8{8, TreeShape::Binary, 100, 2, 5};
const FarmSpec chain6{6, TreeShape::Chain, 5, 1, 1};

// The first session of section 6.1: task 49 killed nodes 4 to 7.
FarmTrace crash_of_49() {
    FarmTrace farm(dc8);
    farm.finish_tasks(0, 48).down(49, 0, 1).split_to_leaves(49, 0, 1).down(50, 0, 1);
    farm.down(51, 0, 1).down(51, 0, 2).down(51, 0x10, 3).sent(52, 0, 1);
    return farm;
}
Verdict verdict_of(const Trace& trace, const FarmSpec& spec) {
    return analyse(trace, spec).verdict;
}

// Loses the records first ... last of a node, as the collector would report it.
void lose(Trace& trace, std::uint16_t node, std::size_t first, std::size_t last, LossCause cause) {
    Stream& stream = trace.streams[node];
    const auto all = stream.parts.at(0);
    ASSERT_LT(last, all.size());
    stream.parts = {all.first(first)};
    if (last + 1 < all.size()) stream.parts.push_back(all.subspan(last + 1));
    stream.losses = {{node, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last), cause}};
}

TEST(Verdict, FourLeavesThatDiedInTheirOnlySubTaskAreCertain) {
    const Verdict verdict = verdict_of(crash_of_49().trace(SessionEnd::Unknown, {4, 5, 6, 7}), dc8);
    EXPECT_EQ(verdict.kind, VerdictKind::Certain);
    EXPECT_EQ(verdict.task, 49u);
    EXPECT_THAT(verdict.nodes, ElementsAre(4, 5, 6, 7));
    EXPECT_THAT(verdict.subtasks, ElementsAre(0, 0x100, 0x10, 0x110));
    EXPECT_EQ(verdict.sentence,
              "Certain: task 49 stopped in comp_fn(), or before or behind it: its sub-tasks 0000, 0100, 0010, 0110 on nodes "
              "4, 5, 6, 7, which fell silent; no lost record could change this, and no record tells whether the function, a "
              "node or a link failed.");
    EXPECT_THAT(verdict.silent, ElementsAre(4, 5, 6, 7));
    EXPECT_THAT(verdict.depends_on, IsEmpty());
}

TEST(Verdict, IsNotCertainWhenMessagesCameDamaged) {
    Trace trace = crash_of_49().trace(SessionEnd::Unknown, {4, 5, 6, 7});
    trace.dropped_messages = 2;
    const Verdict verdict = verdict_of(trace, dc8);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_EQ(verdict.task, 49u);
    EXPECT_THAT(verdict.depends_on, testing::Contains("2 messages came damaged or were lost, so the links cannot be trusted"));
}

TEST(Verdict, BlamesTheGeneratorOnlyLikelyWhenANodeIsSilent) {
    FarmTrace farm(dc8);
    farm.finish_tasks(0, 9);
    EXPECT_EQ(verdict_of(farm.trace(SessionEnd::StoodStill), dc8).kind, VerdictKind::Certain);
    const Verdict verdict = verdict_of(farm.trace(SessionEnd::StoodStill, {5}), dc8);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_EQ(verdict.process, "data_generator()");
}

TEST(Verdict, TheRecordsOfTheDeadLeavesAreNotNeeded) {
    Trace trace = crash_of_49().trace(SessionEnd::Unknown, {4, 5, 6, 7});
    for (const std::uint16_t node : {4, 5, 6, 7}) trace.streams[node].parts.clear();
    const Verdict verdict = verdict_of(trace, dc8);
    EXPECT_EQ(verdict.kind, VerdictKind::Certain);
    EXPECT_EQ(verdict.process, "comp_fn()");
}

TEST(Verdict, AParentThatDidNotEndLeavesTheTaskLikelyAndIsNamed) {
    const Verdict verdict = verdict_of(crash_of_49().trace(SessionEnd::Unknown, {3, 4, 5, 6, 7}), dc8);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_EQ(verdict.task, 49u);
    EXPECT_THAT(verdict.sentence, HasSubstr("the last records of nodes 3, 4, 5, 6 and 7 may be missing"));
}

TEST(Verdict, LostRecordsOfADecidingNodeMakeItUnknown) {
    Trace trace = crash_of_49().trace(SessionEnd::Unknown, {4, 5, 6, 7});
    lose(trace, 1, 297, 298, LossCause::BufferFull);
    const Verdict verdict = verdict_of(trace, dc8);
    EXPECT_EQ(verdict.kind, VerdictKind::Unknown);
    EXPECT_EQ(verdict.task, std::nullopt);
    EXPECT_THAT(verdict.sentence, HasSubstr("Unknown: which task failed first cannot be said: "));
}

TEST(Verdict, LossesBeforeTheTaskCameToTheNodeDoNotMakeItUnknown) {
    Trace trace = crash_of_49().trace(SessionEnd::Unknown, {4, 5, 6, 7});
    lose(trace, 2, 10, 20, LossCause::BufferFull);
    EXPECT_EQ(verdict_of(trace, dc8).kind, VerdictKind::Likely);
}

TEST(Verdict, UnknownSentenceNamesTheRangeAndHowFarTasksWereSeenToFinish) {
    FarmTrace farm(dc8);
    farm.finish_tasks(0, 9).down(10, 0, 1).split_to_leaves(10, 0, 1);
    Trace trace = farm.trace(SessionEnd::StoodStill);
    trace.streams[1].losses = {{1, 64, 1999, LossCause::BufferFull}};
    EXPECT_EQ(verdict_of(trace, dc8).sentence,
              "Unknown: which task failed first cannot be said: records n1:64-1999 (dropped, buffers full) are missing; up to "
              "task 9 every "
              "task was seen to finish.");
}

TEST(Verdict, AForeignTraceIsAtMostLikely) {
    Trace trace = crash_of_49().trace(SessionEnd::Unknown, {4, 5, 6, 7});
    trace.losses_known = false;
    const Verdict verdict = verdict_of(trace, dc8);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_THAT(verdict.depends_on, testing::Contains("the trace does not say whether it is whole"));
}

TEST(Verdict, ASessionThatWasCutIsAtMostLikely) {
    EXPECT_EQ(verdict_of(crash_of_49().trace(SessionEnd::Cut, {4, 5, 6, 7}), dc8).kind, VerdictKind::Likely);
}

// A node may finish computing a sub-task and die in the next before the result has left.
TEST(Verdict, ADeadLeafWithTwoSubTasksIsNotCertain) {
    FarmTrace farm(dc8);
    farm.finish_tasks(0, 9).down(10, 0, 1).split_to_leaves(10, 0, 1).down(11, 0, 1).split_to_leaves(11, 0, 1);
    farm.up(10, 0x100, 5).up(10, 0x10, 6).up(10, 0x110, 7);
    EXPECT_EQ(verdict_of(farm.trace(SessionEnd::StoodStill, {4}), dc8).kind, VerdictKind::Likely);
}

TEST(Verdict, ALivingLeafHangsInTheSubTaskItGotFirst) {
    FarmTrace farm(dc8);
    farm.finish_tasks(0, 9)
        .down(10, 0, 1)
        .split_to_leaves(10, 0, 1)
        .up(10, 0x100, 5)
        .up(10, 0x10, 6)
        .up(10, 0x110, 7)
        .up(10, 0x10, 3);
    farm.finish_tasks(11, 99);
    const Verdict verdict = verdict_of(farm.trace(SessionEnd::StoodStill), dc8);
    EXPECT_EQ(verdict.kind, VerdictKind::Certain);
    EXPECT_EQ(verdict.sentence,
              "Certain: task 10 stopped in comp_fn(): its sub-task 0000 on node 4; no lost record could change this, and no "
              "record tells whether the function or a link failed.");
    EXPECT_THAT(verdict.silent, IsEmpty());
}

TEST(Verdict, WithoutKnowingThatTheFarmStoodStillALivingLeafIsLikely) {
    FarmTrace farm(dc8);
    farm.finish_tasks(0, 98)
        .down(99, 0, 1)
        .split_to_leaves(99, 0, 1)
        .up(99, 0x100, 5)
        .up(99, 0x10, 6)
        .up(99, 0x110, 7)
        .up(99, 0x10, 3);
    EXPECT_EQ(verdict_of(farm.trace(SessionEnd::Unknown), dc8).kind, VerdictKind::Likely);
}

TEST(Verdict, ReceiverThatEndedEarlyIsCertainWhenTheProgramEnded) {
    FarmTrace farm(chain6);
    farm.finish_tasks(0, 1).down(2, 0, 1).result_sent(2, 0, 1).down(3, 0, 1).result_sent(3, 0, 1);
    const Verdict verdict = verdict_of(farm.trace(SessionEnd::ProgramEnded), chain6);
    EXPECT_EQ(verdict.sentence, "Certain: result_receiver() on node 0 ended early: it did not take the result of task 2.");
    EXPECT_EQ(verdict_of(farm.trace(SessionEnd::Unknown), chain6).kind, VerdictKind::Likely);
}

// It may have failed in the last result that it took as well as in the first that it did not.
TEST(Verdict, ReceiverThatEndedEarlyIsNamedWithoutATask) {
    FarmTrace farm(chain6);
    farm.finish_tasks(0, 1).down(2, 0, 1).result_sent(2, 0, 1).down(3, 0, 1).result_sent(3, 0, 1);
    for (const SessionEnd how : {SessionEnd::ProgramEnded, SessionEnd::StoodStill, SessionEnd::Unknown, SessionEnd::Cut}) {
        const Verdict verdict = verdict_of(farm.trace(how), chain6);
        EXPECT_EQ(verdict.task, std::nullopt);
        EXPECT_EQ(verdict.not_taken, 2u);
        EXPECT_EQ(verdict.process, "result_receiver()");
        EXPECT_THAT(verdict.nodes, ElementsAre(0));
        EXPECT_THAT(verdict.sentence,
                    HasSubstr("result_receiver() on node 0 ended early: it did not take the result of task 2"));
    }
}

TEST(Verdict, GeneratorThatStoppedIsCertainWhenTheFarmStoodStill) {
    FarmTrace farm(dc8);
    farm.finish_tasks(0, 49);
    const Verdict verdict = verdict_of(farm.trace(SessionEnd::StoodStill), dc8);
    EXPECT_EQ(
        verdict.sentence,
        "Certain: data_generator() on node 0 stopped at task 50, which was never sent; no record tells whether the function "
        "or a link failed.");
}

// Nothing else was on node 2 when task 4 came, so its computation took it.
TEST(Verdict, ALivingNodeAboveASilentOneKeepsWhatFoundItIdle) {
    FarmTrace farm(chain6);
    farm.finish_tasks(0, 3).down(4, 0, 1).down(4, 0, 2);
    const Verdict verdict = verdict_of(farm.trace(SessionEnd::StoodStill, {3}), chain6);
    EXPECT_EQ(verdict.kind, VerdictKind::Certain);
    EXPECT_THAT(verdict.nodes, ElementsAre(2));
    EXPECT_TRUE(verdict.in_process);
    EXPECT_THAT(verdict.behind, IsEmpty());
    EXPECT_THAT(verdict.silent, ElementsAre(3));
}

// Task 3 was computed on node 2 when task 4 came, so 4 may have been passed on. The link to node 3 is plugged: a message that
// does not arrive has no record.
FarmTrace passed_on_unseen(const FarmSpec& spec) {
    FarmTrace farm(spec);
    for (std::uint32_t task = 0; task < 3; ++task) farm.down(task, 0, 1).up(task, 0, 1);
    return farm.down(3, 0, 1).down(3, 0, 2).down(4, 0, 1).down(4, 0, 2).up(3, 0, 2).up(3, 0, 1);
}

TEST(Verdict, WhatALivingNodeMayHavePassedToASilentChildIsInOrBehindIt) {
    const Verdict verdict = verdict_of(passed_on_unseen(chain6).trace(SessionEnd::StoodStill, {3, 4, 5}), chain6);
    EXPECT_EQ(verdict.kind, VerdictKind::Certain);
    EXPECT_FALSE(verdict.in_process);
    EXPECT_THAT(verdict.nodes, ElementsAre(2));
    EXPECT_THAT(verdict.behind, ElementsAre(3));
    EXPECT_EQ(verdict.process, "comp_fn() or Distributing");
    EXPECT_EQ(
        verdict.sentence,
        "Certain: task 4 stopped in or behind node 2, whose child node 3 fell silent: in comp_fn() there, or passed on; no "
        "lost record could change this, and no record tells whether the function, a node or a link failed.");
}

TEST(Verdict, WhatALivingNodeCannotHavePassedOnIsInItsFunction) {
    const Verdict verdict = verdict_of(passed_on_unseen(chain6).trace(SessionEnd::StoodStill), chain6);
    EXPECT_EQ(verdict.kind, VerdictKind::Certain);
    EXPECT_TRUE(verdict.in_process);
    EXPECT_EQ(verdict.process, "comp_fn()");
}

TEST(Verdict, ASplitThatMayHaveGoneToASilentChildIsInOrBehindTheNode) {
    const FarmSpec spec{8, TreeShape::Chain, 3, 2, 3};
    FarmTrace farm(spec);
    farm.down(0, 0, 1).down(0, 0x10, 2).down(0, 0, 2).down(0, 0x100, 3).down(0, 0, 3).up(0, 0x100, 3).up(0, 0x10, 2);
    const Verdict verdict = verdict_of(farm.trace(SessionEnd::StoodStill, {4, 5, 6, 7}), spec);
    EXPECT_THAT(verdict.sentence,
                testing::StartsWith("Certain: task 0 stopped in or behind node 3, whose child node 4 fell silent: in "
                                    "split_fn()/comp_fn() its sub-task 0000 on node 3, or passed on; "));
    EXPECT_FALSE(verdict.in_process);
    EXPECT_THAT(verdict.behind, ElementsAre(4));
}

// Its first record waits for the command to begin: the node lives, and its function has not begun.
TEST(Verdict, ANodeOfWhichNothingWasEverHeardIsNoProof) {
    FarmTrace farm(dc8);
    farm.down(0, 0, 1).down(0, 0, 2).down(0, 0x10, 3).split_to_leaves(0, 0, 2).join_from_leaves(0, 0, 2).down(0, 0x10, 6);
    farm.sent(0, 0x110, 7).up(0, 0x10, 6);
    const Verdict verdict = verdict_of(farm.trace(SessionEnd::StoodStill, {7}), dc8);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_THAT(verdict.nodes, ElementsAre(7));
}

// Then the tree's links are not those that the marks came over.
TEST(Verdict, EndMarksThatTakeOtherWaysProveNoLinkOfTheTree) {
    Trace trace = passed_on_unseen(chain6).trace(SessionEnd::StoodStill);
    trace.marks_take_other_ways = true;
    EXPECT_EQ(verdict_of(trace, chain6).kind, VerdictKind::Likely);
}

// Task 11 is the more urgent one and goes first: its halves are on the leaves 4 and 5, and n3's part is back. The older task 10
// waits above them on n1, since n2 takes nothing more.
FarmTrace older_task_waits_above_n2(const FarmSpec& spec) {
    FarmTrace farm(spec);
    farm.finish_tasks(0, 9).down(10, 0, 1).down(11, 0, 1).down(11, 0, 2).down(11, 0x10, 3);
    farm.split_to_leaves(11, 0, 2).split_to_leaves(11, 0x10, 3).join_from_leaves(11, 0x10, 3);
    return farm;
}
FarmSpec dc8_with_priorities() {
    FarmSpec spec = dc8;
    spec.distribution = Distribution::Priorities;
    return spec;
}

// One death explains all that is silent below it, and what waits above it.
TEST(Verdict, LooksFirstWhereANodeFellSilentThoughAnOlderTaskWaitsAboveIt) {
    const FarmSpec spec = dc8_with_priorities();
    const Verdict verdict = verdict_of(older_task_waits_above_n2(spec).trace(SessionEnd::StoodStill, {2, 4, 5}), spec);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_EQ(verdict.task, 11u);
    EXPECT_THAT(verdict.nodes, ElementsAre(2));
    EXPECT_THAT(verdict.subtasks, ElementsAre(0));
    EXPECT_THAT(verdict.fell_silent, ElementsAre(2));
    EXPECT_THAT(verdict.sentence, HasSubstr("task 10 stopped behind it"));
}

TEST(Verdict, LooksWhereSubTasksStoppedWhenNoNodeFellSilent) {
    const FarmSpec spec = dc8_with_priorities();
    const Verdict verdict = verdict_of(older_task_waits_above_n2(spec).trace(SessionEnd::StoodStill), spec);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_EQ(verdict.task, 11u);
    EXPECT_THAT(verdict.nodes, ElementsAre(4, 5));
    EXPECT_THAT(verdict.subtasks, ElementsAre(0, 0x100));
    EXPECT_THAT(verdict.fell_silent, IsEmpty());
}

// n6 lives, and nothing that is silent keeps it from going on: both failed, and its task is the older one.
TEST(Verdict, ASilentNodeDoesNotExplainAnOlderTaskOfANodeBesideIt) {
    FarmTrace farm(dc8);
    farm.finish_tasks(0, 9).down(10, 0, 1).down(10, 0, 2).down(10, 0x10, 3).split_to_leaves(10, 0, 2);
    farm.join_from_leaves(10, 0, 2).split_to_leaves(10, 0x10, 3).up(10, 0x110, 7);
    farm.down(11, 0, 1).down(11, 0, 2).split_to_leaves(11, 0, 2);
    const Verdict verdict = verdict_of(farm.trace(SessionEnd::Unknown, {2, 4, 5}), dc8);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_EQ(verdict.task, 10u);
    EXPECT_THAT(verdict.nodes, ElementsAre(6));
    EXPECT_THAT(verdict.fell_silent, ElementsAre(2));
}

TEST(Verdict, AllTasksFinishedIsNoFault) {
    FarmTrace farm(dc8);
    farm.finish_tasks(0, 99);
    const Verdict verdict = verdict_of(farm.trace(SessionEnd::Unknown, {4, 5}), dc8);
    EXPECT_EQ(verdict.kind, VerdictKind::None);
    EXPECT_EQ(verdict.sentence, "No fault: all 100 tasks were seen to finish.");
}

TEST(Verdict, AllTasksFinishedInAProgramThatEndedIsNoFault) {
    FarmTrace farm(dc8);
    farm.finish_tasks(0, 99);
    EXPECT_EQ(verdict_of(farm.trace(SessionEnd::ProgramEnded), dc8).kind, VerdictKind::None);
}

TEST(Verdict, AllTasksFinishedInAProgramThatDidNotEndNamesTheReceiver) {
    FarmTrace farm(dc8);
    farm.finish_tasks(0, 99);
    for (const SessionEnd how : {SessionEnd::StoodStill, SessionEnd::Cut}) {
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
        const Verdict verdict = verdict_of(farm.trace(SessionEnd::NeverBegan, open), dc8);
        EXPECT_EQ(verdict.kind, VerdictKind::Unknown);
        EXPECT_EQ(verdict.process, "");
        EXPECT_EQ(verdict.task, std::nullopt);
        EXPECT_THAT(verdict.sentence, HasSubstr("the farm did not begin"));
        EXPECT_THAT(verdict.depends_on, ElementsAre("the farm had not begun when the session was given up"));
    }
}

TEST(Verdict, RecordsOfAFarmThatIsSaidNotToHaveBegunAreJudgedWithDoubt) {
    const Verdict verdict = verdict_of(crash_of_49().trace(SessionEnd::NeverBegan, {4, 5, 6, 7}), dc8);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_THAT(verdict.depends_on, testing::Contains("the session is said to have ended before the farm began"));
}

// Every result came back, and one do_task() was too many.
TEST(Verdict, ATaskTooManyIsAFinding) {
    FarmTrace farm(dc8);
    farm.finish_tasks(0, 99).finish_tasks(100, 100);
    Trace trace = farm.trace(SessionEnd::ProgramEnded);
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
    const Verdict verdict = verdict_of(farm.trace(SessionEnd::Unknown, {4, 5, 6, 7}), dc8);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_THAT(verdict.sentence,
                HasSubstr(", task 100, sub-task 0000, sent to node 1, is a task number that the specification"));
}

TEST(Verdict, ContradictionsOfADamagedTraceAreNoFaultOfTheProgram) {
    FarmTrace farm = crash_of_49();
    farm.sent(100, 0, 1);
    Trace trace = farm.trace(SessionEnd::Unknown, {4, 5, 6, 7});
    trace.suspect_records = 1;
    EXPECT_EQ(verdict_of(trace, dc8).kind, VerdictKind::Unknown);
    trace.suspect_records = 0;
    trace.dropped_messages = 3;
    EXPECT_EQ(verdict_of(trace, dc8).kind, VerdictKind::Unknown);
}

TEST(Verdict, AnEmptyTraceOfOpenNodesIsUnknown) {
    const FarmTrace farm(dc8);
    EXPECT_EQ(verdict_of(farm.trace(SessionEnd::Unknown, {0, 1, 2, 3, 4, 5, 6, 7}), dc8).kind, VerdictKind::Unknown);
}

// 0 has 1 and 2; below 1 are 3 and 4; below 2 is 5.
FarmSpec two_below_the_manager(Distribution distribution = Distribution::FloodFilling) {
    FarmSpec spec{6, TreeShape::Given, 10, 1, 1};
    spec.parents = {std::nullopt, 0, 0, 1, 1, 2};
    spec.distribution = distribution;
    return spec;
}
// All but one task, which is on its way down to a leaf.
FarmTrace one_is_left(const FarmSpec& spec, std::uint32_t left, std::uint16_t leaf) {
    FarmTrace farm(spec);
    for (std::uint32_t task = 0; task < spec.tasks; task += spec.granularity) {
        if (task != left) farm.down(task, 0, 2).up(task, 0, 2);
    }
    const std::uint16_t parent = *spec.parent(leaf);
    return parent == 0 ? farm.down(left, 0, leaf) : farm.down(left, 0, parent).down(left, 0, leaf);
}

TEST(Verdict, ALeafBelowOneOfSeveralChildrenOfTheManagerIsCertain) {
    const FarmSpec spec = two_below_the_manager();
    const Verdict verdict = verdict_of(one_is_left(spec, 7, 3).trace(SessionEnd::StoodStill), spec);
    EXPECT_EQ(verdict.sentence,
              "Certain: task 7 stopped in comp_fn(): on node 3; no lost record could change this, and no record tells whether "
              "the function or a link failed.");
}

// A function that hangs there and a result_receiver() that does look the same, whatever the node's number is.
TEST(Verdict, ALivingChildOfTheManagerIsNeverCertain) {
    FarmSpec spec = two_below_the_manager();
    spec.parents = {std::nullopt, 2, 0, 0, 2, 2};
    FarmTrace farm(spec);
    farm.down(0, 0, 3);
    EXPECT_EQ(verdict_of(farm.trace(SessionEnd::StoodStill), spec).kind, VerdictKind::Likely);
}

TEST(Verdict, ANodeOutsideTheFarmNeedsNoEndMark) {
    FarmSpec spec = two_below_the_manager();
    spec.parents[4] = std::nullopt;
    EXPECT_EQ(verdict_of(one_is_left(spec, 7, 3).trace(SessionEnd::StoodStill, {4}), spec).kind, VerdictKind::Certain);
}

// Which tasks of an earlier bundle came back no record tells, so none is known to be the first that failed.
TEST(Verdict, ABundleIsNamedByItsTasksAndNeverCertainlyTheFirst) {
    FarmSpec spec = two_below_the_manager();
    spec.granularity = 4;
    spec.tasks = 30;
    const Verdict verdict = verdict_of(one_is_left(spec, 8, 3).trace(SessionEnd::StoodStill), spec);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_EQ(verdict.task, 8u);
    EXPECT_EQ(verdict.finished_below, 0u);
    EXPECT_EQ(verdict.bundles_back_below, 8u);
    EXPECT_EQ(verdict.sentence,
              "Likely: tasks 8-11 stopped in comp_fn(): on node 3; also possible: a task of a bundle was lost on its way; not "
              "certain: no record tells whether every task of a bundle came back with it; up to task 7 something came back "
              "from every bundle.");
    FarmTrace farm(spec);
    for (std::uint32_t task = 0; task < 28; task += 4) farm.down(task, 0, 2).up(task, 0, 2);
    EXPECT_THAT(verdict_of(farm.trace(SessionEnd::StoodStill), spec).sentence,
                testing::StartsWith("Likely: tasks 28-29 stopped in data_generator()"));
}

TEST(Verdict, AFinalReportAddsNothingToWhatTheRecordsShow) {
    FarmTrace farm(dc8);
    farm.finish_tasks(0, 99);
    Trace trace = farm.trace(SessionEnd::ProgramEnded);
    trace.reported_results = 100;
    EXPECT_EQ(verdict_of(trace, dc8).sentence, "No fault: all 100 tasks were seen to finish.");
}

// That is no statement about tasks: the program ended, and the manager's records are whole.
TEST(Verdict, OfBundlesAReceiverThatEndedEarlyIsCertain) {
    FarmSpec spec = two_below_the_manager();
    spec.granularity = 4;
    spec.tasks = 30;
    FarmTrace farm(spec);
    for (std::uint32_t task = 0; task < 28; task += 4) farm.down(task, 0, 2).up(task, 0, 2);
    EXPECT_EQ(verdict_of(farm.trace(SessionEnd::ProgramEnded), spec).sentence,
              "Certain: result_receiver() on node 0 ended early: it did not take the results of tasks 28-29; tasks 28-29 "
              "were never sent.");
}

TEST(Verdict, AFinalReportWithEveryResultIsNoFaultWhateverRecordsAreLost) {
    for (const std::uint32_t granularity : {1u, 4u}) {
        FarmSpec spec = two_below_the_manager();
        spec.granularity = granularity;
        spec.tasks = 32;
        Trace trace = one_is_left(spec, 8, 3).trace(SessionEnd::ProgramEnded, {3});
        trace.reported_results = 31;
        EXPECT_NE(verdict_of(trace, spec).kind, VerdictKind::None);
        trace.reported_results = 32;
        const Verdict verdict = verdict_of(trace, spec);
        EXPECT_EQ(verdict.kind, VerdictKind::None);
        EXPECT_EQ(verdict.finished_below, granularity == 1 ? 8u : 0u);  // it names no task
        EXPECT_THAT(verdict.sentence, HasSubstr("its final report says that all 32 results came back"));
    }
}

TEST(Verdict, OfBundlesThatAllCameBackNobodyKnowsWhetherTheyWereWhole) {
    FarmSpec spec = two_below_the_manager();
    spec.granularity = 10;
    FarmTrace farm(spec);
    farm.down(0, 0, 2).up(0, 0, 2);
    const Verdict verdict = verdict_of(farm.trace(SessionEnd::StoodStill), spec);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_THAT(verdict.depends_on, testing::Contains("no record tells whether every task of a bundle came back with it"));
}

// The more urgent one goes first, so the first that was sent need not be the one that hangs.
TEST(Verdict, ALeafThatChoosesIsCertainOnlyWithOneTask) {
    for (const Distribution each : {Distribution::RoundRobin, Distribution::Priorities, Distribution::WorkStealing}) {
        const FarmSpec spec = two_below_the_manager(each);
        FarmTrace farm = one_is_left(spec, 7, 3);
        EXPECT_EQ(verdict_of(farm.trace(SessionEnd::StoodStill), spec).kind, VerdictKind::Certain);
        FarmTrace two(spec);
        two.down(0, 0, 1).down(0, 0, 3).down(1, 0, 1).down(1, 0, 3);
        const bool in_order = each == Distribution::RoundRobin;
        EXPECT_EQ(verdict_of(two.trace(SessionEnd::StoodStill), spec).kind,
                  in_order ? VerdictKind::Certain : VerdictKind::Likely);
    }
}

TEST(Verdict, ATaskThatWaitsForMoreUrgentOnesIsNotTheGeneratorsFault) {
    const FarmSpec spec = two_below_the_manager(Distribution::Priorities);
    FarmTrace farm(spec);
    farm.down(4, 0, 1).down(4, 0, 3);
    const Verdict verdict = verdict_of(farm.trace(SessionEnd::StoodStill), spec);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_EQ(verdict.task, 4u);
    EXPECT_EQ(verdict.process, "comp_fn()");
    EXPECT_THAT(verdict.sentence, HasSubstr("; task 0 was never sent;"));
}

TEST(Verdict, AStolenTaskIsCertainAtItsThief) {
    const FarmSpec spec = two_below_the_manager(Distribution::WorkStealing);
    FarmTrace farm = one_is_left(spec, 7, 3);
    farm.back(7, 0, 3).down(7, 0, 4);
    const Verdict verdict = verdict_of(farm.trace(SessionEnd::StoodStill), spec);
    EXPECT_EQ(verdict.kind, VerdictKind::Certain);
    EXPECT_THAT(verdict.nodes, ElementsAre(4));
}

TEST(Verdict, WhereDirectionsWereGuessedNothingIsCertain) {
    const FarmSpec spec = two_below_the_manager(Distribution::WorkStealing);
    Trace trace = one_is_left(spec, 7, 3).trace(SessionEnd::StoodStill);
    trace.directions_guessed = true;
    const Verdict verdict = verdict_of(trace, spec);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_THAT(verdict.depends_on, testing::Contains("a .tvm does not say whether a stolen task or a result went up"));
}

// Node 3 dies in task 7, and 4 does it.
FarmTrace survived(const FarmSpec& spec) {
    return one_is_left(spec, 7, 3).down(7, 0, 4).up(7, 0, 4).up(7, 0, 1);
}

TEST(Verdict, ASurvivedDeathIsNoFaultAndIsSaid) {
    FarmSpec spec = two_below_the_manager();
    spec.survives = true;
    EXPECT_EQ(verdict_of(survived(spec).trace(SessionEnd::ProgramEnded, {3}), spec).sentence,
              "No fault: all 10 tasks were seen to finish; node 3 fell silent; its tasks were issued again.");
    EXPECT_EQ(verdict_of(survived(spec).trace(SessionEnd::ProgramEnded, {3, 5}), spec).sentence,
              "No fault: all 10 tasks were seen to finish; nodes 3 and 5 fell silent; their tasks were issued again.");
    EXPECT_EQ(verdict_of(survived(spec).trace(SessionEnd::ProgramEnded, {5}), spec).sentence,
              "No fault: all 10 tasks were seen to finish; node 5 fell silent.");
}

TEST(Verdict, AfterASurvivedDeathNothingIsCertain) {
    FarmSpec spec = two_below_the_manager();
    spec.survives = true;
    FarmTrace farm = one_is_left(spec, 7, 3);
    EXPECT_EQ(verdict_of(farm.trace(SessionEnd::StoodStill), spec).kind, VerdictKind::Certain);
    const Verdict verdict = verdict_of(farm.down(7, 0, 4).trace(SessionEnd::StoodStill, {3}), spec);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_THAT(verdict.nodes, ElementsAre(4));
    EXPECT_THAT(verdict.depends_on, testing::Contains("no record says how far tasks came after the death of who had them"));
}

TEST(Verdict, AManagerThatHasNobodyLeftWorksUnseen) {
    FarmSpec spec = two_below_the_manager();
    spec.survives = true;
    FarmTrace farm(spec);
    farm.down(0, 0, 1);
    for (const SessionEnd how : {SessionEnd::ProgramEnded, SessionEnd::StoodStill}) {
        const Verdict verdict = verdict_of(farm.trace(how, {1, 2, 3, 4, 5}), spec);
        EXPECT_EQ(verdict.kind, VerdictKind::Unknown);
        EXPECT_THAT(verdict.depends_on, testing::Contains("what node 0 did itself no message shows"));
    }
}

// Every task finished, and still the records say that a result was sent twice: by node 3 first, since the others pass it on.
TEST(Verdict, ADuplicateIsNamedAtTheNodeThatMadeIt) {
    const FarmSpec spec = two_below_the_manager();
    FarmTrace farm = one_is_left(spec, 7, 3).up(7, 0, 3).up(7, 0, 3).up(7, 0, 1).up(7, 0, 1);
    Trace trace = farm.trace(SessionEnd::ProgramEnded);
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
    const FarmSpec spec = two_below_the_manager();
    FarmTrace farm(spec);
    for (std::uint32_t task = 0; task < 7; ++task) farm.down(task, 0, 2).up(task, 0, 2);
    farm.down(7, 0, 1).down(7, 0, 3).up(9, 0, 3).up(9, 0, 1).down(8, 0, 2).up(8, 0, 2).down(9, 0, 2).up(9, 0, 2);
    const Verdict verdict = verdict_of(farm.trace(SessionEnd::StoodStill), spec);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_EQ(verdict.task, 7u);
    EXPECT_THAT(verdict.nodes, ElementsAre(3));
    ASSERT_FALSE(verdict.also_possible.empty());
    EXPECT_EQ(verdict.also_possible.front().task, 9u);
}

// A size that the data do not have: node 0 dropped the message.
TEST(Verdict, AResultThatADropExplainsIsNotTheReceiversFault) {
    const FarmSpec spec = two_below_the_manager();
    FarmTrace farm = one_is_left(spec, 7, 2).result_sent(7, 0, 2);
    Trace trace = farm.trace(SessionEnd::StoodStill);
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

// Its end mark was sent while a task was on the way: that the send has no record contradicts nothing.
TEST(Verdict, WhatMovedWhenTheProgramEndedIsNoContradiction) {
    const FarmSpec spec = two_below_the_manager();
    FarmTrace farm(spec);
    for (std::uint32_t task = 0; task < 8; ++task) farm.down(task, 0, 2).up(task, 0, 2);
    farm.down(8, 0, 1).arrived(8, 0, 3);
    const Verdict verdict = verdict_of(farm.trace(SessionEnd::ProgramEnded), spec);
    EXPECT_EQ(verdict.kind, VerdictKind::Certain);
    EXPECT_EQ(verdict.process, "result_receiver()");
    EXPECT_TRUE(verdict_of(farm.trace(SessionEnd::StoodStill), spec).contradiction.has_value());
}

TEST(Verdict, ASilentNodesOtherTasksAreNamedAsPossible) {
    FarmTrace farm(chain6);
    farm.down(0, 0, 1).down(1, 0, 1).down(2, 0, 1).down(3, 0, 1);
    const Verdict verdict = verdict_of(farm.trace(SessionEnd::StoodStill, {1, 2, 3, 4, 5}), chain6);
    EXPECT_EQ(verdict.task, 0u);
    ASSERT_EQ(verdict.also_possible.size(), 3u);
    EXPECT_EQ(verdict.also_possible[0], (PossiblePlace{1, 0, 1, "comp_fn()"}));
    EXPECT_THAT(verdict.sentence, HasSubstr("; also possible: task 1 in comp_fn() on node 1, task 2"));
}

// Node 0 waits for the command to begin, which hangs at a node that is dead; the others work.
TEST(Verdict, AManagerThatNeverRecordedProvesNothing) {
    const FarmSpec spec = two_below_the_manager();
    FarmTrace farm(spec);
    farm.arrived(0, 0, 1).result_sent(0, 0, 1);
    for (const SessionEnd how : {SessionEnd::Cut, SessionEnd::StoodStill})
        EXPECT_EQ(verdict_of(farm.trace(how, {2, 5}), spec).kind, VerdictKind::Unknown);
}

// A message of the farm's end may be what was lost.
TEST(Verdict, AReceiverIsNotBlamedForAnEndThatADroppedMessageMayHaveSpoilt) {
    FarmTrace farm(dc8);
    farm.finish_tasks(0, 99);
    Trace trace = farm.trace(SessionEnd::StoodStill);
    trace.dropped_messages = 1;
    EXPECT_EQ(verdict_of(trace, dc8).kind, VerdictKind::Unknown);
}

TEST(Verdict, ASilentManagerExplainsTheSilenceOfAll) {
    FarmTrace farm(chain6);
    farm.finish_tasks(0, 2).down(3, 0, 1);
    const Verdict verdict = verdict_of(farm.trace(SessionEnd::StoodStill, {0, 1, 2, 3, 4, 5}), chain6);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_THAT(verdict.nodes, ElementsAre(0));
    EXPECT_THAT(verdict.fell_silent, ElementsAre(0));
}

}  // namespace
}  // namespace tmon

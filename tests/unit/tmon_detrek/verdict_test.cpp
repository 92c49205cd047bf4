// Where a task stopped, and how sure that is.
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
using testing_support::lose;
using testing_support::verdict_of;

TEST(Verdict, FourLeavesThatDiedInTheirOnlySubTaskAreCertain) {
    const Verdict verdict = verdict_of(crash_of_49().trace(tmon_streams::SessionEnd::Unknown, {4, 5, 6, 7}), dc8);
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
    tmon_streams::Trace trace = crash_of_49().trace(tmon_streams::SessionEnd::Unknown, {4, 5, 6, 7});
    trace.dropped_messages = 2;
    const Verdict verdict = verdict_of(trace, dc8);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_EQ(verdict.task, 49u);
    EXPECT_THAT(verdict.depends_on, testing::Contains("2 messages came damaged or were lost, so the links cannot be trusted"));
}

TEST(Verdict, BlamesTheGeneratorOnlyLikelyWhenANodeIsSilent) {
    FarmTrace farm(dc8);
    farm.finish_tasks(0, 9);
    EXPECT_EQ(verdict_of(farm.trace(tmon_streams::SessionEnd::StoodStill), dc8).kind, VerdictKind::Certain);
    const Verdict verdict = verdict_of(farm.trace(tmon_streams::SessionEnd::StoodStill, {5}), dc8);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_EQ(verdict.process, "data_generator()");
}

TEST(Verdict, TheRecordsOfTheDeadLeavesAreNotNeeded) {
    tmon_streams::Trace trace = crash_of_49().trace(tmon_streams::SessionEnd::Unknown, {4, 5, 6, 7});
    for (const std::uint16_t node : {4, 5, 6, 7}) trace.streams[node].parts.clear();
    const Verdict verdict = verdict_of(trace, dc8);
    EXPECT_EQ(verdict.kind, VerdictKind::Certain);
    EXPECT_EQ(verdict.process, "comp_fn()");
}

TEST(Verdict, AParentThatDidNotEndLeavesTheTaskLikelyAndIsNamed) {
    const Verdict verdict = verdict_of(crash_of_49().trace(tmon_streams::SessionEnd::Unknown, {3, 4, 5, 6, 7}), dc8);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_EQ(verdict.task, 49u);
    EXPECT_THAT(verdict.sentence, HasSubstr("the last records of nodes 3, 4, 5, 6 and 7 may be missing"));
}

TEST(Verdict, LostRecordsOfADecidingNodeMakeItUnknown) {
    tmon_streams::Trace trace = crash_of_49().trace(tmon_streams::SessionEnd::Unknown, {4, 5, 6, 7});
    lose(trace, 1, 297, 298, LossCause::BufferFull);
    const Verdict verdict = verdict_of(trace, dc8);
    EXPECT_EQ(verdict.kind, VerdictKind::Unknown);
    EXPECT_EQ(verdict.task, std::nullopt);
    EXPECT_THAT(verdict.sentence, HasSubstr("Unknown: which task failed first cannot be said: "));
}

TEST(Verdict, LossesBeforeTheTaskCameToTheNodeDoNotMakeItUnknown) {
    tmon_streams::Trace trace = crash_of_49().trace(tmon_streams::SessionEnd::Unknown, {4, 5, 6, 7});
    lose(trace, 2, 10, 20, LossCause::BufferFull);
    EXPECT_EQ(verdict_of(trace, dc8).kind, VerdictKind::Likely);
}

TEST(Verdict, UnknownSentenceNamesTheRangeAndHowFarTasksWereSeenToFinish) {
    FarmTrace farm(dc8);
    farm.finish_tasks(0, 9).down(10, 0, 1).split_to_leaves(10, 0, 1);
    tmon_streams::Trace trace = farm.trace(tmon_streams::SessionEnd::StoodStill);
    trace.streams[1].losses = {{1, 64, 1999, LossCause::BufferFull}};
    trace.dropped_messages = 1;  // so no history of the lost records tells
    const std::string sentence = verdict_of(trace, dc8).sentence;
    EXPECT_THAT(sentence, testing::StartsWith("Unknown: which task failed first cannot be said: "));
    EXPECT_THAT(
        sentence,
        HasSubstr("records n1:64-1999 (dropped, buffers full) are missing; up to task 9 every task was seen to finish."));
}

TEST(Verdict, AForeignTraceIsAtMostLikely) {
    tmon_streams::Trace trace = crash_of_49().trace(tmon_streams::SessionEnd::Unknown, {4, 5, 6, 7});
    trace.losses_known = false;
    const Verdict verdict = verdict_of(trace, dc8);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_THAT(verdict.depends_on, testing::Contains("the trace does not say whether it is whole"));
}

TEST(Verdict, ASessionThatWasCutIsAtMostLikely) {
    EXPECT_EQ(verdict_of(crash_of_49().trace(tmon_streams::SessionEnd::Cut, {4, 5, 6, 7}), dc8).kind, VerdictKind::Likely);
}

// A node may finish computing a sub-task and die in the next before the result has left.
TEST(Verdict, ADeadLeafWithTwoSubTasksIsNotCertain) {
    FarmTrace farm(dc8);
    farm.finish_tasks(0, 9).down(10, 0, 1).split_to_leaves(10, 0, 1).down(11, 0, 1).split_to_leaves(11, 0, 1);
    farm.up(10, 0x100, 5).up(10, 0x10, 6).up(10, 0x110, 7);
    EXPECT_EQ(verdict_of(farm.trace(tmon_streams::SessionEnd::StoodStill, {4}), dc8).kind, VerdictKind::Likely);
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
    const Verdict verdict = verdict_of(farm.trace(tmon_streams::SessionEnd::StoodStill), dc8);
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
    EXPECT_EQ(verdict_of(farm.trace(tmon_streams::SessionEnd::Unknown), dc8).kind, VerdictKind::Likely);
}

TEST(Verdict, ReceiverThatEndedEarlyIsCertainWhenTheProgramEnded) {
    FarmTrace farm(chain6);
    farm.finish_tasks(0, 1).down(2, 0, 1).result_sent(2, 0, 1).down(3, 0, 1).result_sent(3, 0, 1);
    const Verdict verdict = verdict_of(farm.trace(tmon_streams::SessionEnd::ProgramEnded), chain6);
    EXPECT_EQ(verdict.sentence, "Certain: result_receiver() on node 0 ended early: it did not take the result of task 2.");
    EXPECT_EQ(verdict_of(farm.trace(tmon_streams::SessionEnd::Unknown), chain6).kind, VerdictKind::Likely);
}

// The receiver may have failed in the last result that it took as well as in the first that it did not.
TEST(Verdict, ReceiverThatEndedEarlyIsNamedWithoutATask) {
    FarmTrace farm(chain6);
    farm.finish_tasks(0, 1).down(2, 0, 1).result_sent(2, 0, 1).down(3, 0, 1).result_sent(3, 0, 1);
    for (const tmon_streams::SessionEnd how : {tmon_streams::SessionEnd::ProgramEnded, tmon_streams::SessionEnd::StoodStill,
                                               tmon_streams::SessionEnd::Unknown, tmon_streams::SessionEnd::Cut}) {
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
    const Verdict verdict = verdict_of(farm.trace(tmon_streams::SessionEnd::StoodStill), dc8);
    EXPECT_EQ(
        verdict.sentence,
        "Certain: data_generator() on node 0 stopped at task 50, which was never sent; no record tells whether the function "
        "or a link failed.");
}

// Nothing else was on node 2 when task 4 came, so the node's computation took it.
TEST(Verdict, ALivingNodeAboveASilentOneKeepsWhatFoundItIdle) {
    FarmTrace farm(chain6);
    farm.finish_tasks(0, 3).down(4, 0, 1).down(4, 0, 2);
    const Verdict verdict = verdict_of(farm.trace(tmon_streams::SessionEnd::StoodStill, {3}), chain6);
    EXPECT_EQ(verdict.kind, VerdictKind::Certain);
    EXPECT_THAT(verdict.nodes, ElementsAre(2));
    EXPECT_TRUE(verdict.in_process);
    EXPECT_THAT(verdict.behind, IsEmpty());
    EXPECT_THAT(verdict.silent, ElementsAre(3));
}

// Task 3 was computed on node 2 when task 4 came, so 4 may have been passed on. The link to node 3 is plugged: a message that
// does not arrive has no record.
FarmTrace passed_on_unseen(const farm_spec::FarmSpec& spec) {
    FarmTrace farm(spec);
    for (std::uint32_t task = 0; task < 3; ++task) farm.down(task, 0, 1).up(task, 0, 1);
    return farm.down(3, 0, 1).down(3, 0, 2).down(4, 0, 1).down(4, 0, 2).up(3, 0, 2).up(3, 0, 1);
}

TEST(Verdict, WhatALivingNodeMayHavePassedToASilentChildIsInOrBehindIt) {
    const Verdict verdict = verdict_of(passed_on_unseen(chain6).trace(tmon_streams::SessionEnd::StoodStill, {3, 4, 5}), chain6);
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
    const Verdict verdict = verdict_of(passed_on_unseen(chain6).trace(tmon_streams::SessionEnd::StoodStill), chain6);
    EXPECT_EQ(verdict.kind, VerdictKind::Certain);
    EXPECT_TRUE(verdict.in_process);
    EXPECT_EQ(verdict.process, "comp_fn()");
}

TEST(Verdict, ASplitThatMayHaveGoneToASilentChildIsInOrBehindTheNode) {
    const farm_spec::FarmSpec spec{8, farm_spec::TreeKind::Chain, 3, 2, 3};
    FarmTrace farm(spec);
    farm.down(0, 0, 1).down(0, 0x10, 2).down(0, 0, 2).down(0, 0x100, 3).down(0, 0, 3).up(0, 0x100, 3).up(0, 0x10, 2);
    const Verdict verdict = verdict_of(farm.trace(tmon_streams::SessionEnd::StoodStill, {4, 5, 6, 7}), spec);
    EXPECT_THAT(verdict.sentence,
                testing::StartsWith("Certain: task 0 stopped in or behind node 3, whose child node 4 fell silent: in "
                                    "split_fn()/comp_fn() its sub-task 0000 on node 3, or passed on; "));
    EXPECT_FALSE(verdict.in_process);
    EXPECT_THAT(verdict.behind, ElementsAre(4));
}

// The node's first record waits for the command to begin: the node lives, and its function has not begun.
TEST(Verdict, ANodeOfWhichNothingWasEverHeardIsNoProof) {
    FarmTrace farm(dc8);
    farm.down(0, 0, 1).down(0, 0, 2).down(0, 0x10, 3).split_to_leaves(0, 0, 2).join_from_leaves(0, 0, 2).down(0, 0x10, 6);
    farm.sent(0, 0x110, 7).up(0, 0x10, 6);
    const Verdict verdict = verdict_of(farm.trace(tmon_streams::SessionEnd::StoodStill, {7}), dc8);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_THAT(verdict.nodes, ElementsAre(7));
}

// The marks then did not come over the tree's links.
TEST(Verdict, EndMarksThatTakeOtherWaysProveNoLinkOfTheTree) {
    tmon_streams::Trace trace = passed_on_unseen(chain6).trace(tmon_streams::SessionEnd::StoodStill);
    trace.marks_take_other_ways = true;
    EXPECT_EQ(verdict_of(trace, chain6).kind, VerdictKind::Likely);
}

// Task 11 is the more urgent one and goes first: its halves are on the leaves 4 and 5, and n3's part is back. The older task 10
// waits above them on n1, since n2 takes nothing more.
FarmTrace older_task_waits_above_n2(const farm_spec::FarmSpec& spec) {
    FarmTrace farm(spec);
    farm.finish_tasks(0, 9).down(10, 0, 1).down(11, 0, 1).down(11, 0, 2).down(11, 0x10, 3);
    farm.split_to_leaves(11, 0, 2).split_to_leaves(11, 0x10, 3).join_from_leaves(11, 0x10, 3);
    return farm;
}
farm_spec::FarmSpec dc8_with_priorities() {
    farm_spec::FarmSpec spec = dc8;
    spec.policy = farm_spec::Policy::Priorities;
    return spec;
}

// One death explains all silence below it, and all waiting above it.
TEST(Verdict, LooksFirstWhereANodeFellSilentThoughAnOlderTaskWaitsAboveIt) {
    const farm_spec::FarmSpec spec = dc8_with_priorities();
    const Verdict verdict =
        verdict_of(older_task_waits_above_n2(spec).trace(tmon_streams::SessionEnd::StoodStill, {2, 4, 5}), spec);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_EQ(verdict.task, 11u);
    EXPECT_THAT(verdict.nodes, ElementsAre(2));
    EXPECT_THAT(verdict.subtasks, ElementsAre(0));
    EXPECT_THAT(verdict.fell_silent, ElementsAre(2));
    EXPECT_THAT(verdict.sentence, HasSubstr("task 10 stopped behind it"));
}

TEST(Verdict, LooksWhereSubTasksStoppedWhenNoNodeFellSilent) {
    const farm_spec::FarmSpec spec = dc8_with_priorities();
    const Verdict verdict = verdict_of(older_task_waits_above_n2(spec).trace(tmon_streams::SessionEnd::StoodStill), spec);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_EQ(verdict.task, 11u);
    EXPECT_THAT(verdict.nodes, ElementsAre(4, 5));
    EXPECT_THAT(verdict.subtasks, ElementsAre(0, 0x100));
    EXPECT_THAT(verdict.fell_silent, IsEmpty());
}

// n6 lives, and no silent node keeps it from going on. Both failed, and n6's task is the older one.
TEST(Verdict, ASilentNodeDoesNotExplainAnOlderTaskOfANodeBesideIt) {
    FarmTrace farm(dc8);
    farm.finish_tasks(0, 9).down(10, 0, 1).down(10, 0, 2).down(10, 0x10, 3).split_to_leaves(10, 0, 2);
    farm.join_from_leaves(10, 0, 2).split_to_leaves(10, 0x10, 3).up(10, 0x110, 7);
    farm.down(11, 0, 1).down(11, 0, 2).split_to_leaves(11, 0, 2);
    const Verdict verdict = verdict_of(farm.trace(tmon_streams::SessionEnd::Unknown, {2, 4, 5}), dc8);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_EQ(verdict.task, 10u);
    EXPECT_THAT(verdict.nodes, ElementsAre(6));
    EXPECT_THAT(verdict.fell_silent, ElementsAre(2));
}

}  // namespace
}  // namespace tmon_detrek

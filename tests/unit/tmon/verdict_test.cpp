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
              "Certain: task 49 stopped in comp_fn(): its sub-tasks 0000, 0100, 0010, 0110 on nodes 4, 5, 6, 7; "
              "no lost record could change this, and no record tells whether the function, a node or a link failed.");
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

// It may have been about to give the sub-task to a node that is dead.
TEST(Verdict, OfALivingNodeAboveASilentOneSaysThatANodeMayHaveFailed) {
    FarmTrace farm(chain6);
    farm.finish_tasks(0, 3).down(4, 0, 1).down(4, 0, 2);
    const Verdict verdict = verdict_of(farm.trace(SessionEnd::StoodStill, {3}), chain6);
    EXPECT_EQ(verdict.kind, VerdictKind::Certain);
    EXPECT_THAT(verdict.nodes, ElementsAre(2));
    EXPECT_THAT(verdict.silent, ElementsAre(3));
    EXPECT_THAT(verdict.sentence, HasSubstr("no record tells whether the function, a node or a link failed"));
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

TEST(Verdict, RecordsThatContradictTheSpecificationForbidCertainty) {
    FarmTrace farm = crash_of_49();
    farm.sent(100, 0, 1);
    EXPECT_EQ(verdict_of(farm.trace(SessionEnd::Unknown, {4, 5, 6, 7}), dc8).kind, VerdictKind::Unknown);
}

TEST(Verdict, AnEmptyTraceOfOpenNodesIsUnknown) {
    const FarmTrace farm(dc8);
    EXPECT_EQ(verdict_of(farm.trace(SessionEnd::Unknown, {0, 1, 2, 3, 4, 5, 6, 7}), dc8).kind, VerdictKind::Unknown);
}

}  // namespace
}  // namespace tmon

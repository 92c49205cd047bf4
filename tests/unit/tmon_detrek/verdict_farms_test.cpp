// Farms of other forms: several children of the manager, bundles, priorities, work stealing, survival.
#include <tmon_detrek/verdict.hpp>

#include <gmock/gmock.h>

#include "verdict_sessions.hpp"

namespace tmon_detrek {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::dc8;
using testing_support::FarmTrace;
using testing_support::one_is_left;
using testing_support::two_below_the_manager;
using testing_support::verdict_of;

TEST(Verdict, ALeafBelowOneOfSeveralChildrenOfTheManagerIsCertain) {
    const farm_spec::FarmSpec spec = two_below_the_manager();
    const Verdict verdict = verdict_of(one_is_left(spec, 7, 3).trace(tmon_streams::SessionEnd::StoodStill), spec);
    EXPECT_EQ(verdict.sentence,
              "Certain: task 7 stopped in comp_fn(): on node 3; no lost record could change this, and no record tells whether "
              "the function or a link failed.");
}

// A function that hangs there looks the same as a result_receiver() that hangs, whatever the node's number is.
TEST(Verdict, ALivingChildOfTheManagerIsNeverCertain) {
    farm_spec::FarmSpec spec = two_below_the_manager();
    spec.parents = {std::nullopt,          vocabulary::NodeId(2), vocabulary::NodeId(0),
                    vocabulary::NodeId(0), vocabulary::NodeId(2), vocabulary::NodeId(2)};
    FarmTrace farm(spec);
    farm.down(0, 0, 3);
    EXPECT_EQ(verdict_of(farm.trace(tmon_streams::SessionEnd::StoodStill), spec).kind, VerdictKind::Likely);
}

TEST(Verdict, ANodeOutsideTheFarmNeedsNoEndMark) {
    farm_spec::FarmSpec spec = two_below_the_manager();
    spec.parents[4] = std::nullopt;
    EXPECT_EQ(verdict_of(one_is_left(spec, 7, 3).trace(tmon_streams::SessionEnd::StoodStill, {4}), spec).kind,
              VerdictKind::Certain);
}

// No record tells which tasks of an earlier bundle came back, so none is known to be the first that failed.
TEST(Verdict, ABundleIsNamedByItsTasksAndNeverCertainlyTheFirst) {
    farm_spec::FarmSpec spec = two_below_the_manager();
    spec.granularity = 4;
    spec.tasks = 30;
    const Verdict verdict = verdict_of(one_is_left(spec, 8, 3).trace(tmon_streams::SessionEnd::StoodStill), spec);
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
    EXPECT_THAT(verdict_of(farm.trace(tmon_streams::SessionEnd::StoodStill), spec).sentence,
                testing::StartsWith("Likely: tasks 28-29 stopped in data_generator()"));
}

TEST(Verdict, AFinalReportAddsNothingToWhatTheRecordsShow) {
    FarmTrace farm(dc8);
    farm.finish_tasks(0, 99);
    tmon_streams::Trace trace = farm.trace(tmon_streams::SessionEnd::ProgramEnded);
    trace.reported_results = 100;
    EXPECT_EQ(verdict_of(trace, dc8).sentence, "No fault: all 100 tasks were seen to finish.");
}

// The verdict is no statement about tasks: the program ended, and the manager's records are whole.
TEST(Verdict, OfBundlesAReceiverThatEndedEarlyIsCertain) {
    farm_spec::FarmSpec spec = two_below_the_manager();
    spec.granularity = 4;
    spec.tasks = 30;
    FarmTrace farm(spec);
    for (std::uint32_t task = 0; task < 28; task += 4) farm.down(task, 0, 2).up(task, 0, 2);
    EXPECT_EQ(verdict_of(farm.trace(tmon_streams::SessionEnd::ProgramEnded), spec).sentence,
              "Certain: result_receiver() on node 0 ended early: it did not take the results of tasks 28-29; tasks 28-29 "
              "were never sent.");
}

TEST(Verdict, AFinalReportWithEveryResultIsNoFaultWhateverRecordsAreLost) {
    for (const std::uint32_t granularity : {1u, 4u}) {
        farm_spec::FarmSpec spec = two_below_the_manager();
        spec.granularity = granularity;
        spec.tasks = 32;
        tmon_streams::Trace trace = one_is_left(spec, 8, 3).trace(tmon_streams::SessionEnd::ProgramEnded, {3});
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
    farm_spec::FarmSpec spec = two_below_the_manager();
    spec.granularity = 10;
    FarmTrace farm(spec);
    farm.down(0, 0, 2).up(0, 0, 2);
    const Verdict verdict = verdict_of(farm.trace(tmon_streams::SessionEnd::StoodStill), spec);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_THAT(verdict.depends_on, testing::Contains("no record tells whether every task of a bundle came back with it"));
}

// The more urgent task goes first, so the first one sent need not be the one that hangs.
TEST(Verdict, ALeafThatChoosesIsCertainOnlyWithOneTask) {
    for (const farm_spec::Policy each :
         {farm_spec::Policy::RoundRobin, farm_spec::Policy::Priorities, farm_spec::Policy::WorkStealing}) {
        const farm_spec::FarmSpec spec = two_below_the_manager(each);
        FarmTrace farm = one_is_left(spec, 7, 3);
        EXPECT_EQ(verdict_of(farm.trace(tmon_streams::SessionEnd::StoodStill), spec).kind, VerdictKind::Certain);
        FarmTrace two(spec);
        two.down(0, 0, 1).down(0, 0, 3).down(1, 0, 1).down(1, 0, 3);
        const bool in_order = each == farm_spec::Policy::RoundRobin;
        EXPECT_EQ(verdict_of(two.trace(tmon_streams::SessionEnd::StoodStill), spec).kind,
                  in_order ? VerdictKind::Certain : VerdictKind::Likely);
    }
}

TEST(Verdict, ATaskThatWaitsForMoreUrgentOnesIsNotTheGeneratorsFault) {
    const farm_spec::FarmSpec spec = two_below_the_manager(farm_spec::Policy::Priorities);
    FarmTrace farm(spec);
    farm.down(4, 0, 1).down(4, 0, 3);
    const Verdict verdict = verdict_of(farm.trace(tmon_streams::SessionEnd::StoodStill), spec);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_EQ(verdict.task, 4u);
    EXPECT_EQ(verdict.process, "comp_fn()");
    EXPECT_THAT(verdict.sentence, HasSubstr("; task 0 was never sent;"));
}

TEST(Verdict, AStolenTaskIsCertainAtItsThief) {
    const farm_spec::FarmSpec spec = two_below_the_manager(farm_spec::Policy::WorkStealing);
    FarmTrace farm = one_is_left(spec, 7, 3);
    farm.back(7, 0, 3).down(7, 0, 4);
    const Verdict verdict = verdict_of(farm.trace(tmon_streams::SessionEnd::StoodStill), spec);
    EXPECT_EQ(verdict.kind, VerdictKind::Certain);
    EXPECT_THAT(verdict.nodes, ElementsAre(4));
}

TEST(Verdict, WhereDirectionsWereGuessedNothingIsCertain) {
    const farm_spec::FarmSpec spec = two_below_the_manager(farm_spec::Policy::WorkStealing);
    tmon_streams::Trace trace = one_is_left(spec, 7, 3).trace(tmon_streams::SessionEnd::StoodStill);
    trace.directions_guessed = true;
    const Verdict verdict = verdict_of(trace, spec);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_THAT(verdict.depends_on, testing::Contains("a .tvm does not say whether a stolen task or a result went up"));
}

// Node 3 dies in task 7, and 4 does it.
FarmTrace survived(const farm_spec::FarmSpec& spec) {
    return one_is_left(spec, 7, 3).down(7, 0, 4).up(7, 0, 4).up(7, 0, 1);
}

TEST(Verdict, ASurvivedDeathIsNoFaultAndIsSaid) {
    farm_spec::FarmSpec spec = two_below_the_manager();
    spec.survives = true;
    EXPECT_EQ(verdict_of(survived(spec).trace(tmon_streams::SessionEnd::ProgramEnded, {3}), spec).sentence,
              "No fault: all 10 tasks were seen to finish; node 3 fell silent; its tasks were issued again.");
    EXPECT_EQ(verdict_of(survived(spec).trace(tmon_streams::SessionEnd::ProgramEnded, {3, 5}), spec).sentence,
              "No fault: all 10 tasks were seen to finish; nodes 3 and 5 fell silent; their tasks were issued again.");
    EXPECT_EQ(verdict_of(survived(spec).trace(tmon_streams::SessionEnd::ProgramEnded, {5}), spec).sentence,
              "No fault: all 10 tasks were seen to finish; node 5 fell silent.");
}

TEST(Verdict, AfterASurvivedDeathNothingIsCertain) {
    farm_spec::FarmSpec spec = two_below_the_manager();
    spec.survives = true;
    FarmTrace farm = one_is_left(spec, 7, 3);
    EXPECT_EQ(verdict_of(farm.trace(tmon_streams::SessionEnd::StoodStill), spec).kind, VerdictKind::Certain);
    const Verdict verdict = verdict_of(farm.down(7, 0, 4).trace(tmon_streams::SessionEnd::StoodStill, {3}), spec);
    EXPECT_EQ(verdict.kind, VerdictKind::Likely);
    EXPECT_THAT(verdict.nodes, ElementsAre(4));
    EXPECT_THAT(verdict.depends_on, testing::Contains("no record says how far tasks came after their nodes crashed"));
}

TEST(Verdict, AManagerThatHasNobodyLeftWorksUnseen) {
    farm_spec::FarmSpec spec = two_below_the_manager();
    spec.survives = true;
    FarmTrace farm(spec);
    farm.down(0, 0, 1);
    for (const tmon_streams::SessionEnd how : {tmon_streams::SessionEnd::ProgramEnded, tmon_streams::SessionEnd::StoodStill}) {
        const Verdict verdict = verdict_of(farm.trace(how, {1, 2, 3, 4, 5}), spec);
        EXPECT_EQ(verdict.kind, VerdictKind::Unknown);
        EXPECT_THAT(verdict.depends_on,
                    testing::Contains("node 0 may have computed tasks itself, and messages do not show that"));
    }
}

}  // namespace
}  // namespace tmon_detrek

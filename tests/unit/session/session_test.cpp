// Whole sessions, from power-up to the last trace record.
#include <oracle/session_result.hpp>

#include <gmock/gmock.h>

#include <oracle/truth_judge.hpp>
#include <tmon_detrek/verdict.hpp>
#include <trollius_hosted/multicomputer.hpp>

#include "scenario_folder.hpp"
#include "session_runs.hpp"

namespace {

using session_test::plain;
using session_test::replaced;
using session_test::run_apart;
using session_test::ScenarioFolder;
using session_test::watched;

class Session : public testing::Test {
protected:
    void run(const scenario::Scenario& scenario) { oracle::run_session(scenario, result); }
    std::string refusal(const scenario::Scenario& scenario, const session::SessionHooks& hooks = {}) {
        try {
            oracle::run_session(scenario, result, hooks);
        } catch (const vocabulary::RequestError& error) {
            return error.what();
        }
        return "no RequestError was thrown";
    }
    tmon_detrek::Analysis analysis(const scenario::Scenario& scenario) const {
        return tmon_detrek::analyse(*result.observed.trace, scenario.farm);
    }
    ScenarioFolder folder;
    oracle::SessionResult result;
};

// Task 9 of 40 crashes the node that computes it; every record leaves its node at once.
std::string crashing(const ScenarioFolder& folder) {
    folder.write("plain.dat",
                 "0  20 10 0  140 1000 0  10 10 0  100 10 0  100 10 0\n"
                 "9  20 10 0  140 1000 4  10 10 0  100 10 0  100 10 0\n"
                 "10  20 10 0  140 1000 0  10 10 0  100 10 0  100 10 0\n");
    return plain + "monitor: {unload: [[1000s, 0, 0]]}\n";
}

}  // namespace

TEST_F(Session, WithoutMonitorEndsWithTheClassicFinalReport) {
    run(folder.read(plain));
    EXPECT_TRUE(result.simulated.farm.finished);
    EXPECT_EQ(result.observed.end, tmon_streams::SessionEnd::ProgramEnded);
    EXPECT_EQ(result.simulated.farm.execution_us % 64, 0U) << "the low-priority clock ticks every 64 us";
    EXPECT_GT(result.simulated.farm.execution_us, 0U);
    EXPECT_THAT(result.observed.console, testing::ContainsRegex("^Execution time = [0-9]+ microseconds\n"
                                                                "\\*\\*\\*\\*\\* Final Report\\*\\*\\*\\*\\*\n"
                                                                "Configuration : Binary Tree\n"
                                                                "Total Nodes = 8\n"
                                                                "Granularity = 1\n"
                                                                "Total Buffers = 1\n"
                                                                "Task Distribution:\n"
                                                                "Node 0   0 Tasks\n"));
    EXPECT_EQ(result.truth.results_at_manager(), 40U);
    EXPECT_FALSE(result.observed.trace.has_value());
}

TEST_F(Session, CountsEveryTaskOnce) {
    run(folder.read(plain));
    std::uint32_t computed = 0;
    for (const std::uint32_t tasks : result.simulated.farm.distribution) computed += tasks;
    EXPECT_EQ(computed, 40U);
}

TEST_F(Session, WithoutBugsFindsNoFault) {
    const auto scenario = folder.read(watched);
    run(scenario);
    EXPECT_EQ(analysis(scenario).verdict.kind, tmon_detrek::VerdictKind::None);
    EXPECT_TRUE(result.simulated.farm.finished);
}

TEST_F(Session, WithoutLossReceivesEveryRecordAndEveryEndMark) {
    run(folder.read(watched));
    std::uint64_t recorded = 0;
    for (std::size_t i = 0; i < result.simulated.nodes.size(); ++i) {
        EXPECT_EQ(result.observed.statistics[i].events, result.simulated.nodes[i].recorded) << "node " << i;
        EXPECT_EQ(result.observed.statistics[i].state, tmon_streams::StreamState::Finished) << "node " << i;
        EXPECT_TRUE(result.observed.statistics[i].losses.empty()) << "node " << i;
        EXPECT_TRUE(result.observed.nodes[i].answers) << "node " << i;
        recorded += result.simulated.nodes[i].recorded;
    }
    EXPECT_EQ(recorded, result.truth.moved());
    EXPECT_EQ(result.observed.trace->size(), recorded);
}

// The dead node's last records are gone, so the answer may be likely or unknown; certain and wrong it may not be.
TEST_F(Session, IsNeverCertainOfAWrongTaskAfterACrash) {
    for (const char* unload : {"[[1000s, 0, 0]]", "[[1000s, 8, 32]]", "[[1000s, 256, 256]]"}) {
        const auto scenario = folder.read(session_test::replaced(crashing(folder), "[[1000s, 0, 0]]", unload));
        const auto kept = test_support::in_child([&] {
            run(scenario);
            const auto verdict = analysis(scenario).verdict;
            return verdict.kind != tmon_detrek::VerdictKind::None &&
                   (verdict.kind != tmon_detrek::VerdictKind::Certain || verdict.task == 9U);
        });
        EXPECT_EQ(kept, std::optional(true)) << unload;
    }
}

TEST_F(Session, WithoutBugsIsNotContradictedByTheTruth) {
    const auto scenario = folder.read(watched);
    run(scenario);
    EXPECT_TRUE(oracle::true_fault_list(scenario, result).empty());
    EXPECT_TRUE(oracle::contradicted(analysis(scenario).rows, oracle::true_fault_list(scenario, result)).empty());
}

TEST_F(Session, WithoutLossAndWithoutACrashIsNotContradictedByTheTruth) {
    folder.write("plain.dat",
                 "0  20 10 0  140 1000 0  10 10 0  100 10 0  100 10 0\n9  20 10 0  140 1000 2  10 10 0  100 10 0  100 10 0\n"
                 "10  20 10 0  140 1000 0  10 10 0  100 10 0  100 10 0\n");
    const auto scenario = folder.read(plain + "monitor: {unload: [[1000s, 0, 0]]}\n");
    run(scenario);
    ASSERT_EQ(result.truth.bugs().size(), 1U);
    EXPECT_EQ(result.observed.trace->size(), result.truth.moved());
    const auto truth = oracle::true_fault_list(scenario, result);
    EXPECT_FALSE(truth.empty());
    EXPECT_TRUE(oracle::contradicted(analysis(scenario).rows, truth).empty());
}

TEST_F(Session, LeavesACrashedNodeSilentAndItsStreamOpen) {
    run(folder.read(crashing(folder)));
    ASSERT_EQ(result.truth.bugs().size(), 1U);
    const std::size_t dead = result.truth.bugs()[0].bug.node.value();
    EXPECT_FALSE(result.simulated.farm.finished);
    EXPECT_EQ(result.observed.end, tmon_streams::SessionEnd::StoodStill);
    EXPECT_TRUE(result.simulated.nodes[dead].crashed);
    EXPECT_FALSE(result.observed.nodes[dead].answers);
    EXPECT_EQ(result.observed.statistics[dead].state, tmon_streams::StreamState::Open);
    EXPECT_EQ(std::count_if(result.simulated.nodes.begin(), result.simulated.nodes.end(),
                            [](const auto& node) { return node.crashed; }),
              1);
    EXPECT_TRUE(result.observed.nodes[0].answers);
}

TEST_F(Session, EndsAtItsLimitOfModelledTime) {
    EXPECT_THROW(run(folder.read(plain, {{"end.limit", "1us"}})), std::runtime_error);
}

TEST_F(Session, WithTheSameSeedGivesTheSameRun) {
    const auto scenario = folder.read(watched);
    const auto first = run_apart(scenario), second = run_apart(scenario);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->hash(), second->hash());
    EXPECT_EQ(first->modelled_ps, second->modelled_ps);
    EXPECT_EQ(first->hash().size(), 16U);
}

TEST_F(Session, WithAnotherSeedHasOtherClocks) {
    const auto one = run_apart(folder.read(watched)), other = run_apart(folder.read(watched, {}, 2));
    ASSERT_TRUE(one && other);
    EXPECT_NE(one->hash(), other->hash());
}

TEST_F(Session, WithAnotherCostGivesAnotherRun) {
    const auto one = run_apart(folder.read(watched)), other = run_apart(folder.read(watched, {{"trek.queue_operation", "17"}}));
    ASSERT_TRUE(one && other);
    EXPECT_NE(one->hash(), other->hash());
    EXPECT_EQ(one->results, other->results);
}

TEST_F(Session, WhoseMonitorLooksWithoutPauseStillEnds) {
    const auto run = run_apart(folder.read(watched, {{"monitor.manager_period", "0"}, {"monitor.manager_check", "0"}}));
    ASSERT_TRUE(run);
    EXPECT_TRUE(run->finished);
}

TEST_F(Session, CountsWhatTheTruthObserverCounts) {
    run(folder.read(crashing(folder)));
    const session::FarmCounts& counts = result.simulated.counts;
    EXPECT_GT(counts.results, 0U);
    EXPECT_EQ(counts.results, result.truth.results_at_manager());
    EXPECT_EQ(counts.moved, result.truth.moved());
    EXPECT_EQ(counts.began, result.truth.first_event());
    EXPECT_EQ(counts.last_step, result.truth.last_activity());
}

TEST_F(Session, EndsAlikeWithoutTheTruthObserver) {
    const auto scenario = folder.read(crashing(folder));
    struct Seen {
        std::int64_t modelled_ps;
        tmon_streams::SessionEnd end;
        tmon_detrek::VerdictKind verdict;
        std::uint64_t fired;
    };
    const auto seen = [&] {
        return Seen{result.observed.modelled.in_ps(), result.observed.end, analysis(scenario).verdict.kind,
                    result.simulated.events_fired};
    };
    const auto without = test_support::in_child([&] {
        oracle::run_session(scenario, result, {}, {.truth = false});
        return seen();
    });
    run(scenario);
    ASSERT_TRUE(without);
    EXPECT_EQ(without->modelled_ps, seen().modelled_ps);
    EXPECT_EQ(without->end, seen().end);
    EXPECT_EQ(without->verdict, seen().verdict);
    EXPECT_EQ(without->fired, seen().fired);
}

TEST_F(Session, IsStreamedIntoATraceFileOnly) {
    const auto scenario = folder.read(watched);
    EXPECT_DEATH(oracle::run_session(scenario, result, {.stream = true}), "session.stream.trace");
}

// The services take fourteen stacks on n1 and ten on the host. Then `state` wants one for each of the eight nodes.
TEST_F(Session, AsksFewNodesAtOnceWhenTheHostHasRoomForFewProcesses) {
    folder.write("large.yaml", replaced(session_test::content(folder.file("btree_8.yaml")), "4MiB", "64MiB"));
    run(folder.read(replaced(plain, "btree_8.yaml", "large.yaml"), {{"kernel.service_stack", "4500000"}}));
    EXPECT_EQ(result.observed.end, tmon_streams::SessionEnd::ProgramEnded);
    ASSERT_EQ(result.observed.nodes.size(), 8U);
    for (const auto& node : result.observed.nodes) EXPECT_TRUE(node.answers);
}

// Room for the host's ten services and for `loadgo`, which starts `hostmon` when the nodes have their monitors.
TEST_F(Session, IsRefusedWhenTheHostHasNoRoomForTheCollectorOfRecords) {
    const auto leave_eleven_stacks = [](trollius_hosted::Multicomputer& box) {
        const std::uint64_t stack = box.host().costs().service_stack;
        while (box.host().port().take_memory(stack)) {
        }
        box.host().port().give_back_memory(11 * stack);
    };
    EXPECT_EQ(refusal(folder.read(watched), {.prepare = leave_eleven_stacks}),
              "the host has no room for the process 'hostmon'; lower kernel.service_stack or kernel.system_memory");
}

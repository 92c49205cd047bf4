// Sessions with a fault plan: the faults that strike, what is told of them, and what becomes of the tasks.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include <oracle/conservation.hpp>
#include <oracle/fault_report.hpp>
#include <oracle/session_result.hpp>
#include <outcome/outputs.hpp>
#include <tmon_detrek/detrek.hpp>
#include <tmon_streams/trace_store.hpp>

#include "scenario_folder.hpp"
#include "session_runs.hpp"

namespace {

using oracle::LossCause;
using session_test::plain;
using session_test::run_apart;
using session_test::ScenarioFolder;
using session_test::watched;
using testing::HasSubstr;

class FaultSession : public testing::Test {
protected:
    scenario::Scenario scenario(const std::string& entries, const std::string& text = plain) {
        folder.write("p.faults", "version: 1\nfaults:\n" + entries);
        return folder.read(text + "faults: p.faults\n");
    }
    void run(const std::string& entries, const std::string& text = plain) {
        what = scenario(entries, text);
        oracle::run_session(what, result);
        account = oracle::account_for_tasks(what, result);
    }
    std::string report() { return oracle::faults_text(what, result.simulated.faults); }
    void expect_conservation() {
        EXPECT_EQ(account.unexplained, 0U);
        EXPECT_EQ(account.completed + account.lost + account.waits, what.farm.tasks);
        EXPECT_EQ(account.completed, result.truth.results_at_manager());
    }
    ScenarioFolder folder;
    scenario::Scenario what;
    oracle::SessionResult result;
    oracle::Conservation account;
};

}  // namespace

TEST_F(FaultSession, IsTheSameRunWhenNothingStrikes) {
    const auto with = scenario("  - {cut: n1.1 - n2.0, at: 9999s}\n  - {die: n5, on: {task: 4000, step: start}}\n", watched);
    const auto without = folder.read(watched);
    const auto a = run_apart(with), b = run_apart(without);
    ASSERT_TRUE(a && b);
    EXPECT_EQ(a->hash(), b->hash());
    EXPECT_EQ(a->modelled_ps, b->modelled_ps);
}

TEST_F(FaultSession, SaysWhatNeverHappened) {
    run("  - {die: n5, on: {task: 4000, node: n5, step: start}}\n");
    EXPECT_TRUE(result.simulated.farm.finished);
    EXPECT_THAT(report(), HasSubstr("  1 die n5 (when task 4000 starts on n5): never happened\n"));
    EXPECT_EQ(account.completed, 40U);
}

TEST_F(FaultSession, LosesWhatADeadNodeHeld) {
    run("  - {die: n3, on: {task: 9, step: start}}\n  - {die: n5, on: {task: 12, node: n5, step: start}}\n", watched);
    EXPECT_FALSE(result.simulated.farm.finished);
    EXPECT_TRUE(result.simulated.nodes[3].crashed);
    EXPECT_EQ(result.simulated.faults.tallies[0].struck, 1U);
    EXPECT_GT(account.lost, 0U);
    EXPECT_THAT(account.unfinished, testing::Contains(testing::Field(&oracle::LostTask::cause, LossCause::Held)));
    expect_conservation();
    const auto oracle = nlohmann::json::parse(outcome::oracle_json(what, result));
    EXPECT_EQ(oracle["faults"][0]["strikes"][0]["effect"], "began");
    EXPECT_EQ(oracle["conservation"]["unexplained"], 0);
}

TEST_F(FaultSession, NamesTheTaskThatACutLinkLost) {
    run("  - {cut: n1.0 - n0.1, on: {task: 20, node: n0, step: send}}\n",
        session_test::replaced(plain, "plain.dat}", "plain.dat, task_bytes: 20000}"));
    EXPECT_FALSE(result.simulated.farm.finished);
    EXPECT_THAT(account.unfinished, testing::Contains(testing::Field(&oracle::LostTask::cause, LossCause::OnALink)));
    EXPECT_THAT(report(), HasSubstr("hit "));
    expect_conservation();
}

TEST_F(FaultSession, GoesOnWhenASlowNodeIsItselfAgain) {
    run("  - {slow: n2, factor: 10, on: {task: 5, step: start}, for: 2ms}\n");
    EXPECT_TRUE(result.simulated.farm.finished);
    EXPECT_TRUE(result.simulated.faults.tallies[0].ended);
    EXPECT_EQ(account.completed, 40U);
}

TEST_F(FaultSession, EndsWithAResultWhenANodeDiesBeforeTheFarmRuns) {
    run("  - {die: n2, at: 20ms}\n", watched);
    EXPECT_FALSE(result.observed.diagnosis.empty());
    EXPECT_FALSE(result.observed.nodes[2].answers);
    EXPECT_EQ(account.completed, 0U);
    expect_conservation();
}

TEST_F(FaultSession, BlamesNoFunctionWhenTheFarmNeverBegan) {
    run("  - {die: n2, at: 20ms}\n", watched);
    EXPECT_EQ(result.observed.end, tmon_streams::SessionEnd::NeverBegan);
    const auto spec = what.farm;
    const auto found = tmon_detrek::report_detrek(*result.observed.trace, spec, {});
    EXPECT_EQ(found.exit_code, 4);
    EXPECT_THAT(found.json, HasSubstr("the farm did not begin"));
    EXPECT_THAT(found.json, testing::Not(HasSubstr("data_generator")));
    const std::string text = outcome::summary_text(what, result, {});
    EXPECT_THAT(text, HasSubstr("ended        the farm never began, given up after "));
    EXPECT_THAT(text, HasSubstr("diagnosis    " + result.observed.diagnosis));
    outcome::write_outputs(folder.file("out"), what, result, {}, found.json, false);
    const auto stored = tmon_detrek::report_detrek(tmon_streams::load_trace(folder.file("out/data.mwt")).trace, spec, {});
    EXPECT_EQ(stored.json, found.json);
    EXPECT_EQ(stored.exit_code, 4);
}

// The traces of the other nodes, which come at each global interrupt, say nothing of the load.
TEST_F(FaultSession, OfANodeThatDiesWhileProgramsAreLoadedEndsUnderTmonToo) {
    folder.write("p.faults", "version: 1\nfaults: [{die: n3, at: 620ms}]\n");
    what = scenario::read_scenario(MAGICWIRE_SOURCE_DIR "/examples/tmon/farm.yaml", {}, {}, {}, {});
    what.faults = folder.read(watched + "faults: p.faults\n").faults;
    oracle::run_session(what, result);
    EXPECT_EQ(result.observed.end, tmon_streams::SessionEnd::NeverBegan);
    EXPECT_EQ(result.observed.diagnosis, "loading stood still: nothing came from slave on n3");
    EXPECT_LT(result.observed.modelled, vocabulary::SimTime::s(10));
    EXPECT_EQ(tmon_detrek::report_detrek(*result.observed.trace, what.farm, {}).exit_code, 4);
}

TEST_F(FaultSession, CountsAsToBootOnlyWhatTheHostReachesAndNamesWhatBootWaitsFor) {
    folder.write("part.yaml",
                 "version: 1\nname: part\nunreachable: allowed\nnodes: {count: 8, ram: 4MiB}\nhost: n0.0\nswitches:\n  x0:\n"
                 "    wires: [n0.1 - 0, n1.0 - 1, n1.1 - 2, n2.0 - 3]\n    connect: [0 - 1, 2 - 3]\n");
    std::string text = session_test::replaced(watched, "btree_8.yaml", "part.yaml");
    text = session_test::replaced(text, "nodes: 8", "nodes: 3");
    run("  - {die: n2, at: 1ms}\n", session_test::replaced(text, "binary", "chain"));
    EXPECT_EQ(result.observed.end, tmon_streams::SessionEnd::NeverBegan);
    EXPECT_EQ(result.observed.diagnosis,
              "booting stood still: 2 of 4 kernels have started; it waits for n2 to take the image from n1");
}

TEST_F(FaultSession, EndsWithAResultWhenTheHostsLinkIsCutWhileProgramsAreLoaded) {
    run("  - {cut: host - n0.0, at: 400ms}\n", watched);
    EXPECT_FALSE(result.simulated.farm.finished);
    for (const auto& node : result.observed.nodes) EXPECT_FALSE(node.answers);
    expect_conservation();
}

TEST_F(FaultSession, IsTheSameTwice) {
    const auto twice = scenario("  - {flip: n1.1 - n2.0, rate: 1e-4}\n  - {halt: n4, rate: 1}\n", watched);
    const auto a = run_apart(twice), b = run_apart(twice);
    ASSERT_TRUE(a && b);
    EXPECT_EQ(a->hash(), b->hash());
    EXPECT_EQ(a->modelled_ps, b->modelled_ps);
}

TEST_F(FaultSession, SaysThatAFaultLeftTooLittleMemory) {
    what = scenario("  - {memory: n2, size: 64KiB}\n");
    try {
        oracle::run_session(what, result);
        FAIL() << "it ran";
    } catch (const std::exception& error) {
        EXPECT_THAT(error.what(), HasSubstr("n2"));
        EXPECT_THAT(error.what(), HasSubstr("too little"));
        EXPECT_THAT(error.what(), HasSubstr("; the fault plan takes its memory away: " + folder.file("p.faults") + ":3:"));
    }
}

TEST_F(FaultSession, SaysWhichLineOfThePlanKeepsTheSwitchesFromBeingSet) {
    folder.write("switched.yaml",
                 "version: 1\nname: switched\nnodes: {count: 2, ram: 4MiB}\nhost: n0.0\n"
                 "switches: {x0: {wires: [n0.1 - 4, n1.0 - 5, n1.1 - 9], connect: [4 - 5]}}\n");
    what = scenario(
        "  - {miswire: x0.5, to: 9, at: 0ms}\n",
        session_test::replaced(session_test::replaced(plain, "btree_8.yaml", "switched.yaml"), "nodes: 8", "nodes: 2"));
    try {
        oracle::run_session(what, result);
        FAIL() << "it ran";
    } catch (const std::exception& error) {
        EXPECT_THAT(error.what(), HasSubstr("x0 output 5 is connected to input 9, not 4"));
        EXPECT_THAT(error.what(),
                    HasSubstr("; the fault plan does this: " + folder.file("p.faults") + ":3:5, miswire x0.5 to 9"));
    }
}

TEST_F(FaultSession, ReadsAPlanThatIsNamedOnTheCommandLineInstead) {
    folder.write("a.faults", "version: 1\nfaults: [{die: n1, at: 1ms}]\n");
    folder.write("b.faults", "version: 1\nfaults: []\n");
    folder.write("s.yaml", plain + "faults: a.faults\n");
    const auto by_key = scenario::read_scenario(folder.file("s.yaml"), {}, {}),
               by_option = scenario::read_scenario(folder.file("s.yaml"), {}, {}, folder.file("b.faults"));
    EXPECT_EQ(by_key.faults->faults.size(), 1U);
    EXPECT_EQ(by_option.faults->faults.size(), 0U);
    EXPECT_EQ(by_option.inputs.back().role, by_key.inputs.back().role);
    EXPECT_THAT(by_key.inputs, testing::Contains(testing::Field(&scenario::InputFile::role, "faults")));
}

TEST_F(FaultSession, SaysThatAPlanHasNoFaults) {
    folder.write("p.faults", "version: 1\nfaults: []\n");
    what = folder.read(plain + "faults: p.faults\n");
    oracle::run_session(what, result);
    EXPECT_TRUE(result.simulated.farm.finished);
    EXPECT_EQ(report(), "\n  faults of the plan\n  none\n");
}

// A missing task is not explained without an obstacle on its way, whatever else struck.
TEST_F(FaultSession, ExplainsNoMissingTaskByAFaultThatIsNotInItsWay) {
    what =
        scenario("  - {slow: n2, factor: 2, at: 1ms}\n  - {cut: n1.1 - n2.0, at: 1ms, for: 1ms}\n  - {halt: n7, at: 9999s}\n");
    result.observed.end = tmon_streams::SessionEnd::StoodStill;
    hw_model::FaultTally struck;
    struck.first = hw_model::SimTime::ms(1);
    result.simulated.faults.tallies = {struck, struck, {}};
    result.simulated.faults.tallies[1].ended = hw_model::SimTime::ms(2);
    result.simulated.faults.links = {{}, {{vocabulary::NodeId(1), vocabulary::NodeId(2)}}, {}};
    account = oracle::account_for_tasks(what, result);
    EXPECT_EQ(account.unexplained, what.farm.tasks);
    result.simulated.faults.tallies[1].ended.reset();
    EXPECT_EQ(oracle::account_for_tasks(what, result).unexplained, 0U);
}

// The records are the same as from a function that kills its node.
TEST_F(FaultSession, VerdictSaysThatItCannotTellAFailingNodeFromAFailingFunction) {
    run("  - {die: n7, on: {task: 39, node: n7, step: start}}\n  - {die: n6, on: {task: 39, node: n6, step: start}}\n"
        "  - {die: n5, on: {task: 39, node: n5, step: start}}\n  - {die: n4, on: {task: 39, node: n4, step: start}}\n",
        session_test::replaced(watched, "tasks: 40}", "tasks: 40, degree: 2, depth: 5}"));
    const auto found = tmon_detrek::report_detrek(*result.observed.trace, what.farm, {});
    ASSERT_EQ(found.verdict.kind, tmon_detrek::VerdictKind::Certain) << found.text;
    EXPECT_THAT(found.text, HasSubstr("no record tells whether the function, a node or a link failed"));
    EXPECT_EQ(found.verdict.silent, found.verdict.nodes);
}

TEST_F(FaultSession, PointsIntoAPlanThatIsWrong) {
    folder.write("p.faults", "version: 1\nfaults: [{die: n9, at: 1ms}]\n");
    EXPECT_EQ(folder.error(plain + "faults: p.faults\n"),
              "p.faults:2:16: machine 'btree_8' has no node 'n9': it has n0 to n7; name one of these");
    EXPECT_EQ(folder.error(plain + "faults: none.faults\n"),
              "s.yaml:6:9: there is no file 'none.faults'; paths are relative to the scenario file");
}

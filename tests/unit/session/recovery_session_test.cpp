// Sessions of farms that survive: how they end, and what is said of it.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include <oracle/conservation.hpp>
#include <oracle/session_result.hpp>
#include <outcome/outputs.hpp>

#include "scenario_folder.hpp"
#include "session_runs.hpp"

namespace {

using session_test::ScenarioFolder;
using testing::HasSubstr;
using testing::Not;

const std::string farm = R"(version: 1
name: s
machine: btree_8.yaml
farm: {nodes: 8, tree: binary, tasks: 60, survives: yes}
application: {tasks: t.dat}
faults: p.faults
)";
const std::string monitor = "monitor: {unload: [[1000s, 0, 0]]}\n";

class RecoverySession : public testing::Test {
protected:
    void run(const std::string& fault, const std::string& more = "") {
        folder.write("t.dat", table);
        folder.write("p.faults", "version: 1\nfaults: [" + fault + "]\n");
        what = folder.read(farm + more);
        oracle::run_session(what, result);
    }
    std::string summary() { return outcome::summary_text(what, result, {}, outcome::Totals::None); }
    std::string table = "0 20 10 0 3000 1000 0 10 10 0 100 10 0 100 10 0\n";
    ScenarioFolder folder;
    scenario::Scenario what;
    oracle::SessionResult result;
};

}  // namespace

TEST_F(RecoverySession, SaysWhichTasksWereIssuedAgainBecauseOfWhichNode) {
    run("{die: n4, on: {task: 20, step: start}}");
    EXPECT_TRUE(result.simulated.farm.finished);
    EXPECT_EQ(result.observed.end, tmon_streams::SessionEnd::ProgramEnded);
    ASSERT_EQ(result.truth.given_up().size(), 1u);
    ASSERT_GE(result.truth.reissued().size(), 1u);
    EXPECT_THAT(summary(), HasSubstr("  given up     n4 by n2 at "));
    EXPECT_THAT(summary(), HasSubstr("issued again: task"));
    EXPECT_THAT(summary(), HasSubstr("60 of 60 results came back"));
    const auto json = nlohmann::json::parse(outcome::summary_json(what, result, {}, ""));
    const auto& line = json["given_up"].at(0);
    EXPECT_EQ(line["node"], 4);
    EXPECT_EQ(line["by"], 2);
    EXPECT_EQ(line["issued_again"].size(), result.truth.reissued().size());
    EXPECT_EQ(line["issued_again"].at(0)["task"], result.truth.reissued()[0].reissue.task);
    EXPECT_EQ(nlohmann::json::parse(outcome::oracle_json(what, result))["given_up"], json["given_up"]);
}

TEST_F(RecoverySession, EndsUnderTheMonitorThoughTheDeadNodeNeverSendsItsEnd) {
    run("{die: n2, on: {task: 20, step: start}}", monitor);
    EXPECT_TRUE(result.simulated.farm.finished);
    EXPECT_EQ(result.observed.end, tmon_streams::SessionEnd::ProgramEnded);
    EXPECT_EQ(oracle::account_for_tasks(what, result).completed, 60u);
    EXPECT_LT(result.observed.modelled, vocabulary::SimTime::s(5));
    EXPECT_FALSE(result.observed.nodes[2].answers);
    EXPECT_TRUE(result.observed.nodes[3].answers);
}

TEST_F(RecoverySession, CountsTheTasksThatTheManagerComputedItself) {
    run("{die: n1, on: {task: 20, step: start}}", monitor);
    EXPECT_TRUE(result.simulated.farm.finished);
    EXPECT_EQ(oracle::account_for_tasks(what, result).completed, 60u);
    EXPECT_EQ(result.truth.results_at_manager(), 60u);
    EXPECT_GT(result.simulated.farm.distribution[0], 0u);
}

TEST_F(RecoverySession, GivesNobodyUpWhileTheMonitorIsBegunNodeByNode) {
    run("", monitor);
    EXPECT_TRUE(result.truth.given_up().empty());
    EXPECT_THAT(summary(), Not(HasSubstr("given up")));
}

// A process that ends early takes its task with it, but its node is not dead. The node sends heartbeats for ever, and those
// are no work.
TEST_F(RecoverySession, StandsStillThoughSignsOfLifeGoOn) {
    table =
        "0 20 10 0 3000 1000 0 10 10 0 100 10 0 100 10 0\n20 20 10 0 3000 1000 1 10 10 0 100 10 0 100 10 0\n"
        "21 20 10 0 3000 1000 0 10 10 0 100 10 0 100 10 0\n";
    run("");
    EXPECT_FALSE(result.simulated.farm.finished);
    EXPECT_EQ(result.observed.end, tmon_streams::SessionEnd::StoodStill);
    EXPECT_TRUE(result.truth.given_up().empty());
    EXPECT_LT(result.observed.modelled, vocabulary::SimTime::s(5));
}

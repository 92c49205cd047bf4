// Sessions of farms beyond the thesis': the analysis of their runtime's records, and an account of every task.
#include <gmock/gmock.h>

#include <optional>

#include <oracle/conservation.hpp>
#include <oracle/session_result.hpp>
#include <tmon_detrek/detrek.hpp>
#include <tmon_detrek/verdict.hpp>
#include <tmon_streams/thesis_files.hpp>

#include "scenario_folder.hpp"

namespace {

using session_test::ScenarioFolder;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// n0 has two children and is not on a path of numbers: n5 and n2; below n5 are n1 and n4; n3 is outside.
const std::string machine =
    "version: 1\nname: m\nnodes: {count: 6, ram: 1MiB}\nhost: n0.0\n"
    "links: [n0.1 - n5.0, n0.2 - n2.0, n5.1 - n1.0, n5.2 - n4.0, n2.1 - n3.0]\n";
const std::string tree = "{n0: [2, 5], n5: [1, 4]}";

class FarmKinds : public testing::Test {
protected:
    void run(const std::string& farm, const std::string& table, const std::string& faults = "") {
        folder.write("m.yaml", machine);
        folder.write("t.dat", "0 20 10 0 3000 1000 0 10 10 0 100 10 0 100 10 0\n" + table);
        folder.write("p.faults", "version: 1\nfaults: [" + faults + "]\n");
        scenario = folder.read("version: 1\nname: s\nmachine: m.yaml\nfarm: {tree: " + tree + ", " + farm +
                               "}\napplication: {tasks: t.dat}\nfaults: p.faults\nmonitor: {unload: [[1000s, 0, 0]]}\nend: "
                               "{patience: 2s}\n");
        oracle::run_session(scenario, result);
        found.emplace(tmon_detrek::analyse(*result.observed.trace, scenario.farm));
        account = oracle::account_for_tasks(scenario, result);
    }
    // Lines of the table: this bug in the computation of one task; the next task is as all others.
    static std::string with_bug(std::uint32_t task, char bug) {
        return std::to_string(task) + " 20 10 0 3000 1000 " + bug + " 10 10 0 100 10 0 100 10 0\n" + std::to_string(task + 1) +
               " 20 10 0 3000 1000 0 10 10 0 100 10 0 100 10 0\n";
    }
    const tmon_detrek::Verdict& verdict() const { return found->verdict; }

    ScenarioFolder folder;
    scenario::Scenario scenario;
    oracle::SessionResult result;
    std::optional<tmon_detrek::Analysis> found;
    oracle::Conservation account;
};

}  // namespace

TEST_F(FarmKinds, OfAGivenTreeEveryRecordFitsTheSpecification) {
    run("tasks: 40", "");
    EXPECT_EQ(verdict().sentence, "No fault: all 40 tasks were seen to finish.");
    EXPECT_EQ(found->graphs.findings(), 0U);
    EXPECT_EQ(account.completed, 40U);
}

TEST_F(FarmKinds, OfDivideAndConquerOnAGivenTreeEveryRecordFitsTheSpecification) {
    run("tasks: 40, degree: 3, depth: 2, granularity: 3", "");
    EXPECT_EQ(verdict().sentence, "No fault: the program ended, and its final report says that all 40 results came back.");
    EXPECT_EQ(found->graphs.findings(), 0U);
    EXPECT_EQ(account.completed, 40U);
}

TEST_F(FarmKinds, ATaskThatStopsTakesItsBundleWithIt) {
    run("tasks: 40, granularity: 4", with_bug(9, '3'));
    EXPECT_EQ(verdict().task, 8U);
    EXPECT_THAT(verdict().sentence, HasSubstr("tasks 8-11 stopped"));
    ASSERT_GE(account.unfinished.size(), 4U);
    EXPECT_EQ(account.unfinished[1].task, 9U);
    EXPECT_EQ(account.unfinished[1].cause, oracle::LossCause::Struck);
    EXPECT_EQ(account.unfinished[2].cause, oracle::LossCause::Held);
    EXPECT_EQ(account.unexplained, 0U);
}

TEST_F(FarmKinds, ATaskThatIsKeptOutOfItsBundleIsMissedByTheAccountOnly) {
    run("tasks: 40, granularity: 4", with_bug(9, '2'));
    EXPECT_EQ(verdict().kind, tmon_detrek::VerdictKind::Likely);
    EXPECT_THAT(verdict().depends_on, Contains("no record tells whether every task of a bundle came back with it"));
    ASSERT_EQ(account.unfinished.size(), 1U);
    EXPECT_EQ(account.unfinished[0].task, 9U);
    EXPECT_EQ(account.unfinished[0].cause, oracle::LossCause::Struck);
}

TEST_F(FarmKinds, AStolenTaskIsRecordedOnItsWayUpAsATask) {
    run("tasks: 60, policy: work-stealing",
        "3 20 10 0 30000 1000 0 10 10 0 100 10 0 100 10 0\n4 20 10 0 300 1000 0 10 10 0 100 10 0 100 10 0\n");
    std::size_t stolen = 0;
    for (const auto& event : result.truth.events()) {
        const bool to_parent = scenario.farm.parent(vocabulary::NodeId(event.node)) == vocabulary::NodeId(event.peer);
        stolen += event.kind == trace_record::EventKind::Send && to_parent && event.is_result == 0 ? 1 : 0;
    }
    EXPECT_GT(stolen, 0U);
    EXPECT_EQ(verdict().sentence, "No fault: all 60 tasks were seen to finish.");
    EXPECT_EQ(found->graphs.findings(), 0U);
    EXPECT_EQ(account.completed, 60U);
    // The same from a .tvm, which does not say it.
    const farm_spec::FarmSpec spec = scenario.farm;
    tmon_streams::write_tvm(folder.file("a.tvm"), *result.observed.trace);
    const auto read = tmon_streams::read_tvm(folder.file("a.tvm"), spec, tmon_streams::config_of(*result.observed.trace));
    EXPECT_EQ(tmon_detrek::analyse(read, spec).verdict.sentence,
              "No fault: all 60 tasks were seen to finish; a .tvm does not say whether a stolen task or a result went up.");
}

TEST_F(FarmKinds, ASurvivedDeathIsNoFault) {
    run("tasks: 60, survives: yes", "", "{die: n4, on: {task: 20, step: start}}");
    EXPECT_EQ(result.observed.end, tmon_streams::SessionEnd::ProgramEnded);
    EXPECT_THAT(verdict().sentence, StartsWith("No fault: all 60 tasks were seen to finish; node 4 fell silent"));
    EXPECT_THAT(verdict().fell_silent, ElementsAre(4));
    EXPECT_EQ(account.completed, 60U);
}

TEST_F(FarmKinds, ATaskThatHangsWhereDeathsAreSurvivedHasItsCause) {
    run("tasks: 60, survives: yes", with_bug(30, '3'), "{die: n4, at: 60ms}");
    EXPECT_NE(verdict().kind, tmon_detrek::VerdictKind::Certain);
    EXPECT_NE(verdict().kind, tmon_detrek::VerdictKind::None);
    EXPECT_EQ(account.unexplained, 0U);
    ASSERT_FALSE(account.unfinished.empty());
}

TEST_F(FarmKinds, ASpecificationFileMeansTheSameFarm) {
    run("tasks: 12, degree: 2, depth: 2, granularity: 3, policy: round-robin, survives: yes", "");
    const farm_spec::FarmSpec spec = scenario.farm;
    tmon_streams::write_spf(folder.file("f.spf"), spec);
    EXPECT_EQ(session_test::content(folder.file("f.spf")),
              "6 4 12 2 2\n5 0 - 5 0\ngranularity 3 policy round-robin survives yes\n");
    const std::string text = "version: 1\nname: s\nmachine: m.yaml\nfarm: {spec: f.spf}\napplication: {tasks: t.dat}\n";
    EXPECT_EQ(folder.read(text).farm, spec);
    EXPECT_EQ(folder.error(session_test::replaced(text, "f.spf", "f.spf, policy: priorities")),
              "s.yaml:4:29: 'policy' is in the file of 'spec' too; give one of the two");
}

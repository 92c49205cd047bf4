// Farms on trees whose branches are no links of the machine: a binary tree of 6 on a chain of 6.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <vector>

#include <child_process.hpp>
#include <oracle/conservation.hpp>
#include <oracle/farm_report.hpp>
#include <oracle/session_result.hpp>
#include <outcome/farm_report_views.hpp>
#include <outcome/outputs.hpp>
#include <scenario/virtual_branches.hpp>
#include <tmon_detrek/verdict.hpp>
#include <twin/overhead.hpp>
#include <twin/overhead_bill.hpp>

#include "scenario_folder.hpp"
#include "session_runs.hpp"

namespace {

using session_test::ScenarioFolder;
using testing::HasSubstr;

const std::string chain_of_6 =
    "version: 1\nname: chain_6\nnodes: {count: 6, ram: 4MiB}\nhost: n0.0\n"
    "links: [n0.1 - n1.0, n1.1 - n2.0, n2.1 - n3.0, n3.1 - n4.0, n4.1 - n5.0]\n";
const std::string tree_of_6 =
    "version: 1\nname: btree_6\nnodes: {count: 6, ram: 4MiB}\nhost: n0.0\n"
    "links: [n0.1 - n1.0, n1.1 - n2.0, n1.2 - n3.0, n2.1 - n4.0, n2.2 - n5.0]\n";

class VirtualTree : public testing::Test {
protected:
    VirtualTree() {
        folder.write("chain_6.yaml", chain_of_6);
        folder.write("btree_6.yaml", tree_of_6);
    }
    scenario::Scenario scenario(const std::string& machine, const std::string& more = "",
                                const std::string& farm = "tasks: 40") {
        return folder.read("version: 1\nname: s\nmachine: " + machine + ".yaml\nfarm: {nodes: 6, tree: binary, " + farm +
                           "}\napplication: {tasks: plain.dat, result_bytes: 5000}\n" + more);
    }
    std::string refusal(const scenario::Scenario& what) {
        try {
            oracle::SessionResult result;
            oracle::run_session(what, result);
        } catch (const vocabulary::RequestError& error) {
            return error.what();
        }
        return "no RequestError was thrown";
    }
    ScenarioFolder folder;
    const std::string monitor = "monitor: {unload: [[1000s, 8, 32]]}\n";
};

// Tasks of which the manager has a result, in order of their numbers.
std::vector<std::uint32_t> results_of(const oracle::SessionResult& result) {
    std::vector<std::uint32_t> tasks;
    for (const auto& event : result.truth.events()) {
        if (event.node == 0 && event.is_result != 0 && event.kind == trace_record::EventKind::Receive)
            tasks.push_back(event.task);
    }
    std::sort(tasks.begin(), tasks.end());
    return tasks;
}

}  // namespace

TEST_F(VirtualTree, KnowsItsBranchesThatAreNoLinks) {
    EXPECT_EQ(scenario::virtual_branches_text(scenario("btree_6")), "");
    EXPECT_EQ(scenario::virtual_branches_text(scenario("chain_6")),
              "n1 - n3, n2 - n4, n2 - n5 are no links of the machine; their messages go over the network");
}

TEST_F(VirtualTree, BringsEveryResultOnce) {
    oracle::SessionResult result;
    const auto what = scenario("chain_6");
    oracle::run_session(what, result);
    EXPECT_TRUE(result.simulated.farm.finished);
    std::vector<std::uint32_t> all(40);
    for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
    EXPECT_EQ(results_of(result), all);
    const oracle::Conservation account = oracle::account_for_tasks(what, result);
    EXPECT_EQ(account.completed, 40U);
    const std::string summary = outcome::summary_text(what, result, {}, outcome::Totals::None);
    EXPECT_THAT(summary, HasSubstr("  tree         n1 - n3, n2 - n4, n2 - n5 are no links of the machine"));
    const auto report = oracle::farm_report(what, result);
    EXPECT_EQ(report.limit.kind, oracle::FarmReport::LimitKind::Unknown);
    EXPECT_THAT(outcome::farm_report_text(report, outcome::Totals::All), HasSubstr("no times: branches go over the network"));
}

TEST_F(VirtualTree, DividesAndJoinsTasks) {
    oracle::SessionResult result;
    oracle::run_session(scenario("chain_6", "", "tasks: 20, degree: 2, depth: 3"), result);
    EXPECT_TRUE(result.simulated.farm.finished);
    EXPECT_EQ(result.truth.results_at_manager(), 20U);
}

// A program prints the same about its results on the tree's own links and on a chain.
TEST_F(VirtualTree, GivesAProgramTheResultsOfItsOwnLinks) {
    const auto printed = [this](const char* machine) {
        auto what = folder.read(std::string("version: 1\nname: s\nmachine: ") + machine +
                                ".yaml\nfarm: {nodes: 6, tree: binary, tasks: 64}\napplication: {program: image_group}\n");
        return test_support::in_child([&] {
            oracle::SessionResult result;
            oracle::run_session(what, result);
            std::array<char, 8000> lines{};
            std::vector<std::string> rows;
            std::istringstream all(result.observed.console);
            for (std::string line; std::getline(all, line);)
                if (!line.starts_with("Execution time") && !line.starts_with("Node ")) rows.push_back(line + "\n");
            std::sort(rows.begin(), rows.end());
            std::string own;
            for (const std::string& row : rows) own += row;
            own.copy(lines.data(), lines.size() - 1);
            return lines;
        });
    };
    const auto on_links = printed("btree_6"), on_chain = printed("chain_6");
    ASSERT_TRUE(on_links && on_chain);
    EXPECT_THAT(std::string(on_links->data()), HasSubstr("Results taken = 64"));
    EXPECT_STREQ(on_chain->data(), on_links->data());
}

TEST_F(VirtualTree, IsRefusedToAFarmThatSurvives) {
    EXPECT_THAT(
        refusal(scenario("chain_6", "", "tasks: 40, survives: yes")),
        HasSubstr(
            "a farm that survives needs a tree whose branches are links, since a live child may be silent behind a busy or "
            "dead node on its way; n1 - n3, n2 - n4, n2 - n5 are no links of the machine"));
}
// The messages of a branch are on several links, and the bill still explains the whole difference. bill() checks the sums.
TEST_F(VirtualTree, HasABillOfMonitoring) {
    const twin::Overhead overhead = twin::measure_overhead(scenario("chain_6", monitor, "tasks: 200"));
    ASSERT_TRUE(overhead.has_time());
    EXPECT_GT(overhead.difference(), vocabulary::SimTime());
    EXPECT_EQ(twin::bill(overhead).size(), 5U);
    vocabulary::SimTime explained;
    for (const twin::BillLine& line : twin::bill(overhead, twin::BillBy::Cause).lines) explained += line.of_monitor;
    EXPECT_EQ(explained + twin::not_attributed(overhead), overhead.difference());
}
// Tasks over the network must not overtake the commands that begin the monitors behind them.
TEST_F(VirtualTree, IsMonitored) {
    oracle::SessionResult result;
    const auto what = scenario("chain_6", monitor, "tasks: 200");
    oracle::run_session(what, result);
    EXPECT_TRUE(result.simulated.farm.finished);
    EXPECT_EQ(result.observed.diagnosis, "");
    std::size_t records = 0;
    for (const auto& stream : result.observed.trace->streams) records += stream.size();
    EXPECT_EQ(records, result.truth.moved());
    EXPECT_EQ(tmon_detrek::analyse(*result.observed.trace, what.farm).verdict.kind, tmon_detrek::VerdictKind::None);
}
// n2 lies on the way to n3, which is no child of it in the tree.
TEST_F(VirtualTree, LosesABranchWithANodeOnItsWay) {
    folder.write("p.faults", "version: 1\nfaults: [{die: n2, when: {task: 20, step: send}}]\n");
    oracle::SessionResult result;
    const auto what = scenario("chain_6", monitor + "faults: p.faults\n");
    oracle::run_session(what, result);
    EXPECT_FALSE(result.simulated.farm.finished);
    const auto verdict = tmon_detrek::analyse(*result.observed.trace, what.farm).verdict;
    EXPECT_EQ(verdict.kind, tmon_detrek::VerdictKind::Likely) << verdict.sentence;
    EXPECT_THAT(verdict.sentence, HasSubstr("2"));
}

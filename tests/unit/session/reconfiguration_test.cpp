// The host re-programs switches in the middle of a farm run: what it loses, whom it tells, and an account of every task.
#include <oracle/session_result.hpp>
#include <trollius_hosted/reconfiguration.hpp>

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <oracle/conservation.hpp>
#include <outcome/outputs.hpp>
#include <trek_kernel/task_on_wire.hpp>

#include "scenario_folder.hpp"
#include "session_runs.hpp"

namespace {

using oracle::LossCause;
using session_test::replaced;
using session_test::ScenarioFolder;
using testing::HasSubstr;
using vocabulary::SimTime;

// The binary tree of 8 through one crossbar, and links between leaves that the farm does not use.
const std::string machine_text =
    "version: 1\n"
    "name: tree\n"
    "nodes: {count: 8, ram: 4MiB}\n"
    "host: n0.0\n"
    "switches:\n"
    "  x0:\n"
    "    wires: [n0.1 - 0, n1.0 - 1, n1.1 - 2, n2.0 - 3, n1.2 - 4, n3.0 - 5, n2.1 - 6, n4.0 - 7, n2.2 - 8, n5.0 - 9,\n"
    "            n3.1 - 10, n6.0 - 11, n3.2 - 12, n7.0 - 13, n4.1 - 14, n5.1 - 15, n6.1 - 16, n7.1 - 17]\n"
    "    connect: [0 - 1, 2 - 3, 4 - 5, 6 - 7, 8 - 9, 10 - 11, 12 - 13, 14 - 15, 16 - 17]\n";
const std::string rest = "0 - 1, 6 - 7, 8 - 9, 10 - 11, 12 - 13";
const std::string whole = rest + ", 2 - 3, 4 - 5, 14 - 15, 16 - 17";
const std::string without_n3 = rest + ", 2 - 3, 14 - 15, 16 - 17";  // nor what is below it
const std::string leaves_crossed = rest + ", 2 - 3, 4 - 5, 14 - 16, 15 - 17";

std::string farm_text(const std::string& reconfigure) {
    return "version: 1\n"
           "name: moved\n"
           "machine: tree.yaml\n"
           "farm: {nodes: 8, tree: binary, tasks: 60}\n"
           "application: {tasks: plain.dat, task_bytes: 2000, result_bytes: 2000}\n" +
           reconfigure;
}

std::string at(std::int64_t us, const std::string& connections) {
    return "  - {at: " + std::to_string(us) + "us, connect: {x0: [" + connections + "]}}\n";
}

class ReconfigurationRun : public testing::Test {
protected:
    ReconfigurationRun() {
        folder.write("tree.yaml", machine_text);
        folder.write("plain.dat", "0  20 10 0  3000 1000 0  10 10 0  100 10 0  100 10 0\n");
    }
    scenario::Scenario scenario(const std::string& reconfigure) { return folder.read(farm_text(reconfigure)); }
    // The moment at which `percent` of the farm's time has passed in the undisturbed run.
    std::int64_t moment(int percent) {
        const auto undisturbed = scenario("");
        const auto us = test_support::in_child([&] {
            oracle::SessionResult quiet;
            oracle::run_session(undisturbed, quiet);
            return (quiet.simulated.counts.began +
                    SimTime::ps((quiet.simulated.counts.last_step - quiet.simulated.counts.began).in_ps() / 100 * percent))
                .in_us();
        });
        EXPECT_TRUE(us);
        return us.value_or(0);
    }
    void run(const scenario::Scenario& what) { oracle::run_session(what, result); }

    ScenarioFolder folder;
    oracle::SessionResult result;
};

// The account of a run, which must hold whatever was lost.
struct Account {
    std::uint32_t returned = 0, lost = 0, on_a_link = 0, behind = 0, waiting = 0, transfers = 0;
    bool finished = false, consistent = true;
    int switched = 0;
};

Account account(const scenario::Scenario& scenario, const oracle::SessionResult& result) {
    Account a;
    std::set<std::uint32_t> carried;
    for (const auto& transfer : result.simulated.switches.lost_transfers) {
        ++a.transfers;
        if (const auto task = trek_kernel::task_on_wire(transfer.header)) carried.insert(task->task);
        a.consistent &= transfer.ordered.has_value();
    }
    a.returned = static_cast<std::uint32_t>(result.truth.results_at_manager());
    const auto conservation = oracle::account_for_tasks(scenario, result);
    for (const auto& lost : conservation.unfinished) {
        ++a.lost;
        a.on_a_link += lost.cause == LossCause::OnALink;
        a.behind += lost.cause == LossCause::BehindACut;
        a.waiting += lost.cause == LossCause::Waiting;
        a.consistent &= (lost.cause == LossCause::OnALink) == (carried.count(lost.task) == 1) && !lost.text.empty();
        a.consistent &= lost.cause != LossCause::Waiting || !result.simulated.switches.lost_transfers.empty() ||
                        !result.simulated.switches.cuts.empty();
    }
    a.consistent &= a.returned + a.lost == scenario.farm.tasks && a.on_a_link == carried.size();
    a.finished = result.simulated.farm.finished;
    for (const auto& done : result.simulated.switches.done) a.switched += done.switched && done.routed && done.silent == 0;
    return a;
}

}  // namespace

TEST_F(ReconfigurationRun, OfConnectionsThatTheFarmDoesNotUseLosesNoTask) {
    const auto moved = scenario("reconfigure:\n" + at(moment(50), leaves_crossed));
    run(moved);
    EXPECT_TRUE(result.simulated.farm.finished);
    EXPECT_EQ(result.truth.results_at_manager(), 60u);
    ASSERT_EQ(result.simulated.switches.done.size(), 1u);
    EXPECT_EQ(result.simulated.switches.done[0].switches, 1u);
    EXPECT_EQ(result.simulated.switches.done[0].told, 8u);
    EXPECT_EQ(result.simulated.switches.done[0].silent, 0u);
    EXPECT_TRUE(result.simulated.switches.done[0].differences.empty());
    EXPECT_EQ(result.simulated.switches.done[0].configuration_bytes, 2u * 3 + 2 * 3 + 1 + 64);
    EXPECT_GT(*result.simulated.switches.done[0].routed, *result.simulated.switches.done[0].switched);
    EXPECT_TRUE(result.simulated.switches.lost_transfers.empty());
    EXPECT_TRUE(result.simulated.switches.cuts.empty());
}

TEST_F(ReconfigurationRun, ToTheSameSettingDoesNothing) {
    run(scenario("reconfigure:\n" + at(moment(50), whole)));
    EXPECT_EQ(result.truth.results_at_manager(), 60u);
    ASSERT_EQ(result.simulated.switches.done.size(), 1u);
    EXPECT_EQ(result.simulated.switches.done[0].switches, 0u);
    EXPECT_EQ(result.simulated.switches.done[0].configuration_bytes, 0u);
}

TEST_F(ReconfigurationRun, ThatBreaksAConnectionAndMakesItAgainLosesOnlyWhatWasUnderWay) {
    int lossy = 0, whole_runs = 0;
    for (int step = 0; step < 12; ++step) {
        const std::int64_t when = moment(30) + 173 * step;
        const auto moved = scenario("reconfigure:\n" + at(when, without_n3) + at(when + 5000, whole));
        const auto a = test_support::in_child([&] {
            run(moved);
            return account(moved, result);
        });
        ASSERT_TRUE(a) << when;
        EXPECT_TRUE(a->consistent) << when;
        EXPECT_LE(a->transfers, 2u) << "one connection, two directions";
        EXPECT_LE(a->on_a_link, a->transfers) << when;
        EXPECT_EQ(a->behind, 0u) << when;
        EXPECT_TRUE(a->transfers > 0 || a->returned == 60) << when;
        EXPECT_EQ(a->switched, 2) << when;
        lossy += a->transfers > 0;
        whole_runs += a->returned == 60;
    }
    EXPECT_GT(lossy, 0);
    EXPECT_GT(whole_runs, 0);
}

TEST_F(ReconfigurationRun, ThatCutsASubtreeOffLeavesItsTasksBehindTheCut) {
    const auto moved = scenario("reconfigure:\n" + at(moment(40), without_n3));
    run(moved);
    const Account a = account(moved, result);
    EXPECT_TRUE(a.consistent);
    EXPECT_FALSE(result.simulated.farm.finished);
    EXPECT_EQ(result.observed.end, tmon_streams::SessionEnd::StoodStill);
    EXPECT_EQ(result.simulated.switches.cuts,
              (std::vector<std::pair<vocabulary::NodeId, vocabulary::NodeId>>{{vocabulary::NodeId(3), vocabulary::NodeId(1)}}));
    EXPECT_GT(a.behind, 0u);
    EXPECT_GT(a.returned, 20u);
    EXPECT_EQ(result.simulated.switches.done[0].told, 5u) << "n3, n6 and n7 are out of reach";
    EXPECT_FALSE(result.observed.nodes[6].answers);
    EXPECT_TRUE(result.observed.nodes[5].answers) << "by the new routes";
    const std::string oracle = outcome::oracle_json(moved, result);
    EXPECT_THAT(oracle, HasSubstr("\"cause\": \"behind a cut\""));
    EXPECT_THAT(oracle, HasSubstr("behind the cut between n3 and n1"));
}

TEST_F(ReconfigurationRun, NodesSendByTheNewRoutesAfterwards) {
    // n6 and n7 are cut from n3 and reached over n4 and n5.
    const auto moved = scenario("reconfigure:\n" + at(moment(40), "0 - 1, 2 - 3, 4 - 5, 6 - 7, 8 - 9, 14 - 16, 15 - 17"));
    run(moved);
    EXPECT_EQ(result.simulated.switches.done.at(0).told, 8u);
    EXPECT_TRUE(result.observed.nodes[6].answers);
    EXPECT_TRUE(result.observed.nodes[7].answers);
    EXPECT_TRUE(account(moved, result).consistent);
}

TEST_F(ReconfigurationRun, CountsTheLinksThatItMade) {
    // At the boot n4 to n7 have no link but that to their parent.
    folder.write("tree.yaml", replaced(machine_text, ", 14 - 15, 16 - 17]", "]"));
    const auto moved = scenario("reconfigure:\n" + at(moment(40), "0 - 1, 2 - 3, 4 - 5, 6 - 7, 8 - 9, 14 - 16, 15 - 17"));
    run(moved);
    ASSERT_TRUE(result.observed.nodes[6].answers);
    const auto line = [&](const std::string& from) {
        const auto found = std::find_if(result.simulated.links.begin(), result.simulated.links.end(),
                                        [&](const session::LinkLine& link) { return link.from == from; });
        return found == result.simulated.links.end() ? session::LinkLine{} : *found;
    };
    EXPECT_EQ(line("n4.1").to, "n6.1");
    EXPECT_EQ(line("n6.1").to, "n4.1");
    EXPECT_GT(line("n4.1").totals.of[trollius_os::accounts::system].bytes, 0u);
    EXPECT_GT(line("n6.1").totals.of[trollius_os::accounts::system].bytes, 0u) << "its answer";
    EXPECT_EQ(line("n3.1").to, "n6.0") << "where it led before it was cut";
    EXPECT_EQ(result.simulated.links.size(), 2u * 8 + 4);
    EXPECT_EQ(result.simulated.links[0].from, "n0.0") << "those of the boot come first";
    EXPECT_EQ(result.simulated.links[16].from, "n4.1");
    EXPECT_THAT(outcome::summary_text(moved, result, {}, outcome::Totals::All), HasSubstr("\n  n4.1    n6.1 "));
    EXPECT_THAT(outcome::summary_json(moved, result, {}, ""), HasSubstr("\"n4.1\""));
}

TEST_F(ReconfigurationRun, TellsWhereALinkEndLedLast) {
    run(scenario("reconfigure:\n" + at(moment(50), leaves_crossed)));
    EXPECT_EQ(result.simulated.links.size(), 2u * 10) << "no end is new";
    for (const auto& [from, to] : {std::pair("n4.1", "n6.1"), {"n6.1", "n4.1"}, {"n5.1", "n7.1"}, {"n1.0", "n0.1"}}) {
        EXPECT_THAT(result.simulated.links, testing::Contains(testing::AllOf(testing::Field(&session::LinkLine::from, from),
                                                                             testing::Field(&session::LinkLine::to, to))));
    }
}

TEST_F(ReconfigurationRun, GivesTheSameBytesTwice) {
    const auto moved = scenario("reconfigure:\n" + at(moment(35), without_n3) + at(moment(45), whole));
    const auto first = session_test::run_apart(moved), second = session_test::run_apart(moved);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->hash(), second->hash());
    EXPECT_EQ(first->modelled_ps, second->modelled_ps);
}

TEST_F(ReconfigurationRun, IsInTheSummary) {
    const auto moved = scenario("reconfigure:\n" + at(moment(50), leaves_crossed));
    run(moved);
    EXPECT_THAT(outcome::summary_text(moved, result, {}), HasSubstr(": 1 changed, set and read back in "));
    EXPECT_THAT(outcome::summary_json(moved, result, {}, ""), HasSubstr("\"nodes_told\": 8"));
}

TEST_F(ReconfigurationRun, ThatHasToWaitIsTimedByWhenItBegan) {
    const std::int64_t first = moment(40);
    const auto moved = scenario("reconfigure:\n" + at(first, leaves_crossed) + at(first + 1, whole));
    run(moved);
    ASSERT_EQ(result.simulated.switches.done.size(), 2u);
    EXPECT_GT(result.simulated.switches.done[1].began, result.simulated.switches.done[1].at);
    const std::string text = outcome::summary_text(moved, result, {});
    EXPECT_THAT(text, HasSubstr(", ordered for "));
    const auto json = nlohmann::json::parse(outcome::summary_json(moved, result, {}, ""));
    EXPECT_EQ(json["reconfigurations"][1]["state"], "done");
    EXPECT_EQ(json["reconfigurations"][1]["began_us"], result.simulated.switches.done[1].began.in_us());
}

TEST_F(ReconfigurationRun, ThatNeverBeganIsMentioned) {
    const auto moved = scenario("reconfigure:\n" + at(100'000'000, whole));
    run(moved);
    EXPECT_TRUE(result.simulated.farm.finished);
    EXPECT_THAT(outcome::summary_text(moved, result, {}),
                HasSubstr("  switches     ordered for 100.000000 s: never begun, the run ended at "));
    const auto json = nlohmann::json::parse(outcome::summary_json(moved, result, {}, ""));
    ASSERT_EQ(json["reconfigurations"].size(), 1u);
    EXPECT_EQ(json["reconfigurations"][0]["state"], "never begun");
    EXPECT_TRUE(json["reconfigurations"][0]["began_us"].is_null());
}

TEST_F(ReconfigurationRun, NamesTheLinkThatItLeavesPlugged) {
    const auto moved = scenario("reconfigure:\n" + at(moment(40), without_n3));
    run(moved);
    EXPECT_FALSE(result.simulated.farm.finished);
    const auto plug = std::find_if(result.simulated.switches.plugged.begin(), result.simulated.switches.plugged.end(),
                                   [](const auto& one) { return one.from == "n1.2"; });
    ASSERT_NE(plug, result.simulated.switches.plugged.end());
    EXPECT_EQ(plug->to, "");
    EXPECT_TRUE(trek_kernel::task_on_wire(plug->header));
    EXPECT_THAT(outcome::summary_text(moved, result, {}), HasSubstr("  plugged      n1.2 -> nowhere since "));
    const auto json = nlohmann::json::parse(outcome::summary_json(moved, result, {}, ""));
    EXPECT_EQ(json["plugged_links"].size(), result.simulated.switches.plugged.size());
}

TEST_F(ReconfigurationRun, CanGoToTheConnectionsOfAnotherMachineFile) {
    folder.write("other.yaml", replaced(machine_text, "14 - 15, 16 - 17]\n", "14 - 16, 15 - 17]\n"));
    const auto moved = scenario("reconfigure:\n  - {at: 1s, to: other.yaml}\n");
    ASSERT_EQ(moved.reconfigurations.size(), 1u);
    EXPECT_EQ(moved.reconfigurations[0].at, SimTime::s(1));
    ASSERT_EQ(moved.reconfigurations[0].settings.size(), 1u);
    EXPECT_EQ(moved.reconfigurations[0].settings[0].connections.back(),
              std::pair(vocabulary::WayNo(15), vocabulary::WayNo(17)));
}

TEST_F(ReconfigurationRun, RefusesWhatCannotBe) {
    const auto error = [&](const std::string& reconfigure) { return folder.error(farm_text(reconfigure)); };
    EXPECT_EQ(error("reconfigure: [{at: 1s}]\n"),
              "s.yaml:6:15: a reconfiguration is either 'connect: {x0: [0 - 3]}' or 'to: MACHINE.yaml'; give one of the two");
    EXPECT_THAT(error("reconfigure: [{at: 1s, connect: {x1: [0 - 1]}}]\n"), HasSubstr("s.yaml:6:34: "));
    EXPECT_THAT(error("reconfigure: [{at: 1s, connect: {x0: [0 - 1, 1 - 2]}}]\n"), HasSubstr("s.yaml:6:46: "));
    EXPECT_THAT(error("reconfigure: [{at: 1s, connect: {x0: [0 - 40]}}]\n"), HasSubstr("s.yaml:6:"));
    EXPECT_THAT(error("reconfigure: [{at: 2s, connect: {x0: []}}, {at: 1s, connect: {x0: []}}]\n"),
                HasSubstr("this one comes before the one above; put them in order of time"));
    folder.write("other.yaml", replaced(machine_text, "n7.1 - 17", "n7.2 - 17"));
    EXPECT_THAT(error("reconfigure: [{at: 1s, to: other.yaml}]\n"),
                HasSubstr("s.yaml:6:28: 'tree' has other wires than 'tree'; a reconfiguration changes the connections"));
    EXPECT_THAT(folder.error(session_test::plain + "reconfigure: [{at: 1s, connect: {x0: []}}]\n"),
                HasSubstr("the machine has no switch that the host could program"));
}

// Sessions with planted bugs: the effect of each class on a farm, what is told of it, and what messages alone could show.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include <oracle/bug_report.hpp>
#include <oracle/conservation.hpp>
#include <oracle/session_result.hpp>
#include <tmon_detrek/detrek.hpp>

#include "scenario_folder.hpp"
#include "session_runs.hpp"

namespace {

using session_test::replaced;
using session_test::run_apart;
using session_test::ScenarioFolder;
using session_test::watched;
using testing::HasSubstr;

const std::string divided = replaced(watched, "tasks: 40}", "tasks: 40, degree: 2, depth: 3}");
const std::string program = replaced(watched, "tasks: plain.dat", "program: image_group");

class BugSession : public testing::Test {
protected:
    scenario::Scenario scenario(const std::string& entries, const std::string& text = watched) {
        folder.write("p.bugs", "version: 1\nbugs: [" + entries + "]\n");
        const std::string close = "}\n", section = "application: {";
        std::string with = text;
        with.insert(with.find(close, with.find(section)), ", bugs: p.bugs");
        return folder.read(with);
    }
    void run(const std::string& entries, const std::string& text = watched) {
        what = scenario(entries, text);
        oracle::run_session(what, result);
        planted = oracle::planted_json(what, result);
    }
    tmon_detrek::Verdict verdict() const { return tmon_detrek::report_detrek(*result.observed.trace, what.farm, {}).verdict; }
    std::string visible(std::size_t strike = 0) const { return planted[0]["strikes"][strike]["visible"]["verdict"]; }

    ScenarioFolder folder;
    scenario::Scenario what;
    oracle::SessionResult result;
    nlohmann::ordered_json planted;
};

}  // namespace

TEST_F(BugSession, IsTheSameRunWhenNothingStrikes) {
    const auto with = scenario("{kind: early-end, task: 5, process: compute, occurrence: 2}"), without = folder.read(watched);
    const auto a = run_apart(with), b = run_apart(without);
    ASSERT_TRUE(a && b);
    EXPECT_EQ(a->hash(), b->hash());
    EXPECT_EQ(a->modelled_ps, b->modelled_ps);
}

TEST_F(BugSession, RepeatsWhatAProbabilityDecidesWithTheSameSeedOnly) {
    const auto once = scenario("{kind: never-sent, task: any, process: compute, probability: 0.3}");
    auto other = once;
    other.seed = once.seed + 1;
    const auto a = run_apart(once), b = run_apart(once), c = run_apart(other);
    ASSERT_TRUE(a && b && c);
    EXPECT_EQ(a->hash(), b->hash());
    EXPECT_NE(a->results, 40U);
    EXPECT_NE(a->results, 0U);
    EXPECT_NE(a->hash(), c->hash());
}

TEST_F(BugSession, SurvivesAResultThatIsSentTwice) {
    run("{kind: duplicated, task: 5, process: compute}");
    EXPECT_TRUE(result.simulated.farm.finished);
    EXPECT_EQ(result.simulated.tasks.completed, 40U);
    EXPECT_EQ(result.simulated.tasks.unexpected, 1U);
    EXPECT_EQ(visible(), "likely");
}

TEST_F(BugSession, GivesTheReceiverAnUnexpectedTasksResultForOneThatItExpects) {
    run("{kind: unexpected, task: 5, process: generate}");
    EXPECT_TRUE(result.simulated.farm.finished);
    EXPECT_EQ(result.simulated.tasks.issued, 41U);
    EXPECT_EQ(visible(), "likely");
    EXPECT_NE(verdict().kind, tmon_detrek::VerdictKind::Certain);
}

TEST_F(BugSession, StopsATaskWhoseMessageSaysAnotherSizeAtTheNeighbour) {
    run("{kind: wrong-size, task: 5, process: generate, bytes: 3}");
    EXPECT_FALSE(result.simulated.farm.finished);
    ASSERT_EQ(result.truth.dropped_count(), 1U);
    EXPECT_STREQ(result.truth.dropped()[0].why, "a size that differs from the data");
    EXPECT_EQ(result.truth.results_at_manager(), 39U);
    EXPECT_EQ(visible(), "likely");
}

TEST_F(BugSession, SendsATaskAfterTheNextOne) {
    run("{kind: wrong-order, task: 5, process: generate}");
    EXPECT_TRUE(result.simulated.farm.finished);
    std::vector<std::uint32_t> sent;
    for (const auto& event : result.truth.events()) {
        if (event.node == 0 && event.kind == trace_record::EventKind::Send) sent.push_back(event.task);
    }
    EXPECT_EQ(std::vector<std::uint32_t>(sent.begin() + 4, sent.begin() + 8), (std::vector<std::uint32_t>{4, 6, 5, 7}));
    EXPECT_EQ(visible(), "none");
}

TEST_F(BugSession, SaysWhichProcessOfWhichNodeIsNotThere) {
    run("{kind: never-started, process: compute, node: n6}");
    EXPECT_FALSE(result.simulated.farm.finished);
    const std::string text = oracle::standing_text(result);
    EXPECT_THAT(text, HasSubstr("n6: comp_fn() is not there, and task "));
    EXPECT_THAT(text, HasSubstr("n0: result_receiver() waits for a result, has taken "));
    EXPECT_EQ(planted[0]["struck"], 1);
}

TEST_F(BugSession, SaysInWhichTaskAProcessStays) {
    run("{kind: waits-for-ever, task: 5, process: compute}");
    EXPECT_THAT(oracle::standing_text(result), HasSubstr("comp_fn() is in task 5\n"));
    const tmon_detrek::Verdict found = verdict();
    EXPECT_EQ(tmon_detrek::verdict_kind_name(found.kind), visible());
    EXPECT_EQ(found.task, 5U);
}

TEST_F(BugSession, AsksForOneResultMoreThanThereAre) {
    run("{kind: waits-for-ever, task: 5, process: post-process}");
    EXPECT_FALSE(result.simulated.farm.finished);
    EXPECT_EQ(result.truth.results_at_manager(), 40U);
    EXPECT_THAT(oracle::standing_text(result),
                HasSubstr("n0: result_receiver() waits for a result, has taken 40 of 40 results"));
}

TEST_F(BugSession, SkipsAResult) {
    run("{kind: never-sent, task: 5, process: post-process}");
    EXPECT_FALSE(result.simulated.farm.finished);
    EXPECT_EQ(result.truth.results_at_manager(), 40U);
}

TEST_F(BugSession, MakesATaskSlow) {
    const auto slow = run_apart(scenario("{kind: slow, task: 39, process: compute, factor: 100}")),
               plain_run = run_apart(folder.read(watched));
    ASSERT_TRUE(slow && plain_run);
    EXPECT_TRUE(slow->finished);
    EXPECT_GT(slow->modelled_ps - plain_run->modelled_ps, 10'000'000'000);  // 99 times 140 us, most of it at the end
}

TEST_F(BugSession, ChangesAResultThatNobodySees) {
    run("{kind: wrong-result, task: 5, process: compute, bytes: 2}", program);
    EXPECT_TRUE(result.simulated.farm.finished);
    EXPECT_EQ(visible(), "none");
    EXPECT_THAT(std::string(planted[0]["strikes"][0]["detail"]), HasSubstr("inverted 2 of "));
    EXPECT_EQ(verdict().kind, tmon_detrek::VerdictKind::None);
}

TEST_F(BugSession, WritesWildlyIntoABlockOfTheNode) {
    run("{kind: wild-write, task: 5, process: compute, bytes: 8}");
    EXPECT_TRUE(result.simulated.farm.finished);
    EXPECT_THAT(std::string(planted[0]["strikes"][0]["detail"]), HasSubstr("block 1 of 1: inverted "));
    EXPECT_EQ(visible(), "none");
}

TEST_F(BugSession, FindsABugOfAJoin) {
    run("{kind: early-end, task: 5-39, process: join, occurrence: 1}", divided);
    EXPECT_FALSE(result.simulated.farm.finished);
    ASSERT_EQ(planted[0]["struck"], 1);
    EXPECT_NE(visible(), "none");
    EXPECT_THAT(oracle::standing_text(result), HasSubstr("join_fn() is not there, and had task "));
}

TEST_F(BugSession, NamesWhatNeverStruck) {
    run("{kind: early-end, task: 5, process: compute, occurrence: 2}");
    EXPECT_THAT(oracle::bugs_text(what, result), HasSubstr("  1 early-end in compute of task 5, time 2 only: never struck\n"));
    EXPECT_EQ(planted[0]["struck"], 0);
}

TEST_F(BugSession, PlantsBugsOfADatFileByTheirId) {
    folder.write("plain.dat",
                 "0  20 10 0  140 1000 0  10 10 0  100 10 0  100 10 0\n5  20 10 6  140 1000 0  10 10 0  100 10 0  100 10 0\n"
                 "6  20 10 0  140 1000 0  10 10 0  100 10 0  100 10 0\n");
    what = folder.read(watched);
    oracle::run_session(what, result);
    planted = oracle::planted_json(what, result);
    EXPECT_TRUE(result.simulated.farm.finished);
    EXPECT_EQ(result.simulated.tasks.unexpected, 1U);
    EXPECT_EQ(planted[0]["from"], "task description file");
    EXPECT_EQ(planted[0]["struck"], 1);
}

// The moves of a bundle do not say which of its tasks it had, so the account asks the manager.
TEST_F(BugSession, InABundleTheTaskThatWasNeverSentIsTheOneThatIsMissing) {
    run("{kind: slow, task: 0, process: compute, factor: 2}, {kind: never-sent, task: 3, process: compute}",
        replaced(watched, "tasks: 40}", "tasks: 40, granularity: 5}"));
    const oracle::Conservation account = oracle::account_for_tasks(what, result);
    ASSERT_EQ(account.unfinished.size(), 1U);
    EXPECT_EQ(account.unfinished[0].task, 3U);
    EXPECT_THAT(account.unfinished[0].text, HasSubstr("never-sent"));
}

TEST_F(BugSession, OfATaskThatIsNotTheFirstOfItsBundleMessagesShowAsMuch) {
    run("{kind: early-end, task: 7, process: compute}", replaced(watched, "tasks: 40}", "tasks: 40, granularity: 5}"));
    EXPECT_NE(visible(), "none");
}

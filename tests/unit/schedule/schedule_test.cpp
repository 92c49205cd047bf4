// Choosing an unload sequence, on the second session of the thesis: 16 nodes, 1000 tasks, and task 500 crashes eight of them.
#include <schedule/schedule.hpp>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <oracle/session_result.hpp>
#include <schedule/loss_proof.hpp>
#include <trollius_hosted/multicomputer.hpp>

#include "scenario_folder.hpp"
#include "session_runs.hpp"

namespace schedule_cases {

namespace {

using scenario::Setting;
using schedule::LossProof;
using schedule::MonitorTrial;
using schedule::NoLoss;
using schedule::Schedule;
using session_test::ScenarioFolder;
using session_test::watched;
using testing::HasSubstr;

const std::string dc16_late = MAGICWIRE_SOURCE_DIR "/examples/thesis/dc16_late.yaml";

bool always(const char*, std::size_t, std::size_t) {
    return true;
}

scenario::Scenario dc16(const std::vector<Setting>& settings = {}) {
    return scenario::read_scenario(dc16_late, settings, {});
}

const MonitorTrial& chosen(const Schedule& schedule) {
    return schedule.series.trials.at(schedule.chosen.value());
}

// Stops the search after the constant sequences.
schedule::ScheduleProgress until_sequences_are_done() {
    return [](const char* step, std::size_t, std::size_t) {
        const std::string name = step;
        return name == "prediction" || name == "twin" || name == "sequences";
    };
}

std::optional<std::size_t> likely_one_that_loses(const Schedule& schedule) {
    for (std::size_t i = 0; i < schedule.series.trials.size(); ++i) {
        const MonitorTrial& trial = schedule.series.trials[i];
        if (!trial.certain && trial.taken_along() > 0 && trial.slow_down_percent <= schedule.limit_percent) return i;
    }
    return {};
}

// The trace figures of a whole run of the plan, from its own beginning.
struct TraceFigures {
    std::uint64_t made = 0, lost = 0, kept = 0, worst = 0;
    std::int64_t worst_ps = 0;
    double mean = 0;

    friend bool operator==(const TraceFigures&, const TraceFigures&) = default;
};

TraceFigures figures_of(const schedule::TraceExposure& e) {
    const auto* worst = e.worst();
    return {e.made, e.lost, e.kept, worst->worst, worst->worst_at.in_ps(), e.mean};
}

std::optional<TraceFigures> of_whole_run(const schedule::MonitorPlan& plan, const scenario::Scenario& scenario) {
    return test_support::in_child([&] {
        scenario::Scenario planned = plan.applied_to(scenario);
        schedule::TraceJournal journal;
        planned.monitor->watch = &journal;
        oracle::SessionResult result;
        oracle::run_session(planned, result, {.prepare = [&](trollius_hosted::Multicomputer& box) { journal.watch(box); }});
        return figures_of(schedule::exposure_of(journal.take_entries(), journal.ways(), {}));
    });
}

// n0 and one worker, with so few tasks that all is soon over.
const std::string two_nodes =
    session_test::replaced(watched, "nodes: 8, tree: binary, tasks: 40", "nodes: 2, tree: chain, tasks: 6");

// Tasks that are long enough to be measured for a prediction.
scenario::Scenario long_tasks(const ScenarioFolder& folder, const std::string& farm,
                              const std::vector<Setting>& settings = {}) {
    folder.write("plain.dat", "0  20 10 0  10000 1000 0  10 10 0  100 10 0  100 10 0\n");
    return folder.read(session_test::replaced(watched, "nodes: 8, tree: binary, tasks: 40", farm), settings);
}

// A farm that asks for more of its monitor than two records can hold.
const std::vector<Setting> little_room = {{"monitor.buffer", "1"}};

TEST(Schedule, KeepsALimitOnDc16WithTheFaultCertainAndLossesAsSaid) {
    const auto scenario = dc16();
    const Schedule schedule = schedule::compute_schedule(scenario, 30, 0, always);
    ASSERT_TRUE(schedule.chosen);
    EXPECT_LE(chosen(schedule).slow_down_percent, 30.0);
    EXPECT_TRUE(chosen(schedule).certain);
    EXPECT_EQ(chosen(schedule).exposure.lost, 0U);
    EXPECT_EQ(chosen(schedule).taken_along(), 0U);
    const auto check = schedule::check_schedule(scenario, schedule, always).value();
    EXPECT_EQ(check.slow_down_percent, chosen(schedule).slow_down_percent);
    EXPECT_EQ(check.lost, 0U);
    EXPECT_EQ(check.taken_along, 0U);
    EXPECT_EQ(check.records, chosen(schedule).exposure.made);
    EXPECT_TRUE(check.as_expected());
    EXPECT_THAT(check.verdict, HasSubstr("Certain: task 500 stopped in comp_fn()"));
    const auto no = [](const char*, std::size_t, std::size_t) { return false; };
    EXPECT_FALSE(schedule::check_schedule(scenario, schedule, no));  // and no process is left
    const std::string text = schedule::schedule_text(schedule, "magicwire run", &check);
    EXPECT_THAT(text, HasSubstr("As expected: the limit of 30 % is kept to result 500 of 1000, as far as run and twin"));
    EXPECT_THAT(text, HasSubstr("caution      the run and its twin have different numbers of results"));
    EXPECT_THAT(text, HasSubstr("the trace names a fault for certain"));
}

// Nodes die at another moment than in the twin, and the run has less to do from then on.
TEST(Schedule, DoesNotJudgeALimitByARunThatDidLessThanItsTwin) {
    const auto scenario = scenario::read_scenario(MAGICWIRE_SOURCE_DIR "/examples/thesis/dc8.yaml",
                                                  {{"farm.tasks", "300"}, {"application.grain", "5ms"}}, {});
    const Schedule schedule = schedule::compute_schedule(scenario, 3, 0, until_sequences_are_done());
    ASSERT_TRUE(schedule.chosen);
    const auto check = schedule::check_schedule(scenario, schedule, always).value();
    ASSERT_TRUE(check.common.parted);
    ASSERT_LT(*check.slow_down_percent, 0.0);
    EXPECT_FALSE(check.limit_known());
    EXPECT_FALSE(check.as_expected());
    EXPECT_THAT(schedule::schedule_text(schedule, "", &check), HasSubstr("Not known: whether the limit of 3 % is kept"));
    const auto json = nlohmann::json::parse(schedule::schedule_json(schedule, "", &check));
    EXPECT_TRUE(json["run"]["limit_kept"].is_null());
}

// The losses of dead nodes are predicted record by record: here some are gone, and the analysis is not sure.
TEST(Schedule, CountsWhatTheFaultTakesAlongAsItThenComes) {
    const auto scenario = dc16();
    Schedule schedule = schedule::compute_schedule(scenario, 26, 0, until_sequences_are_done());
    schedule.chosen = likely_one_that_loses(schedule);
    ASSERT_TRUE(schedule.chosen);
    const auto check = schedule::check_schedule(scenario, schedule, always).value();
    EXPECT_GT(chosen(schedule).taken_along(), 0U);
    EXPECT_EQ(check.taken_along, chosen(schedule).taken_along());
    EXPECT_TRUE(check.as_expected());
    EXPECT_THAT(check.verdict, testing::StartsWith("Likely: "));
    // A promise that does not come true is reported.
    schedule.series.trials[*schedule.chosen].certain = true;
    ++schedule.series.trials[*schedule.chosen].exposure.kept;
    const auto other = schedule::check_schedule(scenario, schedule, always).value();
    EXPECT_FALSE(other.loss_as_expected);
    EXPECT_FALSE(other.verdict_as_expected);
    EXPECT_THAT(schedule::schedule_text(schedule, "", &other),
                HasSubstr("the verdict is less certain than in the search; more or fewer records were lost than expected"));
}

TEST(Schedule, KeepsFivePercentOnDc16WithTasksThatAreLongEnoughWithTheFaultNamed) {
    const ScenarioFolder folder;
    const std::string rest = "  10 10 0  100 10 0  100 10 0\n";
    folder.write("long.dat",
                 "0  20 10 0  14000 1000 0" + rest + "250  20 10 0  14000 1000 4" + rest + "251  20 10 0  14000 1000 0" + rest);
    const std::string source = MAGICWIRE_SOURCE_DIR;
    const auto scenario =
        folder.read("version: 1\nname: dc16_long\nmachine: " + source +
                        "/topologies/machines/btree_16.yaml\nfarm: {spec: " + source + "/examples/thesis/dc16.spf}\n" +
                        "application: {tasks: long.dat, task_bytes: 472, result_bytes: 472}\n"
                        "monitor: {unload: [[230ms, 32, 32], [1000s, 256, 256]]}\n",
                    {{"farm.tasks", "260"}});
    const Schedule schedule = schedule::compute_schedule(scenario, 5, 0, always);
    ASSERT_TRUE(schedule.chosen);
    const auto check = schedule::check_schedule(scenario, schedule, always).value();
    EXPECT_LT(check.slow_down_percent, 5.0);
    EXPECT_EQ(check.lost, 0U);
    EXPECT_EQ(check.taken_along, 0U);
    EXPECT_TRUE(check.as_expected());
    EXPECT_THAT(check.verdict, HasSubstr("task 250 stopped"));
}

// Its tasks take half a millisecond of eight nodes: probes and meter alone are more than that.
TEST(Schedule, SaysThatFivePercentCannotBeKeptOnDc16AndWhatCan) {
    const Schedule schedule = schedule::compute_schedule(dc16(), 5, 0, always);
    EXPECT_FALSE(schedule.chosen);
    ASSERT_TRUE(schedule.cheapest);
    const double least = *schedule.series.trials[*schedule.cheapest].slow_down_percent;
    EXPECT_GT(least, 5.0);
    EXPECT_LT(least, 8.0);
    EXPECT_THAT(schedule::schedule_text(schedule, "", nullptr), HasSubstr("keeps the slow-down within 5 %: the least is"));
}

TEST(Schedule, PutsUnloadingOffWhereALimitAllowsOnlyPartOfIt) {
    const Schedule schedule = schedule::compute_schedule(dc16(), 15, 0, always);
    ASSERT_TRUE(schedule.chosen);
    EXPECT_EQ(chosen(schedule).plan.commands.size(), 2U);
    EXPECT_LE(chosen(schedule).slow_down_percent, 15.0);
    // It loses less than any sequence without a delay that keeps the limit.
    for (const MonitorTrial& trial : schedule.series.trials) {
        const bool rival = trial.plan.commands.size() == 1 && trial.slow_down_percent && *trial.slow_down_percent <= 15.0;
        if (!rival) continue;
        EXPECT_LT(chosen(schedule).missing(), trial.missing());
    }
}

TEST(Schedule, OfAFarmThatIsCutShortSaysThatItIsOnlyLikely) {
    const ScenarioFolder folder;
    const auto scenario = folder.read(watched, {{"farm.tasks", "300"}});
    const Schedule schedule = schedule::compute_schedule(scenario, 100, 60, always);
    ASSERT_TRUE(schedule.chosen);
    EXPECT_TRUE(chosen(schedule).cut);
    EXPECT_LT(chosen(schedule).results, 100U);
    const auto check = schedule::check_schedule(scenario, schedule, always).value();
    EXPECT_GT(check.records, 2 * chosen(schedule).exposure.made);
    EXPECT_TRUE(check.loss_as_expected);
    EXPECT_THAT(schedule::schedule_text(schedule, "", &check), HasSubstr("likely, from the part that was run"));
}

// Plans that begin alike run once from their common beginning; each runs alone only from the moment where it differs.
TEST(Schedule, WhatBranchesOffARunIsTheWholeRun) {
    const auto scenario = dc16();
    const Schedule schedule = schedule::compute_schedule(scenario, 26, 0, always);
    std::vector<const MonitorTrial*> branches;
    for (const MonitorTrial& trial : schedule.series.trials)
        if (trial.plan.commands.size() > 1) branches.push_back(&trial);
    ASSERT_GT(branches.size(), 60U);  // delays, and moments before the fault
    for (std::size_t i = 0; i < branches.size(); i += 12) {
        const MonitorTrial& trial = *branches[i];
        ASSERT_EQ(trial.failure, "");
        EXPECT_EQ(of_whole_run(trial.plan, scenario), figures_of(trial.exposure)) << trial.plan.setting_text();
    }
}

TEST(Schedule, PredictsHowFastBuffersFillBeforeAnyRunOfTheFarm) {
    const ScenarioFolder folder;
    for (const char* farm : {"nodes: 8, tree: binary, tasks: 300", "nodes: 8, tree: binary, tasks: 400, granularity: 2",
                             "nodes: 8, tree: binary, tasks: 300, degree: 2, depth: 5"}) {
        const Schedule schedule = schedule::compute_schedule(long_tasks(folder, farm), 1000, 0, until_sequences_are_done());
        EXPECT_EQ(schedule.series.forecast.refused, "");
        ASSERT_FALSE(schedule.series.fill.empty());
        for (const auto& fill : schedule.series.fill) {
            ASSERT_TRUE(fill.predicted_per_ms && fill.predicted_full_after_ms) << farm;
            EXPECT_NEAR(*fill.predicted_per_ms / fill.per_ms, 1.0, 0.05) << farm << " n" << fill.node;
            EXPECT_NEAR(*fill.predicted_full_after_ms * *fill.predicted_per_ms, 256.0, 1e-6);
        }
        ASSERT_TRUE(schedule.series.forecast.predicted_bound);
        const double bound = static_cast<double>(*schedule.series.forecast.predicted_bound);
        EXPECT_NEAR(bound, static_cast<double>(schedule.series.forecast.measured_bound), 1.0) << farm;
        EXPECT_THAT(schedule::schedule_text(schedule, "", nullptr), HasSubstr("records/ms: predicted"));
    }
}

// A receive is a call, a partner and a message for the library; a send is a call and a message. So five records come where
// tasks have two.
TEST(Schedule, PredictsTheClassesThatFollowFromTasksAndNamesTheOthers) {
    const ScenarioFolder folder;
    const auto scenario = long_tasks(folder, "nodes: 8, tree: binary, tasks: 300", {{"monitor.events", "task+message+user"}});
    const Schedule schedule = schedule::compute_schedule(scenario, 1000, 0, until_sequences_are_done());
    for (const auto& fill : schedule.series.fill)
        EXPECT_NEAR(*fill.predicted_full_after_ms * *fill.predicted_per_ms, 256.0 / 3.5, 1e-6);
    EXPECT_EQ(schedule.series.forecast.left_out, "user");
    EXPECT_THAT(schedule::schedule_text(schedule, "", nullptr), HasSubstr("not in the prediction: events of class user"));
}

// Tasks of 140 us are too short for the runs that a prediction measures.
TEST(Schedule, WithoutAPredictionSaysSoAndGoesByTheTwin) {
    const Schedule schedule = schedule::compute_schedule(dc16(), 30, 0, until_sequences_are_done());
    EXPECT_THAT(schedule.series.forecast.refused, HasSubstr("the cost of a task could not be measured"));
    EXPECT_FALSE(schedule.series.forecast.predicted_bound);
    EXPECT_TRUE(schedule.chosen);
    const std::string text = schedule::schedule_text(schedule, "", nullptr);
    EXPECT_THAT(text, HasSubstr("fill         measured only, there is no prediction: the cost of a task"));
    EXPECT_THAT(text, HasSubstr("first bound  244 by the twin"));
}

TEST(Schedule, WithoutAMonitorThereIsNothingToChoose) {
    const ScenarioFolder folder;
    try {
        schedule::compute_schedule(folder.read(session_test::plain), 5, 0, always);
        FAIL() << "no InputError was thrown";
    } catch (const vocabulary::InputError& error) {
        EXPECT_EQ(
            folder.without_folder(error.what()),
            "s.yaml: the scenario is not monitored, so there is nothing to choose; give it a 'monitor:', or set one: --set "
            "monitor.unload=1000s/8/32");
    }
}

TEST(Schedule, WithoutAClassOfEventsThereIsNothingToChoose) {
    const ScenarioFolder folder;
    try {
        schedule::compute_schedule(folder.read(session_test::plain + "monitor: {unload: [[1000s, 8, 32]], events: []}\n"), 5, 0,
                                   always);
        FAIL() << "no InputError was thrown";
    } catch (const vocabulary::InputError& error) {
        EXPECT_EQ(folder.without_folder(error.what()),
                  "s.yaml: the scenario asks for no class of events; give it some: --set monitor.events=task");
    }
}

TEST(Schedule, KeepsWhatWasTriedWhenItIsInterrupted) {
    const ScenarioFolder folder;
    const Schedule schedule = schedule::compute_schedule(
        folder.read(watched), 1000, 0,
        [](const char* step, std::size_t done, std::size_t) { return step != std::string("sequences") || done < 3; });
    EXPECT_TRUE(schedule.series.interrupted);
    EXPECT_TRUE(schedule.chosen);
    EXPECT_THAT(schedule::schedule_text(schedule, "", nullptr), HasSubstr("interrupted"));
}

TEST(NoLoss, FindsASequenceThatGivesUpNothingForWantOfRoom) {
    const NoLoss answer = schedule::compute_no_loss(dc16(), 0, always);
    ASSERT_TRUE(answer.without_overflow && answer.least_exposed);
    const auto& trials = answer.series.trials;
    EXPECT_EQ(trials[*answer.without_overflow].exposure.lost, 0U);
    EXPECT_LE(trials[*answer.least_exposed].exposure.worst()->worst, trials[*answer.without_overflow].exposure.worst()->worst);
    EXPECT_FALSE(answer.least_buffer);
    const auto& stay = trials[*answer.least_exposed].exposure.shortest_stay;
    ASSERT_TRUE(stay);
    EXPECT_GT(*stay, vocabulary::SimTime());
    const std::string text = schedule::no_loss_text(answer, "");
    EXPECT_THAT(text, HasSubstr("a sequence that loses nothing exists"));
    EXPECT_THAT(text, HasSubstr("Up to a crash of any node at any time: none exists. Certain:"));
    EXPECT_THAT(text, HasSubstr("A crash in a user's function: of"));
}

TEST(NoLoss, FindsTheLeastBufferAndARunWithItLosesNothing) {
    const ScenarioFolder folder;
    const NoLoss answer = schedule::compute_no_loss(folder.read(watched, little_room), 0, always);
    EXPECT_FALSE(answer.without_overflow);
    ASSERT_TRUE(answer.least_buffer);
    EXPECT_GT(*answer.least_buffer, 1U);
    // Each manager decides more often before its first loss than can be followed.
    ASSERT_TRUE(answer.one_less);
    EXPECT_EQ(answer.one_less->buffer, *answer.least_buffer - 1);
    EXPECT_GT(answer.one_less->least_lost, 0U);
    EXPECT_EQ(answer.one_less->proof.outcome, LossProof::Outcome::TooLong);
    EXPECT_THAT(schedule::no_loss_text(answer, ""),
                HasSubstr("  One record less: Not known whether one exists with monitor.buffer="));
    const auto scenario = answer.with_least_buffer->plan.applied_to(
        folder.read(watched, {{"monitor.buffer", std::to_string(*answer.least_buffer)}}));
    const auto lost = test_support::in_child([&] {
        oracle::SessionResult result;
        oracle::run_session(scenario, result);
        std::uint64_t dropped = 0;
        for (const auto& node : result.simulated.nodes) dropped += node.ledger.dropped;
        return dropped;
    });
    EXPECT_EQ(lost, 0U);
    EXPECT_EQ(nlohmann::json::parse(schedule::no_loss_json(answer, ""))["least_buffer"], *answer.least_buffer);
    EXPECT_THAT(schedule::no_loss_text(answer, ""), HasSubstr("Smallest buffer found that loses nothing: monitor.buffer="));
}

TEST(NoLoss, OfBuffersOfOneRecordProvesThatEverySequenceLoses) {
    const ScenarioFolder folder;
    const NoLoss answer = schedule::compute_no_loss(folder.read(two_nodes, little_room), 0, always);
    EXPECT_FALSE(answer.without_overflow);
    ASSERT_TRUE(answer.excluded);
    EXPECT_TRUE(answer.excluded->proof.every_sequence_loses());
    EXPECT_GT(answer.excluded->proof.followed, 1U);
    EXPECT_TRUE(answer.excluded->all_constant);
    EXPECT_EQ(answer.excluded->tried, 6U);  // 0 <= lower <= upper <= 2
    EXPECT_EQ(answer.least_buffer, 2U);
    ASSERT_TRUE(answer.one_less);
    EXPECT_TRUE(answer.one_less->proof.every_sequence_loses());
    const std::string text = schedule::no_loss_text(answer, "");
    EXPECT_THAT(text, HasSubstr("Certain: none exists with monitor.buffer=1. Whatever the managers decide, a record is lost"));
    EXPECT_THAT(text, HasSubstr("  One record less: Certain: none exists with monitor.buffer=1."));
    const auto json = nlohmann::json::parse(schedule::no_loss_json(answer, ""));
    EXPECT_EQ(json["one_record_less"]["sure"], "certain");
}

TEST(NoLoss, ProvesNothingWhereASequenceLosesNothing) {
    const ScenarioFolder folder;
    const auto scenario = folder.read(two_nodes, {{"monitor.buffer", "2"}});
    const NoLoss answer = schedule::compute_no_loss(scenario, 0, always);
    ASSERT_TRUE(answer.without_overflow);
    EXPECT_FALSE(answer.excluded);
    EXPECT_EQ(answer.series.trials.size(), 15U);
    EXPECT_EQ(schedule::prove_loss(scenario, 0, [] { return true; }).outcome, LossProof::Outcome::WithoutLoss);
}

TEST(MonitorPlan, IsWrittenAsTheThesisReadsIt) {
    const schedule::MonitorPlan plan{
        {{315200, 32, 40, {}}, {1'000'000'000, 0, 0, {}}},
        trace_record::ClassSet::of(trace_record::EventClass::Task, trace_record::EventClass::User)};
    EXPECT_EQ(plan.sequence_text(), "315200 32 40\n1000000000 0 0\n");
    EXPECT_EQ(plan.setting_text(), "315200us/32/40,1000000000us/0/0");
    EXPECT_EQ(plan.classes_text(), "task+user");
    EXPECT_EQ(instrumentation::UnloadSequence::parse(plan.sequence_text(), "s").commands().size(), 2U);
}

TEST(ScheduleDeathTest, IsCheckedWhenAPlanWasChosen) {
    EXPECT_DEATH(schedule::check_schedule(dc16(), Schedule(), always), "schedule.check");
}

}  // namespace

}  // namespace schedule_cases

// The predictions of the formulas against the modelled machine.
#include <oracle/session_result.hpp>
#include <prediction/predict.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>

#include <prediction/resolve_tree.hpp>
#include <topologies/shapes.hpp>
#include <topologies/ubc_machine.hpp>

#include "child_process.hpp"
#include "scenario_folder.hpp"

namespace predict_cases {

using farm_spec::TreeKind;
using scenario::Scenario;
using session_test::plain;
using session_test::ScenarioFolder;
using test_support::in_child;
using vocabulary::NodeId;

namespace {

Scenario farm_of(const std::string& shape, std::uint32_t nodes, std::uint32_t tree, std::uint64_t te_us, std::uint32_t tasks) {
    const ScenarioFolder folder;
    Scenario scenario = folder.read(plain);
    scenario.machine = shape == "ubc:75" ? topologies::ubc_machine() : topologies::make_shape(shape, {.gateway = true});
    scenario.farm = {.nodes = nodes, .tree = static_cast<TreeKind>(tree), .tasks = tasks};
    scenario.best_tree = scenario.farm.tree == TreeKind::Given;
    trek_kernel::TaskDescription task{};
    task.segments[static_cast<std::size_t>(trek_kernel::UserProcess::Compute)].time_us = te_us;
    scenario.tasks = {};
    scenario.tasks.set(0, task);
    scenario.sizes = {100, 100};
    return scenario;
}

instrumentation::UnloadSequence eager() {
    return instrumentation::UnloadSequence(std::vector<instrumentation::UnloadCommand>{{1'000'000'000, 0, 0, {}}});
}

struct Seen {
    double rate, start_up, total, tasks_of_n1;
};

Seen run(const Scenario& scenario) {
    return in_child([&] {
               oracle::SessionResult result;
               oracle::run_session(scenario, result);
               const auto seen = oracle::measured(scenario, result);
               return Seen{seen.tasks_per_second.value_or(0), seen.start_up_s.value_or(0), seen.total_s.value_or(0),
                           seen.tasks_of_node[1]};
           })
        .value_or(Seen{});
}

struct Case {
    const char* name;
    const char* shape;
    std::uint32_t nodes, tree;
    std::uint64_t te_us;
    std::uint32_t tasks, buffers, granularity;
    bool monitored;
    friend void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
};
class Rate : public testing::TestWithParam<Case> {};

}  // namespace

// campaigns/predictions.yaml has fifty of them.
TEST_P(Rate, IsPredictedWithinThreePerCent) {
    const Case& c = GetParam();
    Scenario scenario = farm_of(c.shape, c.nodes, c.tree, c.te_us, c.tasks);
    scenario.farm.buffers = c.buffers;
    scenario.farm.granularity = c.granularity;
    if (c.monitored) {
        scenario.monitor.emplace().unload =
            instrumentation::UnloadSequence(std::vector<instrumentation::UnloadCommand>{{10'000'000'000, 64, 128, {}}});
    }
    scenario = prediction::with_tree(scenario);
    const auto prediction = prediction::predict(scenario);
    const Seen seen = run(scenario);
    std::printf("%s: predicted %.1f tasks/s, run %.1f\n", c.name, prediction.tasks_per_second, seen.rate);
    EXPECT_NEAR(prediction.tasks_per_second / seen.rate, 1, 0.03);
    EXPECT_NEAR(prediction.total_s / seen.total, 1, 0.04);
    EXPECT_NEAR(prediction.tasks_of_node[1], seen.tasks_of_n1, 0.05 * seen.tasks_of_n1 + 0.01 * c.tasks);
}
INSTANTIATE_TEST_SUITE_P(Farms, Rate,
                         testing::Values(Case{"chain_4", "chain:5", 5, 1, 10'000, 1000, 1, 1, false},
                                         Case{"chain_16_short_of_buffers", "chain:17", 17, 1, 2'000, 2400, 1, 1, false},
                                         Case{"binary_15", "tree:2:16", 16, 2, 2'000, 2000, 2, 1, false},
                                         Case{"binary_31_full_of_passing_on", "tree:2:32", 32, 2, 2'000, 6000, 1, 1, false},
                                         Case{"ternary_13", "tree:3:14", 14, 3, 20'000, 1500, 4, 1, false},
                                         Case{"bundles_of_10", "tree:2:8", 8, 2, 200, 15'000, 2, 10, false},
                                         Case{"chain_8_monitored", "chain:9", 9, 1, 10'000, 2400, 1, 1, true},
                                         Case{"best_of_a_mesh", "mesh:4x4", 16, 4, 5'000, 2400, 1, 1, false}));

TEST(Predict, SaysWhenTheLastWorkerBegins) {
    const Scenario scenario = farm_of("tree:2:16", 16, 2, 10'000, 300);
    const double predicted = prediction::predict(scenario).start_up_s;
    EXPECT_NEAR(predicted / run(scenario).start_up, 1, 0.1);
}

TEST(Predict, IsTheSameEachTime) {
    const Scenario scenario = farm_of("chain:5", 5, 1, 1'000, 300);
    const auto one = prediction::predict(scenario), other = prediction::predict(scenario);
    EXPECT_EQ(one.tasks_per_second, other.tasks_per_second);
    EXPECT_EQ(one.tasks_of_node, other.tasks_of_node);
}

TEST(Predict, KnowsDivideAndConquer) {
    Scenario scenario = farm_of("tree:2:8", 8, 2, 10'000, 400);
    scenario.farm.degree = 2;
    scenario.farm.depth = 2;
    const double predicted = prediction::predict(scenario).tasks_per_second;
    EXPECT_NEAR(predicted / run(scenario).rate, 1, 0.03);
}

TEST(Predict, NamesTheFarthestWorkerWhereTasksAreTooLongOnTheirWay) {
    const auto prediction = prediction::predict(farm_of("chain:17", 17, 1, 2'000, 2400));
    EXPECT_EQ(prediction.critical_node, NodeId(16));
    EXPECT_TRUE(prediction.caveats.empty()) << "the pilot has the figure";
}

// The tasks are so short that the second worker of a chain gets none. The cost of passing one on cannot be seen, and is not
// made up. The farm itself can be run.
TEST(Predict, HasThePilotAloneWhereTasksAreTooShortToBeMeasured) {
    const auto scenario = scenario::read_scenario(MAGICWIRE_SOURCE_DIR "/examples/thesis/dc8.yaml", {{"farm.degree", "1"}}, {});
    const auto prediction = prediction::predict(scenario);
    ASSERT_TRUE(prediction.pilot);
    EXPECT_NE(prediction.pilot->formulas_refuse.find("the cost of a task could not be measured"), std::string::npos);
    EXPECT_EQ(prediction.pilot->tasks, 100U) << "without the bug of task 49";
    EXPECT_GT(prediction.tasks_per_second, 0);
}

namespace {

void predicts_within_three_per_cent(const Scenario& scenario, const char* what) {
    const auto prediction = prediction::predict(scenario);
    const Seen seen = run(scenario);
    EXPECT_NEAR(prediction.tasks_per_second / seen.rate, 1, 0.03) << what;
    EXPECT_NEAR(prediction.total_s / seen.total, 1, 0.03) << what;
    EXPECT_TRUE(prediction.caveats.empty()) << what << ": " << prediction.caveats.front();
}

}  // namespace

// Effects that the formulas miss. There are 30 000 tasks, so that the pilot is a part of the run.
TEST(Predict, KnowsWhatTheFormulasDoNotByItsPilot) {
    Scenario scenario = farm_of("tree:2:8", 8, 2, 1'000, 30'000);
    scenario.sizes = {300, 1500};
    predicts_within_three_per_cent(scenario, "results longer than tasks");

    scenario = farm_of("tree:2:8", 8, 2, 1'000, 30'000);
    trek_kernel::TaskDescription task = scenario.tasks.of(0);
    task.segments[static_cast<std::size_t>(trek_kernel::UserProcess::PostProcess)].time_us = 3'000;
    scenario.tasks.set(0, task);
    predicts_within_three_per_cent(scenario, "a slow receiver");

    scenario = farm_of("mesh:3x4", 12, 4, 300, 30'000);
    scenario = prediction::with_tree(scenario);
    predicts_within_three_per_cent(scenario, "several branches, and links that are full");
    scenario.farm.policy = farm_spec::Policy::Priorities;
    predicts_within_three_per_cent(scenario, "priorities");
}

TEST(Predict, IsCautiousWhereTheRestOfTheTasksDiffers) {
    Scenario scenario = farm_of("chain:5", 5, 1, 200, 100'000);
    trek_kernel::TaskDescription longer = scenario.tasks.of(0);
    longer.segments[static_cast<std::size_t>(trek_kernel::UserProcess::Compute)].time_us = 400;
    scenario.tasks.set(50'000, longer);
    const auto prediction = prediction::predict(scenario);
    ASSERT_FALSE(prediction.caveats.empty());
    EXPECT_NE(prediction.caveats[0].find("its tasks differ, and only the first"), std::string::npos) << prediction.caveats[0];
}

namespace {

void set_from(Scenario& scenario, std::uint32_t task, trek_kernel::UserProcess process, std::uint64_t time_us) {
    trek_kernel::TaskDescription other = scenario.tasks.of(task);
    other.segments[static_cast<std::size_t>(process)].time_us = time_us;
    scenario.tasks.set(task, other);
}

}  // namespace

// The rate is that of the tasks in the middle, and the total that of all.
TEST(Predict, KnowsTheTasksAtTheEnd) {
    Scenario scenario = farm_of("chain:4", 4, 1, 1'000, 10'000);
    set_from(scenario, 9'500, trek_kernel::UserProcess::Compute, 50'000);
    predicts_within_three_per_cent(scenario, "the last of 10 000 tasks are longer");
    EXPECT_LE(prediction::predict(scenario).speed_up, 3) << "rate and time of a task are of the same tasks";

    scenario = farm_of("chain:4", 4, 1, 1'000, 10'000);
    set_from(scenario, 9'999, trek_kernel::UserProcess::Compute, 5'000'000);
    predicts_within_three_per_cent(scenario, "one task at the end");

    scenario = farm_of("chain:4", 4, 1, 1'000, 10'000);
    set_from(scenario, 9'000, trek_kernel::UserProcess::PostProcess, 20'000);
    predicts_within_three_per_cent(scenario, "the receiver is slow at the end");
}

// 100 000 tasks, of which a pilot looks at 40 000 at most.
TEST(Predict, IsCautiousWhereTheTasksAtTheEndDiffer) {
    for (const std::uint32_t first_longer : {95'000U, 99'999U}) {
        Scenario scenario = farm_of("chain:4", 4, 1, 1'000, 100'000);
        set_from(scenario, first_longer, trek_kernel::UserProcess::Compute, first_longer == 95'000 ? 50'000 : 9'000'000);
        const auto prediction = prediction::predict(scenario);
        ASSERT_EQ(prediction.caveats.size(), 1U);
        EXPECT_EQ(prediction.caveats[0], "the tasks after the first 40000 differ from these, so the total may");
        EXPECT_NEAR(prediction.total_s / run(scenario).total, 1, 0.05) << "the table says how much longer they are";
        EXPECT_LE(prediction.speed_up, 3);
    }
}

TEST(Predict, SaysNothingOfAFewTasksThatDifferButDoNotCount) {
    Scenario scenario = farm_of("chain:4", 4, 1, 1'000, 100'000);
    set_from(scenario, 99'990, trek_kernel::UserProcess::Compute, 2'000);
    predicts_within_three_per_cent(scenario, "ten tasks of twice the length");
}

TEST(ResolveTree, FindsOneWhereEveryRecordLeavesAtOnce) {
    for (const std::uint64_t te_us : {0U, 100U, 1'000U, 10'000U}) {
        Scenario scenario = farm_of("mesh:3x4", 12, 4, te_us, 300);
        scenario.monitor.emplace().unload = eager();
        EXPECT_NO_THROW(scenario = prediction::with_tree(scenario)) << te_us;
        EXPECT_GT(scenario.farm.members().size(), 1U);
    }
}

TEST(Predict, ComparesTopologiesAndRefusesUnknownOnes) {
    const Scenario scenario = farm_of("chain:9", 9, 1, 10'000, 300);
    const auto costs = prediction::predict(scenario).costs;
    const auto on = prediction::predict_topologies(scenario, {"chain", "binary", "best"}, costs);
    ASSERT_EQ(on.size(), 3U);
    EXPECT_TRUE(on[0].wired);
    EXPECT_FALSE(on[1].wired);
    EXPECT_GT(on[1].prediction.tasks_per_second, on[0].prediction.tasks_per_second);
    EXPECT_DOUBLE_EQ(on[2].prediction.tasks_per_second, on[0].prediction.tasks_per_second) << "a chain has one tree";
    try {
        prediction::predict_topologies(scenario, {"binray"}, costs);
        FAIL();
    } catch (const vocabulary::InputError& error) {
        EXPECT_STREQ(
            error.what(),
            "--topologies binray: there is no topology 'binray', did you mean 'binary'?; topologies are chain, binary, "
            "ternary and best");
    }
}

TEST(ResolveTree, SetsTheSwitchesOfTheMachineOfTheThesis) {
    Scenario scenario = farm_of("ubc:75", 75, 4, 10'000, 3000);
    scenario = prediction::with_tree(scenario);
    EXPECT_FALSE(scenario.best_tree);
    EXPECT_EQ(scenario.farm.members().size(), 75U);
    EXPECT_EQ(scenario.farm.children(NodeId(0)).size(), 3U);
    EXPECT_NE(scenario.tree_choice.find("74 workers in 4 levels"), std::string::npos) << scenario.tree_choice;
    EXPECT_GT(run(scenario).rate, 0) << "the machine is wired as the tree wants";
}

TEST(ResolveTree, AsksForNoWorkerAsFastAsTheManager) {
    Scenario scenario = farm_of("ubc:75", 8, 4, 10'000, 100);
    scenario.machine.nodes.front().clock_hz = 30'000'000;
    scenario = prediction::with_tree(scenario);
    EXPECT_EQ(scenario.farm.members().size(), 8U);
    EXPECT_EQ(scenario.machine.nodes.front().clock_hz, 30'000'000);
}

TEST(ResolveTree, RefusesFaultsWhereItRenumbersTheNodes) {
    Scenario scenario = farm_of("ubc:75", 75, 4, 10'000, 3000);
    scenario.path = "s.yaml";
    scenario.faults.emplace();
    try {
        scenario = prediction::with_tree(scenario);
        FAIL();
    } catch (const vocabulary::InputError& error) {
        EXPECT_STREQ(
            error.what(),
            "s.yaml: tree: best sets the switches of a machine on which nothing is connected, and renumbers its nodes, so "
            "faults and reconfigurations have no fixed place; make the machine with 'magicwire topology solve'");
    }
}

TEST(ResolveTree, LeavesAGivenTreeAlone) {
    Scenario scenario = farm_of("chain:5", 5, 1, 10'000, 300);
    scenario = prediction::with_tree(scenario);
    EXPECT_EQ(scenario.farm.tree, TreeKind::Chain);
    EXPECT_TRUE(scenario.tree_choice.empty());
}

}  // namespace predict_cases

// The section `halo` of a scenario: a program of its own instead of a farm, its bugs, and the errors there.
#include <gmock/gmock.h>

#include "scenario_folder.hpp"

namespace {

using halo_kernel::BugKind;
using halo_kernel::Process;
using session_test::ScenarioFolder;
using testing::HasSubstr;
using vocabulary::NodeId;

class HaloSection : public testing::Test {
protected:
    static std::string with(const std::string& halo, const std::string& more = "") {
        return "version: 1\nname: h\nmachine: btree_8.yaml\nhalo: {" + halo + "}\n" + more;
    }
    std::string error(const std::string& halo, const std::string& more = "") const { return folder.error(with(halo, more)); }
    std::string bug_error(const std::string& bug) const { return error("tree: binary, steps: 5, bugs: [{" + bug + "}]"); }
    ScenarioFolder folder;
};

}  // namespace

TEST_F(HaloSection, TakesEveryNodeOfTheMachineInAChain) {
    const auto scenario = folder.read(with("steps: 5"));
    ASSERT_TRUE(scenario.halo);
    EXPECT_FALSE(scenario.farm.is_farm());
    EXPECT_EQ(scenario.farm.model, "halo");
    EXPECT_EQ(scenario.farm.nodes, 8U);
    EXPECT_EQ(scenario.farm.tree, farm_spec::TreeKind::Chain);
    EXPECT_EQ(scenario.farm.tasks, 6U) << "there is one exchange more than steps";
    EXPECT_EQ(scenario.farm.degree, 1U);
    EXPECT_EQ(scenario.farm.depth, 1U);
    EXPECT_EQ(scenario.halo->cells, 16U);
    EXPECT_EQ(scenario.halo->step, vocabulary::SimTime::ms(1));
    EXPECT_TRUE(scenario.halo->bugs.empty());
}

TEST_F(HaloSection, TakesATreeInWordsOrNodeByNode) {
    EXPECT_EQ(folder.read(with("tree: ternary, nodes: 7, steps: 5")).farm.nodes, 7U);
    const auto given = folder.read(with("tree: {n0: [1], n1: [2, 4]}, steps: 5")).farm;
    EXPECT_EQ(given.nodes, 5U);
    EXPECT_FALSE(given.has(NodeId(3)));
    EXPECT_THAT(error("tree: best, steps: 5"), HasSubstr("s.yaml:4:14: there is no tree 'best'"));
    EXPECT_THAT(error("tree: {n0: [1]}, nodes: 2, steps: 5"), HasSubstr("the tree names its nodes; leave 'nodes' out"));
}

TEST_F(HaloSection, ChangesBySettings) {
    const auto changed = folder.read(with("steps: 5, bugs: [{process: initial_fn, node: n1, kind: hang}]"),
                                     {{"halo.steps", "9"},
                                      {"halo.cells", "4"},
                                      {"halo.step_us", "20"},
                                      {"halo.tree", "binary"},
                                      {"halo.nodes", "4"},
                                      {"halo.bugs", "[{process: step_fn, node: n3, step: 8, kind: crash}]"}});
    EXPECT_EQ(changed.farm.tasks, 10U);
    EXPECT_EQ(changed.farm.nodes, 4U);
    EXPECT_EQ(changed.halo->cells, 4U);
    ASSERT_EQ(changed.halo->bugs.size(), 1U);
    EXPECT_EQ(changed.halo->bugs.front().node, NodeId(3));
    EXPECT_EQ(changed.halo->bugs.front().exchange(), 9U);
    EXPECT_THAT(folder.error(session_test::plain, {{"halo.steps", "9"}}),
                HasSubstr("--set halo.steps=9: the scenario runs a farm and has no 'halo'"));
    EXPECT_THAT(folder.error(with("steps: 5"), {{"farm.tasks", "9"}}),
                HasSubstr("--set farm.tasks=9: 'farm.tasks' is a setting of a farm, and the scenario runs a halo"));
    EXPECT_THAT(folder.error(with("steps: 5"), {{"halo.nodes", "9"}}), HasSubstr("2 to 8"));
}

TEST_F(HaloSection, ReadsItsBugs) {
    const auto bugs = folder
                          .read(with("tree: binary, steps: 5, bugs: [{process: step_fn, node: n3, step: 4, kind: hang}, "
                                     "{process: exchange, node: n1, step: 5, kind: lose, to: n2}]"))
                          .halo->bugs;
    ASSERT_EQ(bugs.size(), 2U);
    EXPECT_EQ(bugs[0].kind, BugKind::Hang);
    EXPECT_EQ(bugs[0].process, Process::StepFn);
    EXPECT_EQ(bug_text(bugs[0]), "hang in step_fn() of step 4 on n3");
    EXPECT_EQ(bug_text(bugs[1]), "lost message of exchange 5 on n1 to n2");
}

TEST_F(HaloSection, RefusesWhatIsNoBug) {
    EXPECT_THAT(bug_error("process: step, node: n3, step: 4, kind: hang"), HasSubstr("s.yaml:4:49:"));
    EXPECT_THAT(bug_error("process: step_fn, node: n3, step: 4, kind: hangs"), HasSubstr("did you mean 'hang'"));
    EXPECT_THAT(bug_error("process: step_fn, node: 3, step: 4, kind: hang"),
                HasSubstr("'3' is no node; write its name, as n5"));
    EXPECT_THAT(bug_error("process: step_fn, node: n8, step: 4, kind: hang"), HasSubstr("n8 is no node of the halo"));
    EXPECT_THAT(bug_error("process: step_fn, node: n3, step: 5, kind: hang"),
                HasSubstr("s.yaml:4:39: there is no step 5; with 5 steps the last one is 4"));
    EXPECT_THAT(bug_error("process: exchange, node: n3, step: 6, kind: hang"), HasSubstr("there is no exchange 6"));
    EXPECT_THAT(bug_error("process: step_fn, node: n3, kind: hang"), HasSubstr("'step'"));
    EXPECT_THAT(bug_error("process: initial_fn, node: n3, step: 0, kind: hang"), HasSubstr("leave 'step' out"));
    EXPECT_THAT(bug_error("process: step_fn, node: n3, step: 1, kind: lose, to: n1"), HasSubstr("write 'process: exchange'"));
    EXPECT_THAT(bug_error("process: exchange, node: n3, step: 1, kind: lose"), HasSubstr("'to'"));
    EXPECT_THAT(bug_error("process: exchange, node: n3, step: 1, kind: hang, to: n1"), HasSubstr("leave 'to' out"));
    EXPECT_THAT(bug_error("process: exchange, node: n3, step: 1, kind: lose, to: n2"),
                HasSubstr("n3 sends nothing to n2; its neighbours in the tree are"));
    const std::string twice = "{process: initial_fn, node: n3, kind: hang}";
    EXPECT_THAT(error("steps: 5, bugs: [" + twice + ", " + twice + "]"), HasSubstr("the same bug stands in the list already"));
}

TEST_F(HaloSection, StandsAlone) {
    EXPECT_THAT(error("cells: 5"), HasSubstr("'steps'"));
    EXPECT_THAT(error("steps: 0"), HasSubstr("from 1 to"));
    EXPECT_THAT(error("steps: 5, cell: 5"), HasSubstr("did you mean 'cells'"));
    EXPECT_THAT(error("steps: 5", "farm: {nodes: 8, tree: binary, tasks: 40}\n"),
                HasSubstr("'farm' stands beside 'halo', which is a program of its own"));
    EXPECT_THAT(error("steps: 5", "application: {tasks: plain.dat}\n"), HasSubstr("'application' stands beside 'halo'"));
    EXPECT_THAT(
        error("steps: 5", "phases: [{name: a, farm: {nodes: 8, tree: binary, tasks: 4}, application: {tasks: plain.dat}}]\n"),
        HasSubstr("s.yaml:4:7: 'halo' stands beside 'phases', which are farms"));
    EXPECT_THAT(error("steps: 5", "reconfigure: [{at: 2s, connect: {x0: [0 - 1]}}]\n"), HasSubstr("does not go with 'halo'"));
    EXPECT_THAT(error("steps: 5", "bugs: plain.dat\n"), HasSubstr("'application.bugs' is a setting of a farm"));
}

// The section `farm` of a scenario: trees node by node, granularity, policy, and the errors there.
#include <gmock/gmock.h>

#include "scenario_folder.hpp"

namespace {

using farm_spec::Policy;
using farm_spec::TreeKind;
using session_test::plain;
using session_test::replaced;
using session_test::ScenarioFolder;
using testing::ElementsAre;
using vocabulary::NodeId;

class FarmSection : public testing::Test {
protected:
    static std::string with(const std::string& farm) {
        return replaced(plain, "{nodes: 8, tree: binary, tasks: 40}", "{" + farm + "}");
    }
    std::string error(const std::string& farm) const { return folder.error(with(farm)); }
    ScenarioFolder folder;
};

}  // namespace

TEST_F(FarmSection, GivesATreeNodeByNode) {
    const auto farm = folder.read(with("tree: {n0: [1], 1: [3, 2], n3: [6]}, tasks: 4")).farm;
    EXPECT_EQ(farm.tree, TreeKind::Given);
    EXPECT_EQ(farm.nodes, 7U);
    EXPECT_THAT(farm.members(), ElementsAre(NodeId(0), NodeId(1), NodeId(2), NodeId(3), NodeId(6)));
    EXPECT_THAT(farm.children(NodeId(1)), ElementsAre(NodeId(2), NodeId(3)));
    EXPECT_EQ(farm.level(NodeId(6)), 2U);
    EXPECT_FALSE(farm.has(NodeId(4)));
}

TEST_F(FarmSection, HasGranularityOneAndFloodFillingWhenItSaysNothing) {
    const auto farm = folder.read(plain).farm;
    EXPECT_EQ(farm.granularity, 1U);
    EXPECT_EQ(farm.policy, Policy::FloodFilling);
}

TEST_F(FarmSection, TakesGranularityAndPolicyFromTheFileOrASetting) {
    const std::string text = with("nodes: 8, tree: binary, tasks: 40, granularity: 5, policy: work-stealing");
    EXPECT_EQ(folder.read(text).farm.granularity, 5U);
    EXPECT_EQ(folder.read(text).farm.policy, Policy::WorkStealing);
    const auto changed = folder.read(text, {{"farm.granularity", "7"}, {"farm.policy", "priorities"}}).farm;
    EXPECT_EQ(changed.granularity, 7U);
    EXPECT_EQ(changed.policy, Policy::Priorities);
}

TEST_F(FarmSection, RefusesAPolicyThatThereIsNot) {
    EXPECT_EQ(error("nodes: 8, tree: binary, tasks: 40, policy: round-robbin"),
              "s.yaml:4:51: there is no policy 'round-robbin', did you mean 'round-robin'?");
    EXPECT_EQ(
        error("nodes: 8, tree: binary, tasks: 40, policy: lottery"),
        "s.yaml:4:51: there is no policy 'lottery'; policies are flood-filling, round-robin, work-stealing and priorities");
    EXPECT_EQ(folder.error(plain, {{"farm.policy", "priority"}}),
              "--set farm.policy=priority: there is no policy 'priority', did you mean 'priorities'?");
}

TEST_F(FarmSection, RefusesARegularTreeThatFourLinksCannotMake) {
    EXPECT_EQ(error("nodes: 8, tree: fourfold, tasks: 40"),
              "s.yaml:4:24: there is no tree 'fourfold'; trees are chain, binary, ternary, best, or any other node by node, as "
              "{n0: [1], n1: [2, 3]}; a worker has three links for children, so no regular one is wider than ternary");
}

TEST_F(FarmSection, RefusesMoreChildrenThanANodeHasLinksFor) {
    EXPECT_EQ(error("tree: {n0: [1], n1: [2, 3, 4, 5]}, tasks: 4"),
              "s.yaml:4:28: n1 has 4 children and can have 3: a T800 has four links, and one of a worker leads to its parent");
    EXPECT_EQ(error("tree: {n0: [1, 2, 3, 4, 5]}, tasks: 4"),
              "s.yaml:4:19: n0 has 5 children and can have 4: a T800 has four links, and one of a worker leads to its parent");
}

TEST_F(FarmSection, RefusesWhatIsNoTree) {
    EXPECT_EQ(error("tree: {n0: [1], n1: [2], n2: [2]}, tasks: 4"),
              "s.yaml:4:38: n2 is below n1 already; in a tree every node has one parent");
    EXPECT_EQ(error("tree: {n0: [1], n2: [3]}, tasks: 4"),
              "s.yaml:4:14: n3 is not below the manager n0; name the parents on its way up to n0");
    EXPECT_EQ(error("tree: {n0: [1], n2: [3], n3: [2]}, tasks: 4"),
              "s.yaml:4:14: n2 is not below the manager n0; name the parents on its way up to n0");
    EXPECT_EQ(error("tree: {n0: []}, tasks: 4"),
              "s.yaml:4:14: the tree has no worker; give n0 at least one child, for example {n0: [1]}");
    EXPECT_EQ(error("tree: {n0: [1], n9: [2]}, tasks: 4"),
              "s.yaml:4:24: expected a node of the machine, n0 to n7, and got 'n9'");
    EXPECT_EQ(error("nodes: 8, tree: {n0: [1]}, tasks: 4"), "s.yaml:4:15: the tree names its nodes; leave 'nodes' out");
}

TEST_F(FarmSection, RefusesANumberOfNodesForATreeThatNamesThem) {
    EXPECT_EQ(folder.error(with("tree: {n0: [1]}, tasks: 4"), {{"farm.nodes", "4"}}),
              "--set farm.nodes=4: the farm's tree is given node by node; change farm.tree in the scenario file");
}

TEST_F(FarmSection, RefusesATreeOfTheCommandLineThatIsNone) {
    const auto error_set = [this](const std::string& tree) { return folder.error(plain, {{"farm.tree", tree}}); };
    for (const char* empty : {"", " ", "# none"})
        EXPECT_EQ(error_set(empty), "--set farm.tree=" + std::string(empty) + ": is empty; write a value behind '='");
    EXPECT_EQ(
        error_set("[1]"),
        "--set farm.tree=[1]:1:1: the value must be a map, but is a list; write lines of 'key: value', or '{key: value}'");
}

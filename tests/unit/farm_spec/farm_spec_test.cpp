#include <farm_spec/farm_tree.hpp>

#include <gmock/gmock.h>

namespace farm_spec {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(FarmSpec, ManagerHasTheRootWorkerOnly) {
    const FarmSpec spec{8, TreeKind::Binary, 100, 2, 5};
    EXPECT_THAT(spec.children(NodeId(0)), ElementsAre(NodeId(1)));
    EXPECT_EQ(spec.parent(NodeId(0)), std::nullopt);
    EXPECT_EQ(spec.parent(NodeId(1)), NodeId(0));
}

TEST(FarmSpec, ChildrenFollowTheHeapNumbering) {
    EXPECT_THAT((FarmSpec{8, TreeKind::Binary, 1, 2, 5}.children(NodeId(3))), ElementsAre(NodeId(6), NodeId(7)));
    EXPECT_THAT((FarmSpec{14, TreeKind::Ternary, 1, 3, 5}.children(NodeId(2))), ElementsAre(NodeId(5), NodeId(6), NodeId(7)));
    EXPECT_THAT((FarmSpec{6, TreeKind::Chain, 1, 1, 1}.children(NodeId(4))), ElementsAre(NodeId(5)));
    EXPECT_THAT((FarmSpec{8, TreeKind::Binary, 1, 2, 5}.children(NodeId(4))), IsEmpty());
}

TEST(FarmSpec, ParentUndoesChildrenInEveryShape) {
    for (const TreeKind shape : {TreeKind::Chain, TreeKind::Binary, TreeKind::Ternary}) {
        const FarmSpec spec{75, shape, 1, 2, 7};
        for (std::uint16_t node = 0; node < spec.nodes; ++node) {
            for (const NodeId child : spec.children(NodeId(node))) EXPECT_EQ(spec.parent(child), NodeId(node));
        }
    }
}

// The table decoded from the thesis' logs.
TEST(FarmSpec, SubTasksOfA16NodeTreeAreThoseOfTheThesis) {
    const FarmSpec spec{16, TreeKind::Binary, 1, 2, 5};
    const SubTaskId expected[] = {0, 0, 0, 0x10, 0, 0x100, 0x10, 0x110, 0, 0x1000, 0x100, 0x1100, 0x10, 0x1010, 0x110, 0x1110};
    for (std::uint16_t worker = 1; worker < 16; ++worker) {
        EXPECT_TRUE(spec.possible_at(expected[worker], spec.level(NodeId(worker)))) << worker;
        const auto children = spec.children(NodeId(worker));
        for (unsigned j = 0; j < children.size(); ++j) {
            EXPECT_EQ(FarmSpec::branch_id(expected[worker], spec.level(NodeId(worker)), j), expected[children[j].value()]);
        }
    }
}

TEST(FarmSpec, DepthEndsSplittingAboveTheLeavesOfTheTree) {
    const FarmSpec spec{16, TreeKind::Binary, 1, 2, 1};
    EXPECT_TRUE(spec.may_pass_down(NodeId(1)));
    EXPECT_FALSE(spec.may_pass_down(NodeId(2)));
}

TEST(FarmSpec, AProcessorFarmForwardsAtAnyDepth) {
    EXPECT_TRUE((FarmSpec{6, TreeKind::Chain, 5, 1, 1}.may_pass_down(NodeId(4))));
}

TEST(FarmSpec, DigitsOfOtherLevelsOrBeyondTheDegreeAreImpossible) {
    const FarmSpec spec{8, TreeKind::Binary, 1, 2, 5};
    EXPECT_FALSE(spec.possible_at(0x1, spec.level(NodeId(2))));    // digit 0 is not used
    EXPECT_FALSE(spec.possible_at(0x100, spec.level(NodeId(2))));  // node 2 is one split below the root worker
    EXPECT_FALSE(spec.possible_at(0x20, spec.level(NodeId(3))));   // degree 2 has branches 0 and 1
}

// n0 has 5 and 2; below 5 are 1 and 6; 3 is below 1; 4 has no part.
FarmSpec given_tree() {
    FarmSpec spec{7, TreeKind::Given, 100, 2, 5};
    spec.parents = {std::nullopt, NodeId(5), NodeId(0), NodeId(1), std::nullopt, NodeId(0), NodeId(5)};
    return spec;
}

TEST(FarmSpec, AGivenTreeHasTheParentsItWasGiven) {
    const FarmSpec spec = given_tree();
    EXPECT_THAT(spec.children(NodeId(0)), ElementsAre(NodeId(2), NodeId(5)));
    EXPECT_THAT(spec.children(NodeId(5)), ElementsAre(NodeId(1), NodeId(6)));
    EXPECT_EQ(spec.parent(NodeId(4)), std::nullopt);
    EXPECT_EQ(spec.level(NodeId(5)), 0u);
    EXPECT_EQ(spec.level(NodeId(3)), 2u);
    EXPECT_TRUE(spec.possible_at(0x110, spec.level(NodeId(3))));
    EXPECT_FALSE(spec.possible_at(0x10, spec.level(NodeId(2))));
}

TEST(FarmTree, GoesFromTheTopThroughTheMembersOnly) {
    const FarmTree tree(given_tree());
    EXPECT_THAT(tree.from_the_top(), ElementsAre(0, 2, 5, 1, 6, 3));
    EXPECT_FALSE(tree.has(4));
    EXPECT_TRUE(tree.may_pass_down(1));
    EXPECT_FALSE(tree.may_pass_down(2));
}

TEST(FarmTree, AgreesWithTheSpecificationInEveryShape) {
    for (const FarmSpec& spec : {FarmSpec{75, TreeKind::Chain, 1, 2, 7}, FarmSpec{75, TreeKind::Binary, 1, 2, 3},
                                 FarmSpec{75, TreeKind::Ternary, 1, 1, 1}, given_tree()}) {
        const FarmTree tree(spec);
        for (std::uint16_t node = 0; node < spec.nodes; ++node) {
            std::vector<NodeId> children;
            for (const std::uint16_t child : tree.children(node)) children.emplace_back(child);
            EXPECT_EQ(children, spec.children(NodeId(node)));
            const auto parent = tree.parent(node);
            EXPECT_EQ(parent ? std::optional(NodeId(*parent)) : std::nullopt, spec.parent(NodeId(node)));
            if (node == 0 || !tree.has(node)) continue;
            EXPECT_EQ(tree.level(node), spec.level(NodeId(node)));
            EXPECT_EQ(tree.may_pass_down(node), spec.may_pass_down(NodeId(node))) << node;
        }
    }
}

TEST(FarmSpec, ABundleIsNamedByItsTasksAndTheLastMayBeShort) {
    FarmSpec spec{6, TreeKind::Chain, 50, 1, 1};
    EXPECT_EQ(spec.task_text(48), "48");
    spec.granularity = 4;
    EXPECT_EQ(spec.task_text(44), "44-47");
    EXPECT_EQ(spec.task_text(48), "48-49");
    spec.tasks = 49;
    EXPECT_EQ(spec.task_text(48), "48");
}

}  // namespace
}  // namespace farm_spec

#include <gmock/gmock.h>

#include <farm_spec/farm_spec.hpp>

using farm_spec::FarmSpec;
using farm_spec::NodeId;
using farm_spec::TreeKind;
using testing::ElementsAre;

TEST(Tree, NumbersTheBinaryOneAsAHeap) {
    EXPECT_THAT(children(TreeKind::Binary, NodeId(0), 16), ElementsAre(NodeId(1)));
    EXPECT_THAT(children(TreeKind::Binary, NodeId(1), 16), ElementsAre(NodeId(2), NodeId(3)));
    EXPECT_THAT(children(TreeKind::Binary, NodeId(7), 16), ElementsAre(NodeId(14), NodeId(15)));
    EXPECT_THAT(children(TreeKind::Binary, NodeId(7), 15), ElementsAre(NodeId(14)));
    EXPECT_THAT(children(TreeKind::Binary, NodeId(8), 16), ElementsAre());
}

TEST(Tree, GivesNodeIOfTheTernaryOneTheChildrenFromThreeIMinusOneToThreeIPlusOne) {
    EXPECT_THAT(children(TreeKind::Ternary, NodeId(0), 14), ElementsAre(NodeId(1)));
    EXPECT_THAT(children(TreeKind::Ternary, NodeId(1), 14), ElementsAre(NodeId(2), NodeId(3), NodeId(4)));
    EXPECT_THAT(children(TreeKind::Ternary, NodeId(4), 14), ElementsAre(NodeId(11), NodeId(12), NodeId(13)));
}

TEST(Tree, LinksTheChainOneByOne) {
    for (NodeId::value_type i = 0; i < 5; ++i) EXPECT_THAT(children(TreeKind::Chain, NodeId(i), 6), ElementsAre(NodeId(i + 1)));
    EXPECT_THAT(children(TreeKind::Chain, NodeId(5), 6), ElementsAre());
}

class EveryTree : public testing::TestWithParam<TreeKind> {};

TEST_P(EveryTree, MakesEveryNodeAChildOfItsParentOnly) {
    constexpr std::uint32_t nodes = 121;
    const FarmSpec farm{.nodes = nodes, .tree = GetParam()};
    std::vector<int> times(nodes);
    for (NodeId::value_type i = 0; i < nodes; ++i) {
        for (const NodeId child : children(GetParam(), NodeId(i), nodes)) {
            ++times[child.value()];
            EXPECT_EQ(parent(GetParam(), child), NodeId(i));
            EXPECT_EQ(farm.level(child), i == 0 ? 0 : farm.level(NodeId(i)) + 1);
        }
    }
    EXPECT_EQ(times[0], 0);
    EXPECT_EQ(std::count(times.begin() + 1, times.end(), 1), static_cast<int>(nodes) - 1);
    EXPECT_FALSE(parent(GetParam(), NodeId(0)));
}
INSTANTIATE_TEST_SUITE_P(Kinds, EveryTree, testing::Values(TreeKind::Chain, TreeKind::Binary, TreeKind::Ternary));

TEST(TreeDeathTest, AskingForTheManagersLevelIsABrokenContract) {
    EXPECT_DEATH((FarmSpec{.nodes = 3, .tree = TreeKind::Chain}.level(NodeId(0))), "farm_spec.level.manager");
}

TEST(TreeDeathTest, AGivenTreeHasNoArity) {
    EXPECT_DEATH(arity(TreeKind::Given), "tree.arity.given");
}

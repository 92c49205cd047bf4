#include <gmock/gmock.h>

#include <trek_kernel/tree.hpp>

using testing::ElementsAre;
using trek_kernel::NodeId;
using trek_kernel::TreeKind;

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
    constexpr std::size_t nodes = 121;
    std::vector<int> times(nodes);
    for (NodeId::value_type i = 0; i < nodes; ++i) {
        for (const NodeId child : children(GetParam(), NodeId(i), nodes)) {
            ++times[child.value()];
            EXPECT_EQ(parent(GetParam(), child), NodeId(i));
            EXPECT_EQ(level(GetParam(), child), i == 0 ? 0 : level(GetParam(), NodeId(i)) + 1);
        }
    }
    EXPECT_EQ(times[0], 0);
    EXPECT_EQ(std::count(times.begin() + 1, times.end(), 1), static_cast<int>(nodes) - 1);
    EXPECT_FALSE(parent(GetParam(), NodeId(0)));
}
INSTANTIATE_TEST_SUITE_P(Kinds, EveryTree, testing::Values(TreeKind::Chain, TreeKind::Binary, TreeKind::Ternary));

TEST(TreeDeathTest, AskingForTheManagersLevelIsABrokenContract) {
    EXPECT_DEATH(level(TreeKind::Chain, NodeId(0)), "tree.level.manager");
}

#include "tmon/farm_spec.hpp"

#include <gmock/gmock.h>

namespace tmon {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(FarmSpec, ManagerHasTheRootWorkerOnly) {
    const FarmSpec spec{8, TreeShape::Binary, 100, 2, 5};
    EXPECT_THAT(spec.children(0), ElementsAre(1));
    EXPECT_EQ(spec.parent(0), std::nullopt);
    EXPECT_EQ(spec.parent(1), 0);
}

TEST(FarmSpec, ChildrenFollowTheHeapNumbering) {
    EXPECT_THAT((FarmSpec{8, TreeShape::Binary, 1, 2, 5}.children(3)), ElementsAre(6, 7));
    EXPECT_THAT((FarmSpec{14, TreeShape::Ternary, 1, 3, 5}.children(2)), ElementsAre(5, 6, 7));
    EXPECT_THAT((FarmSpec{6, TreeShape::Chain, 1, 1, 1}.children(4)), ElementsAre(5));
    EXPECT_THAT((FarmSpec{8, TreeShape::Binary, 1, 2, 5}.children(4)), IsEmpty());
}

TEST(FarmSpec, ParentUndoesChildrenInEveryShape) {
    for (const TreeShape shape : {TreeShape::Chain, TreeShape::Binary, TreeShape::Ternary}) {
        const FarmSpec spec{75, shape, 1, 2, 7};
        for (std::uint16_t node = 0; node < spec.processors; ++node) {
            for (const std::uint16_t child : spec.children(node)) EXPECT_EQ(spec.parent(child), node);
        }
    }
}

// The table decoded from the thesis' logs.
TEST(FarmSpec, SubTasksOfA16NodeTreeAreThoseOfTheThesis) {
    const FarmSpec spec{16, TreeShape::Binary, 1, 2, 5};
    const SubTaskId expected[] = {0, 0, 0, 0x10, 0, 0x100, 0x10, 0x110, 0, 0x1000, 0x100, 0x1100, 0x10, 0x1010, 0x110, 0x1110};
    for (std::uint16_t worker = 1; worker < 16; ++worker) {
        EXPECT_TRUE(spec.possible(expected[worker], worker)) << worker;
        const auto children = spec.children(worker);
        for (unsigned j = 0; j < children.size(); ++j) {
            EXPECT_EQ(FarmSpec::branch_id(expected[worker], spec.level(worker), j), expected[children[j]]);
        }
    }
}

TEST(FarmSpec, DepthEndsSplittingAboveTheLeavesOfTheTree) {
    const FarmSpec spec{16, TreeShape::Binary, 1, 2, 1};
    EXPECT_TRUE(spec.may_pass_down(1));
    EXPECT_FALSE(spec.may_pass_down(2));
}

TEST(FarmSpec, AProcessorFarmForwardsAtAnyDepth) {
    EXPECT_TRUE((FarmSpec{6, TreeShape::Chain, 5, 1, 1}.may_pass_down(4)));
}

TEST(FarmSpec, DigitsOfOtherLevelsOrBeyondTheDegreeAreImpossible) {
    const FarmSpec spec{8, TreeShape::Binary, 1, 2, 5};
    EXPECT_FALSE(spec.possible(0x1, 2));    // digit 0 is not used
    EXPECT_FALSE(spec.possible(0x100, 2));  // node 2 is one split below the root worker
    EXPECT_FALSE(spec.possible(0x20, 3));   // degree 2 has branches 0 and 1
}

}  // namespace
}  // namespace tmon

// The calls of the user's functions, from traces written by hand.
#include <gmock/gmock.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tmon_stories/farm_acts.hpp>

#include "farm_trace.hpp"

namespace {

using farm_spec::Policy;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::FarmTrace;
using tmon_stories::Act;
using tmon_stories::ActKind;
using tmon_stories::ActList;
using tmon_stories::FarmActs;
using tmon_streams::SessionEnd;

farm_spec::FarmSpec seven_workers() {
    farm_spec::FarmSpec spec;
    spec.nodes = 8;
    spec.tasks = 10;
    spec.degree = 2;
    spec.depth = 5;
    return spec;
}
farm_spec::FarmSpec chain_of_four() {
    farm_spec::FarmSpec spec;
    spec.nodes = 4;
    spec.tree = farm_spec::TreeKind::Chain;
    spec.tasks = 10;
    return spec;
}

// The acts of a trace, which stays alive beside them.
struct Told {
    Told(const FarmTrace& farm, std::initializer_list<std::uint16_t> open = {},
         const std::vector<trace_record::LossRange>& losses = {})
        : trace(farm.trace(SessionEnd::StoodStill, open)) {
        for (const auto& loss : losses) trace.streams[loss.node].losses.push_back(loss);
        stories = std::make_unique<tmon_stories::Stories>(trace, farm.spec());
        acts = std::make_unique<FarmActs>(*stories);
    }
    tmon_streams::Trace trace;
    std::unique_ptr<tmon_stories::Stories> stories;
    std::unique_ptr<FarmActs> acts;
};

std::vector<std::uint32_t> tasks_of(const ActList& list) {
    std::vector<std::uint32_t> tasks;
    for (const Act& act : list.acts) tasks.push_back(act.task);
    return tasks;
}

// Node 1 computes 0 and 3, passes 1 and 2 on; node 2 computes both, the second unfinished.
FarmTrace passing_chain() {
    FarmTrace farm(chain_of_four());
    farm.down(0, 0, 1).down(1, 0, 1).down(1, 0, 2).down(2, 0, 1).down(2, 0, 2);
    farm.up(0, 0, 1).up(1, 0, 2).up(1, 0, 1).down(3, 0, 1);
    return farm;
}

TEST(FarmActs, AreInTheOrderOfArrival) {
    const Told told(passing_chain());
    EXPECT_THAT(told.acts->places(ActKind::Compute, {0}), ElementsAre(1));
    EXPECT_THAT(told.acts->places(ActKind::Compute, {2}), ElementsAre(2));
    EXPECT_THAT(tasks_of(told.acts->before(ActKind::Compute, 1, {3})), ElementsAre(0));
    EXPECT_THAT(tasks_of(told.acts->before(ActKind::Compute, 2, {2})), ElementsAre(1));
    EXPECT_THAT(told.acts->before(ActKind::Compute, 2, {2}).doubts, IsEmpty());
    EXPECT_THAT(tasks_of(told.acts->results()), ElementsAre(0, 1));
    EXPECT_THAT(told.acts->doubts(), IsEmpty());
}

TEST(FarmActs, DoNotEndWithADeadNode) {
    const Told told(passing_chain(), {2});
    const ActList before = told.acts->before(ActKind::Compute, 2, {2});
    EXPECT_THAT(tasks_of(before), ElementsAre(1));
    EXPECT_THAT(before.doubts, IsEmpty()) << "n1 and n3 have all that node 2 can have been given, or have passed on";
    const Told both(passing_chain(), {2, 3});
    EXPECT_THAT(both.acts->before(ActKind::Compute, 2, {2}).doubts, IsEmpty()) << "n2 has its record of the result";
}

TEST(FarmActs, AreDoubtfulWhereRecordsAreLost) {
    const trace_record::LossRange at_parent{.node = 1, .first_seq = 0, .last_seq = 0};
    FarmTrace farm = passing_chain();
    farm.records()[1].front().kind = trace_record::EventKind::User;  // not of the task's class
    const Told one(farm, {}, {at_parent});
    EXPECT_THAT(one.acts->before(ActKind::Compute, 2, {2}).doubts, IsEmpty()) << "n2 has all";
    const Told both(passing_chain(), {}, {at_parent, {.node = 2, .first_seq = 0, .last_seq = 0}});
    EXPECT_THAT(both.acts->before(ActKind::Compute, 2, {2}).doubts,
                ElementsAre("records of n1 and n2 are missing, so n2 may have had other tasks before"));
}

TEST(FarmActs, ThatComeAfterwardsDoNotCount) {
    const trace_record::LossRange later{.node = 1, .first_seq = 8, .last_seq = 9};
    const Told told(passing_chain(), {}, {later, {.node = 2, .first_seq = 7, .last_seq = 7}});
    EXPECT_THAT(told.acts->before(ActKind::Compute, 2, {1}).doubts, IsEmpty());
}

TEST(FarmActs, SplitAndJoinOnTheirNodes) {
    FarmTrace farm(seven_workers());
    farm.finish_tasks(0, 1).down(2, 0, 1).split_to_leaves(2, 0, 1);
    const Told told(farm);
    EXPECT_THAT(told.acts->places(ActKind::Split, {2}), ElementsAre(1, 2));
    EXPECT_THAT(told.acts->places(ActKind::Compute, {2, 0x100}), ElementsAre(5));
    EXPECT_THAT(tasks_of(told.acts->before(ActKind::Split, 2, {2})), ElementsAre(0, 1));
    EXPECT_THAT(tasks_of(told.acts->before(ActKind::Join, 3, {1, 0x10})), ElementsAre(0));
    EXPECT_THAT(tasks_of(told.acts->before(ActKind::Join, 1, {2})), ElementsAre(0, 1));
    EXPECT_EQ(told.acts->child_of(1, {2}, 1), 3);
    EXPECT_EQ(told.acts->child_of(1, {9}, 1), 3) << "as the runtime does it";
    EXPECT_TRUE(told.acts->went_below(3, {0, 0x10}));
    EXPECT_FALSE(told.acts->arrived(3, {3, 0x10}));
    EXPECT_EQ(told.acts->bytes(3, {0, 0x10}, false), 1000u);
    EXPECT_EQ(told.acts->bytes(3, {2, 0x10}, true), std::nullopt);
}

TEST(FarmActs, JoinInTheOrderOfTheirResults) {
    FarmTrace farm(seven_workers());
    for (const std::uint32_t task : {0, 1}) farm.down(task, 0, 1).down(task, 0, 2).down(task, 0x10, 3);
    farm.up(0, 0, 2).up(1, 0, 2).up(1, 0x10, 3).up(0, 0x10, 3);
    EXPECT_THAT(tasks_of(Told(farm).acts->before(ActKind::Join, 1, {0})), ElementsAre(1));
    EXPECT_THAT(Told(farm).acts->before(ActKind::Join, 1, {0}).doubts,
                ElementsAre("records do not give the order in which n1 did its tasks"));
    farm.up(1, 0, 1).up(0, 0, 1);
    EXPECT_THAT(tasks_of(Told(farm).acts->before(ActKind::Join, 1, {0})), ElementsAre(1));
    EXPECT_THAT(Told(farm).acts->before(ActKind::Join, 1, {0}).doubts, IsEmpty());
}

TEST(FarmActs, MayHaveSplitWhatLiesThere) {
    FarmTrace farm(seven_workers());
    farm.down(0, 0, 1).down(1, 0, 1);
    const Told told(farm);
    EXPECT_THAT(told.acts->places(ActKind::Split, {0}), ElementsAre(1));
    EXPECT_THAT(told.acts->before(ActKind::Compute, 1, {1}).doubts,
                ElementsAre("task 0 was on n1 before, and no record says whether it was computed or split there"));
}

TEST(FarmActs, OfOtherPoliciesComeInTheOrderOfTheirResults) {
    farm_spec::FarmSpec spec = chain_of_four();
    spec.policy = Policy::Priorities;
    FarmTrace farm(spec);
    farm.down(0, 0, 1).down(1, 0, 1).down(2, 0, 1).up(2, 0, 1).up(0, 0, 1).up(1, 0, 1);
    const ActList before = Told(farm).acts->before(ActKind::Compute, 1, {1});
    EXPECT_THAT(tasks_of(before), ElementsAre(2, 0));
    EXPECT_THAT(before.doubts, IsEmpty());
    farm.down(3, 0, 1).down(4, 0, 1);
    EXPECT_THAT(Told(farm).acts->before(ActKind::Compute, 1, {4}).doubts,
                ElementsAre("records do not give the order in which n1 did its tasks"));
}

TEST(FarmActs, CountEachTaskOfABundle) {
    farm_spec::FarmSpec spec = chain_of_four();
    spec.granularity = 3;
    FarmTrace farm(spec);
    farm.down(0, 0, 1).up(0, 0, 1).down(3, 0, 1);
    const Told told(farm);
    EXPECT_THAT(tasks_of(told.acts->before(ActKind::Compute, 1, {5})), ElementsAre(0, 1, 2, 3, 4));
    EXPECT_EQ(told.acts->bytes(1, {0}, false), std::nullopt);
    EXPECT_THAT(tasks_of(told.acts->results()), ElementsAre(0, 1, 2));
}

TEST(FarmActs, DoubtStolenTasks) {
    farm_spec::FarmSpec spec = chain_of_four();
    spec.policy = Policy::WorkStealing;
    FarmTrace farm(spec);
    farm.down(0, 0, 1).back(0, 0, 1);
    EXPECT_THAT(Told(farm).acts->doubts(), ElementsAre(HasSubstr("taken back")));
}

}  // namespace

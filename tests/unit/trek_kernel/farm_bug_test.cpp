// Planted bugs: the program never falls over one, the truth names it, and no task is made up or lost without trace.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "test_farm.hpp"

using farm_spec::TreeKind;
using test_support::SimTime;
using test_support::TestFarm;
using trek_kernel::Moment;
using trek_kernel::TaskDescription;
using trek_kernel::TaskTable;
using trek_kernel::UserProcess;

namespace {

constexpr std::uint32_t buggy_task = 12, task_count = 40;

struct Planted {
    int bug;
    UserProcess process;
    friend void PrintTo(const Planted& p, std::ostream* out) {
        *out << "bug" << p.bug << "_in_" << trek_kernel::name_of(p.process);
    }
};

// The bug strikes in one task, or from that one on where it is not known which tasks are divided.
TaskTable with_bug(const Planted& planted, bool from_then_on) {
    TaskTable tasks;
    TaskDescription good = TaskTable::default_task();
    good.segments[static_cast<std::size_t>(UserProcess::Compute)].time_us = 2000;
    TaskDescription bad = good;
    bad.segments[static_cast<std::size_t>(planted.process)].bug = planted.bug;
    tasks.set(0, good);
    tasks.set(buggy_task, bad);
    if (!from_then_on) tasks.set(buggy_task + 1, good);
    return tasks;
}

std::vector<Planted> every_bug_in(std::initializer_list<UserProcess> processes) {
    std::vector<Planted> all;
    for (int bug = 1; bug <= 5; ++bug) {
        for (const auto process : processes) all.push_back({bug, process});
    }
    return all;
}

class EveryBug : public testing::TestWithParam<Planted> {};
class EveryBugOfAProcessorFarm : public testing::TestWithParam<Planted> {};

// A task is sent by the manager at most once, computed at most once by each sub-task id, and comes back at most once.
void expect_conservation(const TestFarm& farm) {
    std::map<std::uint32_t, int> sent, came_back;
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> computed;
    for (const auto& event : farm.truth.events()) {
        if (event.node != 0) continue;
        if (event.is_result != 0) {
            ++came_back[event.task];
        } else {
            ++sent[event.task];
        }
    }
    for (const auto& [time, step] : farm.truth.steps()) {
        if (step.process == UserProcess::Compute && step.moment == Moment::End) ++computed[{step.task, step.subtask}];
    }
    for (const auto& [task, times] : sent) EXPECT_EQ(times, 1) << "task " << task << " was sent more than once";
    for (const auto& [task, times] : computed) EXPECT_EQ(times, 1) << "task " << task.first << " was computed more than once";
    for (const auto& [task, times] : came_back) {
        EXPECT_EQ(times, 1) << "task " << task << " came back more than once";
        EXPECT_EQ(sent[task], 1) << "task " << task << " came back and was never sent";
    }
}

}  // namespace

TEST_P(EveryBug, IsSurvivedByTheProgramAndNamedByTheTruth) {
    const bool divided = GetParam().process == UserProcess::Split || GetParam().process == UserProcess::Join;
    TestFarm farm({.nodes = 8, .tree = TreeKind::Binary, .tasks = task_count, .degree = 2, .depth = 5},
                  with_bug(GetParam(), divided));
    farm.run(SimTime::s(3));
    ASSERT_FALSE(farm.truth.bugs().empty());
    const auto& bug = farm.truth.bugs().front().bug;
    EXPECT_EQ(bug.bug, GetParam().bug);
    EXPECT_EQ(bug.process, GetParam().process);
    if (divided) {
        EXPECT_GE(bug.task, buggy_task);
    } else {
        EXPECT_EQ(bug.task, buggy_task);
    }
    expect_conservation(farm);
}

TEST_P(EveryBugOfAProcessorFarm, IsSurvivedByTheProgramAndNamedByTheTruth) {
    TestFarm farm({.nodes = 8, .tree = TreeKind::Binary, .tasks = task_count}, with_bug(GetParam(), false));
    farm.run(SimTime::s(3));
    ASSERT_FALSE(farm.truth.bugs().empty());
    EXPECT_EQ(farm.truth.bugs().front().bug.task, buggy_task);
    EXPECT_EQ(farm.truth.bugs().front().bug.bug, GetParam().bug);
    expect_conservation(farm);
}
INSTANTIATE_TEST_SUITE_P(Bugs, EveryBug,
                         testing::ValuesIn(every_bug_in({UserProcess::Generate, UserProcess::Compute, UserProcess::PostProcess,
                                                         UserProcess::Split, UserProcess::Join})));
INSTANTIATE_TEST_SUITE_P(Bugs, EveryBugOfAProcessorFarm,
                         testing::ValuesIn(every_bug_in({UserProcess::Generate, UserProcess::Compute,
                                                         UserProcess::PostProcess})));

TEST(Bug, NeverSentInTheGeneratorTakesItsTaskNumberAlong) {
    TestFarm farm({.nodes = 8, .tree = TreeKind::Binary, .tasks = task_count}, with_bug({2, UserProcess::Generate}, false));
    EXPECT_FALSE(farm.run(SimTime::s(3)));  // the receiver waits for a result that cannot come
    auto returned = farm.returned();
    std::sort(returned.begin(), returned.end());
    EXPECT_EQ(returned.size(), task_count - 1);
    EXPECT_FALSE(std::binary_search(returned.begin(), returned.end(), buggy_task));
    EXPECT_TRUE(std::binary_search(returned.begin(), returned.end(), task_count - 1));
}

TEST(Bug, NeverSentResultLosesThatResultOnly) {
    TestFarm farm({.nodes = 8, .tree = TreeKind::Binary, .tasks = task_count}, with_bug({2, UserProcess::Compute}, false));
    EXPECT_FALSE(farm.run(SimTime::s(3)));
    auto returned = farm.returned();
    std::sort(returned.begin(), returned.end());
    EXPECT_EQ(returned.size(), task_count - 1);
    EXPECT_FALSE(std::binary_search(returned.begin(), returned.end(), buggy_task));
}

TEST(Bug, NodeCrashLeavesEveryUnreturnedTaskUnfinishedSomewhere) {
    TestFarm farm({.nodes = 8, .tree = TreeKind::Binary, .tasks = 100}, with_bug({4, UserProcess::Compute}, false));
    EXPECT_FALSE(farm.run(SimTime::s(10)));
    ASSERT_EQ(farm.truth.bugs().size(), 1u);
    const std::uint16_t dead = farm.truth.bugs()[0].bug.node.value();
    EXPECT_TRUE(farm.box.machine().node(test_support::NodeId(dead)).processor.crashed());
    expect_conservation(farm);
    // Each task stands where its last event puts it; sender and receiver of one hop note it at the same time.
    std::map<std::uint32_t, trace_record::Event> last;
    std::size_t returned = 0;
    for (const auto& event : farm.truth.events()) last[event.task] = event;
    for (const auto& [task, event] : last) {
        const bool back = event.is_result != 0 && (event.node == 0 || event.peer == 0);
        returned += back ? 1U : 0U;
        if (back) continue;
        // On the dead node or on its way to or from it: everybody else goes on.
        EXPECT_TRUE(event.node == dead || event.peer == dead) << "task " << task << " is neither back nor lost with n" << dead;
    }
    EXPECT_EQ(returned, farm.returned().size());
    EXPECT_LT(returned, 100u);
    EXPECT_GT(returned, buggy_task / 2);
}

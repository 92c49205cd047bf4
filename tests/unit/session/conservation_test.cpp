// The account of tasks, for a truth that no farm makes.
#include <oracle/conservation.hpp>

#include <gtest/gtest.h>

#include <oracle/session_result.hpp>

using vocabulary::NodeId;
using vocabulary::SimTime;

namespace {

trek_kernel::TaskMoved task_moved(std::uint16_t node, std::uint16_t peer, std::uint32_t task, bool sent) {
    return {.node = NodeId(node), .peer = NodeId(peer), .sent = sent, .result = false, .task = task, .subtask = 0, .bytes = 64};
}

}  // namespace

// Five tasks in bundles of four: the last bundle has one task, number 4. Damage made 5 of it on the way to n1.
TEST(Conservation, ADamagedNumberBeyondTheTasksBelongsToTheLastBundle) {
    scenario::Scenario scenario;
    scenario.farm.nodes = 4;
    scenario.farm.tasks = 5;
    scenario.farm.granularity = 4;
    oracle::SessionResult result;
    result.observed.end = tmon_streams::SessionEnd::Cut;
    for (std::uint32_t task = 0; task < 4; ++task) result.truth.on_home(task, SimTime::us(5));
    result.truth.on_moved(task_moved(0, 1, 4, true), SimTime::us(10));
    result.truth.on_moved(task_moved(1, 0, 5, false), SimTime::us(12));
    result.truth.on_moved(task_moved(1, 2, 5, true), SimTime::us(14));
    const oracle::Conservation account = oracle::account_for_tasks(scenario, result);
    EXPECT_EQ(account.completed, 4U);
    ASSERT_EQ(account.unfinished.size(), 1U);
    EXPECT_EQ(account.unfinished.front().task, 4U);
    EXPECT_EQ(account.unfinished.front().text, "was on n2 when the session was cut");
}

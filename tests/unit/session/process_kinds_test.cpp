// A run in which every process has a stack of its own is the run in which only users' code has one.
#include <gtest/gtest.h>

#include <string>

#include <trollius_hosted/multicomputer.hpp>

#include "scenario_folder.hpp"
#include "session_runs.hpp"

namespace {

using session_test::run_apart;

class KindsOfProcesses : public testing::Test {
protected:
    void expect_the_same(const std::string& text, const std::vector<scenario::Setting>& settings = {}) {
        const scenario::Scenario scenario = folder.read(text, settings);
        const auto coroutines = run_apart(scenario);
        const auto stacks =
            run_apart(scenario, {.prepare = [](trollius_hosted::Multicomputer& machine) { machine.give_stacks_to_all(); }});
        ASSERT_TRUE(coroutines && stacks);
        EXPECT_EQ(coroutines->hash(), stacks->hash());
        EXPECT_EQ(coroutines->modelled_ps, stacks->modelled_ps);
        EXPECT_EQ(coroutines->events, stacks->events);
        EXPECT_GT(coroutines->events, 0U);
    }
    static std::string farm(const std::string& settings, const std::string& more = "") {
        return session_test::replaced(session_test::watched, "tasks: 40", settings) + more;
    }
    session_test::ScenarioFolder folder;
};

}  // namespace

TEST_F(KindsOfProcesses, MakeNoDifferenceToAMonitoredFarm) {
    expect_the_same(session_test::watched);
    expect_the_same(farm("tasks: 40", "links: byte\n"));
}

TEST_F(KindsOfProcesses, MakeNoDifferenceWhereTraceBuffersAreFull) {
    expect_the_same(session_test::watched, {{"monitor.buffer", "4"}});
}

TEST_F(KindsOfProcesses, MakeNoDifferenceToAnyKindOfFarm) {
    expect_the_same(farm("tasks: 40, policy: work-stealing"));
    expect_the_same(farm("tasks: 40, policy: priorities, granularity: 3"));
    expect_the_same(farm("tasks: 12, degree: 2, depth: 2, granularity: 3"));
}

TEST_F(KindsOfProcesses, MakeNoDifferenceWhereANodeDies) {
    folder.write("p.faults", "version: 1\nfaults: [{die: n4, on: {task: 20, step: start}}]\n");
    expect_the_same(farm("tasks: 60, survives: yes", "faults: p.faults\n"));
}

// Runs that branch off one beginning.
#include <gtest/gtest.h>

#include "probe_run.hpp"
#include "scenario_folder.hpp"

namespace {

using instrumentation::UnloadSequence;
using session_test::plain;
using session_test::ScenarioFolder;
using session_test::watched;

const UnloadSequence early({{1000, 8, 32, {}}, {1'000'000, 0, 0, {}}}), late({{2000, 8, 32, {}}, {1'000'000, 0, 0, {}}}),
    other({{2000, 8, 31, {}}, {1'000'000, 0, 0, {}}});

void branch(const std::string& scenario, const std::vector<UnloadSequence>& sequences) {
    const ScenarioFolder folder;
    schedule::probe_branches(folder.read(scenario), sequences, {}, [](std::size_t) { return true; });
}

}  // namespace

TEST(ProbeBranchesDeathTest, NeedASequenceAndAMonitorThatUnloadsByIt) {
    EXPECT_DEATH(branch(watched, {}), "probe_branches.none");
    EXPECT_DEATH(branch(plain, {early}), "probe_branches.none");
}

TEST(ProbeBranchesDeathTest, HaveTheBoundsOfTheirBeginningInCommon) {
    EXPECT_DEATH(branch(watched, {early, late, other}), "probe_branches.beginning");
}

// Several farms one after the other in one session. tests/cli/phases_test.py has the runs.
#include <gtest/gtest.h>

#include <session/phases.hpp>

TEST(PhasesDeathTest, NeedSome) {
    std::vector<session::Phase> none;
    EXPECT_DEATH(session::run_phases(none), "session.run_phases.some");
}

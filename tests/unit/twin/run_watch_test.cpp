// The questions to a RunWatch, and the places from which it must be told of results.
#include <twin/run_watch.hpp>

#include <gtest/gtest.h>

#include "test_multicomputer.hpp"

namespace {

using test_support::NodeId;
using test_support::SimTime;
using twin::RunWatch;

const trek_kernel::TaskMoved result_at_manager{.node = NodeId(0), .peer = NodeId(1), .result = true};

}  // namespace

TEST(RunWatchDeathTest, KnowsTheSpansToTheResultsThatThereAre) {
    RunWatch watch;
    watch.on_moved(result_at_manager, SimTime::us(5));
    EXPECT_EQ(watch.span(SimTime(), 1), SimTime::us(5));
    EXPECT_DEATH(watch.span(SimTime(), 0), "run_watch.mark.count");
    EXPECT_DEATH(watch.span(SimTime(), 2), "run_watch.mark.count");
}

TEST(RunWatchDeathTest, HasNoPathWithoutAMachine) {
    RunWatch watch;
    watch.on_moved(result_at_manager, SimTime::us(5));
    EXPECT_DEATH(watch.path(SimTime(), 1), "run_watch.path.not_attached");
}

TEST(RunWatchDeathTest, IsToldOfAResultByAProcessOfTheMachine) {
    RunWatch watch;
    test_support::TestMulticomputer machine(topologies::chain(2));
    watch.attach(machine.box);
    EXPECT_DEATH(watch.on_moved(result_at_manager, SimTime::us(5)), "run_watch.result.outside_a_process");
}

// Sessions in which records are lost: each is dropped or received, and the two add up.
#include <gmock/gmock.h>

#include <oracle/session_result.hpp>
#include <tmon_detrek/verdict.hpp>

#include "scenario_folder.hpp"

namespace {

using session_test::plain;
using session_test::ScenarioFolder;

class Loss : public testing::Test {
protected:
    void run(const std::string& text, const std::vector<scenario::Setting>& settings = {}) {
        scenario = folder.read(text, settings);
        oracle::run_session(scenario, result);
    }
    std::uint64_t lost(std::size_t node) const {
        std::uint64_t sum = 0;
        for (const auto& range : result.observed.statistics[node].losses) sum += range.last_seq - range.first_seq + 1;
        return sum;
    }
    void expect_that_numbers_add_up() const {
        for (std::size_t node = 0; node < result.simulated.nodes.size(); ++node) {
            EXPECT_EQ(result.simulated.nodes[node].recorded, result.observed.statistics[node].events + lost(node))
                << "node " << node;
            EXPECT_EQ(result.simulated.nodes[node].ledger.dropped, lost(node)) << "node " << node;
        }
    }
    ScenarioFolder folder;
    scenario::Scenario scenario;
    oracle::SessionResult result;
};

const std::string never_unloads = plain + "monitor: {unload: [[1000s, 256, 256]]}\n";

}  // namespace

TEST_F(Loss, OfASequenceThatNeverUnloadsIsTheNewestRecords) {
    run(never_unloads, {{"farm.tasks", "200"}});
    // n0 and n1 see every task and every result go by, each in and out at n1.
    ASSERT_GT(lost(1), 0U);
    ASSERT_EQ(result.observed.statistics[1].losses.size(), 1U);
    EXPECT_EQ(result.observed.statistics[1].losses[0].first_seq, 256U);
    EXPECT_EQ(result.observed.statistics[1].losses[0].last_seq, result.simulated.nodes[1].recorded - 1);
    EXPECT_EQ(result.observed.statistics[1].losses[0].cause, trace_record::LossCause::BufferFull);
    EXPECT_EQ(result.observed.statistics[1].events, 256U);
    EXPECT_EQ(result.observed.statistics[1].state, tmon_streams::StreamState::Finished);
    expect_that_numbers_add_up();
}

TEST_F(Loss, DoesNotHappenWhileBothBuffersSuffice) {
    run(never_unloads, {{"farm.tasks", "20"}});
    for (std::size_t node = 0; node < result.simulated.nodes.size(); ++node) EXPECT_EQ(lost(node), 0U) << "node " << node;
    expect_that_numbers_add_up();
}

TEST_F(Loss, WithSmallBuffersComesInRanges) {
    run(plain + "monitor: {unload: [[1000s, 4, 4]]}\n", {{"farm.tasks", "100"}, {"monitor.buffer", "3"}});
    std::uint64_t sum = 0;
    for (std::size_t node = 0; node < result.simulated.nodes.size(); ++node) sum += lost(node);
    EXPECT_GT(sum, 0U);
    expect_that_numbers_add_up();
}

TEST_F(Loss, OfEverythingLeavesEmptyStreamsThatAreFinished) {
    scenario = folder.read(plain + "monitor: {unload: [[1000s, 0, 0]]}\n");
    scenario.costs.set("monitor.buffer", 0, "the test");  // refused in a file and on the command line
    oracle::run_session(scenario, result);
    EXPECT_EQ(result.observed.trace->size(), 0U);
    expect_that_numbers_add_up();
}

TEST_F(Loss, IsNeverTakenForACertainAnswer) {
    run(never_unloads, {{"farm.tasks", "200"}});
    const auto verdict = tmon_detrek::analyse(*result.observed.trace, scenario.farm).verdict;
    EXPECT_NE(verdict.kind, tmon_detrek::VerdictKind::Certain) << "the farm ended well: " << verdict.sentence;
    EXPECT_TRUE(result.simulated.farm.finished);
}

TEST_F(Loss, DoesNotHappenToBuffersLargerThanAPacket) {
    run(plain + "monitor: {unload: [[1000s, 800, 800]]}\n", {{"farm.tasks", "200"}, {"monitor.buffer", "400"}});
    EXPECT_EQ(result.observed.trace->size(), result.truth.moved());
    expect_that_numbers_add_up();
}

// Samples of a run in progress, beside the run's own report when it is over.
#include <oracle/session_result.hpp>
#include <session/live_sample.hpp>

#include <gmock/gmock.h>

#include <vector>

#include <instrumentation/accounts.hpp>
#include <topologies/end_names.hpp>

#include "scenario_folder.hpp"
#include "session_runs.hpp"

namespace {

using session::LiveSample;
using session_test::plain;
using session_test::ScenarioFolder;
using session_test::watched;
using vocabulary::SimTime;

class LiveSamples : public testing::Test {
protected:
    void run(const scenario::Scenario& scenario) {
        const session::SessionHooks hooks{
            .first_moment = SimTime::ms(3),
            .at_moment =
                [this](session::LiveSession& session) {
                    samples.push_back(session::live_sample(session));
                    return session.now() + SimTime::ms(3);
                },
            .at_end = [this](session::LiveSession& session) { samples.push_back(session::live_sample(session)); }};
        oracle::run_session(scenario, result, hooks);
    }
    ScenarioFolder folder;
    oracle::SessionResult result;
    std::vector<LiveSample> samples;
};

}  // namespace

TEST_F(LiveSamples, HaveTheTimeOfTheLastThingThatHappenedBeforeTheirMoment) {
    run(folder.read(watched));
    ASSERT_GT(samples.size(), 50U);
    for (std::size_t i = 0; i + 1 < samples.size(); ++i) {
        EXPECT_LE(samples[i].time, SimTime::ms(3 * (static_cast<std::int64_t>(i) + 1)));
        if (i > 0 && samples[i].time != samples[i - 1].time) {
            EXPECT_GT(samples[i].time, SimTime::ms(3 * static_cast<std::int64_t>(i)));
        }
    }
    EXPECT_EQ(samples.back().time, result.observed.modelled);
}

TEST_F(LiveSamples, NeverGoBack) {
    run(folder.read(watched));
    LiveSample before = session::at_power_up(samples.front());
    for (const LiveSample& now : samples) {
        ASSERT_EQ(now.nodes.size(), before.nodes.size());
        ASSERT_EQ(now.links.size(), before.links.size());
        EXPECT_GE(now.tasks_done, before.tasks_done);
        for (std::size_t i = 0; i < now.nodes.size(); ++i) {
            EXPECT_GE(now.nodes[i].busy, before.nodes[i].busy);
            EXPECT_LE(now.nodes[i].busy - before.nodes[i].busy, now.time - before.time) << "node " << i;
            EXPECT_GE(now.nodes[i].overhead, before.nodes[i].overhead);
            EXPECT_GE(now.nodes[i].lost, before.nodes[i].lost);
            EXPECT_LE(now.nodes[i].buffered, now.nodes[i].room);
        }
        for (std::size_t i = 0; i < now.links.size(); ++i) {
            EXPECT_GE(now.links[i].busy, before.links[i].busy);
            EXPECT_LE(now.links[i].busy, now.time) << "link " << i;  // a message counts as a whole when it has arrived
        }
        before = now;
    }
}

TEST_F(LiveSamples, SayAtTheEndWhatTheResultSays) {
    run(folder.read(watched));
    const LiveSample& end = samples.back();
    EXPECT_EQ(end.tasks_done, 40U);
    EXPECT_EQ(end.tasks, 40U);
    EXPECT_EQ(end.moved, result.truth.moved());
    ASSERT_EQ(end.nodes.size(), result.simulated.nodes.size());
    SimTime overhead;
    for (std::size_t i = 0; i < end.nodes.size(); ++i) {
        const session::NodeLine& line = result.simulated.nodes[i];
        EXPECT_EQ(end.nodes[i].busy, line.high_busy + line.low_busy);
        EXPECT_EQ(end.nodes[i].overhead, line.ledger.probe + line.ledger.meter + line.ledger.manager + line.ledger.policy +
                                             line.ledger.backend + line.kernel_monitor_time);
        EXPECT_EQ(end.nodes[i].recorded, line.recorded);
        EXPECT_EQ(end.nodes[i].lost, line.ledger.dropped);
        EXPECT_EQ(end.nodes[i].buffered, 0U) << "all has been unloaded";
        overhead += end.nodes[i].overhead;
    }
    EXPECT_GT(overhead, SimTime());
    std::uint64_t monitor_bytes = 0, expected = 0;
    for (const auto& link : end.links) monitor_bytes += link.monitor_bytes;
    for (const auto& link : result.simulated.links) expected += link.totals.of[instrumentation::accounts::trace_message].bytes;
    EXPECT_EQ(monitor_bytes, expected);
    EXPECT_GT(expected, 0U);
}

TEST_F(LiveSamples, OfALinkSayWhatItsLineSays) {
    const auto scenario = folder.read(watched);
    run(scenario);
    std::size_t compared = 0;
    for (const session::LiveLink& link : samples.back().links) {
        if (link.node.value() == scenario.machine.nodes.size()) continue;
        const std::string name = topologies::end_name(scenario.machine, topologies::NodeLink{link.node, link.link});
        for (const session::LinkLine& line : result.simulated.links) {
            if (line.from != name) continue;
            EXPECT_EQ(link.busy, line.busy()) << name;
            EXPECT_EQ(link.monitor_busy, line.totals.of[instrumentation::accounts::trace_message].busy) << name;
            EXPECT_EQ(link.lost, line.totals.lost) << name;
            ++compared;
        }
    }
    EXPECT_GE(compared, 14U) << "seven edges of the tree, both ends";
}

TEST_F(LiveSamples, ShowWhatIsInTheBuffersAndWhatWasLost) {
    run(folder.read(session_test::replaced(watched, "8, 32", "512, 512"), {{"monitor.buffer", "4"}}));
    std::size_t most = 0;
    for (const LiveSample& sample : samples) {
        for (const auto& node : sample.nodes) most = std::max(most, node.buffered);
        EXPECT_EQ(sample.nodes[0].room, 8U);
    }
    EXPECT_EQ(most, 8U);
    EXPECT_GT(samples.back().nodes[0].lost, 0U);
}

TEST_F(LiveSamples, ChangeNothingOfTheRun) {
    const auto scenario = folder.read(watched);
    const auto unseen = session_test::run_apart(scenario);
    run(scenario);
    ASSERT_TRUE(unseen);
    EXPECT_EQ(result.truth.run_hash(), unseen->hash());
    EXPECT_EQ(result.observed.modelled.in_ps(), unseen->modelled_ps);
}

TEST_F(LiveSamples, OfARunWithoutMonitorHaveNoOverhead) {
    run(folder.read(plain));
    for (const auto& node : samples.back().nodes) {
        EXPECT_EQ(node.overhead, SimTime());
        EXPECT_EQ(node.room, 0U);
        EXPECT_GT(node.busy, SimTime());
    }
}

TEST_F(LiveSamples, ShowANodeThatHasDied) {
    folder.write("plan.yaml", "version: 1\nfaults: [{die: n3, at: 120ms}]\n");
    run(folder.read(watched + "faults: plan.yaml\n"));
    for (const LiveSample& sample : samples) EXPECT_EQ(sample.nodes[3].stopped, sample.time >= SimTime::ms(120));
}

// A session that is looked at and changed while it runs.
#include <gmock/gmock.h>

#include <random>

#include <farm_programs/farm_program.hpp>
#include <oracle/session_result.hpp>
#include <session/live_change.hpp>

#include "scenario_folder.hpp"
#include "session_runs.hpp"

namespace {

using scenario::Scenario;
using scenario::Setting;
using session::LiveSession;
using session_test::Figures;
using session_test::plain;
using session_test::replaced;
using session_test::run_apart;
using session_test::ScenarioFolder;
using session_test::watched;
using vocabulary::SimTime;

const std::string surviving = replaced(watched, "tasks: 40", "tasks: 40, survives: yes");

// Runs with the changes made at that moment; without changes it is only looked at.
std::optional<Figures> run_changed(Scenario scenario, SimTime at, const std::vector<Setting>& changes, bool faults = true) {
    return test_support::in_child([&] {
        oracle::SessionResult result;
        const session::SessionHooks hooks{.first_moment = at,
                                          .at_moment =
                                              [&](LiveSession& live) {
                                                  session::change(live, changes);
                                                  return SimTime::never();
                                              },
                                          .faults_may_come = faults};
        oracle::run_session(scenario, result, hooks);
        return session_test::figures(result);
    });
}

// The run is looked at at `times` random moments.
std::optional<Figures> run_looked_at(const Scenario& scenario, unsigned seed, SimTime last, int times) {
    return test_support::in_child([&] {
        std::mt19937_64 random(seed);
        std::vector<SimTime> moments{SimTime()};
        for (int i = 0; i < times; ++i)
            moments.push_back(SimTime::ps(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(last.in_ps()))));
        std::sort(moments.begin(), moments.end());
        moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
        std::size_t next = 0;
        oracle::SessionResult result;
        const session::SessionHooks hooks{.first_moment = moments[0],
                                          .at_moment =
                                              [&](LiveSession& live) {
                                                  EXPECT_EQ(live.now(), moments[next]);
                                                  return ++next < moments.size() ? moments[next] : SimTime::never();
                                              },
                                          .faults_may_come = true};
        oracle::run_session(scenario, result, hooks);
        return session_test::figures(result);
    });
}

// The middle of the farm's run. Measured in a process of its own, like every run before the test's own.
SimTime middle_of(const Scenario& scenario) {
    const auto ps = test_support::in_child([&] {
        oracle::SessionResult result;
        oracle::run_session(scenario, result);
        return (result.simulated.counts.began + result.simulated.counts.last_step).in_ps() / 2;
    });
    return SimTime::ps(ps.value_or(0) / 1'000'000 * 1'000'000);
}

std::string in_us(SimTime time) {
    return std::to_string(time.in_ps() / 1'000'000) + "us";
}

class LiveRun : public testing::Test {
protected:
    void expect_same(const std::optional<Figures>& a, const std::optional<Figures>& b) {
        ASSERT_TRUE(a && b);
        EXPECT_EQ(a->hash(), b->hash());
        EXPECT_EQ(a->modelled_ps, b->modelled_ps);
        EXPECT_EQ(a->results, b->results);
    }
    ScenarioFolder folder;
    Scenario scenario = folder.read(watched);
    SimTime middle = middle_of(scenario);
};

}  // namespace

TEST_F(LiveRun, IsTheSameHoweverOftenItIsLookedAt) {
    for (const std::string& text : {watched, plain, surviving, watched + "links: byte\n"}) {
        const Scenario one = folder.read(text);
        const auto alone = run_apart(one);
        ASSERT_TRUE(alone);
        for (const unsigned seed : {1U, 2U}) expect_same(run_looked_at(one, seed, SimTime::ps(alone->modelled_ps), 40), alone);
    }
}

TEST_F(LiveRun, IsHeldBeforeItBoots) {
    bool seen = false;
    oracle::SessionResult result;
    oracle::run_session(scenario, result, {.first_moment = SimTime(), .at_moment = [&](LiveSession& live) {
                                               seen = true;
                                               EXPECT_EQ(live.now(), SimTime());
                                               EXPECT_STREQ(live.phase(), "boot");
                                               EXPECT_FALSE(live.machine().booted());
                                               return SimTime::never();
                                           }});
    EXPECT_TRUE(seen);
    EXPECT_TRUE(result.simulated.farm.finished);
}

TEST_F(LiveRun, MustBeAskedForALaterMoment) {
    const auto run = [&] {
        oracle::SessionResult result;
        oracle::run_session(scenario, result,
                            {.first_moment = SimTime::ms(1), .at_moment = [](LiveSession& live) { return live.now(); }});
    };
    EXPECT_DEATH(run(), "session.next_moment");
}

TEST_F(LiveRun, IsTheSameWhenWhatItHasIsSetAgain) {
    const auto alone = run_apart(scenario);
    expect_same(run_changed(scenario, middle, {}), alone);
    expect_same(run_changed(scenario, middle, {{"seed", "1"}}), alone);
    expect_same(run_changed(scenario, middle, {{"monitor.unload", "1000s/8/32"}, {"end.quiet", "100ms"}}), alone);
    expect_same(run_changed(scenario, middle, {{"monitor.events", "task"}, {"end.limit", "10000s"}}), alone);
}

TEST_F(LiveRun, GoesAnotherWayWhenItIsChanged) {
    const auto alone = run_apart(scenario);
    ASSERT_TRUE(alone);
    for (const Setting& change : std::vector<Setting>{{"monitor.probe", "90"},
                                                      {"monitor.unload", "1000s/0/1"},
                                                      {"monitor.pack_record", "50"},
                                                      {"fault", "slow n3 factor 3"}}) {
        const auto changed = run_changed(scenario, middle, {change});
        ASSERT_TRUE(changed);
        EXPECT_NE(changed->hash(), alone->hash()) << change.first;
        EXPECT_EQ(changed->results, alone->results) << change.first;
    }
}

TEST_F(LiveRun, HasOtherClocksWithAnotherSeedAndNoneJumps) {
    Scenario long_run = folder.read(replaced(watched, "tasks: 40", "tasks: 400"));
    const auto other = run_apart(long_run);
    ASSERT_TRUE(other);
    oracle::SessionResult result;
    using hw_model::Priority;
    std::vector<std::uint64_t> before, after;
    const auto clocks = [](LiveSession& live) {
        std::vector<std::uint64_t> all;
        for (std::uint16_t i = 0; i < 8; ++i)
            all.push_back(live.machine().machine().node(vocabulary::NodeId(i)).processor.clock_us(Priority::High));
        return all;
    };
    oracle::run_session(long_run, result, {.first_moment = middle, .at_moment = [&](LiveSession& live) {
                                               before = clocks(live);
                                               session::change(live, {{"seed", "2"}});
                                               after = clocks(live);
                                               return SimTime::never();
                                           }});
    EXPECT_EQ(before, after);
    EXPECT_EQ(before.size(), 8U);
    EXPECT_NE(result.observed.modelled.in_ps(), other->modelled_ps);  // the periods of the managers are other ones
}

TEST_F(LiveRun, MeetsAFaultThatIsAddedWhereNoneWasPlanned) {
    const SimTime later = middle + SimTime::us(100);
    oracle::SessionResult result;
    oracle::run_session(scenario, result,
                        {.first_moment = middle,
                         .at_moment =
                             [&](LiveSession& live) {
                                 session::change(live, {{"fault", "die n5"}});
                                 session::change(live, {{"fault", "cut n0.1 - n1.0 at " + in_us(later)}});
                                 return SimTime::never();
                             },
                         .faults_may_come = true});
    ASSERT_EQ(result.simulated.faults.tallies.size(), 2U);
    EXPECT_EQ(result.simulated.faults.tallies[0].first, middle);
    EXPECT_EQ(result.simulated.faults.tallies[1].first, later);
    EXPECT_TRUE(result.simulated.nodes[5].crashed);
    EXPECT_FALSE(result.simulated.farm.finished);
}

TEST_F(LiveRun, IsAsBeforeWhenOneOfSeveralChangesIsRefused) {
    oracle::SessionResult result;
    oracle::run_session(scenario, result,
                        {.first_moment = middle,
                         .at_moment =
                             [&](LiveSession& live) {
                                 EXPECT_THROW(session::change(live, {{"seed", "2"}, {"fault", "die n5"}, {"fault", "die n99"}}),
                                              vocabulary::InputError);
                                 EXPECT_EQ(live.scenario().seed, 1U);
                                 EXPECT_FALSE(live.scenario().faults);
                                 return SimTime::never();
                             },
                         .faults_may_come = true});
    EXPECT_TRUE(result.simulated.farm.finished);
}

TEST_F(LiveRun, EndsAtALimitThatIsLowered) {
    const auto cut = run_changed(scenario, middle, {{"end.limit", in_us(middle + SimTime::us(500))}});
    ASSERT_TRUE(cut);
    EXPECT_LE(SimTime::ps(cut->modelled_ps), middle + SimTime::us(500));
    EXPECT_GT(SimTime::ps(cut->modelled_ps), middle);
    EXPECT_FALSE(cut->finished);
}

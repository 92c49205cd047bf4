// Changes in mid-run: how they are written, what they make of a scenario, which are refused and why.
#include <gmock/gmock.h>

#include <session/live_change.hpp>

#include "scenario_folder.hpp"

namespace {

using session::parse_changes;
using session_test::plain;
using session_test::ScenarioFolder;
using session_test::watched;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::StartsWith;
using vocabulary::SimTime;

std::string error_of(const std::function<void()>& what) {
    try {
        what();
    } catch (const vocabulary::InputError& error) {
        return error.what();
    }
    return "no InputError was thrown";
}

class LiveChange : public testing::Test {
protected:
    void change(const std::string& name, const std::string& value, SimTime now = SimTime::ms(10)) {
        scenario = session::changed(scenario, {name, value}, now);
    }
    std::string refusal(const std::string& name, const std::string& value, SimTime now = SimTime::ms(10)) {
        return folder.without_folder(error_of([&] { change(name, value, now); }));
    }
    const topologies::Fault& last_fault() const { return scenario.faults->faults.back(); }
    ScenarioFolder folder;
    scenario::Scenario scenario = folder.read(watched);
};

}  // namespace

TEST(LiveChanges, BeginWhereANameFollowsAComma) {
    EXPECT_THAT(parse_changes("monitor.unload=1s/8/32,2s/4/16, seed=2 ,fault=cut n0.1 - n1.0"),
                ElementsAre(Pair("monitor.unload", "1s/8/32,2s/4/16"), Pair("seed", "2"), Pair("fault", "cut n0.1 - n1.0")));
    EXPECT_THAT(parse_changes("fault={die: n5, at: 12ms}"), ElementsAre(Pair("fault", "{die: n5, at: 12ms}")));
    EXPECT_THAT(parse_changes(""), IsEmpty());
    EXPECT_THAT(parse_changes("  "), IsEmpty());
}

TEST(LiveChanges, WithoutANameAreRefused) {
    EXPECT_EQ(error_of([] { parse_changes("seed"); }), "seed: expected NAME=VALUE, for example seed=2, and got 'seed'");
    EXPECT_EQ(error_of([] { parse_changes("=3"); }), "=3: expected NAME=VALUE, for example seed=2, and got '=3'");
}

TEST_F(LiveChange, OfTheMonitorIsThatOfSet) {
    change("monitor.unload", "1s/4/16");
    EXPECT_EQ(scenario.monitor->unload->at(0).upper, 16U);
    change("monitor.events", "task+process");
    EXPECT_TRUE(scenario.monitor->classes.has(trace_record::EventClass::Process));
    change("monitor.probe", "12");
    EXPECT_EQ(scenario.costs.work("monitor.probe"), SimTime::us(12));
}

TEST_F(LiveChange, OfAFaultStrikesNowUnlessItSaysWhen) {
    change("fault", "die n5");
    EXPECT_EQ(last_fault().at, SimTime::ms(10));
    change("fault", "cut n0.1 - n1.0 at 12ms for 2ms direction forward");
    EXPECT_EQ(last_fault().at, SimTime::ms(12));
    EXPECT_EQ(last_fault().duration, SimTime::ms(2));
    EXPECT_EQ(last_fault().direction, topologies::FaultDirection::Forward);
    change("fault", "{die: n6, on: {task: 30, step: start}}");
    EXPECT_EQ(last_fault().on->task, 30U);
    EXPECT_FALSE(last_fault().at);
    change("fault", "flip n0.1 - n1.0 rate 1e-6");
    EXPECT_DOUBLE_EQ(*last_fault().rate, 1e-6);
    change("fault", "slow n3 factor 2 for 3ms");
    EXPECT_EQ(last_fault().at, SimTime::ms(10));
    change("fault", "cut n0.1 - n1.0 direction both");
    EXPECT_EQ(last_fault().at, SimTime::ms(10));
    EXPECT_EQ(scenario.faults->faults.size(), 6U);
}

TEST_F(LiveChange, OfAPlanFileAddsItsFaults) {
    folder.write("p.faults", "version: 1\nseed: 9\nfaults:\n  - {die: n5, at: 12ms}\n  - {die: n6, at: 13ms}\n");
    const std::size_t inputs = scenario.inputs.size();
    change("fault", "die n4");
    change("faults", folder.file("p.faults"));
    EXPECT_EQ(scenario.faults->faults.size(), 3U);
    EXPECT_EQ(scenario.faults->seed, 1U);  // that of the plan that was there
    EXPECT_EQ(scenario.inputs.size(), inputs + 1);
}

TEST_F(LiveChange, OfAFaultThatHasPassedIsRefused) {
    EXPECT_EQ(
        refusal("fault", "die n5 at 9ms"),
        "fault=die n5 at 9ms: 'die n5' is to strike at 9.000 ms, and it is 10.000 ms already; give a later moment, or none for "
        "at once");
    EXPECT_EQ(
        refusal("fault", "slow n5 factor 2 until 9ms"),
        "fault=slow n5 factor 2 until 9ms: 'slow n5 by 2' is to end at 9.000 ms, and it is 10.000 ms already; give a later "
        "moment, or none for at once");
    EXPECT_EQ(refusal("fault", "memory n5 size 512KiB"),
              "fault=memory n5 size 512KiB: a smaller memory holds from power-up; put it into the scenario's fault plan");
    EXPECT_THAT(refusal("fault", "dye n5"), HasSubstr("fault=dye n5: unknown verb 'dye', did you mean 'die'?"));
    EXPECT_THAT(refusal("fault", " "), HasSubstr("the fault is empty; write a verb and its target, as in 'die n5'"));
    EXPECT_THAT(refusal("fault", "{}"), HasSubstr("the fault is empty; write a verb and its target, as in 'die n5'"));
    EXPECT_THAT(refusal("fault", "die n9"), StartsWith("fault=die n9: "));
    EXPECT_FALSE(scenario.faults);
}

TEST_F(LiveChange, OfWhatTheRunWasBuiltWithSaysWhy) {
    const std::string can =
        "; settings that can change: seed, fault, faults, end.quiet, end.patience, end.limit, monitor.unload, monitor.events, "
        "monitor.flush, monitor.heartbeat, monitor.when_full, monitor.processor_percent, monitor.link_percent and costs of the "
        "monitor such as monitor.probe; for any other start another run with --set";
    EXPECT_EQ(
        refusal("farm.policy", "round-robin"),
        "farm.policy=round-robin: cannot be changed in mid-run: the nodes were given the farm's settings when their programs "
        "were started" +
            can);
    EXPECT_THAT(refusal("application.task_bytes", "8"), HasSubstr("the programs were made with it before they were loaded"));
    EXPECT_THAT(refusal("bugs", "x.bugs"), HasSubstr("bugs are planted in the programs before they are loaded"));
    EXPECT_THAT(refusal("links", "byte"), HasSubstr("the machine's links were built at one level of detail"));
    EXPECT_THAT(refusal("reconfigure", "x"), HasSubstr("the host has been given its orders for the switches"));
    EXPECT_THAT(refusal("monitor", "off"), HasSubstr("the monitor is loaded on the nodes and cannot be removed"));
    EXPECT_THAT(refusal("monitor.kind", "tmon"), HasSubstr("the monitor's programs have been loaded"));
    EXPECT_THAT(refusal("monitor.interrupt", "1ms"),
                HasSubstr("the nodes count the global interrupts by the period that they"));
    EXPECT_THAT(refusal("monitor.buffer", "64"), HasSubstr("the nodes' memory was allocated when the monitor was started"));
    EXPECT_THAT(refusal("kernel.rendezvous", "30"), HasSubstr("the machine and its kernels were built with it"));
    scenario = folder.read(plain);
    EXPECT_THAT(refusal("monitor.unload", "1s/4/16"), HasSubstr("the scenario is not monitored, and no monitor can be loaded"));
}

TEST_F(LiveChange, OfSomethingUnknownNamesTheNearest) {
    EXPECT_EQ(refusal("sead", "2"), "sead=2: there is no 'sead' that could be changed, did you mean 'seed'?");
    EXPECT_THAT(refusal("zzzzzzzzz", "2"),
                HasSubstr("there is no 'zzzzzzzzz' that could be changed; settings that can change: seed, fault"));
}

TEST_F(LiveChange, WithAWrongValueLeavesTheScenarioAsItWas) {
    EXPECT_EQ(refusal("seed", "x"), "seed=x: expected a whole number from 0 to 9223372036854775807 and got 'x'");
    EXPECT_EQ(scenario.seed, 1U);
    EXPECT_THAT(refusal("monitor.probe", "1e12"), HasSubstr("cost 'monitor.probe' is 1000000000000, but must be 0 to"));
    EXPECT_NE(scenario.costs.work("monitor.probe"), SimTime::s(1000000));
}

TEST_F(LiveChange, OfTheLimitLiesAhead) {
    EXPECT_EQ(refusal("end.limit", "10ms"), "end.limit=10ms: it is 10.000 ms already; give a later limit");
    change("end.limit", "20s");
    EXPECT_EQ(scenario.limit, SimTime::s(20));
    change("end.limit", "30s");  // nothing was armed up to the old one
    change("fault", "die n5 at 12ms");
    EXPECT_EQ(
        refusal("end.limit", "40s"),
        "end.limit=40s: the fault plan was carried out up to the old limit, so the new one cannot be later; start another run "
        "with --set end.limit");
    change("end.limit", "1s");
    EXPECT_EQ(scenario.limit, SimTime::s(1));
}

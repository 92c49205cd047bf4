// The section `monitor` of a scenario and the settings of the same name, with every error in them.
#include <gtest/gtest.h>

#include <scenario/scenario.hpp>

#include "scenario_folder.hpp"

namespace {

using instrumentation::MonitorKind;
using instrumentation::WhenFull;
using session_test::plain;
using session_test::ScenarioFolder;
using session_test::watched;
using trace_record::ClassSet;
using trace_record::EventClass;
using vocabulary::SimTime;

class ScenarioMonitor : public testing::Test {
protected:
    std::string error(const std::string& section) const { return folder.error(plain + "monitor: " + section + "\n"); }
    std::string error_set(const std::string& name, const std::string& value) const {
        return folder.error(watched, {{name, value}});
    }
    ScenarioFolder folder;
};

}  // namespace

TEST_F(ScenarioMonitor, IsTheOneForDebuggingThatDropsTheNewestRecordUnlessToldOtherwise) {
    const auto monitor = folder.read(watched).monitor;
    ASSERT_TRUE(monitor.has_value());
    EXPECT_EQ(monitor->kind, MonitorKind::TmonDe);
    EXPECT_EQ(monitor->when_full, WhenFull::DropNewest);
    EXPECT_EQ(monitor->classes, ClassSet::of(EventClass::Task));
}

TEST_F(ScenarioMonitor, TakesItsClassesItsPolicyAndAdaptiveReportingFromTheFile) {
    const auto scenario = folder.read(plain +
                                      "monitor: {unload: adaptive, adaptive: {processor: 20, links: 0}, events: [task, user], "
                                      "when_full: degrade}\n");
    const auto& monitor = *scenario.monitor;
    EXPECT_FALSE(monitor.unload.has_value());
    EXPECT_EQ(monitor.adaptive.processor_percent, 20U);
    EXPECT_EQ(monitor.adaptive.link_percent, 0U);
    EXPECT_EQ(monitor.classes, ClassSet::of(EventClass::Task, EventClass::User));
    EXPECT_EQ(monitor.when_full, WhenFull::Degrade);
}

TEST_F(ScenarioMonitor, IsOffInAFileAsOnTheCommandLine) {
    EXPECT_FALSE(folder.read(plain + "monitor: off\n").monitor.has_value());
    EXPECT_FALSE(folder.read(watched, {{"monitor", "off"}}).monitor.has_value());
    EXPECT_TRUE(folder.read(plain + "monitor: off\n", {{"monitor.unload", "1s/0/64"}}).monitor.has_value());
    EXPECT_EQ(error("on"), "s.yaml:6:10: expected 'off', or the monitor's keys: at least 'kind' or 'unload'");
}

TEST_F(ScenarioMonitor, IsWrittenInAFileAsOnTheCommandLine) {
    const auto file = folder.read(plain + "monitor: {unload: '5ms/1/2,1s/0/64', events: task+message}\n").monitor;
    const auto line = folder.read(watched, {{"monitor.unload", "5ms/1/2,1s/0/64"}, {"monitor.events", "task+message"}}).monitor;
    ASSERT_TRUE(file && line && file->unload && line->unload);
    ASSERT_EQ(file->unload->commands().size(), 2U);
    EXPECT_EQ(file->unload->commands()[0].until_us, line->unload->commands()[0].until_us);
    EXPECT_EQ(file->unload->commands()[1].upper, line->unload->commands()[1].upper);
    EXPECT_EQ(file->classes, line->classes);
    EXPECT_EQ(folder.read(watched, {{"monitor.events", ""}}).monitor->classes, ClassSet());
    const std::vector<scenario::Setting> loads = {
        {"monitor.unload", "adaptive"}, {"monitor.adaptive.processor", "7"}, {"monitor.adaptive.links", "9"}};
    const auto adaptive = folder.read(watched, loads).monitor;
    EXPECT_EQ(adaptive->adaptive.processor_percent, 7U);
    EXPECT_EQ(adaptive->adaptive.link_percent, 9U);
}

TEST_F(ScenarioMonitor, IsChangedBySettings) {
    const auto scenario = folder.read(
        watched, {{"monitor.unload", "5ms/1/2,1s/0/64"}, {"monitor.events", "task+message"}, {"monitor.when_full", "stop"}});
    const auto& monitor = *scenario.monitor;
    ASSERT_EQ(monitor.unload->commands().size(), 2U);
    EXPECT_EQ(monitor.unload->commands()[0].until_us, 5000U);
    EXPECT_EQ(monitor.unload->commands()[1].upper, 64U);
    EXPECT_EQ(monitor.classes, ClassSet::of(EventClass::Task, EventClass::Message));
    EXPECT_EQ(monitor.when_full, WhenFull::Stop);
}

TEST_F(ScenarioMonitor, OfTheAdaptiveKindIsChangedBySettings) {
    const std::vector<scenario::Setting> percents = {{"monitor.processor_percent", "7"}, {"monitor.link_percent", "8"}};
    auto adaptive = percents;
    adaptive.emplace_back("monitor.unload", "adaptive");
    const auto scenario = folder.read(watched, adaptive);
    EXPECT_EQ(scenario.monitor->adaptive.processor_percent, 7U);
    EXPECT_EQ(scenario.monitor->adaptive.link_percent, 8U);
    EXPECT_EQ(folder.error(watched, percents),
              "--set monitor.processor_percent=7: buffers are unloaded by a sequence, and then nothing is adaptive; leave it "
              "out, or set monitor.unload=adaptive");
}

TEST_F(ScenarioMonitor, InterruptIsSetOfTmonAlone) {
    EXPECT_EQ(folder.error(watched, {{"monitor.interrupt", "1ms"}}),
              "--set monitor.interrupt=1ms: the monitor is Tmon-de, which has no global interrupt; leave it out, or set "
              "monitor.kind=tmon");
    const auto tmon =
        scenario::read_scenario(MAGICWIRE_SOURCE_DIR "/examples/tmon/farm.yaml", {{"monitor.interrupt", "1ms"}}, {}, {}, {});
    EXPECT_EQ(tmon.monitor->interrupt_period, SimTime::ms(1));
}

TEST_F(ScenarioMonitor, SamplesNodesByTmonAlone) {
    EXPECT_EQ(
        folder.error(watched, {{"monitor.events", "task+usage"}}),
        "--set monitor.events=task+usage: the monitor is Tmon-de, which has no global interrupt to sample nodes at; leave "
        "'usage' out, or set monitor.kind=tmon");
    EXPECT_EQ(folder.error(plain + "monitor: {unload: [[1000s, 8, 32]], events: [task, usage]}\n"),
              "s.yaml:6:52: only 'kind: tmon' samples the load of a node, at its global interrupt; leave 'usage' out");
}

TEST_F(ScenarioMonitor, TakesAnUnloadSequenceFromAFileInASetting) {
    folder.write("s.unload", "# of a search\n5000 8 16\n1000000000 0 0\n");
    const auto scenario = folder.read(plain, {{"monitor.unload", folder.file("s.unload")}});
    ASSERT_EQ(scenario.monitor->unload->commands().size(), 2U);
    EXPECT_EQ(scenario.monitor->unload->at(0).upper, 16U);
    EXPECT_EQ(scenario.inputs.back().role, "unload");
}

TEST_F(ScenarioMonitor, IsSwitchedOnByAnUnloadSequence) {
    EXPECT_TRUE(folder.read(plain, {{"monitor.unload", "1000s/8/32"}}).monitor.has_value());
    EXPECT_EQ(folder.error(plain, {{"monitor.events", "task"}}),
              "--set monitor.events=task: the scenario is not monitored; set monitor.unload before it, for example --set "
              "monitor.unload=1000s/8/32");
}

TEST_F(ScenarioMonitor, RefusesWhatIsWrongInItsSection) {
    EXPECT_EQ(error("{events: [task]}"), "s.yaml:6:10: key 'unload' is missing in 'monitor'; add 'unload: ...'");
    EXPECT_EQ(error("{unload: adaptive, events: [tsk]}"),
              "s.yaml:6:38: expected one of task, message, process, usage, user and got 'tsk', did you mean 'task'?");
    EXPECT_EQ(error("{unload: [[1s, 0, 8]], adaptive: {links: 3}}"),
              "s.yaml:6:43: 'unload' gives a sequence, and then nothing is adaptive; leave one of the two out");
    EXPECT_EQ(error("{unload: adaptive, interrupt: 5ms}"),
              "s.yaml:6:40: only 'kind: tmon' has a global interrupt; Tmon-de works without that wire");
    EXPECT_EQ(error("{kind: tmon, interrupt: 5us}"),
              "s.yaml:6:34: the global interrupt comes at most every 100 us; give a longer time");
    EXPECT_EQ(error("{unload: adaptive, when_full: stopp}"), "s.yaml:6:40: 'when_full' is 'stopp', did you mean 'stop'?");
}

TEST_F(ScenarioMonitor, RefusesWhatIsWrongInASetting) {
    EXPECT_EQ(
        error_set("monitor.unload", "5ms/1"),
        "--set monitor.unload=5ms/1: expected 'adaptive', a file, or TIME/LOWER/UPPER, several with commas between, and got "
        "'5ms/1'");
    EXPECT_EQ(error_set("monitor.link_percent", "101"),
              "--set monitor.link_percent=101: expected a whole number from 0 to 100 and got '101'");
    EXPECT_EQ(error_set("monitor.when_full", "degrad"),
              "--set monitor.when_full=degrad: expected one of drop-newest, overwrite-oldest, stop, degrade and got 'degrad', "
              "did you mean 'degrade'?");
    EXPECT_EQ(error_set("monitor.interrupt", "1us"),
              "--set monitor.interrupt=1us: the global interrupt comes at most every 100 us; give a longer time");
}

TEST_F(ScenarioMonitor, OfTmonNeedsAMachineWithInterruptWires) {
    const std::string advice =
        "the machine has no wires for the global interrupt of Tmon; add 'interrupts: {master: n0}' to the machine file, or "
        "take "
        "'kind: tmon-de', which needs none";
    EXPECT_EQ(error("{kind: tmon}"), "s.yaml:6:17: " + advice);
    EXPECT_EQ(error_set("monitor.kind", "tmon"), "--set monitor.kind=tmon: " + advice);
}

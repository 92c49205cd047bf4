// The permitted contents of a scenario, and every error in one, by the whole text of its message.
#include <gmock/gmock.h>

#include <scenario/scenario.hpp>
#include <session/applications.hpp>

#include "scenario_folder.hpp"

namespace scenario_cases {

namespace {

using session_test::plain;
using session_test::replaced;
using session_test::ScenarioFolder;
using session_test::watched;
using vocabulary::SimTime;

class Scenario : public testing::Test {
protected:
    std::string error_with(const std::string& what, const std::string& by) const {
        return folder.error(replaced(plain, what, by));
    }
    std::string error_set(const std::string& name, const std::string& value) const {
        return folder.error(plain, {{name, value}});
    }
    std::string error_unload(const std::string& rows) const {
        return folder.error(plain + "monitor: {unload: " + rows + "}\n");
    }
    ScenarioFolder folder;
};

}  // namespace

TEST_F(Scenario, IsReadWithItsDefaults) {
    const scenario::Scenario scenario = folder.read(plain);
    EXPECT_EQ(scenario.name, "plain");
    EXPECT_EQ(scenario.seed, 1U);
    EXPECT_EQ(scenario.farm.nodes, 8U);
    EXPECT_EQ(scenario.farm.degree, 1U);
    EXPECT_EQ(scenario.farm.buffers, 1U);
    EXPECT_FALSE(scenario.monitor.has_value());
    EXPECT_EQ(scenario.quiet, SimTime::ms(100));
    EXPECT_EQ(scenario.patience, SimTime::s(60));
    EXPECT_EQ(scenario.inputs.size(), 4U) << "scenario, machine, costs and tasks";
}

TEST_F(Scenario, ReadsAnUnloadSequenceFromItselfOrFromAFile) {
    const auto inside = folder.read(watched);
    ASSERT_TRUE(inside.monitor.has_value());
    EXPECT_EQ(inside.monitor->unload->commands()[0].until_us, 1'000'000'000U);
    EXPECT_EQ(inside.monitor->unload->commands()[0].upper, 32U);
    folder.write("u.txt", "5000 1 2\n");
    const auto outside = folder.read(plain + "monitor: {unload: u.txt}\n");
    EXPECT_EQ(outside.monitor->unload->commands()[0].until_us, 5000U);
    EXPECT_EQ(outside.inputs.back().role, "unload");
}

TEST_F(Scenario, TakesItsSeedFromTheFileASettingOrTheArgumentInThisOrder) {
    EXPECT_EQ(folder.read(plain + "seed: 5\n").seed, 5U);
    EXPECT_EQ(folder.read(plain + "seed: 5\n", {{"seed", "6"}}).seed, 6U);
    EXPECT_EQ(folder.read(plain + "seed: 5\n", {{"seed", "6"}}, 7).seed, 7U);
}

TEST_F(Scenario, TakesTheLevelOfItsLinksFromTheFileOrASetting) {
    EXPECT_EQ(folder.read(plain).links, topologies::LinkLevel::Message);
    EXPECT_EQ(folder.read(plain + "links: byte\n").links, topologies::LinkLevel::Byte);
    EXPECT_EQ(folder.read(plain + "links: byte\n", {{"links", "message"}}).links, topologies::LinkLevel::Message);
    EXPECT_EQ(folder.error(plain + "links: bit\n"), "s.yaml:6:8: 'links' is 'bit', did you mean 'byte'?");
    EXPECT_EQ(error_set("links", "bit"), "--set links=bit: expected 'message' or 'byte' and got 'bit'");
}

TEST_F(Scenario, IsChangedBySettings) {
    const auto scenario =
        folder.read(watched, {{"farm.tasks", "7"}, {"kernel.rendezvous", "30"}, {"monitor", "off"}, {"end.quiet", "5ms"}});
    EXPECT_EQ(scenario.farm.tasks, 7U);
    EXPECT_DOUBLE_EQ(scenario.costs.get("kernel.rendezvous", "us"), 30);
    EXPECT_FALSE(scenario.monitor.has_value());
    EXPECT_EQ(scenario.quiet, SimTime::ms(5));
}

TEST_F(Scenario, HashesItsInputsByContent) {
    const auto before = folder.read(plain).inputs.back().hash;
    EXPECT_EQ(folder.read(plain).inputs.back().hash, before);
    folder.write("plain.dat", "0  21 10 0  140 1000 0  10 10 0  100 10 0  100 10 0\n");
    EXPECT_NE(folder.read(plain).inputs.back().hash, before);
}

TEST_F(Scenario, RefusesAFileThatIsNotThere) {
    EXPECT_EQ(error_with("btree_8.yaml", "btree_9.yaml"),
              "s.yaml:3:10: there is no file 'btree_9.yaml'; paths are relative to the scenario file");
    EXPECT_EQ(error_with("plain.dat", "no.dat"),
              "s.yaml:5:22: there is no file 'no.dat'; paths are relative to the scenario file");
    EXPECT_EQ(error_unload("no.txt"), "s.yaml:6:19: there is no file 'no.txt'; paths are relative to the scenario file");
    EXPECT_EQ(folder.error(plain + "costs: no.yaml\n"),
              "s.yaml:6:8: there is no file 'no.yaml'; paths are relative to the scenario file");
    try {
        scenario::read_scenario("no/such.yaml", {}, {});
        FAIL() << "no InputError was thrown";
    } catch (const vocabulary::InputError& found) {
        EXPECT_STREQ(found.what(), "no/such.yaml: cannot be read: No such file or directory; check the path");
    }
}

TEST_F(Scenario, RefusesANameThatNoFileCanHave) {
    const std::string name(300, 'x');
    EXPECT_EQ(error_with("plain.dat", name),
              "s.yaml:5:22: there is no file '" + name + "'; paths are relative to the scenario file");
}

TEST_F(Scenario, TakesAnUnloadSequenceFromASettingOfAnyLength) {
    std::string rows;
    for (int row = 1; row <= 500; ++row) rows += (row > 1 ? "," : "") + std::to_string(row) + "ms/8/32";
    EXPECT_EQ(folder.read(watched, {{"monitor.unload", rows}}).monitor->unload->commands().size(), 500U);
}

TEST_F(Scenario, RefusesUnknownKeysWithTheNearestName) {
    EXPECT_EQ(folder.error(plain + "machin: x\n"), "s.yaml:6:1: unknown key 'machin', did you mean 'machine'?");
    EXPECT_EQ(error_with("tasks: 40", "task: 40"), "s.yaml:4:32: unknown key 'task', did you mean 'tasks'?");
    EXPECT_EQ(folder.error(plain + "monitor: {unlod: 1}\n"), "s.yaml:6:11: unknown key 'unlod', did you mean 'unload'?");
    EXPECT_EQ(folder.error(plain + "end: {quite: 1ms}\n"), "s.yaml:6:7: unknown key 'quite', did you mean 'quiet'?");
}

TEST_F(Scenario, RefusesMissingKeysAndOtherVersions) {
    EXPECT_EQ(error_with("name: plain\n", ""), "s.yaml:1:1: key 'name' is missing in the file; add 'name: ...'");
    const auto farm = plain.find("farm:"), application = plain.find("application:");
    ASSERT_LT(farm, application);
    EXPECT_EQ(folder.error(plain.substr(0, farm) + plain.substr(application)),
              "s.yaml:1:1: key 'farm' is missing in the file; add 'farm: ...'");
    EXPECT_EQ(folder.error(plain.substr(0, application)),
              "s.yaml:1:1: key 'application' is missing in the file; add 'application: ...'");
    EXPECT_EQ(error_with("version: 1", "version: 2"),
              "s.yaml:1:10: this program reads version 1 of the scenario file, not '2'; write 'version: 1'");
}

TEST_F(Scenario, RefusesAMachineWithoutAHost) {
    folder.write("own.yaml", "version: 1\nname: own\nnodes: {count: 8, ram: 4MiB}\nhost: none\n");
    EXPECT_EQ(error_with("btree_8.yaml", "own.yaml"),
              "s.yaml:3:10: machine 'own' is a network without a host, so it cannot be booted; wire it to a host, as in 'host: "
              "n0.0', or solve it onto a machine that has one");
}

TEST_F(Scenario, RefusesANegativeTime) {
    EXPECT_EQ(folder.error(plain + "end: {quiet: -1ms}\n"),
              "s.yaml:6:14: '-1ms' is negative, but times start at 0; write 0 or more, as in '20us'");
    EXPECT_EQ(error_unload("[[-5us, 0, 0]]"),
              "s.yaml:6:21: '-5us' is negative, but times start at 0; write 0 or more, as in '20us'");
    EXPECT_EQ(error_set("end.limit", "-1s"),
              "--set end.limit=-1s: '-1s' is negative, but times start at 0; write 0 or more, as in '20us'");
}

TEST_F(Scenario, RefusesAnUnloadSequenceOutOfOrder) {
    EXPECT_EQ(
        error_unload("[[2ms, 0, 0], [1ms, 0, 0]]"),
        "s.yaml:6:33: time 1000 us does not come after 2000 us of the line before; put the lines in the order of their times");
    EXPECT_EQ(error_unload("[[2ms, 64, 16]]"),
              "s.yaml:6:20: lower bound 64 exceeds upper bound 16; the order is <Time> <LowerBound> <UpperBound>");
    EXPECT_EQ(error_unload("[[2ms, 64]]"),
              "s.yaml:6:20: an unload command has three parts, [TIME, LOWER, UPPER], and this one has 2");
    EXPECT_EQ(error_unload("[]"), "s.yaml:6:19: the unload sequence has no command; give at least one [TIME, LOWER, UPPER]");
    folder.write("u.txt", "2000 0 0\n1000 0 0\n");
    EXPECT_EQ(
        error_unload("u.txt"),
        "u.txt:2:1: time 1000 us does not come after 2000 us of the line before; put the lines in the order of their times");
}

TEST_F(Scenario, RefusesTwoApplicationsOrNone) {
    const std::string choice =
        "an application is 'tasks: FILE.dat' (the simulated one), 'farm: FILE.farm' (a program of yours) or 'program: NAME' "
        "(one "
        "built with Magicwire); give one of the three";
    EXPECT_EQ(error_with("{tasks: plain.dat}", "{tasks: plain.dat, program: image_group}"), "s.yaml:5:14: " + choice);
    EXPECT_EQ(error_with("{tasks: plain.dat}", "{task_bytes: 64}"), "s.yaml:5:14: " + choice);
}

TEST_F(Scenario, OfAProgramThatShallDivideNeedsItToSplit) {
    const std::string program = replaced(plain, "tasks: plain.dat", "program: image_group");
    const scenario::Scenario scenario = folder.read(replaced(program, "tasks: 40", "tasks: 40, degree: 2"));
    farm_programs::ProgramReport report;
    try {
        session::make_application(scenario, report);
        FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
        EXPECT_THAT(error.what(),
                    testing::HasSubstr("has no split_fn(), which a farm that divides its tasks needs; write it, or "
                                       "set farm.degree to 1"));
    }
}

TEST_F(Scenario, RefusesATaskLineOf14Numbers) {
    folder.write("plain.dat", "# head\n0  20 10 0  140 1000 0  10 10 0  100 10 0  100\n");
    EXPECT_EQ(folder.error(plain),
              "plain.dat:2:1: a task has 16 numbers and this line has 14; give the task number, then time, space and bug id "
              "for generate, compute, post-process, split "
              "and join");
}

TEST_F(Scenario, RefusesAFarmThatTheMachineCannotHold) {
    EXPECT_EQ(error_with("nodes: 8", "nodes: 9"),
              "s.yaml:4:15: 'nodes' is '9', but must be a whole number from 2 to 8; write a number in that range");
    EXPECT_EQ(error_with("binary", "binry"), "s.yaml:4:24: 'tree' is 'binry', did you mean 'binary'?");
}

TEST_F(Scenario, RefusesASettingThatIsNotThere) {
    EXPECT_EQ(error_set("farm.tsks", "1"),
              "--set farm.tsks=1: there is no setting or cost 'farm.tsks', did you mean 'farm.tasks'?");
    EXPECT_EQ(error_set("kernel.rendevous", "1"),
              "--set kernel.rendevous=1: there is no setting or cost 'kernel.rendevous', did you mean 'kernel.rendezvous'?");
    EXPECT_EQ(
        error_set("xyzzyxyzzyxyzzyxyzzy", "1"),
        "--set xyzzyxyzzyxyzzyxyzzy=1: there is no setting or cost 'xyzzyxyzzyxyzzyxyzzy'; 'magicwire costs' lists the costs");
}

TEST_F(Scenario, RefusesASettingWithABadValue) {
    EXPECT_EQ(error_set("farm.tasks", "many"),
              "--set farm.tasks=many: expected a whole number from 0 to 268435456 and got 'many'");
    EXPECT_EQ(error_set("farm.tasks", "-1"), "--set farm.tasks=-1: expected a whole number from 0 to 268435456 and got '-1'");
    EXPECT_EQ(error_set("farm.nodes", "9"), "--set farm.nodes=9: expected a whole number from 2 to 8 and got '9'");
    EXPECT_EQ(error_set("kernel.rendezvous", "x"), "--set kernel.rendezvous=x: expected a number and got 'x'");
    EXPECT_EQ(error_set("kernel.rendezvous", "-1"),
              "--set kernel.rendezvous=-1: cost 'kernel.rendezvous' cannot be -1; costs start at 0, write 0 or more us");
    EXPECT_EQ(error_set("kernel.rendezvous", "nan"),
              "--set kernel.rendezvous=nan: cost 'kernel.rendezvous' cannot be nan; costs start at 0, write 0 or more us");
    EXPECT_EQ(
        error_set("kernel.rendezvous", "1e300"),
        "--set kernel.rendezvous=1e300: a cost is at most 10^12, because modelled time is limited; write a smaller number");
    EXPECT_EQ(error_set("monitor", "on"),
              "--set monitor=on: only 'off' can be set here; see monitor.unload, monitor.kind and monitor.events");
}

TEST_F(Scenario, RefusesCostsThatNoMonitorCanWorkWith) {
    EXPECT_EQ(error_set("monitor.buffer", "1e9"),
              "s.yaml: cost 'monitor.buffer' is 1000000000, but must be 1 to 65536 records");
    EXPECT_EQ(error_set("monitor.buffer", "0"), "s.yaml: cost 'monitor.buffer' is 0, but must be 1 to 65536 records");
    EXPECT_EQ(error_set("kernel.most_packet", "10"),
              "s.yaml: cost 'kernel.most_packet' is 10, but must be 64 to 1048576 bytes");
    EXPECT_EQ(error_set("kernel.process_table", "65"),
              "s.yaml: cost 'kernel.process_table' is 65, but must be 40 to 64 records");
    EXPECT_EQ(error_set("host.process_table", "39"), "s.yaml: cost 'host.process_table' is 39, but must be 40 to 288 records");
    EXPECT_EQ(error_set("monitor.record", "2000000"),
              "s.yaml: cost 'monitor.record' is 2000000 bytes, but must be at most 4096, kernel.most_packet: a trace record "
              "leaves its node in one packet");
}

TEST_F(Scenario, RefusesASilenceInWhichALivingNodeWouldBeGivenUp) {
    EXPECT_EQ(error_set("trek.silence", "30000"),
              "s.yaml: cost 'trek.silence' is 30000 us, but must be at least 40000, twice trek.heartbeat: otherwise a node is "
              "given up between two heartbeats");
    EXPECT_EQ(error_set("trek.heartbeat", "10"), "s.yaml: cost 'trek.heartbeat' is 10, but must be 100 to 1000000000 us");
}

TEST_F(Scenario, RefusesASeedOutOfRange) {
    EXPECT_EQ(
        folder.error(plain + "seed: -1\n"),
        "s.yaml:6:7: 'seed' is '-1', but must be a whole number from 0 to 9223372036854775807; write a number in that range");
    EXPECT_EQ(error_set("seed", "-1"), "--set seed=-1: expected a whole number from 0 to 9223372036854775807 and got '-1'");
}

TEST_F(Scenario, TakesTheGrainInsteadOfTheTasksOwnTimes) {
    const auto time = [](const scenario::Scenario& read, std::uint32_t task, trek_kernel::UserProcess process) {
        return read.tasks.of(task).segments[static_cast<std::size_t>(process)].time_us;
    };
    const auto of_file = folder.read(replaced(plain, "plain.dat", "plain.dat, grain: 2ms"));
    EXPECT_EQ(time(of_file, 7, trek_kernel::UserProcess::Compute), 2000U);
    EXPECT_EQ(time(of_file, 7, trek_kernel::UserProcess::Split), 100U);
    const auto set = folder.read(plain, {{"application.grain", "100us"}});
    EXPECT_EQ(time(set, 0, trek_kernel::UserProcess::Compute), 100U);
    const auto program =
        folder.read(replaced(plain, "tasks: plain.dat", "program: image_group"), {{"application.grain", "1ms"}});
    EXPECT_EQ(program.program_settings.costs, user_programs::CostSource::Fixed);
    EXPECT_EQ(program.program_settings.times.of(3), vocabulary::SimTime::ms(1));
}

TEST_F(Scenario, RefusesAGrainThatIsNoWholeNumberOfMicroseconds) {
    EXPECT_EQ(error_set("application.grain", "1500ns"),
              "--set application.grain=1500ns: a grain is a whole number of microseconds from 1 us to 1000000 s, not 1500ns");
    EXPECT_THAT(folder.error(replaced(plain, "plain.dat", "plain.dat, grain: 0us")),
                testing::HasSubstr("s.yaml:5:40: a grain is a whole number of microseconds from 1 us to 1000000 s, not 0us"));
}

}  // namespace scenario_cases

// A scenario of a farm program: from its specification alone, or from a scenario file that names it.
#include <gtest/gtest.h>

#include <scenario/program_scenario.hpp>

#include "scenario_folder.hpp"

using namespace session_test;
using farm_spec::TreeKind;
using scenario::Scenario;
using vocabulary::NodeId;

namespace {

const std::string specification =
    "begin\n"
    "Virtual_Machine\n"
    "  type = PFVM;\n"
    "Configuration\n"
    "  topology = BTREE;\n"  // 5
    "  total_tasks = 100;\n"
    "  total_processors = 7;\n"
    "Programs\n"
    "  data_generator = p.c; comp_function = p.c; result_receive = p.c;\n"
    "end\n";
const std::string scenario = "version: 1\nname: s\napplication: {farm: p.farm}\n";

class AProgramsScenario : public testing::Test {
protected:
    AProgramsScenario() { folder.write("p.c", ""); }
    Scenario of(const std::string& what = "", const std::string& by = "") {
        folder.write("p.farm", what.empty() ? specification : replaced(specification, what, by));
        return scenario::read_scenario(folder.file("p.farm"), {}, {});
    }
    std::string error(const std::string& what, const std::string& by) {
        try {
            of(what, by);
        } catch (const vocabulary::InputError& found) {
            return folder.without_folder(found.what());
        }
        return "no InputError was thrown";
    }
    std::string error_in_yaml(const std::string& text) {
        folder.write("p.farm", specification);
        return folder.error(text);
    }
    ScenarioFolder folder;
};

TEST_F(AProgramsScenario, HasTheMachineOfItsTopology) {
    const Scenario binary = of();
    EXPECT_EQ(binary.name, "p");
    EXPECT_EQ(binary.machine.name, "btree_7");
    EXPECT_EQ(binary.farm.nodes, 7U);
    EXPECT_EQ(binary.farm.tasks, 100U);
    EXPECT_EQ(binary.program_settings.costs, user_programs::CostSource::Estimated) << "where the file says nothing";
    EXPECT_EQ(of("BTREE", "CHAIN").machine.name, "chain_7");
    EXPECT_EQ(of("BTREE", "TTREE").machine.name, "ttree_7");
}

TEST_F(AProgramsScenario, HasTheMachineThatItNames) {
    const Scenario file = of("BTREE;", "BTREE; machine = \"btree_8.yaml\";");
    EXPECT_EQ(file.machine.name, "btree_8");
    EXPECT_EQ(file.farm.nodes, 7U);
    const Scenario best = of("topology = BTREE;\n  total_tasks = 100;\n  total_processors = 7;",
                             "topology = \"mesh:3x3\";\n  total_tasks = 100;");
    EXPECT_EQ(best.machine.name, "mesh_3x3");
    EXPECT_TRUE(best.best_tree);
    EXPECT_EQ(best.farm.nodes, 9U);
}

TEST_F(AProgramsScenario, HasAMachineForATreeThatIsGiven) {
    const Scenario given = of("topology = BTREE;\n  total_tasks = 100;\n  total_processors = 7;",
                              "topology = \"{n0: [1, 2, 3], n3: [4]}\";\n  total_tasks = 100;");
    EXPECT_EQ(given.farm.tree, TreeKind::Given);
    EXPECT_EQ(given.farm.nodes, 5U);
    EXPECT_EQ(given.farm.parent(NodeId(4)), NodeId(3));
    EXPECT_EQ(given.machine.nodes.size(), 5U);
    EXPECT_EQ(given.machine.wires.size(), 5U) << "the host's and four branches";
}

TEST_F(AProgramsScenario, NotesItsFilesAmongTheInputs) {
    const Scenario scenario_of_program = of();
    std::vector<std::string> roles;
    for (const auto& input : scenario_of_program.inputs) roles.push_back(input.role);
    EXPECT_EQ(roles, (std::vector<std::string>{"farm", "source", "costs"}));
}

TEST_F(AProgramsScenario, MayBeNamedInAScenarioFileWithOrWithoutMachineAndFarm) {
    folder.write("p.farm", specification);
    EXPECT_EQ(folder.read(scenario).machine.name, "btree_7");
    EXPECT_EQ(folder.read(scenario + "machine: btree_8.yaml\n").machine.name, "btree_8");
    const Scenario other = folder.read(scenario + "farm: {nodes: 3, tree: binary, tasks: 5, degree: 1}\n");
    EXPECT_EQ(other.farm.nodes, 3U);
    EXPECT_EQ(other.farm.tasks, 5U);
    EXPECT_EQ(folder.read(scenario, {{"farm.buffers", "4"}}, 9).farm.buffers, 4U);
    EXPECT_EQ(folder.read(scenario, {}, 9).seed, 9U);
}

TEST_F(AProgramsScenario, RefusesANetworkThatIsNone) {
    EXPECT_EQ(error("BTREE;", "BEST; machine = \"mesh:4\";"),
              "p.farm:5:31: 'mesh:4' is neither a machine file nor a shape: 1 number given, which a mesh does not take; write "
              "mesh:ROWSxCOLUMNS, as "
              "in 'mesh:6x8'");
    EXPECT_EQ(error("BTREE;", "BEST; machine = \"none.yaml\";").substr(0, 70),
              "p.farm:5:31: 'none.yaml' is neither a machine file nor a shape: there ");
}

TEST_F(AProgramsScenario, RefusesMoreProcessorsThanTheMachineHas) {
    EXPECT_EQ(error("BTREE;\n  total_tasks = 100;\n  total_processors = 7;",
                    "BTREE; machine = \"btree_8.yaml\";\n  total_tasks = 100;\n  total_processors = 9;"),
              "p.farm:7:22: 'total_processors' is 9, and machine 'btree_8' has 8 nodes; write fewer, or take a larger machine");
}

TEST_F(AProgramsScenario, RefusesATreeThatIsNoneAtItsPlace) {
    const std::string before = "topology = BTREE;\n  total_tasks = 100;\n  total_processors = 7;";
    const auto tree = [&](const std::string& text) {
        return error(before, "topology = \"" + text + "\";\n  total_tasks = 100;");
    };
    EXPECT_EQ(tree("{n0: [1], n1: [2], n2: [1]}"), "p.farm:5:39: n1 is below n0 already; in a tree every node has one parent");
    EXPECT_EQ(tree("{n0: [1, 2, 3, 4]}"),
              "p.farm:5:15: n0 would need more than 4 links, one of n0 being the host's; give it fewer children");
}

TEST_F(AProgramsScenario, RefusesAnApplicationThatIsTwoThings) {
    const std::string message =
        "s.yaml:3:14: an application is 'tasks: FILE.dat' (the simulated one), 'farm: FILE.farm' (a program of yours) or "
        "'program: "
        "NAME' (one built with Magicwire); give one of the three";
    EXPECT_EQ(error_in_yaml(replaced(scenario, "p.farm}", "p.farm, program: image_group}")), message);
    EXPECT_EQ(error_in_yaml(replaced(scenario, "p.farm}", "p.farm, tasks: plain.dat}")), message);
}

TEST_F(AProgramsScenario, RefusesKeysOfOtherApplications) {
    EXPECT_EQ(error_in_yaml(replaced(scenario, "p.farm}", "p.farm, costs: explicit}")),
              "s.yaml:3:36: 'costs' belongs in the specification that 'farm' names; move it there");
    EXPECT_EQ(error_in_yaml(replaced(scenario, "p.farm}", "p.farm, task_bytes: 8}")),
              "s.yaml:3:41: 'task_bytes' is for the simulated application; a program's messages are as long as it makes them");
    EXPECT_EQ(folder.error(scenario, {{"application.result_bytes", "8"}}),
              "--set application.result_bytes=8: 'result_bytes' is for the simulated application; a program's messages are as "
              "long as it makes them");
}

TEST_F(AProgramsScenario, NeedsMachineAndFarmWhereThereIsNoSpecification) {
    EXPECT_EQ(error_in_yaml("version: 1\nname: s\napplication: {tasks: plain.dat}\n"),
              "s.yaml:1:1: key 'machine' is missing in the file; add 'machine: ...'");
}

}  // namespace

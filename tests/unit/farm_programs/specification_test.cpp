// The specification file: its contents, and every message about a wrong one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <farm_programs/specification.hpp>

#include "program_folder.hpp"

using farm_programs::Function;
using farm_programs::Specification;
using farm_programs_test::figure_3_5;
using farm_programs_test::ProgramFolder;
using farm_programs_test::replaced;
using farm_spec::Policy;
using farm_spec::TreeKind;

namespace {

class TheSpecification : public testing::Test {
protected:
    std::string error_with(const std::string& what, const std::string& by) const {
        return folder.error(replaced(figure_3_5, what, by));
    }
    Specification with(const std::string& what, const std::string& by) const {
        return folder.read(replaced(figure_3_5, what, by));
    }
    ProgramFolder folder;
};

TEST_F(TheSpecification, ReadsFigure3_5OfTheThesis) {
    const Specification spec = folder.read(figure_3_5);
    EXPECT_EQ(spec.name, "p");
    EXPECT_FALSE(spec.divides());
    EXPECT_EQ(spec.farm.tree, TreeKind::Binary);
    EXPECT_EQ(spec.farm.tasks, 100U);
    EXPECT_EQ(spec.farm.nodes, 16U);
    EXPECT_FALSE(spec.machine || spec.tree || spec.best_tree);
    EXPECT_TRUE(spec.input_file.empty());
    EXPECT_TRUE(spec.output_file.empty());
    ASSERT_EQ(spec.files(Function::Compute).size(), 1U);
    EXPECT_EQ(spec.files(Function::Compute).front().text, folder.file("file2.c"));
    EXPECT_TRUE(spec.files(Function::InitMaster).empty());
}

TEST_F(TheSpecification, ReadsItAsTheThesisPrintsItWithoutLineFeeds) {
    std::string line = figure_3_5;
    for (char& c : line) c = c == '\n' ? ' ' : c;
    EXPECT_EQ(folder.read(line).farm.tasks, 100U);
}

TEST_F(TheSpecification, ReadsAVirtualMachineThatDivides) {
    const std::string text = replaced(replaced(figure_3_5, "type = PFVM;", "type = DCVM; degree = 3; depth = 4;"), "Programs\n",
                                      "Programs\n split_function = file1.c; join_function = file1.c, file3.c;\n");
    const Specification spec = folder.read(text);
    EXPECT_EQ(spec.farm.degree, 3U);
    EXPECT_EQ(spec.farm.depth, 4U);
    EXPECT_EQ(spec.files(Function::Join).size(), 2U);
    EXPECT_EQ(spec.all_sources().size(), 3U) << "each source once";
}

TEST_F(TheSpecification, ReadsWhatTheFigureDoesNotHave) {
    folder.write("lib/more.cpp", "");
    const std::string text =
        replaced(replaced(figure_3_5, "total_tasks = 100;",
                          "total_tasks = 100; granularity = 5; buffers = 2; policy = work-stealing; survives = yes; seed = 7;"),
                 "Programs\n",
                 "Programs\n paths = lib; sources = more.cpp; options = \"-DSIZE=3\", -O1; task_type = \"struct task\"; cost = "
                 "explicit;\n"
                 " init_master = file1.c; # a comment\n");
    const Specification spec = folder.read(text);
    EXPECT_EQ(spec.farm.granularity, 5U);
    EXPECT_EQ(spec.farm.buffers, 2U);
    EXPECT_EQ(spec.farm.policy, Policy::WorkStealing);
    EXPECT_TRUE(spec.farm.survives);
    EXPECT_EQ(spec.seed, 7U);
    EXPECT_EQ(spec.more_sources.front().text, folder.file("lib/more.cpp"));
    EXPECT_THAT(spec.options, testing::ElementsAre("-DSIZE=3", "-O1"));
    EXPECT_EQ(spec.task_type->text, "struct task");
    EXPECT_FALSE(spec.result_type);
    EXPECT_EQ(spec.cost->text, "explicit");
}

TEST_F(TheSpecification, ReadsTheTopologies) {
    EXPECT_EQ(with("BTREE", "CHAIN").farm.tree, TreeKind::Chain);
    EXPECT_EQ(with("BTREE", "TTREE").farm.tree, TreeKind::Ternary);
    const Specification best = with("topology = BTREE;", "topology = BEST; machine = \"mesh:4x4\";");
    EXPECT_TRUE(best.best_tree);
    EXPECT_EQ(best.machine->text, "mesh:4x4");
    EXPECT_TRUE(with("BTREE", "\"mesh:4x4\"").best_tree);
    const Specification given = with("topology = BTREE;\n  total_tasks = 100;\n  total_processors = 16;",
                                     "topology = \"{n0: [1]}\";\n  total_tasks = 100;");
    EXPECT_EQ(given.tree->text, "{n0: [1]}");
    EXPECT_EQ(given.tree->where.column, 15);
}

TEST_F(TheSpecification, TakesValuesOfTheCommandLineInstead) {
    const Specification spec = folder.read(
        figure_3_5,
        {{"topology", "CHAIN", "--topology"}, {"total_processors", "6", "--processors"}, {"total_tasks", "5", "--tasks"}});
    EXPECT_EQ(spec.farm.tree, TreeKind::Chain);
    EXPECT_EQ(spec.farm.nodes, 6U);
    EXPECT_EQ(spec.farm.tasks, 5U);
    EXPECT_TRUE(folder.read(figure_3_5, {{"topology", "mesh:4x4", "--topology"}}).best_tree);
    EXPECT_EQ(
        folder.error(figure_3_5, {{"total_tasks", "many", "--tasks"}}),
        "--tasks many: 'total_tasks' is 'many', but must be a whole number from 1 to 268435456; write a number in that range");
}

// Form

TEST_F(TheSpecification, RefusesWhatDoesNotBegin) {
    EXPECT_EQ(folder.error("start\n"),
              "p.farm:1:1: a specification starts with 'begin', and this is 'start'; write 'begin' before the sections");
    EXPECT_EQ(
        folder.error(""),
        "p.farm:1:1: a specification starts with 'begin', and this is the end of the file; write 'begin' before the sections");
}

TEST_F(TheSpecification, RefusesAFileWithoutEnd) {
    EXPECT_EQ(error_with("end\n", ""), "p.farm:15:1: the file ends before 'end'; write 'end' behind the last section");
}

TEST_F(TheSpecification, RefusesWhatStandsBehindTheEnd) {
    EXPECT_EQ(error_with("end\n", "end\nbegin\n"),
              "p.farm:16:1: there is 'begin' behind 'end'; a file has one specification; remove the rest");
}

TEST_F(TheSpecification, RefusesAnUnknownSectionWithTheNearest) {
    EXPECT_EQ(error_with("Virtual_Machine", "Virtual_Machin"),
              "p.farm:2:1: there is no section 'Virtual_Machin', did you mean 'Virtual_Machine'?");
    EXPECT_EQ(error_with("Virtual_Machine", "Whatever"),
              "p.farm:2:1: there is no section 'Whatever'; sections are Virtual_Machine, Interface, Configuration, Programs");
}

TEST_F(TheSpecification, RefusesASectionGivenTwice) {
    EXPECT_EQ(error_with("Programs\n", "Interface\nPrograms\n"),
              "p.farm:11:1: section 'Interface' is there already, in line 4; put the two together");
}

TEST_F(TheSpecification, RefusesAMissingSection) {
    EXPECT_EQ(folder.error("begin\nend\n"), "p.farm: section Virtual_Machine is missing; add it before 'end'");
}

TEST_F(TheSpecification, RefusesAnUnknownKeyWithTheNearest) {
    EXPECT_EQ(error_with("total_tasks", "total_task"),
              "p.farm:9:3: there is no key 'total_task' in section Configuration, did you mean 'total_tasks'?");
    EXPECT_EQ(error_with("comp_function", "compute_fn"),
              "p.farm:13:3: there is no key 'compute_fn' in section Programs, did you mean 'comp_function'?");
    EXPECT_EQ(error_with("input_stream", "xyzzy"),
              "p.farm:5:3: there is no key 'xyzzy' in section Interface; its keys are input_stream, output_stream");
}

TEST_F(TheSpecification, RefusesAKeyOfAnotherSection) {
    EXPECT_EQ(error_with("type = PFVM;", "type = PFVM;\n  total_tasks = 5;"),
              "p.farm:4:3: 'total_tasks' belongs in section Configuration, not in Virtual_Machine; move it there");
}

TEST_F(TheSpecification, RefusesAKeyGivenTwice) {
    EXPECT_EQ(error_with("total_processors", "total_tasks"),
              "p.farm:10:3: 'total_tasks' is given already, in line 9; remove one of the two");
    EXPECT_EQ(error_with("comp_function", "data_generator"),
              "p.farm:13:3: 'data_generator' is given already, in line 12; remove one of the two, or list all values behind "
              "one: A, B;");
}

TEST_F(TheSpecification, RefusesAMissingKey) {
    EXPECT_EQ(error_with("  type = PFVM;\n", ""), "p.farm:2:1: 'type' is missing in section Virtual_Machine; add type = PFVM;");
    EXPECT_EQ(error_with("  total_tasks = 100;\n", ""),
              "p.farm:7:1: 'total_tasks' is missing in section Configuration; add total_tasks = 100;");
    EXPECT_EQ(error_with("  total_processors = 16;\n", ""),
              "p.farm:7:1: 'total_processors' is missing in section Configuration; add total_processors = 16;");
    EXPECT_EQ(error_with("  comp_function = file2.c;\n", ""),
              "p.farm:11:1: 'comp_function' is missing in section Programs; add comp_function = FILE.c;");
}

TEST_F(TheSpecification, RefusesAMissingSemicolonWhereItShouldStand) {
    EXPECT_EQ(error_with("PFVM;", "PFVM"), "p.farm:3:14: expected ';' behind the value of 'type'; add it");
    EXPECT_EQ(error_with("file3.c;", "file3.c"), "p.farm:14:27: expected ';' behind the value of 'result_receive'; add it");
}

TEST_F(TheSpecification, RefusesAnEntryThatIsNone) {
    EXPECT_EQ(error_with("type = PFVM", "type PFVM"),
              "p.farm:3:7: expected '=' behind 'type' and found 'PFVM'; write type = VALUE;");
    EXPECT_EQ(error_with("type = PFVM", "= PFVM"), "p.farm:3:3: expected the name of a key and found '='; write KEY = VALUE;");
    EXPECT_EQ(error_with("= PFVM;", "= ;"), "p.farm:3:10: expected a value for 'type' and found ';'; write one behind the '='");
    EXPECT_EQ(error_with("PFVM;", "PFVM, DCVM;"), "p.farm:3:14: 'type' has one value; remove the rest, or write ';'");
}

TEST_F(TheSpecification, RefusesLettersWithoutMeaning) {
    EXPECT_EQ(
        error_with("PFVM;", "(PFVM);"),
        "p.farm:3:10: the letter '(' has no meaning here; put quotation marks around a value that is more than a plain word");
    EXPECT_EQ(error_with("PFVM;", "\x01;"),
              "p.farm:3:10: this byte has no meaning here; put quotation marks around a value that is more than a plain word");
    EXPECT_EQ(error_with("PFVM;", "\"PFVM;"),
              "p.farm:3:10: this text has no closing quotation mark; put one at its end, on the same line");
}

// Values

TEST_F(TheSpecification, RefusesAnUnknownWord) {
    EXPECT_EQ(error_with("PFVM", "PFMV"), "p.farm:3:10: 'type' is 'PFMV', did you mean 'PFVM'?");
    EXPECT_EQ(error_with("BTREE", "GRAPH"), "p.farm:8:14: 'topology' is 'GRAPH'; write one of CHAIN, BTREE, TTREE, BEST");
    EXPECT_EQ(error_with("total_tasks = 100;", "total_tasks = 100; policy = stealing;"),
              "p.farm:9:31: 'policy' is 'stealing'; write one of flood-filling, round-robin, work-stealing, priorities");
    EXPECT_EQ(error_with("total_tasks = 100;", "total_tasks = 100; survives = maybe;"),
              "p.farm:9:33: 'survives' is 'maybe'; write one of no, yes");
}

TEST_F(TheSpecification, RefusesANumberOutOfRange) {
    const auto message = [](const std::string& key, const std::string& value, const std::string& range) {
        return "'" + key + "' is '" + value + "', but must be a whole number from " + range + "; write a number in that range";
    };
    EXPECT_EQ(error_with("= 100", "= 0"), "p.farm:9:17: " + message("total_tasks", "0", "1 to 268435456"));
    EXPECT_EQ(error_with("= 100", "= 1e3"), "p.farm:9:17: " + message("total_tasks", "1e3", "1 to 268435456"));
    EXPECT_EQ(error_with("= 16", "= 1"), "p.farm:10:22: " + message("total_processors", "1", "2 to 16384"));
    EXPECT_EQ(error_with("= 16;", "= 16; granularity = 0;"), "p.farm:10:40: " + message("granularity", "0", "1 to 1000"));
    EXPECT_EQ(error_with("= 16;", "= 16; buffers = 1001;"), "p.farm:10:36: " + message("buffers", "1001", "1 to 1000"));
    EXPECT_EQ(error_with("= 16;", "= 16; seed = -1;"), "p.farm:10:33: " + message("seed", "-1", "0 to 9223372036854775807"));
    EXPECT_EQ(error_with("PFVM;", "DCVM; degree = 17;"), "p.farm:3:25: " + message("degree", "17", "2 to 16"));
    EXPECT_EQ(error_with("PFVM;", "DCVM; degree = 2; depth = 8;"), "p.farm:3:36: " + message("depth", "8", "0 to 7"));
}

TEST_F(TheSpecification, RefusesPartsOfTheOtherVirtualMachine) {
    EXPECT_EQ(error_with("PFVM;", "PFVM; degree = 2;"),
              "p.farm:3:25: 'degree' is for type DCVM; a PFVM does not split its tasks, so remove it");
    EXPECT_EQ(error_with("Programs\n", "Programs\n  split_function = file1.c;\n"),
              "p.farm:12:20: 'split_function' is for type DCVM; a PFVM does not split its tasks, so remove it");
    EXPECT_EQ(error_with("PFVM;", "DCVM;"), "p.farm:2:1: 'degree' is missing in section Virtual_Machine; add degree = 2;");
    EXPECT_EQ(error_with("PFVM;", "DCVM; degree = 2;"),
              "p.farm:2:1: 'depth' is missing in section Virtual_Machine; add depth = 3;");
    EXPECT_EQ(error_with("PFVM;", "DCVM; degree = 2; depth = 2;"),
              "p.farm:11:1: 'split_function' is missing in section Programs; add split_function = FILE.c;");
}

TEST_F(TheSpecification, RefusesANetworkThatIsMissingOrGivenTwice) {
    EXPECT_EQ(
        error_with("BTREE", "BEST"),
        "p.farm:8:14: BEST is the best tree of a network, and none is given; add machine = \"mesh:4x4\"; or a machine file");
    EXPECT_EQ(error_with("BTREE;", "\"mesh:4x4\"; machine = \"mesh:4x4\";"),
              "p.farm:8:15: the network is given twice, here and as 'machine'; write topology = BEST; or remove 'machine'");
    EXPECT_EQ(error_with("BTREE;", "\"{n0: [1]}\";"), "p.farm:10:22: the tree names its processors; remove 'total_processors'");
}

TEST_F(TheSpecification, RefusesFilesThatAreNotThere) {
    EXPECT_EQ(error_with("file2.c", "file9.c"),
              "p.farm:13:19: there is no file 'file9.c'; paths are relative to the specification file");
    EXPECT_EQ(
        error_with("Programs\n  data_generator = file1.c;", "Programs\n  paths = \".\";\n  data_generator = file9.c;"),
        "p.farm:13:20: there is no file 'file9.c' nor in the folders of 'paths'; paths are relative to the specification file");
    EXPECT_EQ(error_with("Programs\n", "Programs\n  paths = nowhere;\n"),
              "p.farm:12:11: there is no folder 'nowhere'; paths are relative to the specification file");
    EXPECT_EQ(error_with("= stdin", "= numbers.txt"),
              "p.farm:5:18: there is no file 'numbers.txt'; paths are relative to the specification file");
    EXPECT_EQ(error_with("Programs\n", "Programs\n  cost = estimate;\n"),
              "p.farm:12:10: 'cost' is 'estimate', and there is no such file, did you mean 'estimated'?");
    EXPECT_EQ(error_with("Programs\n", "Programs\n  cost = task.times;\n"),
              "p.farm:12:10: 'cost' is 'task.times', and there is no such file; write explicit, estimated, or the name of a "
              "file of costs");
}

TEST_F(TheSpecification, RefusesANameThatNoFileCanHave) {
    const std::string name(300, 'x');
    EXPECT_EQ(error_with("file2.c", name + ".c"),
              "p.farm:13:19: there is no file '" + name + ".c'; paths are relative to the specification file");
    EXPECT_EQ(error_with("comp_function = file2.c;", "comp_function = file2.c; paths = " + name + ";"),
              "p.farm:13:36: there is no folder '" + name + "'; paths are relative to the specification file");
    EXPECT_EQ(error_with("comp_function = file2.c;", "comp_function = file2.c; cost = " + name + ";"),
              "p.farm:13:35: 'cost' is '" + name +
                  "', and there is no such file; write explicit, estimated, or the name of a "
                  "file of costs");
}

TEST_F(TheSpecification, RefusesASourceThatIsNeitherCNorCpp) {
    EXPECT_EQ(error_with("file2.c", "file2.f"),
              "p.farm:13:19: 'file2.f' is neither C nor C++; a source file ends with .c, .cpp, .cc or .cxx");
}

TEST_F(TheSpecification, RefusesAFileThatCannotBeRead) {
    EXPECT_EQ(folder.error_of([&] { farm_programs::read_specification(folder.file("none.farm")); }),
              "none.farm: cannot be read; name a specification file, for example NAME.farm");
}

}  // namespace

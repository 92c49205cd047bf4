// Compiling a program, doing its tasks without a machine, and every message about a program that cannot be built.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <farm_programs/builder.hpp>
#include <farm_programs/sequential.hpp>

#include "program_folder.hpp"

using farm_programs::Built;
using farm_programs::SequentialRun;
using farm_programs_test::figure_3_5;
using farm_programs_test::ProgramFolder;
using farm_programs_test::replaced;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

const std::string head = "#include <stdio.h>\n#include <string.h>\n#include <trek_kernel/trek.h>\n#include \"message.h\"\n";

class AProgram : public testing::Test {
protected:
    AProgram() {
        folder.write("message.h", "struct message { int value; };\n");
        folder.write("file1.c", head +
                                    "void data_generator(void) {\n  struct message m;\n"
                                    "  for (m.value = 0; m.value < (int)total_tasks(); ++m.value) do_task(&m, sizeof m);\n}\n");
        folder.write("file2.c",
                     head +
                         "static int calls;\nvoid compute_fn(const void* task, unsigned bytes) {\n  struct message m;\n"
                         "  memcpy(&m, task, bytes);\n  m.value = m.value * m.value + 0 * ++calls;\n  return_result(&m, sizeof "
                         "m);\n}\n");
        folder.write("file3.c",
                     head +
                         "void result_receiver(void) {\n  int sum = 0;\n  for (unsigned i = 0; i < total_tasks(); ++i)\n"
                         "    sum += ((const struct message*)get_result(0))->value;\n  printf(\"sum %d\\n\", sum);\n"
                         "  trek_save(\"sum\", &sum, sizeof sum);\n}\n");
    }
    Built build(const std::string& text = figure_3_5) {
        said.clear();
        return farm_programs::build(folder.read(text), {.folder = {}, .say = [this](const std::string& s) { said += s; }});
    }
    std::string build_error(const std::string& text = figure_3_5) {
        return folder.error_of([&] { build(text); });
    }
    SequentialRun run(const std::string& text = figure_3_5) { return run_sequentially(folder.read(text), build(text), 0); }
    void change(const std::string& file, const std::string& what, const std::string& by) {
        folder.write(file, replaced(content(file), what, by));
    }
    std::string content(const std::string& file) const {
        std::ifstream in(folder.file(file), std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    ProgramFolder folder;
    std::string said;
};

const std::string typed =
    replaced(figure_3_5, "Programs\n", "Programs\n  task_type = \"struct message\"; result_type = \"struct message\";\n");

TEST_F(AProgram, IsCompiledOnceAndThenOnlyWhatHasChanged) {
    const Built first = build();
    EXPECT_EQ(first.compiled.size(), 3U);
    EXPECT_TRUE(first.linked);
    EXPECT_EQ(said, "");
    const Built second = build();
    EXPECT_THAT(second.compiled, IsEmpty());
    EXPECT_FALSE(second.linked);
    change("file2.c", "m.value * m.value", "3 * m.value");
    EXPECT_THAT(build().compiled, ElementsAre(folder.file("file2.c")));
    change("message.h", "int value;", "int value, more;");
    EXPECT_EQ(build().compiled.size(), 3U) << "a header that all of them include";
    EXPECT_EQ(build(replaced(figure_3_5, "Programs\n", "Programs\n options = -DNEW;\n")).compiled.size(), 3U);
}

TEST_F(AProgram, GivesItsResultWithoutAMachine) {
    const SequentialRun result = run();
    EXPECT_TRUE(result.good) << result.problem;
    EXPECT_EQ(result.output.text, "sum 328350\n");
    EXPECT_THAT(result.output.files, ElementsAre(testing::Pair("sum", testing::SizeIs(4))));
}

TEST_F(AProgram, MayBeWrittenInBothLanguages) {
    folder.write("file2.cpp",
                 "#include <trek_kernel/trek.h>\n#include <cstring>\n#include \"message.h\"\n"
                 "void compute_fn(const void* task, unsigned) {\n  message m;\n  std::memcpy(&m, task, sizeof m);\n"
                 "  m.value += 1;\n  return_result(&m, sizeof m);\n}\n");
    const SequentialRun result = run(replaced(figure_3_5, "file2.c", "file2.cpp"));
    EXPECT_EQ(result.output.text, "sum 5050\n") << result.problem << said;
}

TEST_F(AProgram, HasGlobalsOfItsOwnInEachProcess) {
    change("file1.c", "void data_generator", "int seen = 1;\nvoid init_master(void) { seen = 2; }\nvoid data_generator");
    change("file1.c", "  struct message m;\n", "  struct message m;\n  seen = 3;\n");
    change("file2.c", "void compute_fn", "extern int seen;\nvoid compute_fn");
    change("file2.c", "m.value * m.value", "seen");
    change("file3.c", "void result_receiver", "extern int seen;\nvoid result_receiver");
    change("file3.c", "int sum = 0", "int sum = 1000 * seen");
    EXPECT_EQ(run().output.text, "sum 2100\n") << "2 from init_master for the receiver, 1 for the workers";
}

TEST_F(AProgram, KnowsTheSizesOfTheTypesThatTheSpecificationNames) {
    const Built built = build(typed);
    EXPECT_EQ(built.task_bytes, 4U) << said;
    EXPECT_EQ(built.result_bytes, 4U);
    EXPECT_TRUE(run(typed).good);
}

// Programs that cannot be built

TEST_F(AProgram, ThatDoesNotCompileShowsTheUsersFileAndLine) {
    change("file2.c", "m.value * m.value", "m.valu");
    EXPECT_EQ(build_error(), "p.farm:13:19: 'file2.c' cannot be compiled; correct what the compiler says above");
    EXPECT_THAT(folder.without_folder(said), HasSubstr("file2.c:9:15: error: 'struct message' has no member named 'valu'"));
    EXPECT_EQ(build_error(typed), "p.farm:14:19: 'file2.c' cannot be compiled; correct what the compiler says above");
    EXPECT_THAT(folder.without_folder(said), HasSubstr("file2.c:9:15: error: 'struct message' has no member named 'valu'"));
}

TEST_F(AProgram, ThatLacksAFunctionSaysWhichAndWhereItIs) {
    change("file2.c", "void compute_fn", "void compute");
    EXPECT_EQ(build_error(),
              "p.farm:13:19: 'file2.c' has no function compute_fn(); write it there, or name the file that has it");
    EXPECT_EQ(folder.error_of([&] {
        build(replaced(figure_3_5, "result_receive = file3.c", "result_receive = file1.c; sources = file3.c"));
    }),
              "p.farm:13:19: 'file2.c' has no function compute_fn(); write it there, or name the file that has it");
    EXPECT_EQ(build_error(replaced(figure_3_5, "comp_function = file2.c;\n  result_receive = file3.c",
                                   "comp_function = file3.c;\n  result_receive = file3.c; sources = file2.c")),
              "p.farm:13:19: 'file3.c' has no function compute_fn(); write it there, or name the file that has it");
}

TEST_F(AProgram, WhoseFunctionIsInAnotherFileSaysWhich) {
    EXPECT_EQ(build_error(replaced(figure_3_5, "result_receive = file3.c", "result_receive = file1.c; sources = file3.c")),
              "p.farm:14:20: 'file1.c' has no function result_receiver(), and 'file3.c' has one; name that file here");
}

TEST_F(AProgram, InCppThatDoesNotIncludeTheHeaderIsToldTo) {
    folder.write("file2.cpp", "void compute_fn(const void*, unsigned) {}\n");
    EXPECT_EQ(build_error(replaced(figure_3_5, "file2.c", "file2.cpp")),
              "p.farm:13:19: 'file2.cpp' defines compute_fn() otherwise than trek.h declares it; include <trek_kernel/trek.h> "
              "and take its parameters");
}

TEST_F(AProgram, ThatDoesNotLinkShowsWhatIsMissing) {
    change("file2.c", "void compute_fn", "int helper(void);\nvoid compute_fn");
    change("file2.c", "m.value * m.value", "helper()");
    EXPECT_EQ(build_error(), "p.farm: the sources cannot be linked to a program; correct what the linker says above");
    EXPECT_THAT(said, HasSubstr("undefined reference to `helper'"));
}

TEST_F(AProgram, WhoseTypeIsUnknownPointsAtTheSpecification) {
    EXPECT_EQ(build_error(replaced(typed, "task_type = \"struct message\"", "task_type = \"struct massage\"")),
              "p.farm:13:20: 'file1.c' cannot be compiled; correct what the compiler says above");
    EXPECT_THAT(folder.without_folder(said), HasSubstr("p.farm:12:"));
    EXPECT_THAT(said, HasSubstr("struct massage"));
}

TEST_F(AProgram, WhoseSourcesDisagreeOnATypeIsRefused) {
    change("file2.c", "#include \"message.h\"\n", "struct message { int value, more; };\n");
    EXPECT_EQ(build_error(typed),
              "p.farm:12:16: 'struct message' has 4 bytes in 'file1.c' and 8 in 'file2.c'; give both the same definition, in a "
              "header");
}

TEST_F(AProgram, CannotBeBuiltIntoAFolderThatCannotBeMade) {
    EXPECT_EQ(folder.error_of(
                  [&] { farm_programs::build(folder.read(figure_3_5), {.folder = folder.file("file1.c") + "/x", .say = {}}); }),
              "file1.c/x: the folder cannot be created: Not a directory; choose another with --build");
}

// Failures without a machine

TEST_F(AProgram, ThatCrashesSaysInWhichTask) {
    change("file2.c", "m.value * m.value", "m.value == 7 ? *(volatile int*)0 : 1");
    EXPECT_EQ(run().problem, "compute_fn() was stopped at task 7: Segmentation fault");
}

TEST_F(AProgram, WhoseReceiverStopsEarlyIsToldSo) {
    change("file3.c", "i < total_tasks()", "i < 0 * total_tasks()");
    EXPECT_EQ(run().problem,
              "result_receiver() took 0 of 100 results; on the farm it would end while the others are outstanding");
}

TEST_F(AProgram, WhoseReceiverAsksForTooMuchIsToldSo) {
    change("file3.c", "i < total_tasks()", "i <= total_tasks()");
    EXPECT_EQ(run().problem,
              "result_receiver() asks for result 101, and data_generator() made 100 tasks; on the farm it would wait for ever");
}

TEST_F(AProgram, ThatMakesOtherThanTheSpecifiedTasksIsToldSo) {
    change("file1.c", "m.value < (int)total_tasks()", "m.value < 3");
    EXPECT_EQ(run().problem, "data_generator() made 3 tasks, and the specification says 100");
}

TEST_F(AProgram, WithoutAResultIsToldSo) {
    change("file2.c", "  return_result(&m, sizeof m);\n", "");
    EXPECT_EQ(run().problem, "compute_fn() returned no result for task 0");
}

TEST_F(AProgram, WhoseMessageHasAnotherSizeThanItsTypeIsToldSo) {
    change("file1.c", "do_task(&m, sizeof m)", "do_task(&m, 2)");
    EXPECT_EQ(run(typed).problem, "do_task() was called with 2 bytes, and task_type of the specification has 4");
}

// Two outputs

TEST(Differences, AreNoneOfTheSame) {
    EXPECT_EQ(farm_programs::differences({"a\n", {{"f", "x"}}}, {"a\n", {{"f", "x"}}}), "");
}

TEST(Differences, NameTheFirstLine) {
    EXPECT_EQ(farm_programs::differences({"a\nb\n", {}}, {"a\nc\n", {}}),
              "the printed text differs: line 2 is 'c', sequentially 'b'\n");
    EXPECT_EQ(farm_programs::differences({"a\nb\n", {}}, {"a\n", {}}),
              "the printed text differs: line 2 is nothing, sequentially 'b'\n");
}

// Results come in an order that the machine decides.
TEST(Differences, AreNoneOfLinesInAnotherOrder) {
    EXPECT_EQ(farm_programs::differences({"a\nb\n", {}}, {"b\na\n", {}}), "");
    EXPECT_EQ(farm_programs::other_order({"a\nb\n", {}}, {"b\na\n", {}}), "line 1 is 'b', sequentially 'a'");
    EXPECT_EQ(farm_programs::other_order({"a\nb\n", {}}, {"a\nb\n", {}}), "");
    EXPECT_EQ(farm_programs::differences({"a\na\nb\n", {}}, {"a\nb\nb\n", {}}),
              "the printed text differs: line 2 is 'b', sequentially 'a'\n");
}

TEST(Differences, NameFiles) {
    EXPECT_EQ(farm_programs::differences({"", {{"f", "xyz"}}}, {"", {{"f", "xaz!"}, {"g", ""}}}),
              "file 'f' differs in 2 bytes, first at byte 1 (4 bytes, sequentially 3)\nfile 'g' was saved, and sequentially it "
              "is not\n");
    EXPECT_EQ(farm_programs::differences({"", {{"f", ""}}}, {"", {}}), "file 'f' was not saved\n");
}

}  // namespace

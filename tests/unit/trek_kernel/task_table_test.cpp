// The task description file (.dat).
#include <gmock/gmock.h>

#include <trek_kernel/simulated_application.hpp>

#include "../topologies/input_error_text.hpp"

using trek_kernel::TaskTable;
using trek_kernel::UserProcess;

namespace {

std::string error_of(const std::string& text) {
    return input_error_text([&] { TaskTable::parse(text, "run.dat"); });
}
const trek_kernel::Segment& segment(const TaskTable& table, std::uint32_t task, UserProcess process) {
    return table.of(task).segments[static_cast<std::size_t>(process)];
}

const std::string two_tasks =
    "# task  generate   compute      post     split      join\n"
    "\n"
    "3  20 10 0  140 1000 0  10 11 0  100 12 0  101 13 0\n"
    "  49 21 10 0 141 1000 4 10 10 0 100 10 0 100 10 0\r\n";

}  // namespace

TEST(TaskTable, ReadsTheFiveTriplesOfATask) {
    const auto table = TaskTable::parse(two_tasks, "run.dat");
    EXPECT_EQ(segment(table, 3, UserProcess::Generate).time_us, 20u);
    EXPECT_EQ(segment(table, 3, UserProcess::Compute).space_bytes, 1000u);
    EXPECT_EQ(segment(table, 3, UserProcess::PostProcess).space_bytes, 11u);
    EXPECT_EQ(segment(table, 3, UserProcess::Split).space_bytes, 12u);
    EXPECT_EQ(segment(table, 3, UserProcess::Join).time_us, 101u);
    EXPECT_EQ(segment(table, 49, UserProcess::Compute).bug, 4);
}

TEST(TaskTable, TakesAMissingTaskForTheOneNamedBefore) {
    const auto table = TaskTable::parse(two_tasks, "run.dat");
    EXPECT_EQ(segment(table, 48, UserProcess::Compute).time_us, 140u);
    EXPECT_EQ(segment(table, 1000, UserProcess::Compute).time_us, 141u);
}

TEST(TaskTable, HasDefaultsBeforeTheFirstTaskNamed) {
    const auto table = TaskTable::parse("3 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n", "run.dat");
    EXPECT_EQ(segment(table, 2, UserProcess::Generate).time_us, 20u);
    EXPECT_EQ(segment(table, 2, UserProcess::Compute).time_us, 140u);
    EXPECT_EQ(segment(table, 2, UserProcess::Compute).bug, 0);
    EXPECT_EQ(segment(table, 3, UserProcess::Compute).bug, 1);
}

TEST(TaskTable, ReplacesATaskThatIsSetAgain) {
    TaskTable table;
    trek_kernel::TaskDescription one{};
    one.segments[0].time_us = 5;
    table.set(4, one);
    one.segments[0].time_us = 6;
    table.set(4, one);
    table.set(2, {});
    EXPECT_EQ(segment(table, 4, UserProcess::Generate).time_us, 6u);
    EXPECT_EQ(segment(table, 3, UserProcess::Generate).time_us, 0u);
}

TEST(BadTaskTable, RefusesALineOfFourteenNumbers) {
    EXPECT_EQ(error_of("# ok\n1 20 10 0 140 1000 0 10 10 0 100 10 0 100\n"),
              "run.dat:2:1: a task has 16 numbers and this line has 14; give the task number, then time, space and bug id for "
              "generate, compute, "
              "post-process, split and join");
}

TEST(BadTaskTable, RefusesABugIdThatIsNotKnown) {
    EXPECT_EQ(error_of("1 20 10 0 140 1000 16 10 10 0 100 10 0 100 10 0\n"),
              "run.dat:1:20: bug id 16 is not known; ids are 0 to 15, listed by 'magicwire bugs'");
}

TEST(BadTaskTable, RefusesABugThatNeedsMoreThanItsId) {
    EXPECT_EQ(error_of("1 20 10 0 140 1000 13 10 10 0 100 10 0 100 10 0\n"),
              "run.dat:1:20: bug id 13 (slow) needs a parameter, so it cannot stand here; plant it with a bug list "
              "(docs/formats/bug_list.md)");
    EXPECT_EQ(error_of("1 20 10 0 140 1000 11 10 10 0 100 10 0 100 10 0\n"),
              "run.dat:1:20: bug id 11 (never-started) concerns a process, not a task, so it cannot stand here; plant it "
              "with a bug "
              "list (docs/formats/bug_list.md)");
}

TEST(BadTaskTable, RefusesABugInAProcessWhereItHasNoMeaning) {
    EXPECT_EQ(error_of("1 20 10 0 140 1000 0 10 10 14 100 10 0 100 10 0\n"),
              "run.dat:1:28: bug id 14 (wrong-result) has no meaning in post-process; 'magicwire bugs' says where it has one");
}

TEST(TaskTable, SaysWhatItPlants) {
    const auto bugs = TaskTable::parse("3 1 1 0 1 1 4 1 1 0 1 1 0 1 1 0\n7 1 1 6 1 1 0 1 1 0 1 1 0 1 1 0\n", "run.dat").bugs();
    ASSERT_EQ(bugs.size(), 2U);
    EXPECT_EQ(bug_text(bugs[0]), "node-crash in compute of tasks 3-6");
    EXPECT_EQ(bug_text(bugs[1]), "duplicated in generate of tasks 7 and above");
}

TEST(BadTaskTable, RefusesTasksThatDoNotAscend) {
    const std::string rest = " 20 10 0 140 1000 0 10 10 0 100 10 0 100 10 0\n";
    EXPECT_EQ(error_of("5" + rest + "5" + rest),
              "run.dat:2:1: task 5 comes after task 5; list the tasks in ascending order, each once");
    EXPECT_EQ(error_of("5" + rest + "4" + rest),
              "run.dat:2:1: task 4 comes after task 5; list the tasks in ascending order, each once");
}

TEST(BadTaskTable, RefusesWhatIsNoWholeNumber) {
    EXPECT_EQ(error_of("1 20 10 0 x40 1000 0 10 10 0 100 10 0 100 10 0\n"),
              "run.dat:1:11: expected a time in microseconds, a whole number from 0, and got 'x40'");
    EXPECT_EQ(error_of("1 20 10 0 140 1.5 0 10 10 0 100 10 0 100 10 0\n"),
              "run.dat:1:15: expected a space in bytes, a whole number from 0, and got '1.5'");
    EXPECT_EQ(error_of("-1 20 10 0 140 15 0 10 10 0 100 10 0 100 10 0\n"),
              "run.dat:1:1: expected the task number, a whole number from 0, and got '-1'");
}

TEST(BadTaskTable, RefusesNumbersThatNoRunCanHave) {
    EXPECT_EQ(error_of("4294967296 20 10 0 140 15 0 10 10 0 100 10 0 100 10 0\n"),
              "run.dat:1:1: the task number is at most 4294967295, and this is 4294967296");
    EXPECT_EQ(error_of("1 20 10 0 1000000000001 15 0 10 10 0 100 10 0 100 10 0\n"),
              "run.dat:1:11: a time in microseconds is at most 1000000000000, and this is 1000000000001");
}

TEST(BadTaskTable, RefusesAFileThatCannotBeRead) {
    EXPECT_EQ(input_error_text([] { TaskTable::read("no/such.dat"); }),
              "no/such.dat: the task description file cannot be read; check the path");
}

TEST(BugKinds, AreListedInTheOrderOfTheirIdsWithNameAndEffect) {
    int id = 0;
    for (const auto& kind : trek_kernel::bug_kinds()) {
        EXPECT_EQ(kind.id(), id++);
        EXPECT_STRNE(kind.name, "");
        EXPECT_STRNE(kind.effect, "");
    }
    EXPECT_EQ(id, 16);
}

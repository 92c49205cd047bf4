// Bug lists: their contents, and every error in one, by the whole text of its message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <scenario/bug_list_file.hpp>

#include "../topologies/input_error_text.hpp"
#include "scenario_folder.hpp"

namespace {

using session_test::plain;
using session_test::replaced;
using session_test::ScenarioFolder;
using testing::HasSubstr;
using trek_kernel::Bug;
using trek_kernel::PlannedBug;

std::vector<PlannedBug> list(const std::string& entries) {
    return scenario::parse_bug_list("version: 1\nbugs: [" + entries + "]\n", "p.bugs");
}
PlannedBug bug(const std::string& entry) {
    return list("{" + entry + "}").at(0);
}
std::string error_of_file(const std::string& text) {
    return input_error_text([&] { scenario::parse_bug_list(text, "p.bugs"); });
}
// The entries begin in column 8 of line 2.
std::string error(const std::string& entries) {
    return error_of_file("version: 1\nbugs: [" + entries + "]\n");
}
farm_spec::FarmSpec farm(std::uint32_t degree) {
    return {.nodes = 8, .tree = farm_spec::TreeKind::Binary, .tasks = 100, .degree = degree};
}
std::string error_in_farm(const std::string& entry, std::uint32_t degree = 2, std::uint32_t tasks = 100) {
    auto config = farm(degree);
    config.tasks = tasks;
    return input_error_text([&] { scenario::check_bugs(list("{" + entry + "}"), config); });
}

}  // namespace

TEST(BugList, TakesTheExampleOfEveryKind) {
    for (const auto& info : trek_kernel::bug_kinds().subspan(1)) {
        const PlannedBug found = bug(info.example);
        EXPECT_EQ(found.bug, info.bug) << info.name;
        EXPECT_THAT(bug_text(found), testing::StartsWith(info.name)) << info.name;
        scenario::check_bugs({found}, farm(2));
    }
}

TEST(BugList, TakesEveryKindInEveryProcessThatItIsExplainedFor) {
    for (const auto& info : trek_kernel::bug_kinds().subspan(1)) {
        for (const auto process : trek_kernel::user_processes) {
            std::string entry = std::string("kind: ") + info.name + ", process: " + word_of(process);
            if (info.of_a_task()) entry += ", task: 1";
            if (info.key_required) entry += std::string(", ") + info.key + ": 2";
            EXPECT_EQ(error("{" + entry + "}") == "no InputError was thrown", info.possible(process)) << entry;
        }
    }
}

TEST(BugList, SelectsTasksSubTasksAndNodes) {
    const PlannedBug found = bug("kind: early-end, task: [3, 10-19], subtask: 0110, process: compute, node: n5");
    using trek_kernel::UserProcess;
    using vocabulary::NodeId;
    EXPECT_TRUE(found.selects(NodeId(5), UserProcess::Compute, {3, 0x110}));
    EXPECT_TRUE(found.selects(NodeId(5), UserProcess::Compute, {19, 0x110}));
    EXPECT_FALSE(found.selects(NodeId(5), UserProcess::Compute, {20, 0x110}));
    EXPECT_FALSE(found.selects(NodeId(5), UserProcess::Compute, {3, 0}));
    EXPECT_FALSE(found.selects(NodeId(4), UserProcess::Compute, {3, 0x110}));
    EXPECT_FALSE(found.selects(NodeId(5), UserProcess::Split, {3, 0x110}));
}

TEST(BugList, IsSaidInWords) {
    EXPECT_EQ(bug_text(bug("kind: slow, task: [3, 10-19], process: join, factor: 2.5, probability: 0.5")),
              "slow by 2.5 in join of tasks 3, 10-19, with probability 0.5");
    EXPECT_EQ(
        bug_text(bug("kind: wrong-identity, task: any, subtask: 110, process: compute, node: n2, identity: 7, occurrence: 2")),
        "wrong-identity as 7 in compute of any task, sub-task 0110 on n2, time 2 only");
    EXPECT_EQ(bug_text(bug("kind: never-started, process: split")), "never-started in split");
}

TEST(BadBugList, WithAnotherVersion) {
    EXPECT_EQ(error_of_file("version: 2\nnew: 1\n"),
              "p.bugs:1:10: this program reads version 1 of the bug list, not '2'; write 'version: 1'");
    EXPECT_EQ(error_of_file("bugs: []\n"), "p.bugs:1:1: key 'version' is missing in the file; add 'version: ...'");
}

TEST(BadBugList, WithoutItsList) {
    EXPECT_EQ(error_of_file("version: 1\n"), "p.bugs:1:1: key 'bugs' is missing in the file; add 'bugs: ...'");
}

TEST(BadBugList, WithAnUnknownKey) {
    EXPECT_EQ(error_of_file("version: 1\nbug: []\n"), "p.bugs:2:1: unknown key 'bug', did you mean 'bugs'?");
    EXPECT_EQ(error("{kind: early-end, tasks: 1, process: compute}"), "p.bugs:2:26: unknown key 'tasks', did you mean 'task'?");
}

TEST(BadBugList, WithAParameterOfAnotherKind) {
    EXPECT_EQ(
        error("{kind: early-end, task: 1, process: compute, factor: 3}"),
        "p.bugs:2:53: unknown key 'factor'; the keys here are kind, task, subtask, process, node, occurrence, probability");
    EXPECT_EQ(error("{kind: never-started, task: 1, process: compute}"),
              "p.bugs:2:30: unknown key 'task'; the keys here are kind, process, node");
}

TEST(BadBugList, WithoutAParameterThatItNeeds) {
    EXPECT_EQ(error("{kind: slow, task: 1, process: compute}"),
              "p.bugs:2:8: 'slow' needs 'factor' (above 1, at most 1000000), as in 'kind: slow, task: 10-19, process: compute, "
              "factor: 20, probability: 0.5'");
    EXPECT_THAT(error("{kind: wrong-identity, task: 1, process: compute}"),
                HasSubstr("'wrong-identity' needs 'identity' (the number"));
    EXPECT_THAT(error("{kind: wrong-size, task: 1, process: compute}"),
                HasSubstr("'wrong-size' needs 'bytes' (the size in the size message"));
}

TEST(BadBugList, WithAnUnknownKind) {
    EXPECT_EQ(error("{kind: early_end, task: 1, process: compute}"),
              "p.bugs:2:15: unknown kind of bug 'early_end', did you mean 'early-end'?");
    EXPECT_THAT(error("{kind: explosion, task: 1, process: compute}"),
                HasSubstr("p.bugs:2:15: unknown kind of bug 'explosion'; the kinds are early-end, never-sent, "));
    EXPECT_EQ(error("{task: 1, process: compute}"), "p.bugs:2:8: key 'kind' is missing in an entry of 'bugs'; add 'kind: ...'");
}

TEST(BadBugList, WithAProcessThatTheKindCannotHave) {
    EXPECT_EQ(error("{kind: wrong-result, task: 1, process: post-process}"),
              "p.bugs:2:47: 'wrong-result' has no meaning in post-process; it may be in generate, compute, split, join");
    EXPECT_EQ(error("{kind: early-end, task: 1, process: computer}"),
              "p.bugs:2:44: 'process' is 'computer', did you mean 'compute'?");
}

TEST(BadBugList, WithATaskThatIsNone) {
    EXPECT_EQ(error("{kind: early-end, task: first, process: compute}"),
              "p.bugs:2:32: 'first' is no task; write a number as 49, a range as 10-19, a list of these, or any");
    EXPECT_EQ(error("{kind: early-end, task: 19-10, process: compute}"),
              "p.bugs:2:32: the range 19-10 ends before it begins; write 10-19");
    EXPECT_EQ(error("{kind: early-end, task: [], process: compute}"),
              "p.bugs:2:32: the list of tasks is empty; name a task, or write 'any'");
    EXPECT_EQ(error("{kind: early-end, process: compute}"),
              "p.bugs:2:8: key 'task' is missing in an entry of 'bugs'; add 'task: ...'");
}

TEST(BadBugList, WithASubTaskOrNodeThatIsNone) {
    EXPECT_EQ(error("{kind: early-end, task: 1, subtask: 01x, process: compute}"),
              "p.bugs:2:44: '01x' is no sub-task; write its 1 to 8 hexadecimal digits, as in '0110'");
    EXPECT_EQ(error("{kind: early-end, task: 1, process: compute, node: 5}"),
              "p.bugs:2:59: '5' is no node; write its name, as n5");
}

TEST(BadBugList, WithANumberOutOfRange) {
    EXPECT_EQ(error("{kind: early-end, task: 1, process: compute, probability: 1.5}"),
              "p.bugs:2:66: 'probability' is '1.5', but must be above 0 and at most 1; write such a number, or leave it out "
              "for a bug "
              "that strikes every time");
    EXPECT_THAT(error("{kind: early-end, task: 1, process: compute, probability: 0}"),
                HasSubstr("'probability' is '0', but must be"));
    EXPECT_EQ(
        error("{kind: early-end, task: 1, process: compute, occurrence: 0}"),
        "p.bugs:2:65: 'occurrence' is '0', but must be a whole number from 1 to 4294967295; write a number in that range");
    EXPECT_EQ(error("{kind: slow, task: 1, process: compute, factor: 1}"),
              "p.bugs:2:56: 'factor' is '1', but a slow block takes above 1 to 1000000 times as long; write such a number");
    EXPECT_EQ(error("{kind: wild-write, task: 1, process: compute, bytes: 0}"),
              "p.bugs:2:61: 'bytes' is '0', but must be a whole number from 1 to 1048576; write a number in that range");
    EXPECT_EQ(error("{kind: wrong-identity, task: 1, process: compute, identity: 1}"),
              "p.bugs:2:68: 1 is the task's own number, so the bug has no effect; write another");
}

TEST(BadBugList, WithEntriesThatContradictEachOther) {
    const std::string end = "{kind: early-end, task: 5-9, process: compute}";
    EXPECT_EQ(error(end + ", {kind: early-end, task: 7, process: compute}"),
              "p.bugs:2:56: this entry (early-end in compute of task 7) and that of line 2 (early-end in compute of tasks 5-9) "
              "strike the "
              "same step, and both do the same; remove one of the two, or change what they select");
    EXPECT_THAT(error(end + ", {kind: node-crash, task: 7, process: compute}"),
                HasSubstr("strike the same step, and a process ends once;"));
    EXPECT_THAT(error(end + ", {kind: duplicated, task: any, process: compute}"),
                HasSubstr("strike the same step, and a stopped process sends nothing;"));
    EXPECT_THAT(error("{kind: never-sent, task: 1, process: join}, {kind: wrong-size, task: 1, process: join, bytes: 3}"),
                HasSubstr("strike the same step, and a message that is never sent cannot have a second bug;"));
    EXPECT_THAT(error("{kind: never-started, process: join}, {kind: slow, task: 1, process: join, factor: 3}"),
                HasSubstr("strike the same step, and a process that was never started does nothing;"));
}

TEST(BugList, MayPlantSeveralBugsInAStepThatCanBeMeantTogether) {
    EXPECT_EQ(list("{kind: never-started, process: join, node: n2}, {kind: slow, task: 1, process: join, factor: 3}").size(),
              2U);
    EXPECT_EQ(
        list("{kind: slow, task: 1, process: compute, factor: 3}, {kind: wrong-result, task: 1, process: compute}").size(), 2U);
    EXPECT_EQ(list("{kind: early-end, task: 1, process: compute}, {kind: early-end, task: 1, process: compute, node: n4, "
                   "occurrence: 1}")
                  .size(),
              2U);
    EXPECT_EQ(list("{kind: never-started, process: split, node: n1}, {kind: never-started, process: split, node: n2}").size(),
              2U);
}

TEST(BugListInAFarm, HasATaskOutsideTheFarm) {
    EXPECT_EQ(error_in_farm("kind: early-end, task: 90-100, process: compute"),
              "p.bugs:2:8: the farm has tasks 0 to 99, and no task 100; name one of these");
    EXPECT_EQ(error_in_farm("kind: early-end, task: 0, process: compute", 2, 0),
              "p.bugs:2:8: the farm has no tasks; set farm.tasks, or write 'task: any'");
}

TEST(BugListInAFarm, HasAProcessThatTheFarmHasNot) {
    EXPECT_EQ(error_in_farm("kind: early-end, task: 1, process: split", 1),
              "p.bugs:2:8: the farm divides no task, so it has no split; set farm.degree to 2 or more, or choose generate, "
              "compute or "
              "post-process");
    EXPECT_EQ(error_in_farm("kind: early-end, task: 1, subtask: 0010, process: compute", 1),
              "p.bugs:2:8: the farm divides no task, so there is only sub-task 0; leave out 'subtask'");
}

TEST(BugListInAFarm, HasANodeThatCannotHaveIt) {
    EXPECT_EQ(error_in_farm("kind: early-end, task: 1, process: compute, node: n8"),
              "p.bugs:2:8: n8 has no part in the farm, which has n0 to n7; name another node");
    EXPECT_EQ(error_in_farm("kind: early-end, task: 1, process: generate, node: n1"),
              "p.bugs:2:8: generate runs on n0 only, and not on n1; write n0, or leave out 'node'");
    EXPECT_EQ(error_in_farm("kind: early-end, task: 1, process: compute, node: n0"),
              "p.bugs:2:8: n0 is the manager and does not compute; name a worker");
    EXPECT_EQ(error_in_farm("kind: early-end, task: 1, process: join, node: n7"),
              "p.bugs:2:8: n7 has no children, so nothing is split or joined there; name a node that has some");
}

TEST(BugListInAFarm, IsAskedForItsNodesWhenTheTreeIsKnown) {
    farm_spec::FarmSpec config = farm(2);
    config.tree = farm_spec::TreeKind::Given;
    config.parents.resize(config.nodes);
    const auto bugs = list("{kind: early-end, task: 1, process: compute, node: n7}");
    EXPECT_EQ(input_error_text([&] { scenario::check_bugs(bugs, config, false); }), "no InputError was thrown");
    EXPECT_THAT(input_error_text([&] { scenario::check_bugs(bugs, config); }), HasSubstr("n7 has no part in the farm"));
}

TEST(BugListOfAScenario, IsCheckedWithTheFarmAsItIsSet) {
    const ScenarioFolder folder;
    folder.write("p.bugs", "version: 1\nbugs:\n  - {kind: early-end, task: 39, process: compute}\n");
    const std::string text = replaced(plain, "plain.dat}", "plain.dat, bugs: p.bugs}");
    const auto scenario = folder.read(text);
    ASSERT_EQ(scenario.bugs.size(), 1U);
    EXPECT_EQ(scenario.bugs[0].bug, Bug::EarlyEnd);
    EXPECT_EQ(scenario.inputs.back().role, "bugs");
    EXPECT_EQ(folder.error(text, {{"farm.tasks", "30"}}),
              "p.bugs:3:5: the farm has tasks 0 to 29, and no task 39; name one of these");
    EXPECT_THAT(folder.error(replaced(plain, "plain.dat}", "plain.dat, bugs: q.bugs}")),
                HasSubstr("q.bugs'; paths are relative to the scenario file"));
}

TEST(BugListOfAScenario, IsReplacedByThatOfTheCommandLine) {
    const ScenarioFolder folder;
    folder.write("p.bugs", "version: 1\nbugs:\n  - {kind: early-end, task: 1, process: compute}\n");
    folder.write("q.bugs", "version: 1\nbugs:\n  - {kind: never-sent, task: 2, process: compute}\n");
    folder.write("s.yaml", replaced(plain, "plain.dat}", "plain.dat, bugs: p.bugs}"));
    const auto scenario = scenario::read_scenario(folder.file("s.yaml"), {}, {}, {}, folder.file("q.bugs"));
    ASSERT_EQ(scenario.bugs.size(), 1U);
    EXPECT_EQ(scenario.bugs[0].bug, Bug::NeverSent);
    EXPECT_EQ(scenario.inputs.back().path, folder.file("q.bugs"));
}

TEST(BugListOfAScenario, ComesBehindTheBugsOfTheDatFile) {
    const ScenarioFolder folder;
    folder.write("plain.dat",
                 "0  20 10 0  140 1000 0  10 10 0  100 10 0  100 10 0\n5  20 10 0  140 1000 7  10 10 0  100 10 0  100 10 0\n");
    folder.write("p.bugs", "version: 1\nbugs:\n  - {kind: early-end, task: 1, process: generate}\n");
    const auto planted = scenario::planted_bugs(folder.read(replaced(plain, "plain.dat}", "plain.dat, bugs: p.bugs}")));
    ASSERT_EQ(planted.size(), 2U);
    EXPECT_EQ(bug_text(planted[0]), "unexpected as 40 in compute of tasks 5 and above");
    EXPECT_EQ(planted[1].bug, Bug::EarlyEnd);
}

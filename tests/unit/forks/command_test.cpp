// Programs of the host, and children of which each answer is taken once.
#include <gmock/gmock.h>

#include <csignal>
#include <cstdio>

#include <forks/command.hpp>
#include <forks/forks.hpp>

using forks::run_command;

TEST(RunCommand, GivesWhatTheProgramPrintsAndItsExitCode) {
    const forks::CommandEnd end = run_command({"sh", "-c", "echo out; echo err >&2; exit 3"});
    EXPECT_TRUE(end.found);
    EXPECT_EQ(end.exit_code, 3);
    EXPECT_EQ(end.out, "out");
    EXPECT_EQ(end.err, "err");
}

TEST(RunCommand, KnowsASignalAndAMissingProgram) {
    EXPECT_EQ(run_command({"sh", "-c", "kill -9 $$"}).exit_code, 128 + SIGKILL);
    EXPECT_FALSE(run_command({"no-such-program-of-magicwire"}).found);
}

TEST(Forks, GiveTheLastLinesOfADeadChildsStandardError) {
    forks::Forks children(forks::ProcessGroup::Own, forks::Answers::Taken);
    if (children.start()) {
        for (int i = 1; i <= 12; ++i) std::fprintf(stderr, "line %d\n", i);
        std::raise(SIGKILL);
    }
    if (children.start()) children.deliver("done");
    children.wait(0);
    std::size_t taken = 0;
    while (const auto one = children.take_ended()) {
        ++taken;
        EXPECT_GT(one->second.processor_seconds, 0);
        if (one->first == 1) {
            EXPECT_EQ(one->second.bytes, "done");
            EXPECT_EQ(one->second.last_lines, "");
            continue;
        }
        EXPECT_EQ(one->second.failure, "signal 9 (Killed): line 12");
        EXPECT_EQ(one->second.last_lines, "line 3\nline 4\nline 5\nline 6\nline 7\nline 8\nline 9\nline 10\nline 11\nline 12");
    }
    EXPECT_EQ(taken, 2U);
    EXPECT_EQ(children.ended(), 2U);
}

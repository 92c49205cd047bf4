// Work in several processes at once.
#include <forks/child_pool.hpp>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include <vocabulary/contract.hpp>

namespace {

using forks::ChildAnswer;
using forks::run_children;
using forks::run_in_child;
using testing::StartsWith;

bool always(std::size_t) {
    return true;
}

[[noreturn]] void wait_for_ever() {
    while (true) pause();
}

// A pipe that a process and all its descendants hold open for writing. Nothing is left to read when the last of them is gone.
class LifeLine {
public:
    LifeLine() {
        if (pipe(ends_.data()) != 0) std::abort();
    }
    ~LifeLine() {
        close(ends_[0]);
        if (ends_[1] >= 0) close(ends_[1]);
    }
    void say() const { EXPECT_EQ(write(ends_[1], "x", 1), 1); }
    bool somebody_said() const {
        char letter = 0;
        return read(ends_[0], &letter, 1) == 1;
    }
    // Waits; a test that waits in vain is ended by its time limit.
    void wait_until_all_are_gone() {
        close(ends_[1]);
        ends_[1] = -1;
        while (somebody_said()) {
        }
    }

private:
    std::array<int, 2> ends_{};
};

bool no_child_is_left() {
    return waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD;
}

}  // namespace

TEST(ChildPool, AnswersInTheOrderOfNumbersWhicheverEndsFirst) {
    std::vector<std::size_t> told;
    const auto answers = run_children(
        5,
        [](std::size_t i) {
            usleep(i % 2 == 0 ? 30'000 : 0);
            return std::string(i * 100'000, 'x') + std::to_string(i);
        },
        [&](std::size_t ended) {
            told.push_back(ended);
            return true;
        },
        3);
    ASSERT_EQ(answers.size(), 5U);
    for (std::size_t i = 0; i < answers.size(); ++i) {
        EXPECT_EQ(answers[i].how, ChildAnswer::How::Done);
        EXPECT_EQ(answers[i].bytes.size(), i * 100'000 + 1);
        EXPECT_EQ(answers[i].bytes.back(), static_cast<char>('0' + i));
    }
    EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
    EXPECT_EQ(told.front(), 0U);
    EXPECT_EQ(told.back(), 5U);
    EXPECT_TRUE(no_child_is_left());
}

TEST(ChildPool, OfNothingToDoAsksNobody) {
    const auto never = [](std::size_t) -> bool {
        ADD_FAILURE();
        return true;
    };
    EXPECT_TRUE(run_children(
                    0, [](std::size_t) { return std::string(); }, never)
                    .empty());
}

TEST(ChildPool, SaysOfEachFailureWhyAndGoesOn) {
    testing::internal::CaptureStderr();
    const auto answers = run_children(
        5,
        [](std::size_t i) -> std::string {
            if (i == 0) throw std::runtime_error("s.yaml:3:1: unknown key");
            if (i == 1) std::raise(SIGSEGV);
            if (i == 2) EXPECTS(i == 7, "a.contract");
            if (i == 3)
                return run_in_child<int>("a smaller run", []() -> int { throw std::runtime_error("no room"); }) == 0 ? "0"
                                                                                                                     : "1";
            return "done";
        },
        always);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(answers[0].failure, "s.yaml:3:1: unknown key");
#ifdef __SANITIZE_ADDRESS__
    EXPECT_THAT(answers[1].failure, StartsWith("exit code 1"));  // its runtime ends the process in its own way
#else
    EXPECT_EQ(answers[1].failure, "signal 11 (Segmentation fault)");
#endif
    EXPECT_THAT(answers[2].failure,
                StartsWith("signal 6 (Aborted): internal error: precondition 'a.contract' does not hold: i == 7"));
    EXPECT_EQ(answers[3].failure, "a smaller run failed: no room");
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(answers[i].how, ChildAnswer::How::Failed);
    EXPECT_EQ(answers[4].bytes, "done");
}

TEST(ChildPool, LeavesNoProcessWhenItIsInterrupted) {
    LifeLine line;
    const auto answers = run_children(
        6,
        [&](std::size_t) -> std::string {
            return std::to_string(run_in_child<int>("a run of a run", [&]() -> int {
                line.say();
                wait_for_ever();
            }));
        },
        [&, looks = 0](std::size_t) mutable { return looks++ == 0 || !line.somebody_said(); });
    EXPECT_TRUE(no_child_is_left());
    line.wait_until_all_are_gone();
    ASSERT_EQ(answers.size(), 6U);
    for (const ChildAnswer& answer : answers) EXPECT_EQ(answer.how, ChildAnswer::How::NotRun);
}

TEST(ChildPool, LeavesNoProcessWhenItsCallerThrows) {
    LifeLine line;
    const auto work = [&](std::size_t) -> std::string {
        line.say();
        wait_for_ever();
    };
    EXPECT_THROW(run_children(3, work,
                              [&, looks = 0](std::size_t) mutable {
                                  if (looks++ > 0 && line.somebody_said()) throw std::runtime_error("enough");
                                  return true;
                              }),
                 std::runtime_error);
    EXPECT_TRUE(no_child_is_left());
    line.wait_until_all_are_gone();
}

TEST(ChildPool, LeavesNoProcessWhenItsProcessIsKilled) {
    LifeLine line;
    const pid_t owner = forks::fork_child("a test");
    if (owner == 0) {
        run_children(
            2,
            [&](std::size_t) -> std::string {
                line.say();
                wait_for_ever();
            },
            always);
        _exit(0);
    }
    ASSERT_TRUE(line.somebody_said());
    kill(owner, SIGKILL);
    EXPECT_EQ(forks::how_it_ended(forks::wait_for_child(owner)), "signal 9 (Killed)");
    line.wait_until_all_are_gone();
}

TEST(ChildPool, KeepsWhatWasDoneBeforeTheInterruption) {
    const auto answers = run_children(
        3,
        [](std::size_t i) -> std::string {
            if (i > 0) wait_for_ever();
            return "first";
        },
        [](std::size_t ended) { return ended == 0; });
    EXPECT_EQ(answers[0].bytes, "first");
    EXPECT_EQ(answers[1].how, ChildAnswer::How::NotRun);
    EXPECT_EQ(answers[2].how, ChildAnswer::How::NotRun);
}

TEST(ChildPoolDeathTest, RunsAtLeastOneAtATime) {
    EXPECT_DEATH(run_children(
                     1, [](std::size_t) { return std::string(); }, always, 0),
                 "child_pool.at_once");
}

TEST(RunInChild, GivesPlainDataBack) {
    struct Pair {
        double a;
        std::int64_t b;
    };
    const auto [a, b] = run_in_child<Pair>("a run", [] { return Pair{1.5, getpid()}; });
    EXPECT_EQ(a, 1.5);
    EXPECT_NE(b, getpid());
}

TEST(RunInChild, ThrowsTheReasonOfAFailure) {
    const auto error_of = [](const std::function<int()>& work) -> std::string {
        try {
            run_in_child<int>("a measuring run", work);
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_EQ(error_of([]() -> int { throw vocabulary::RequestError("no worker computes"); }),
              "a measuring run failed: no worker computes");
    EXPECT_EQ(error_of([]() -> int { return std::raise(SIGKILL); }), "a measuring run failed: signal 9 (Killed)");
}

// Forks, with a plain process instead of a machine.
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

#include <forks/forks.hpp>
#include <vocabulary/errors.hpp>

namespace {

using forks::ChildAnswer;
using forks::Forks;
using forks::ProcessGroup;

// Without children waitpid() has nothing to wait for: none runs, and none is over without having been waited for.
bool no_child_remains() {
    return waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD;
}

// Lowers the host's limit of open files, and restores it at the end.
class FewFiles {
public:
    explicit FewFiles(rlim_t files) {
        getrlimit(RLIMIT_NOFILE, &before_);
        const rlimit few{files, before_.rlim_max};
        setrlimit(RLIMIT_NOFILE, &few);
    }
    ~FewFiles() { setrlimit(RLIMIT_NOFILE, &before_); }

private:
    rlimit before_{};
};

}  // namespace

TEST(Forks, HandTheirTextsOverInTheOrderOfTheirStart) {
    Forks forks;
    for (int i = 0; i < 4; ++i) {
        forks.wait(1);
        EXPECT_LE(forks.running(), 1U);
        if (forks.start()) {
            usleep(i == 0 ? 20'000 : 0);
            forks.deliver(std::string(static_cast<std::size_t>(i) * 200'000, 'x') +
                          std::to_string(i));  // more than a channel holds
        }
    }
    forks.wait(0);
    EXPECT_EQ(forks.running(), 0U);
    EXPECT_EQ(forks.ended(), 4U);
    EXPECT_TRUE(no_child_remains());
    ASSERT_EQ(forks.answers().size(), 4U);
    EXPECT_EQ(forks.answers()[0].bytes, "0");
    EXPECT_EQ(forks.answers()[3].bytes.size(), 600'001U);
    EXPECT_EQ(forks.answers()[3].bytes.back(), '3');
}

TEST(Forks, ThatDieSayHow) {
    Forks forks;
    if (forks.start()) std::raise(SIGKILL);
    if (forks.start()) _exit(3);
    if (forks.start()) forks.deliver("");
    forks.wait(0);
    EXPECT_EQ(forks.answers()[0].how, ChildAnswer::How::Failed);
    EXPECT_EQ(forks.answers()[0].failure, "signal 9 (Killed)");
    EXPECT_EQ(forks.answers()[0].kind, vocabulary::ErrorKind::Host);
    EXPECT_EQ(forks.answers()[1].kind, vocabulary::ErrorKind::Defect);
    EXPECT_EQ(forks.answers()[1].how, ChildAnswer::How::Failed);
    EXPECT_EQ(forks.answers()[1].failure, "exit code 3");
    EXPECT_EQ(forks.answers()[2].how, ChildAnswer::How::Done);
    EXPECT_EQ(forks.answers()[2].failure, "");
}

TEST(Forks, ThatFailSayWhy) {
    Forks forks;
    if (forks.start()) forks.fail(vocabulary::HostError("no room on the disk"));
    if (forks.start()) forks.deliver_result([]() -> std::string { throw vocabulary::RequestError("s.yaml:3: no such key"); });
    if (forks.start()) forks.deliver_result([] { return std::string("done"); });
    forks.wait(0);
    EXPECT_EQ(forks.answers()[0].failure, "no room on the disk");
    EXPECT_EQ(forks.answers()[0].kind, vocabulary::ErrorKind::Host);
    EXPECT_EQ(forks.answers()[1].kind, vocabulary::ErrorKind::Request);
    EXPECT_THROW(forks::throw_failure("a run", forks.answers()[1]), vocabulary::RequestError);
    EXPECT_EQ(forks.answers()[1].how, ChildAnswer::How::Failed);
    EXPECT_EQ(forks.answers()[1].failure, "s.yaml:3: no such key");
    EXPECT_EQ(forks.answers()[1].bytes, "");
    EXPECT_EQ(forks.answers()[2].bytes, "done");
}

TEST(Forks, OfTheirOwnGroupKeepTheirMessagesForTheReason) {
    testing::internal::CaptureStderr();
    Forks forks(ProcessGroup::Own);
    if (forks.start()) {
        std::fputs("a warning\nmagicwire: internal error: it does not hold\n", stderr);
        std::abort();
    }
    if (forks.start()) {
        std::fputs("a warning\n", stderr);
        forks.deliver(std::to_string(getpgrp() == getpid()));
    }
    forks.wait(0);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(forks.answers()[0].failure, "signal 6 (Aborted): internal error: it does not hold");
    EXPECT_EQ(forks.answers()[1].bytes, "1");
    EXPECT_EQ(forks.answers()[1].failure, "");
}

TEST(Forks, KeepWhatWasThereAtTheFork) {
    int there = 1;
    Forks forks;
    if (forks.start()) forks.deliver(std::to_string(++there));
    there = 10;
    if (forks.start()) forks.deliver(std::to_string(++there));
    forks.wait(0);
    EXPECT_EQ(forks.answers()[0].bytes, "2");
    EXPECT_EQ(forks.answers()[1].bytes, "11");
    EXPECT_EQ(there, 10);
}

// poll() takes no more entries than the limit, and a child's open files must be closed when it ends.
TEST(Forks, AreAsManyAsOneLikesWhateverTheLimitOfOpenFiles) {
    const FewFiles limit(32);
    for (const ProcessGroup group : {ProcessGroup::Shared, ProcessGroup::Own}) {
        Forks forks(group);
        for (std::size_t i = 0; i < 100; ++i) {
            forks.wait(1);
            if (forks.start()) forks.deliver(std::to_string(i));
        }
        forks.wait(0);
        EXPECT_EQ(forks.ended(), 100U);
        ASSERT_EQ(forks.answers().size(), 100U);
        for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(forks.answers()[i].bytes, std::to_string(i));
    }
    EXPECT_TRUE(no_child_remains());
}

TEST(Forks, AreEndedAndWaitedForWhenNobodyWantsThemAnyMore) {
    for (const ProcessGroup group : {ProcessGroup::Shared, ProcessGroup::Own}) {
        Forks forks(group);
        for (int i = 0; i < 3; ++i) {
            if (forks.start()) {
                while (true) pause();
            }
        }
        EXPECT_EQ(forks.running(), 3U);
        EXPECT_EQ(forks.answers()[0].how, ChildAnswer::How::NotRun);
    }
    EXPECT_TRUE(no_child_remains());
}

TEST(ForksDeathTest, OnlyAChildDelivers) {
    EXPECT_DEATH(Forks().deliver("x"), "forks.child");
}

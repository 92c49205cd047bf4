// Futures of a process, with a plain process instead of a machine.
#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>

#include <tmon_session/forks.hpp>

using tmon_session::Forks;

namespace {

std::string text_of(const Forks& forks, std::size_t number) {
    return forks.futures()[number].text.value_or("nothing");
}

}  // namespace

TEST(Forks, HandTheirTextsOverInTheOrderOfTheirStart) {
    Forks forks;
    for (int i = 0; i < 4; ++i) {
        forks.wait(1);
        EXPECT_LE(forks.running(), 1U);
        if (forks.start()) {
            usleep(i == 0 ? 20'000 : 0);
            forks.deliver(std::string(static_cast<std::size_t>(i) * 200'000, 'x') +
                          std::to_string(i));  // more than a pipe holds
        }
    }
    forks.wait(0);
    EXPECT_EQ(forks.running(), 0U);
    ASSERT_EQ(forks.futures().size(), 4U);
    EXPECT_EQ(text_of(forks, 0), "0");
    EXPECT_EQ(text_of(forks, 3).size(), 600'001U);
    EXPECT_EQ(text_of(forks, 3).back(), '3');
}

TEST(Forks, AreNoFutureWhenTheyDie) {
    Forks forks;
    if (forks.start()) std::raise(SIGKILL);
    if (forks.start()) _exit(3);
    if (forks.start()) forks.deliver("");
    forks.wait(0);
    EXPECT_FALSE(forks.futures()[0].text);
    EXPECT_EQ(tmon_session::how_it_ended(forks.futures()[0].status), "signal 9 (Killed)");
    EXPECT_FALSE(forks.futures()[1].text);
    EXPECT_EQ(tmon_session::how_it_ended(forks.futures()[1].status), "exit code 3");
    EXPECT_EQ(text_of(forks, 2), "");
}

TEST(Forks, KeepWhatWasThereAtTheFork) {
    int there = 1;
    Forks forks;
    if (forks.start()) forks.deliver(std::to_string(++there));
    there = 10;
    if (forks.start()) forks.deliver(std::to_string(++there));
    forks.wait(0);
    EXPECT_EQ(text_of(forks, 0), "2");
    EXPECT_EQ(text_of(forks, 1), "11");
    EXPECT_EQ(there, 10);
}

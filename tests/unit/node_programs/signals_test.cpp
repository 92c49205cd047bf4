// Signals that programs handle, and time that they wait.
#include "program_bench.hpp"

namespace {

using test_support::ProgramBench;
using testing::HasSubstr;

// The part runs on n1; a process of n0 sends it these signals and messages.
struct SignalBench : ProgramBench {
    SignalBench() : ProgramBench(topologies::chain(2)) { load("signals"); }
    bool play(const std::string& part, trollius_os::Arguments sent = {}) {
        std::vector<Start> starts = {{1, "signals", {part}}};
        if (!sent.empty()) {
            sent.insert(sent.begin(), "sends");
            starts.push_back({0, "signals", sent});
        }
        return run(starts);
    }
    std::string text(const std::string& part, const trollius_os::Arguments& sent = {}) {
        EXPECT_TRUE(play(part, sent));
        EXPECT_EQ(said(), "");
        return printed();
    }
};

}  // namespace

TEST(ProgramSignals, EndACallThatIsMadeAgain) {
    SignalBench bench;
    EXPECT_EQ(bench.text("retry", {"7", "7", "=60"}), "handler of 7\nhandler of 7\nnrecv: 0 'abc', 2 handled\n");
}

TEST(ProgramSignals, EndACallWithEintrOutsideOfTheRetryMask) {
    SignalBench bench;
    EXPECT_EQ(bench.text("eintr", {"7", "7"}), "nrecv: -1, EINTR, 1 handled, retry was 0xdb\nkrecv: -1, EINTR, 2 handled\n");
}

TEST(ProgramSignals, WaitWhileTheyAreHeldBackAndMerge) {
    SignalBench bench;
    EXPECT_EQ(bench.text("mask"),
              "mask 0, pending 0x80, state 0\nhandler of 8\nmask 0x80, 1 handled\nthe old handler\nno signal 3\nignored\n"
              "retry 0xdb, then 0xfb\n");
    EXPECT_THAT(bench.ends, testing::ElementsAre(std::pair(1, 1)));
}

TEST(ProgramSignals, GiveErrorsByName) {
    SignalBench bench;
    EXPECT_EQ(bench.text("errors"),
              "kdoom: not a process\nkdoom: not a process\nkdoom: of the system\nkdoom: no signal\nkstate: not a process\n"
              "kstate: priority 1400\nterror: invalid node\nterror: No such file or directory\n");
}

TEST(ProgramSignals, EndAPause) {
    SignalBench bench;
    EXPECT_EQ(bench.text("pause", {"7"}), "handler of 7\nkpause: -1, EINTR\n");
}

TEST(ProgramSignals, HandlersMakeCallsAndAreInterruptedThemselves) {
    SignalBench bench;
    EXPECT_EQ(bench.text("nested", {"7", "8", "=71", "=63"}), "body 6513249 0; words 7 and 8; depth 2; A 1, B 1\n");
}

TEST(ProgramSignals, HandlersMayEndTheProcess) {
    SignalBench bench;
    EXPECT_EQ(bench.text("leave", {"2"}), "");
    EXPECT_THAT(bench.ends, testing::Contains(std::pair(1, 12)));
}

TEST(ProgramSignals, AFaultInAHandlerIsToldWithItsLine) {
    SignalBench bench;
    EXPECT_FALSE(bench.play("fall", {"2"})) << "the node has crashed";
    EXPECT_THAT(bench.said(), testing::AllOf(HasSubstr("signals on n1 writes address 0x0"), HasSubstr("signals.c:")));
}

TEST(ProgramSignals, ArrestAndReleaseAProcess) {
    SignalBench bench;
    EXPECT_EQ(bench.text("arrested", {"=66", "5", "=66", "=66", "6", "=66", "=66"}), "stopped\nsum 20\n");
}

TEST(ProgramSignals, EndTheProcessByDefault) {
    SignalBench bench;
    EXPECT_EQ(bench.text("pause", {"4"}), "");
    EXPECT_THAT(bench.ends, testing::Contains(std::pair(1, -4)));
}

TEST(ProgramSignals, ComeToAProcessThatOnlyAsksDaemons) {
    SignalBench bench;
    EXPECT_EQ(bench.text("prints", {"7"}), "1 handled\n");
}

TEST(ProgramSignals, ComeToASleeperWhenItWakes) {
    SignalBench bench;
    EXPECT_EQ(bench.text("sleeps", {"7"}), "slept 200 ms, 1 handled\n");
}

TEST(ProgramSignals, NestNoDeeperThanTheHostAllows) {
    SignalBench bench;
    EXPECT_TRUE(bench.play("nest"));
    EXPECT_THAT(bench.said(), testing::AllOf(HasSubstr("signals.c:"), HasSubstr("begins a handler in 8 others"),
                                             HasSubstr("its process has ended"), HasSubstr("return from handlers")));
}

TEST(ProgramSignals, AHandlerThatJumpsOutCountsForGood) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "AddressSanitizer's longjmp() makes a system call, which the fence refuses";
#endif
    SignalBench bench;
    EXPECT_TRUE(bench.run({{1, "signals", {"jump", "8"}}}));
    EXPECT_EQ(bench.said(), "");
    EXPECT_THAT(bench.ends, testing::ElementsAre(std::pair(1, 8)));
    EXPECT_TRUE(bench.run({{1, "signals", {"jump", "9"}}}));
    EXPECT_THAT(bench.said(), HasSubstr("begins a handler in 8 others"));
}

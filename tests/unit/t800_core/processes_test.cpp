// Processes on one node: queues, priorities, cutting in, timers.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bench_node.hpp"
#include "node_programs.hpp"

namespace t800_processes {
namespace {

using namespace t800_test;

TEST(T800Processes, ParallelBranchesJoinAtTheLast) {
    BenchNode node;
    node.load(R"(
        ldc 2
        stl 1              ; two branches
        ldap joined
        stl 0
        ldc other - here
        ldlp -40
        startp
here:   ldc 5
        ldc 0x80000900
        stnl 0
        ldlp 0
        endp
other:  ldc 6
        ldc 0x80000904
        stnl 0
        ldlp 40
        endp
joined: ldc 7
        ldc 0x80000908
        stnl 0
        stopp
)");
    node.run(10'000);
    EXPECT_EQ(node.core.word(data), 5U);
    EXPECT_EQ(node.core.word(data + 4), 6U);
    EXPECT_EQ(node.core.word(data + 8), 7U);
}

TEST(T800Processes, QueuesAreListsInMemoryThatCodeCanRead) {
    BenchNode node;
    node.load(start_other + R"(
        ldc 0x80000900
        savel
        stopp
other:  stopp
)");
    node.run(10'000);
    EXPECT_EQ(node.core.word(data), 0x80000B00U);
    EXPECT_EQ(node.core.word(data + 4), 0x80000B00U);
}

TEST(T800Processes, LowProcessesShareTheProcessorBySlices) {
    BenchNode node;
    node.load(start_other + R"(
loop:   ldl 1
        adc 1
        stl 1
        j loop
other:  ldl 1
        adc 1
        stl 1
        j other
)");
    node.run(20'480 * 20);  // twenty periods of 1.024 ms
    const std::uint32_t one = node.core.word(0x80000C04U), two = node.core.word(0x80000B04U);
    EXPECT_GE(node.core.totals().timeslices, 9U);
    EXPECT_LE(node.core.totals().timeslices, 20U);
    EXPECT_NEAR(static_cast<double>(one) / (one + two), 0.5, 0.11);
}

TEST(T800Processes, AHighProcessIsNeverSliced) {
    BenchNode node;
    node.load(start_other + "loop: j loop\nother: stopp\n", 0x80000C00, 0);
    node.run(20'480 * 10);
    EXPECT_EQ(node.core.totals().process_starts, 1U);
}

TEST(T800Processes, AHighProcessCutsInAndTheLowOneGoesOn) {
    BenchNode node;
    node.load(cutting_in);
    node.run(100 * 20 + 20 * 3);
    EXPECT_EQ(node.core.totals().preemptions, 2U);  // by runp, and by the timer
    EXPECT_EQ(node.core.word(data), 102U);          // due at 101, and 19 cycles are most of a tick
    const std::uint32_t counted = node.core.word(0x80000C04U);
    node.run(node.core.now() + 1000);
    EXPECT_GT(node.core.word(0x80000C04U), counted);
}

TEST(T800Processes, CuttingInTakesNineteenCyclesAndSavesSevenWords) {
    BenchNode node;
    node.load("loop: j loop\n");
    node.core.set_word(0x80000010U, 0x80000B00U);  // a high process waits for link 0
    node.core.set_word(0x80000B00U - 4, 0x80000300U);
    node.core.run_until(1000);
    const Cycle ready = node.core.now();
    node.core.input_done(LinkNo(0));
    EXPECT_EQ(node.core.now() - ready, 10U);  // the engine has finished
    node.core.run_until(node.core.now() + 1);
    EXPECT_EQ(node.core.registers().priority, 0);
    EXPECT_EQ(node.core.now() - ready, 10U + 19U);
    EXPECT_EQ(node.core.word(0x8000002CU), 0x80000C01U);
    EXPECT_EQ(node.core.word(0x80000030U), 0x80000070U);
}

TEST(T800Processes, SavedWordsAreTheProcessThatWasCut) {
    BenchNode node;
    node.load("loop: j loop\n");
    node.core.set_word(0x80000010U, 0x80000B00U);
    const std::string high = "ldc 77\n ldc 0x80000034\n stnl 0\n stopp\n";  // changes the saved A
    const auto code = t800_assembly::assemble(high, "high.s").code;
    std::memcpy(node.memory.data() + 0x300, code.data(), code.size());
    node.core.set_word(0x80000B00U - 4, 0x80000300U);
    node.core.run_until(1000);
    node.core.input_done(LinkNo(0));
    node.core.run_until(node.core.now() + 100);
    EXPECT_EQ(node.core.registers().priority, 1);
    EXPECT_EQ(node.core.registers().a, 77U);
}

TEST(T800Processes, ABlockMoveIsCutAndGoesOn) {
    BenchNode node;
    node.load("ldc 0x80002000\n ldc 0x80006000\n ldc 8000\n move\n ldc 1\n stl 1\n stopp\n");
    for (std::uint32_t i = 0; i < 2000; ++i) node.core.set_word(0x80002000U + 4 * i, i);
    node.core.set_word(0x80000010U, 0x80000B00U);
    node.core.set_word(0x80000B00U - 4, 0x80000300U);
    node.memory[0x300] = std::byte{0x21}, node.memory[0x301] = std::byte{0xF5};  // stopp
    node.core.run_until(3000);
    ASSERT_NE(node.core.registers().moving, 0U);
    const Cycle ready = node.core.now();
    EXPECT_LT(ready, 3010U);
    node.core.input_done(LinkNo(0));
    node.run(200'000);
    EXPECT_EQ(node.core.totals().preemptions, 1U);
    for (std::uint32_t i = 0; i < 2000; ++i) ASSERT_EQ(node.core.word(0x80006000U + 4 * i), i);
    EXPECT_EQ(node.core.word(0x80000C04U), 1U);
}

TEST(T800Processes, TimersWakeInOrderAndLowOnesOnTheirTicks) {
    const std::string source = R"(
        ldc 0
        sttimer
)" + start_other + R"(
        ldc 5
        tin
        ldtimer
        ldc 0x80000900
        stnl 0
        stopp
other:  ldc 3
        tin
        ldtimer
        ldc 0x80000904
        stnl 0
        stopp
)";
    BenchNode node;
    node.load(source);
    node.core.run_until(4 * 64 * 20 - 1);
    EXPECT_EQ(node.core.word(data + 4), 0U);
    node.core.run_until(4 * 64 * 20 + 100);
    EXPECT_EQ(node.core.word(data + 4), 4U);  // the first tick after 3
    node.core.run_until(6 * 64 * 20 - 1);
    EXPECT_EQ(node.core.word(data), 0U);
    node.core.run_until(6 * 64 * 20 + 100);
    EXPECT_EQ(node.core.word(data), 6U);
}

}  // namespace
}  // namespace t800_processes

// One node as a whole: errors, memory that is not there, boot, analyse, snapshots, breakpoints, contracts.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bench_node.hpp"
#include "node_programs.hpp"

namespace t800_node_states {
namespace {

using namespace t800_test;

TEST(T800Node, HaltOnErrorStopsAndASecondRunStaysStopped) {
    BenchNode node;
    node.load("sethalterr\n seterr\n ldc 1\n stl 1\n stopp\n");
    EXPECT_EQ(node.run(1000).reason, Stop::Reason::Halted);
    EXPECT_EQ(node.core.run_until(2000).reason, Stop::Reason::Halted);
    EXPECT_EQ(node.core.word(0x80000C04U), 0U);
    EXPECT_TRUE(node.core.registers().error);
}

TEST(T800Node, CodeBeyondMemoryRunsAway) {
    BenchNode node(4096);
    node.load("ldc 0x80002000\n gcall\n");
    EXPECT_EQ(node.run(1000).reason, Stop::Reason::RanAway);
    ASSERT_TRUE(node.core.stray());
    EXPECT_EQ(node.core.stray()->address, 0x80002000U);
}

TEST(T800Node, WordsBeyondMemoryReadAsOnesOrRaiseErrorAsTheBoardHasIt) {
    for (const BeyondMemory board : {BeyondMemory::OpenBus, BeyondMemory::RaisesError}) {
        CoreSettings settings;
        settings.beyond_memory = board;
        BenchNode node(4096, settings);
        node.load("ldc 0x80002000\n ldnl 0\n stl 1\n stopp\n");
        node.run(1000);
        EXPECT_EQ(node.core.word(0x80000C04U), ~0U);
        EXPECT_EQ(node.core.registers().error, board == BeyondMemory::RaisesError);
        EXPECT_EQ(node.core.stray()->count, 1U);
    }
}

TEST(T800Node, CodeThatWritesCodeRunsTheNewCode) {
    BenchNode node;
    const std::string source = R"(
        ldc 0
        stl 1
loop:   ldc 0x41           ; ldc 1 as a byte
        ldap patch
        sb
patch:  ldc 2
        stl 2
        ldl 1
        adc 1
        stl 1
        ldl 1
        eqc 3
        cj loop
        stopp
)";
    node.load(source);
    node.run(10'000);
    EXPECT_EQ(node.core.word(0x80000C08U), 1U);
    EXPECT_EQ(node.core.word(0x80000C04U), 3U);
    EXPECT_GT(at(source, "patch"), 0x80000070U);
}

TEST(T800Node, AnalyseHaltsAndTheNextBootSeesIt) {
    BenchNode node;
    node.load("loop: j loop\n");
    node.run(1000);
    node.core.analyse();
    EXPECT_EQ(node.run(2000).reason, Stop::Reason::Analysed);
    node.boot("stl 2\n stl 3\n stl 4\n testpranal\n stl 1\n stopp\n .space 20\n", 3);
    node.run(node.core.now() + 10'000);
    const std::uint32_t w = 0x80000070U + 30;
    const std::uint32_t wptr = (w + 3) & ~3U;
    bool found = false;
    for (std::uint32_t near = wptr - 8; near <= wptr + 8; near += 4) {
        found = found || (node.core.word(near + 4) == 1 && node.core.word(near + 8) == 0x80000070U &&
                          node.core.word(near + 12) == 0x80000C01U && node.core.word(near + 16) == 0x8000001CU);
    }
    EXPECT_TRUE(found);
}

TEST(T800Node, PokeAndPeekComeBeforeTheBoot) {
    BenchNode node;
    node.send(2, {0, 0x00, 0x09, 0x00, 0x80, 1, 2, 3, 4, 1, 0x00, 0x09, 0x00, 0x80});
    node.boot("stopp\n", 2);
    node.run(10'000);
    EXPECT_EQ(node.core.word(data), 0x04030201U);
    EXPECT_EQ(node.from_node[2], "\x01\x02\x03\x04");
    EXPECT_FALSE(node.core.booting());
}

TEST(T800Node, CodeLongerThanABootMessageComesBehindALoader) {
    BenchNode node;
    node.boot("ajw 8\n stl 1\n stl 1\n ldc 5\n ldc 0x80000F00\n stnl 0\n stopp\n .space 600\n");
    node.run(200'000);
    EXPECT_EQ(node.core.word(0x80000F00U), 5U);
}

TEST(T800Node, CommstimeTakesAboutTheTimeOfTheHardware) {
    BenchNode node;
    node.load(commstime, 0x80000850U);
    node.core.run_until(20'000'000);
    const std::uint32_t loops = node.core.word(0x80000858U);
    ASSERT_GT(loops, 0U);
    const double microseconds = 1e6 / loops;
    RecordProperty("microseconds", std::to_string(microseconds));
    EXPECT_NEAR(microseconds, 15.05, 0.05 * 15.05);
}

std::string state_text(const BenchNode& node) {
    const Registers& r = node.core.registers();
    std::string text = std::to_string(node.core.now()) + " " + std::to_string(r.iptr) + " " + std::to_string(r.a) + " " +
                       std::to_string(r.priority);
    text.append(reinterpret_cast<const char*>(node.memory.data()), node.memory.size());
    return text;
}

TEST(T800Node, RunsInPiecesAndSnapshotsEqualARunInOnePiece) {
    BenchNode whole, pieces;
    whole.load(commstime, 0x80000850U), pieces.load(commstime, 0x80000850U);
    whole.core.run_until(200'000);
    for (Cycle limit = 0; limit < 200'000; limit += 37) pieces.core.run_until(limit);
    pieces.core.run_until(200'000);
    EXPECT_EQ(state_text(whole), state_text(pieces));
    std::vector<std::byte> memory = whole.memory;
    Core copy(whole.core, memory, whole);
    copy.run_until(300'000);
    whole.core.run_until(300'000);
    EXPECT_EQ(copy.registers(), whole.core.registers());
    EXPECT_EQ(copy.now(), whole.core.now());
    EXPECT_EQ(memory, whole.memory);
}

class Counter : public Observer {
public:
    void instruction(const SeenInstruction&) override { ++instructions; }
    void process_started(Cycle, std::uint32_t, std::uint32_t) override { ++starts; }
    void message(const SeenMessage&) override { ++messages; }
    std::uint64_t instructions = 0, starts = 0, messages = 0;
};

TEST(T800Node, AnObserverChangesNothingAndSeesAll) {
    BenchNode alone, watched;
    Counter counter;
    alone.load(commstime, 0x80000850U);
    watched.core.observe(&counter);
    watched.load(commstime, 0x80000850U);
    alone.core.run_until(50'000), watched.core.run_until(50'000);
    EXPECT_EQ(state_text(alone), state_text(watched));
    EXPECT_EQ(counter.instructions, alone.core.totals().instructions);
    EXPECT_EQ(counter.starts, alone.core.totals().process_starts);
    EXPECT_GT(counter.messages, 50U);
}

TEST(T800Node, ABreakpointStopsBeforeItsInstruction) {
    BenchNode node;
    const std::string source = "ldc 1\n stl 1\n there: ldc 2\n stl 1\n stopp\n";
    node.load(source);
    node.core.set_breakpoint(at(source, "there"));
    EXPECT_EQ(node.run(1000).reason, Stop::Reason::Breakpoint);
    EXPECT_EQ(node.core.word(0x80000C04U), 1U);
    EXPECT_EQ(node.run(1000).reason, Stop::Reason::Idle);
    EXPECT_EQ(node.core.word(0x80000C04U), 2U);
}

TEST(T800Node, ExternalMemoryCostsItsCycles) {
    const std::string source = "ldc 0x80002000\n ldnl 0\n stl 1\n stopp\n";
    std::array<Cycle, 2> times{};
    for (const std::uint32_t access : {1U, 5U}) {
        CoreSettings settings;
        settings.external_access = access;
        BenchNode node(65536, settings);
        node.load(source);
        const Cycle start = node.core.now();
        for (int i = 0; i < 3; ++i) node.core.run_until(node.core.now() + 1);
        times[access == 1 ? 0 : 1] = node.core.now() - start;
    }
    EXPECT_EQ(times[1] - times[0], 4U);
}

// Code larger than what is kept decoded: a loop over 600 calls, each to a routine of its own.
TEST(T800Node, LargeProgramsGetMoreRoomForDecodedCode) {
    std::string source = "loop:\n";
    for (int i = 0; i < 600; ++i) source += " call r" + std::to_string(i) + "\n";
    source += " ldl 1\n adc 1\n stl 1\n j loop\n";
    for (int i = 0; i < 600; ++i)
        source += "r" + std::to_string(i) + ": ldl 6\n adc 1\n stl 6\n ldl 6\n ldc 1\n and\n stl 7\n ret\n";
    BenchNode node;
    node.load(source, 0x8000F000U);
    EXPECT_LE(node.core.decoded_bytes(), 48U * 1024);
    node.core.run_until(4'000'000);
    EXPECT_GT(node.core.decoded_bytes(), 48U * 1024);
    EXPECT_LE(node.core.decoded_bytes(), 48U * 1024 * 16);
    const std::uint32_t loops = node.core.word(0x8000F004U), calls = node.core.word(0x8000F008U);
    EXPECT_GT(loops, 100U);
    EXPECT_GE(calls, loops * 600);
    EXPECT_LE(calls, loops * 600 + 600);
}

TEST(T800Contracts, MemoryAndTransfersAreChecked) {
    std::vector<std::byte> small(100), good(4096);
    BenchNode port;
    EXPECT_DEATH(Core(small, {}, port), "t800_core.memory");
    CoreSettings wrong;
    wrong.external_access = 9;
    EXPECT_DEATH(Core(good, wrong, port), "t800_core.settings");
    EXPECT_DEATH(Core(port.core, good, port), "t800_core.snapshot_memory");
    std::array<std::byte, 1> byte{};
    EXPECT_DEATH(port.core.give_input(LinkNo(0), byte), "t800_core.give_input");
    EXPECT_DEATH(port.core.take_output(LinkNo(0), byte), "t800_core.take_output");
    EXPECT_DEATH(port.core.start(0x80000070U, 0x80000800U, 2), "t800_core.priority");
    Registers r;
    r.priority = 2;
    EXPECT_DEATH(port.core.set_registers(r), "t800_core.set_registers");
}

}  // namespace
}  // namespace t800_node_states

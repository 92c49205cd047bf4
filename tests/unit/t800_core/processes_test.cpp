// Programs on one node: queues, priorities, timers, channels, ALT, the event pin, links, errors, snapshots.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bench_node.hpp"

namespace t800_processes {
namespace {

using namespace t800_test;

constexpr std::uint32_t data = 0x80000900U;

// Starts a second process at label `other` with the workspace 0x80000B00, and goes on.
const std::string start_other = R"(
        ldc other - here
        ldc 0x80000B00
        startp
here:
)";

std::uint32_t at(const std::string& source, const std::string& label) {
    for (const t800_assembly::Symbol& symbol : t800_assembly::assemble(source, "test.s").symbols) {
        if (symbol.name == label) return symbol.value;
    }
    ADD_FAILURE() << label;
    return 0;
}

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

// A low process counts while a high one waits for the timer; the high one notes the clock.
const std::string cutting_in = R"(
        ldc 0
        sttimer
        ldc other - here
        ldc 0x80000B00
        adc -4
        rev
        ldpi
here:   rev
        stnl 0
        ldc 0x80000B00
        runp
loop:   ldl 1
        adc 1
        stl 1
        j loop
other:  ldc 100
        tin
        ldtimer
        ldc 0x80000900
        stnl 0
        stopp
)";

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

const std::string alternative = R"(
        ldc 0x80000000
        ldc 0x80000A00
        stnl 0
)" + start_other + R"(
        alt
        ldc 0x80000A00     ; channel
        ldc 1
        enbc
        altwt
        ldc 0x80000A00
        ldc 1
        ldc 0
        disc
        altend
        ldc 0x80000900
        ldc 0x80000A00
        ldc 4
        in
        stopp
other:  ldc 0x80000A00
        ldc 99
        outword
        ldc 1
        ldc 0x80000904
        stnl 0
        stopp
)";

TEST(T800Processes, AnAltTakesAMessageFromASoftChannel) {
    BenchNode node;
    node.load(alternative);
    node.run(10'000);
    EXPECT_EQ(node.core.word(data), 99U);
    EXPECT_EQ(node.core.word(data + 4), 1U);
    EXPECT_EQ(node.core.word(0x80000A00U), not_process);
}

const std::string link_alternative = R"(
        ldc 0
        sttimer
        talt
        ldc 10
        ldc 1
        enbt
        ldc 0x80000014
        ldc 1
        enbc
        taltwt
        ldc 10
        ldc 1
        ldc late - end
        dist
        ldc 0x80000014
        ldc 1
        ldc 0
        disc
        altend
end:    ldc 0x80000900
        ldc 0x80000014
        ldc 1
        in
        stopp
late:   ldc 7
        ldc 0x80000904
        stnl 0
        stopp
)";

TEST(T800Processes, AnAltOverALinkWakesWithTheFirstByte) {
    BenchNode node;
    node.load(link_alternative);
    node.run(500);
    EXPECT_FALSE(node.core.registers().running);
    node.send(1, {42});
    node.run(5'000);
    EXPECT_EQ(node.core.word(data) & 0xFFU, 42U);
    EXPECT_EQ(node.core.word(0x80000028U), not_process);  // and has left the timer queue
}

TEST(T800Processes, AnAltOverALinkEndsWithItsTime) {
    BenchNode node;
    node.load(link_alternative);
    node.run(64 * 20 * 12);
    EXPECT_EQ(node.core.word(data + 4), 7U);
    EXPECT_EQ(node.core.word(0x80000014U), not_process);
}

TEST(T800Processes, TheEventPinWakesAnInput) {
    BenchNode node;
    node.load("ldc 0\n ldc 0x80000020\n ldc 0\n in\n ldc 7\n ldc 0x80000900\n stnl 0\n stopp\n");
    node.core.run_until(500);
    EXPECT_EQ(node.core.word(data), 0U);
    node.core.event_raised();
    node.core.run_until(1000);
    EXPECT_EQ(node.core.word(data), 7U);
    EXPECT_EQ(node.events_acknowledged, 1);
}

TEST(T800Processes, AnEventThatComesFirstIsKept) {
    BenchNode node;
    node.load("ldc 0\n ldc 0x80000020\n ldc 0\n in\n ldc 7\n ldc 0x80000900\n stnl 0\n stopp\n");
    node.core.event_raised();
    node.core.run_until(1000);
    EXPECT_EQ(node.core.word(data), 7U);
}

TEST(T800Processes, TheWakeUpOfALinkFollowsTheChannelWord) {
    BenchNode node;
    node.load("ldc 0x80000900\n ldc 0x80000010\n ldc 4\n in\n ldc 1\n stl 1\n stopp\n");
    node.core.run_until(200);
    node.core.set_word(0x80000010U, 0x80000B01U);  // code redirects it
    node.core.set_word(0x80000B00U - 4, 0x80000300U);
    node.core.input_done(LinkNo(0));
    EXPECT_EQ(node.core.registers().wptr, 0x80000B00U);
    EXPECT_EQ(node.core.registers().iptr, 0x80000300U);
}

TEST(T800Processes, HaltOnErrorStopsAndASecondRunStaysStopped) {
    BenchNode node;
    node.load("sethalterr\n seterr\n ldc 1\n stl 1\n stopp\n");
    EXPECT_EQ(node.run(1000).reason, Stop::Reason::Halted);
    EXPECT_EQ(node.core.run_until(2000).reason, Stop::Reason::Halted);
    EXPECT_EQ(node.core.word(0x80000C04U), 0U);
    EXPECT_TRUE(node.core.registers().error);
}

TEST(T800Processes, CodeBeyondMemoryRunsAway) {
    BenchNode node(4096);
    node.load("ldc 0x80002000\n gcall\n");
    EXPECT_EQ(node.run(1000).reason, Stop::Reason::RanAway);
    ASSERT_TRUE(node.core.stray());
    EXPECT_EQ(node.core.stray()->address, 0x80002000U);
}

TEST(T800Processes, WordsBeyondMemoryReadAsOnesOrRaiseErrorAsTheBoardHasIt) {
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

TEST(T800Processes, CodeThatWritesCodeRunsTheNewCode) {
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

TEST(T800Processes, AnalyseHaltsAndTheNextBootSeesIt) {
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

TEST(T800Processes, PokeAndPeekComeBeforeTheBoot) {
    BenchNode node;
    node.send(2, {0, 0x00, 0x09, 0x00, 0x80, 1, 2, 3, 4, 1, 0x00, 0x09, 0x00, 0x80});
    node.boot("stopp\n", 2);
    node.run(10'000);
    EXPECT_EQ(node.core.word(data), 0x04030201U);
    EXPECT_EQ(node.from_node[2], "\x01\x02\x03\x04");
    EXPECT_FALSE(node.core.booting());
}

TEST(T800Processes, CodeLongerThanABootMessageComesBehindALoader) {
    BenchNode node;
    node.boot("ajw 8\n stl 1\n stl 1\n ldc 5\n ldc 0x80000F00\n stnl 0\n stopp\n .space 600\n");
    node.run(200'000);
    EXPECT_EQ(node.core.word(0x80000F00U), 5U);
}

// Four processes in a ring of channels, with the delta in parallel. A T800-20 takes 15.05 us a loop of the published program.
// The cycle table without the cost of process starts gives 13.9.
const std::string commstime = R"(
        .set base, 0x80000900          ; channels A to D
        .macro chan, N
        ldc 0x80000000
        ldc base + \N
        stnl 0
        .endm
        .macro begin, CODE, BELOW
        ldc \CODE - here\@
        ldc base - \BELOW
        startp
here\@:
        .endm
        chan 0
        chan 4
        chan 8
        chan 12
        begin prefix, 12
        begin delta, 48
        begin successor, 140
        ldc 0
        stl 2
        ldc 0x7FFFFFFF
        stl 3
consumer:
        ldlp 1
        ldlp 47
        ldc 4
        in
        ldlp 2
        ldc looped - consumer
        lend
looped: stopp
prefix: ldc 0
        stl 1
again:  ldlp 3
        ldl 1
        outword
        ldlp 1
        ldlp 4
        ldc 4
        in
        j again
delta:  ldlp 2
        ldlp 12
        ldc 4
        in
        ldc 2
        stl 1
        ldap joined
        stl 0
        ldc half - on
        ldlp -12
        startp
on:     ajw -6
        ldlp 20
        ldl 8
        outword
        ldlp 6
        endp
half:   ldlp 27
        ldl 14
        outword
        ldlp 12
        endp
joined: j delta
successor:
        ldlp 1
        ldlp 37
        ldc 4
        in
        ldlp 36
        ldl 1
        adc 1
        outword
        j successor
)";

TEST(T800Processes, CommstimeTakesAboutTheTimeOfTheHardware) {
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

TEST(T800Processes, RunsInPiecesAndSnapshotsEqualARunInOnePiece) {
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

TEST(T800Processes, AnObserverChangesNothingAndSeesAll) {
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

TEST(T800Processes, ABreakpointStopsBeforeItsInstruction) {
    BenchNode node;
    const std::string source = "ldc 1\n stl 1\n there: ldc 2\n stl 1\n stopp\n";
    node.load(source);
    node.core.set_breakpoint(at(source, "there"));
    EXPECT_EQ(node.run(1000).reason, Stop::Reason::Breakpoint);
    EXPECT_EQ(node.core.word(0x80000C04U), 1U);
    EXPECT_EQ(node.run(1000).reason, Stop::Reason::Idle);
    EXPECT_EQ(node.core.word(0x80000C04U), 2U);
}

TEST(T800Processes, ExternalMemoryCostsItsCycles) {
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
TEST(T800Processes, LargeProgramsGetMoreRoomForDecodedCode) {
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
}  // namespace t800_processes

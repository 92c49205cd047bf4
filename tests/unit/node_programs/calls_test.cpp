// Each call of trollius.h, from C.
#include "child_process.hpp"
#include "program_bench.hpp"

namespace {

using test_support::ProgramBench;
using testing::HasSubstr;

struct CallsBench : ProgramBench {
    explicit CallsBench(std::size_t nodes = 2) : ProgramBench(topologies::chain(nodes)) { load("calls"); }
    // Parts that processes play; returns the printed text.
    std::string play(const std::vector<std::pair<std::uint16_t, trollius_os::Arguments>>& parts) {
        std::vector<Start> starts;
        for (const auto& [node, words] : parts) starts.push_back({node, "calls", words});
        EXPECT_TRUE(run(starts));
        EXPECT_EQ(said(), "");
        return printed();
    }
};

}  // namespace

TEST(KernelCalls, MeetOnOneNode) {
    CallsBench bench;
    EXPECT_EQ(bench.play({{0, {"krecv"}}, {0, {"ksend"}}}),
              "krecv: 'hel' 3 bytes, type 1\nkrecv: would block\nksend: would block\n");
    EXPECT_THAT(bench.ends, testing::UnorderedElementsAre(std::pair(0, 2), std::pair(0, 1)));
}

TEST(KernelCalls, SendAndReceiveAsOneAct) {
    CallsBench bench;
    EXPECT_EQ(bench.play({{1, {"server"}}, {1, {"client"}}}), "ksr: 'answered'\n");
    EXPECT_THAT(bench.ends, testing::Each(std::pair(1, 0)));
}

TEST(DatalinkCalls, GoToTheNeighbour) {
    CallsBench bench;
    EXPECT_EQ(bench.play({{1, {"drecv"}}, {0, {"dsend"}}}),
              "dtry_recv: would block\ndsend: too long\ndrecv: 'direct' 7 bytes, pouch 77\n");
}

TEST(NetworkCalls, AndTransportGoToAnyNode) {
    CallsBench bench;
    const std::string text = bench.play({{1, {"nrecv"}}, {0, {"nsend"}}});
    EXPECT_THAT(text, HasSubstr("nrecv: 10000 bytes, 0 wrong, pouch -5\n"));
    EXPECT_THAT(text, HasSubstr("ntry_recv: would block\n"));
    EXPECT_THAT(text, HasSubstr("ntry_send: would block\n"));
    EXPECT_THAT(text, HasSubstr("nprobe: 100 bytes\n"));
    EXPECT_THAT(text, HasSubstr("ntry_recv: 10 bytes\n"));
    EXPECT_THAT(text, HasSubstr("trecv: 100 bytes, event 21\n"));
    EXPECT_THAT(text, HasSubstr("nsend: bad node\n"));
    EXPECT_THAT(text, testing::Not(HasSubstr("fails")));
}

TEST(ProcessCalls, LoadWaitAndDoom) {
    CallsBench bench;
    EXPECT_EQ(bench.play({{0, {"family"}}}),
              "child: 3 words, 'two words'\nrploadgo: index as listed\nrploadgo: unknown\nrpwait: n1, the child\nrpwait: the "
              "other, status -4\n"
              "rpwait: nobody\nrpdoom: not a process\nrpdoom: of the system\nrpdoom: not so\n");
}

TEST(DaemonCalls, AskAnyNode) {
    CallsBench bench;
    EXPECT_EQ(bench.play({{0, {"daemons"}}}),
              "rpstate: several, me\nrbfstate: 1, event 30, 6 bytes\nrbfsweep: 0, then 1, then 0\nrecho: the same\n"
              "recho: too long\nnode 0 of 2, origin 2, all 3\n");
}

TEST(Errno, IsTheProcessOwnAsItsGlobalsAre) {
    CallsBench bench;
    const std::string text = bench.play({{0, {"errors", "0"}}, {0, {"errors", "1"}}});
    EXPECT_THAT(text, HasSubstr("errno 222, runs 15\n"));
    EXPECT_THAT(text, HasSubstr("errno 11, runs 25\n"));
}

TEST(ExitStatus, IsTheOneOfMainAndExit) {
    CallsBench bench;
    const std::string end = "at the end: second\nat the end: first\n";
    EXPECT_EQ(bench.play({{0, {"ends", "kexit"}}}), end);
    EXPECT_EQ(bench.play({{0, {"ends", "exit"}}}), end + end);
    EXPECT_EQ(bench.play({{0, {"ends", "return"}}}), end + end + end);
    EXPECT_THAT(bench.ends, testing::ElementsAre(std::pair(0, 7), std::pair(0, 8), std::pair(0, 9)));
}

TEST(Globals, AreTheProcessOwnOnSixteenNodes) {
    ProgramBench bench(test_support::machine_file("btree_16"));
    bench.load("calls");
    std::vector<ProgramBench::Start> starts;
    for (std::uint16_t node = 0; node < 16; ++node) starts.push_back({node, "calls", {"globals"}});
    EXPECT_TRUE(bench.run(starts));
    EXPECT_EQ(bench.said(), "");
    for (int node = 0; node < 16; ++node) {
        const std::string me = std::to_string(node), other = std::to_string(node ^ 1);
        EXPECT_THAT(bench.printed(),
                    HasSubstr("n" + me + ": runs " + me + ", sum " + std::to_string(100 * node) + ", got " + other + "\n"));
        EXPECT_THAT(bench.printed(), HasSubstr("\na line in two parts from n" + me + "\n")) << "a line arrives whole";
        EXPECT_THAT(bench.ends, testing::Contains(std::pair(node, node)));
    }
}

namespace {

struct Result {
    std::size_t text = 0;
    std::int64_t picoseconds = 0;
    bool operator==(const Result&) const = default;
};

Result result_of_a_run() {
    CallsBench bench;
    const std::string text =
        bench.play({{0, {"daemons"}}, {1, {"nrecv"}}, {0, {"nsend"}}, {1, {"errors", "0"}}, {1, {"errors", "1"}}});
    return {std::hash<std::string>()(text), bench.box().now().in_ps()};
}

}  // namespace

TEST(Run, PrintsTheSameBytesAtTheSameTimeAgain) {
    const auto first = test_support::in_child(result_of_a_run), second = test_support::in_child(result_of_a_run);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->text, second->text);
    EXPECT_EQ(first->picoseconds, second->picoseconds);
}

TEST(Memory, IsFreeWhenTheProcessesHaveEnded) {
    CallsBench bench;
    const auto used = [&] {
        return bench.box().machine().node(test_support::NodeId(0)).arena.used_bytes() +
               bench.box().machine().node(test_support::NodeId(1)).arena.used_bytes();
    };
    const std::uint64_t before = used();
    bench.play({{1, {"drecv"}}, {0, {"dsend"}}});  // dsend leaves a block
    bench.play({{0, {"family"}}});                 // which dooms one
    EXPECT_EQ(used(), before);
}

TEST(MemoryDeathTest, HasRoomForSixtyStacksOfANode) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    user_programs::SharedMemory enough(60);
    EXPECT_DEATH(user_programs::SharedMemory(64), "user_memory.most_stacks");
    EXPECT_DEATH(user_programs::SharedMemory(1, user_programs::Heaps::Fenced, (std::uint64_t{2} << 30) + 1),
                 "user_memory.most_ram");
}

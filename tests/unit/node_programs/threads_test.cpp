// Threads of a program in C: kpar_He, kpar_Na, kpar_Fe.
#include "program_bench.hpp"

namespace {

using test_support::ProgramBench;
using testing::AllOf;
using testing::HasSubstr;

struct ProgramThreadBench : ProgramBench {
    explicit ProgramThreadBench(user_programs::CostSource costs = user_programs::CostSource::Explicit)
        : ProgramBench(topologies::chain(2), costs) {
        load("threads");
    }
    std::string text(const std::string& part, bool ends_well = true) {
        EXPECT_EQ(run({{1, "threads", {part}}}), ends_well);
        return printed();
    }
    int status() const { return ends.empty() ? -1 : ends.front().second; }
};

}  // namespace

TEST(ProgramThreads, ShareGlobalsAndHaveStacksAndThreadLocalVariablesOfTheirOwn) {
    ProgramThreadBench bench;
    EXPECT_EQ(bench.text("share"), "3 threads, shared 9, own 5, sum 2103, errno kept 3 times, ids differ: 1\n");
    EXPECT_EQ(bench.status(), 9);
    EXPECT_EQ(bench.said(), "");
}

TEST(ProgramThreads, AreChargedForTheirOwnBlocks) {
    ProgramThreadBench bench(user_programs::CostSource::Estimated);
    EXPECT_THAT(bench.text("nested"), HasSubstr("shared 5, last 4"));
    EXPECT_EQ(bench.said(), "");
}

TEST(ProgramThreads, OfLightWeightComputeBesideMain) {
    ProgramThreadBench bench;
    EXPECT_EQ(bench.text("light"), "kpar_He: 0, flag 7\n");
}

TEST(ProgramThreads, OfLightWeightMayNotUseTheKernel) {
    ProgramThreadBench bench;
    EXPECT_EQ(bench.text("light_calls"), "main goes on\n");
    EXPECT_EQ(bench.status(), 3);
    EXPECT_THAT(bench.said(), AllOf(HasSubstr("light thread"), HasSubstr("its thread has ended"), HasSubstr("threads.c:")));
}

TEST(ProgramThreads, CannotEndTheProcess) {
    ProgramThreadBench bench;
    EXPECT_EQ(bench.text("exit"), "main ends\n");
    EXPECT_EQ(bench.status(), 4);
    EXPECT_THAT(bench.said(), AllOf(HasSubstr("calls exit() in a thread"), HasSubstr("threads.c:")));
}

TEST(ProgramThreads, EndWithTheirProcessAndGiveTheirMemoryBack) {
    ProgramThreadBench bench;
    EXPECT_EQ(bench.text("left"), "");
    auto& arena = bench.box().machine().node(vocabulary::NodeId(1)).arena;
    const auto used = arena.used_bytes();
    const std::size_t slots = bench.box().kernel(vocabulary::NodeId(1)).processes().size();
    for (int i = 0; i < 30; ++i) EXPECT_TRUE(bench.run({{1, "threads", {"left"}}}));
    EXPECT_EQ(arena.used_bytes(), used);
    EXPECT_EQ(bench.box().kernel(vocabulary::NodeId(1)).processes().size(), slots);
    EXPECT_EQ(bench.said(), "");
}

TEST(ProgramThreads, AreRefusedWithoutRoom) {
    ProgramThreadBench bench;
    EXPECT_EQ(bench.text("many"), "47 threads, then 1\nlarge: -1 1\n");
}

TEST(ProgramThreads, GetTheSignalsOfTheirProcess) {
    ProgramThreadBench bench;
    EXPECT_EQ(bench.text("signals"), "handled 14, thread saw 14\n");
}

TEST(ProgramThreads, MayEndTheirProcessByASignal) {
    ProgramThreadBench bench;
    EXPECT_EQ(bench.text("killed"), "");
    EXPECT_EQ(bench.status(), -4);
}

TEST(ProgramSignals, ThatEndANeighbourAreToldToItsCreator) {
    ProgramThreadBench bench;
    EXPECT_EQ(bench.text("killer"), "rpwait: 0, status -4\n");
}

TEST(ProgramThreads, OfHeavyWeightAreListedAsProcesses) {
    ProgramThreadBench bench;
    EXPECT_EQ(bench.text("listed"), "1 more, seen 1\n");
}

TEST(ProgramThreads, StopTheNodeByAWildPointer) {
    ProgramThreadBench bench;
    bench.text("fall", false);
    EXPECT_THAT(bench.said(), AllOf(HasSubstr("writes address 0x0"), HasSubstr("threads.c:")));
}

TEST(ProgramThreads, MayStartThreads) {
    ProgramThreadBench bench;
    EXPECT_EQ(bench.text("nested"), "shared 5, last 4\n");
}

// A program that asks router, mallocd and traced.
#include "program_bench.hpp"

using test_support::ProgramBench;

TEST(NodePrograms, AskRouterMemoryAndTraces) {
    ProgramBench bench(topologies::chain(3));
    bench.load("services");
    EXPECT_TRUE(bench.run({{0, "services", {}}}));
    EXPECT_EQ(bench.said(), "");
    EXPECT_THAT(bench.ends, testing::ElementsAre(std::pair(0, 0)));
    EXPECT_EQ(bench.printed(),
              "all 4, itb 3, otb 1, jones 2: n1\n"
              "me 0x81, host 0x120, comps 3\n"
              "n1: link 1, type 0x61\n"
              "memory is whole\n"
              "trace 'first se'\n");
}

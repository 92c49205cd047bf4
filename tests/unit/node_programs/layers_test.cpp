// Messages of programs, by every layer.
#include "program_bench.hpp"

using test_support::ProgramBench;
using testing::HasSubstr;

TEST(PingPong, TakesItsTimeByLayer) {
    ProgramBench bench(topologies::chain(2));
    bench.load("ping_pong", MAGICWIRE_TROLLIUS_EXAMPLES);
    EXPECT_TRUE(bench.run({{0, "ping_pong", {"1"}}, {1, "ping_pong", {"0"}}}));
    std::puts(bench.printed().c_str());
    EXPECT_EQ(bench.said(), "");
    EXPECT_THAT(bench.ends, testing::UnorderedElementsAre(std::pair(0, 0), std::pair(1, 0)));
}

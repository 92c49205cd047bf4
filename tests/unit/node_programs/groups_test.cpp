// Casts, reductions and circuits, from C.
#include "program_bench.hpp"

namespace {

using test_support::ProgramBench;
using testing::HasSubstr;

struct GroupsBench : ProgramBench {
    GroupsBench() : ProgramBench(topologies::chain(4)) { load("groups"); }
    std::string play(const std::vector<std::pair<std::uint16_t, std::string>>& parts) {
        std::vector<Start> starts;
        for (const auto& [node, part] : parts) starts.push_back({node, "groups", {part}});
        EXPECT_TRUE(run(starts));
        return printed();
    }
};

}  // namespace

TEST(CastCalls, MakeAskSendAndCombine) {
    GroupsBench bench;
    EXPECT_EQ(bench.play({{1, "member"}, {2, "member"}, {0, "casts"}}),
              "rcast: ENONODES, EINVAL, EBADNODE\n"
              "rcask: 3 nodes, n0 n2 n1, EBADNODE\n"
              "nsend: done\nnrecv: 'to all'\n"
              "ncombine: EINVAL, EBADNODE, EBADNODE\nsums: 3.50 3.00\n");
    EXPECT_THAT(bench.ends, testing::UnorderedElementsAre(std::pair(0, 0), std::pair(1, 3), std::pair(2, 3)));
}

TEST(CastCalls, CheckTheirArguments) {
    GroupsBench bench;
    bench.play({{0, "wild"}});
    EXPECT_THAT(bench.said(), HasSubstr("calls rcast() with a list"));
}

TEST(CircuitCalls, OpenMoveAndClose) {
    GroupsBench bench;
    const std::string text = bench.play({{2, "precv"}, {0, "psend"}});
    EXPECT_THAT(text, HasSubstr("psendopen: EINVAL, psend: EINVAL, psendclose: EINVAL\n"));
    EXPECT_THAT(text, HasSubstr("again: EINVAL\n"));
    EXPECT_THAT(text, HasSubstr("psendclose: done\n"));
    EXPECT_THAT(text,
                HasSubstr("precv: 20000 bytes from n0, 0 wrong\nprecv: 0 bytes\nprecv: EEOF\nprecvclose: done, EINVAL\n"));
}

// Two numbered messages of three packets meet in the buffers. The reader is told, and gets no mixture.
TEST(NumberedPackets, TellTheReaderThatMessagesAreMixed) {
    GroupsBench bench;
    EXPECT_THAT(bench.play({{2, "reader"}, {1, "numbered"}, {3, "numbered"}}), HasSubstr("nrecv: EMSGLEN\n"));
}

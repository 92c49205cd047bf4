// Errors of programs: each is told with the line, and none harms the simulator.
#include <fstream>

#include "program_bench.hpp"

namespace {

using test_support::ProgramBench;
using test_support::SimTime;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

struct Wrong {
    const char *how, *said;
    bool node_stops = false;
};
std::ostream& operator<<(std::ostream& out, const Wrong& wrong) {
    return out << wrong.how;
}

// "wrong.c:7: ", the line with the mark.
std::string at(const std::string& how) {
    std::ifstream source(MAGICWIRE_SOURCE_DIR "/tests/unit/node_programs/programs/wrong.c");
    int number = 1;
    for (std::string line; std::getline(source, line); ++number) {
        if (line.find("/* here: " + how + " */") != std::string::npos) return "wrong.c:" + std::to_string(number) + ": ";
    }
    return "no such mark";
}

class WrongProgram : public testing::TestWithParam<Wrong> {};

}  // namespace

TEST_P(WrongProgram, IsToldWithItsLine) {
    ProgramBench bench(topologies::chain(2));
    bench.load("wrong");
    const bool ended = bench.run({{1, "wrong", {GetParam().how}}}, SimTime::s(5));
    EXPECT_THAT(bench.said(), StartsWith(at(GetParam().how) + "wrong on n1 " + GetParam().said));
    EXPECT_EQ(ended, !GetParam().node_stops) << "a node that has crashed sends no notice";
    if (ended) {
        EXPECT_THAT(bench.said(), HasSubstr("its process has ended"));
        EXPECT_THAT(bench.ends, testing::ElementsAre(std::pair(1, node_programs::faulty_status)));
    } else {
        EXPECT_THAT(bench.said(), HasSubstr("the node has stopped"));
    }
    EXPECT_EQ(bench.report().diagnoses.all().size(), 1U);
}
INSTANTIATE_TEST_SUITE_P(Calls, WrongProgram,
                         testing::Values(Wrong{"null body", "calls nsend() with nh_msg null and 64 bytes to move"},
                                         Wrong{"negative", "calls nsend() with nh_length -3"},
                                         Wrong{"too long", "calls nrecv() with nh_length 1073741824, more than a node holds"},
                                         Wrong{"outside", "calls nrecv() with nh_msg outside of the memory that it may write"},
                                         Wrong{"beyond", "calls nsend() with nh_msg outside of its memory"},
                                         Wrong{"no message", "calls nrecv() with a message null"},
                                         Wrong{"endless", "runs endlessly without charging any modelled time"},
                                         Wrong{"kernel", "calls ksend() with k_msg null and 8 bytes to move"},
                                         Wrong{"table", "calls rpstate() with a table null"},
                                         Wrong{"polls", "runs endlessly without charging any modelled time"},
                                         Wrong{"abort", "calls abort()"}));
INSTANTIATE_TEST_SUITE_P(Faults, WrongProgram,
                         testing::Values(Wrong{"wild", "writes address 0x123456789000", true},
                                         Wrong{"deep", "has used up its stack of 6080 kbytes", true},
                                         Wrong{"divide", "divides an integer by zero", true}));

TEST(WrongButWhole, GoesOnAfterARefusedCall) {
    ProgramBench bench(topologies::chain(2));
    bench.load("wrong");
    EXPECT_TRUE(bench.run({{0, "wrong", {"file"}}}));
    EXPECT_THAT(bench.said(), AllOf(HasSubstr(at("file") + "wrong on n0 calls popen(), which a node does not have"),
                                    HasSubstr("a node has no operating system of that kind")));
    EXPECT_THAT(bench.ends, testing::ElementsAre(std::pair(0, 3)));
    EXPECT_EQ(bench.printed(), "an unfinished line, finished\n");
}

TEST(WrongButWhole, SendsAPointerAndIsToldOfIt) {
    ProgramBench bench(topologies::chain(2));
    bench.load("wrong");
    EXPECT_TRUE(bench.run({{0, "wrong", {"pointer"}}}));
    EXPECT_THAT(bench.said(), AllOf(StartsWith(at("pointer")), HasSubstr("an address of n0's heap")));
    EXPECT_THAT(bench.ends, testing::ElementsAre(std::pair(0, 3)));
}

// The ends of a process: what runs then, and what its creator is told.
#include "program_bench.hpp"

namespace {

using test_support::ProgramBench;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct EndBench : ProgramBench {
    EndBench() : ProgramBench(topologies::chain(2)) { load("ends"); }
    std::string text(const std::string& how) {
        ends.clear();
        EXPECT_TRUE(run({{1, "ends", {how}}}));
        return printed();
    }
};

const std::string destructors = "destructor\ndestructor 2000\ndestructor 1000\nthe end";

const std::string endings(int status) {
    return "on_exit " + std::to_string(status) +
           "\natkexit last\natexit\nlate is destroyed, with 44 bytes\nsecond is destroyed, with 46 bytes\n"
           "first is destroyed, with 45 bytes\n" +
           destructors;
}

}  // namespace

TEST(EndOfAProgram, RunsItsFunctionsAndDestructors) {
    EndBench bench;
    EXPECT_EQ(bench.text("return"), "an unfinished line is finished\n" + endings(3));
    EXPECT_EQ(bench.said(), "");
    EXPECT_THAT(bench.ends, ElementsAre(std::pair(1, 3)));
}

TEST(EndOfAProgram, RunsThemForExitFromDepth) {
    EndBench bench;
    EXPECT_EQ(bench.text("deep"), endings(4));
    EXPECT_THAT(bench.ends, ElementsAre(std::pair(1, 4)));
}

TEST(EndOfAProgram, RunsThemForKexit) {
    EndBench bench;
    EXPECT_EQ(bench.text("kexit"), endings(6));
    EXPECT_THAT(bench.ends, ElementsAre(std::pair(1, 6)));
}

TEST(EndOfAProgram, RunsTheRestWhenOneOfThemExits) {
    EndBench bench;
    EXPECT_EQ(bench.text("again"), "an unfinished line is finished\nexits again\n" + endings(5));
    EXPECT_THAT(bench.ends, ElementsAre(std::pair(1, 5)));
}

TEST(EndOfAProgram, RunsNoneAtOnceOrByAnError) {
    EndBench bench;
    for (const auto& [how, status] : {std::pair("_exit", 7), {"_kexit", 8}, {"abort", 255}, {"throw", 255}}) {
        EXPECT_EQ(bench.text(how), "") << how;
        EXPECT_THAT(bench.ends, ElementsAre(std::pair(1, status))) << how;
    }
    EXPECT_EQ(bench.report().diagnoses.all().size(), 2U);
}

TEST(EndOfAProgram, RunsNoneWhenItIsDoomed) {
    EndBench bench;
    bool doomed = false;
    bench.box().host().create({"doom", trollius_os::Priority::Low, 0, 1024, [&](trollius_os::Api& api) {
                                   while (!doomed) {
                                       api.wait_until_clock(api.port().clock_us(trollius_os::Priority::High) + 2000);
                                       for (const auto& line : trollius_os::state(api, test_support::NodeId(1)))
                                           if (line.name == "ends" && line.event == trollius_os::events::pause)
                                               doomed = trollius_os::doom(api, test_support::NodeId(1), line.pid) ==
                                                        trollius_os::Doomed::Done;
                                   }
                               }});
    EXPECT_EQ(bench.text("pause"), "");
    EXPECT_THAT(bench.ends, ElementsAre(std::pair(1, -4)));
}

TEST(EndOfAProgram, HasRoomForThirtyTwoOfAtkexit) {
    EndBench bench;
    EXPECT_EQ(bench.text("many"),
              "32 taken, out of exit descriptors\n100 of atexit\nsecond is destroyed, with 46 bytes\n"
              "first is destroyed, with 45 bytes\n" +
                  destructors);
}

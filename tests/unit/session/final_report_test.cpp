// The contents of the final report on the host's screen, and the delay of a trace.
#include <gtest/gtest.h>

#include "final_report.hpp"
#include "trace_delay.hpp"

namespace {

using session::FinalReport;
using session::TraceDelay;
using vocabulary::NodeId;
using vocabulary::SimTime;

const std::string report =
    "Execution time = 7424 microseconds\n***** Final Report*****\nConfiguration : Linear Chain\nTotal Nodes = 2\nGranularity = "
    "1\n"
    "Total Buffers = 1\nTask Distribution:\nNode 0   0 Tasks\nNode 1   5 Tasks\nResults taken = 5\n";

FinalReport printed(const std::string& text) {
    FinalReport seen(2, 2, 5, true);
    seen.printed(text);
    return seen;
}

std::string changed(const std::string& what, const std::string& by) {
    std::string text = report;
    return text.replace(text.find(what), what.size(), by);
}

}  // namespace

TEST(FinalReport, TellsHowManyResultsWereTaken) {
    const FinalReport seen = printed("some text of the program, not ended" + report);
    EXPECT_TRUE(seen.complete());
    EXPECT_EQ(seen.results(), 5U);
}

TEST(FinalReport, ComesInPiecesOfAnyLength) {
    for (std::size_t length = 1; length < report.size(); ++length) {
        FinalReport seen(2, 2, 5, true);
        for (std::size_t at = 0; at < report.size(); at += length) {
            EXPECT_FALSE(seen.complete());
            seen.printed(report.substr(at, length));
        }
        EXPECT_EQ(seen.results(), 5U) << length;
    }
}

TEST(FinalReport, ThatIsNotAsItWasWrittenSaysNothingOfResults) {
    EXPECT_FALSE(printed(changed("taken = 5", "taken = 6")).results()) << "more than there are tasks";
    EXPECT_FALSE(printed(changed("taken = 5", "taken = 5x")).results());
    EXPECT_FALSE(printed(changed("Total Nodes = 2", "Total Nodes = 3")).results());
    EXPECT_FALSE(printed(changed("Node 1", "Node 4")).results());
    EXPECT_FALSE(printed(changed("Node 1   5 Tasks\n", "")).results());
    EXPECT_TRUE(printed(changed("Node 1   5 Tasks\n", "")).begun()) << "the program has ended all the same";
}

TEST(FinalReport, OfAHaloEndsWithItsChecksumAndCountsNoResults) {
    const std::string halo =
        "Execution time = 7424 microseconds\n***** Final Report*****\nProgram : halo exchange\nTotal Nodes = 2\nSteps = "
        "4\nCells "
        "= 1\n";
    FinalReport seen(2, 2, 5, true, FinalReport::Of::Halo);
    seen.printed(halo);
    EXPECT_TRUE(seen.begun());
    EXPECT_FALSE(seen.complete());
    seen.printed("Checksum = 0123456789abcdef\n");
    EXPECT_TRUE(seen.complete());
    EXPECT_FALSE(seen.results());
}

TEST(FinalReport, IsNotWhatAProgramPrintsLikeIt) {
    const FinalReport seen = printed("Execution time = 12 microseconds\nResults taken = 5\n");
    EXPECT_FALSE(seen.begun());
    EXPECT_FALSE(seen.complete());
    EXPECT_FALSE(seen.results());
    const FinalReport both = printed("Execution time = 12 microseconds\nResults taken = 4\n" + report);
    EXPECT_EQ(both.results(), 5U);
}

TEST(FinalReport, AfterWhichTheProgramPrintsSomethingWasNone) {
    for (const std::string more : {"\n", "x", "pi is about 3.14\n"}) {
        FinalReport seen = printed(report);
        seen.printed(more);
        EXPECT_FALSE(seen.complete()) << more;
        EXPECT_FALSE(seen.begun()) << more;
        EXPECT_FALSE(seen.results()) << more;
        EXPECT_FALSE(printed(report + more).complete()) << more;
        seen.printed(report);
        EXPECT_EQ(seen.results(), 5U) << "this one may be true";
    }
}

// A manager that took five results had five computed.
TEST(FinalReport, ThatCountsLessWorkThanResultsSaysNothingOfThem) {
    EXPECT_FALSE(printed(changed("Node 1   5", "Node 1   4")).results());
    EXPECT_TRUE(printed(changed("Node 1   5", "Node 1   6")).results());
    FinalReport divides(2, 2, 5, false);
    divides.printed(changed("Node 1   5", "Node 1   4"));
    EXPECT_EQ(divides.results(), 5U);
}

TEST(TraceDelay, TellsWhenARecordWasMadeByTheFastestOfItsNode) {
    TraceDelay delay;
    EXPECT_EQ(delay.take_oldest(), SimTime::never());
    delay.came(NodeId(1), 1000, 1000, SimTime::ms(501));  // the node's clock began at 500 ms, or a little before
    EXPECT_EQ(delay.take_oldest(), SimTime::ms(501));
    delay.came(NodeId(1), 2000, 3000, SimTime::ms(600));
    EXPECT_EQ(delay.take_oldest(), SimTime::ms(502)) << "late by 97 ms";
    EXPECT_EQ(delay.take_oldest(), SimTime::never()) << "told once";
}

TEST(TraceDelay, KnowsEachNodesClockByItself) {
    TraceDelay delay;
    delay.came(NodeId(0), 7'000'000, 7'000'000, SimTime::ms(10));
    delay.came(NodeId(5), 0, 0, SimTime::ms(10));
    delay.take_oldest();
    delay.came(NodeId(0), 7'001'000, 7'001'000, SimTime::ms(11));
    EXPECT_EQ(delay.take_oldest(), SimTime::ms(11));
}

TEST(TraceDelay, WaitsForANodeThatIsBehindAsLongAsItsPausesAllow) {
    TraceDelay delay;
    const auto behind = [&](SimTime now) { return delay.is_behind(SimTime::ms(500), now, SimTime::ms(100), SimTime::s(2)); };
    EXPECT_FALSE(behind(SimTime::ms(600))) << "nothing has ever come";
    delay.came(NodeId(3), 0, 0, SimTime::ms(300));
    delay.count_pauses(SimTime::ms(400));
    delay.came(NodeId(3), 100'000, 120'000, SimTime::ms(450));  // made at 420 ms, after a pause of 50
    EXPECT_TRUE(behind(SimTime::ms(600)));
    EXPECT_FALSE(behind(SimTime::ms(650))) << "100 ms and twice 50 have passed";
    delay.came(NodeId(3), 150'000, 210'000, SimTime::ms(660));
    EXPECT_FALSE(behind(SimTime::ms(661))) << "what it made at 510 ms is there";
    delay.came(NodeId(4), 0, 0, SimTime::ms(470));
    EXPECT_TRUE(behind(SimTime::ms(500)));
    delay.ended(NodeId(4));
    EXPECT_FALSE(behind(SimTime::ms(500)));
}

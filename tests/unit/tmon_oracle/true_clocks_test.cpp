#include <tmon_oracle/true_clocks.hpp>

#include <gtest/gtest.h>

#include <vocabulary/source_position.hpp>
#include "farm_trace.hpp"

namespace tmon_oracle {
namespace {

constexpr const char* what_next = "; record the run again, or do without this file";

class TrueClocks : public testing::Test {
protected:
    static std::string of_nodes(const std::string& nodes) { return R"({"schema":"magicwire.oracle/1","nodes":)" + nodes + "}"; }
    static std::string of_clock(const std::string& clock) { return of_nodes(R"([{"node":0,"clock":)" + clock + "}]"); }
    std::vector<TrueClock> read(const std::string& json) const { return read_true_clocks(folder.put("o.json", json), 4); }
    // The error message about an oracle; empty when there is none.
    std::string said(const std::string& json) const {
        try {
            read(json);
        } catch (const vocabulary::InputError& error) {
            EXPECT_EQ(error.where().file, folder.path("o.json"));
            return error.message();
        }
        return "";
    }
    testing_support::TestFolder folder;
};

TEST_F(TrueClocks, AreThoseOfTheNodesThatTheEntriesName) {
    const auto clocks =
        read(of_nodes(R"([{"node":3},{"node":1,"clock":{"began_ps":1,"began_clock_us":10,"offset_us":-5.5,"drift_ppm":100}},)"
                      R"({"node":0,"clock":null},{"node":4,"clock":{"began_clock_us":0,"offset_us":0,"drift_ppm":0}}])"));
    ASSERT_EQ(clocks.size(), 4U);
    for (const std::size_t node : {0, 2, 3}) EXPECT_FALSE(clocks[node].known) << node;
    EXPECT_TRUE(clocks[1].known);
    EXPECT_EQ(clocks[1].began_clock_us, 10U);
    EXPECT_EQ(clocks[1].offset_us, -5.5);
    EXPECT_EQ(clocks[1].drift_ppm, 100);
    EXPECT_DOUBLE_EQ(clocks[1].true_us(1000), (10 + 1000 + 5.5) / 1.0001);
    EXPECT_NEAR(clocks[1].shown_us(clocks[1].true_us(1000)), 1000, 1e-6);
}

TEST_F(TrueClocks, RefuseWhatIsNoOracle) {
    for (const char* text : {"", "{", "[]", "7", "null", "{}", R"({"schema":7,"nodes":[]})", R"({"schema":1,"nodes":[]})",
                             R"({"schema":"magicwire.trace/1"})"})
        EXPECT_EQ(said(text), "is no oracle.json of magicwire; 'magicwire run SCENARIO --out FOLDER' writes one") << text;
}

TEST_F(TrueClocks, RefuseAnOracleThatNestsTooDeep) {
    const std::size_t levels = 1'000'000;
    const std::string deep = of_nodes("[" + std::string(levels, '[') + std::string(levels, ']') + "]");
    EXPECT_EQ(said(deep), "is no oracle.json of magicwire; 'magicwire run SCENARIO --out FOLDER' writes one");
}

TEST_F(TrueClocks, SayWhatIsMissingOfTheNodes) {
    EXPECT_EQ(said(R"({"schema":"magicwire.oracle/1"})"), std::string("has no list \"nodes\"") + what_next);
    for (const char* nodes : {"7", "{}", "null", "\"x\""})
        EXPECT_EQ(said(of_nodes(nodes)), std::string("has no list \"nodes\"") + what_next) << nodes;
    for (const char* entry : {"7", "null", "{}", R"({"node":"0"})", R"({"node":-1})", R"({"node":1.5})", "[0]"})
        EXPECT_EQ(said(of_nodes(std::string(R"([{"node":0},)") + entry + "]")),
                  std::string("entry 1 of \"nodes\" has no number \"node\"") + what_next)
            << entry;
    EXPECT_EQ(said(of_nodes(R"([{"node":0},{"node":1},{"node":0}])")),
              std::string("entry 2 of \"nodes\" has a \"node\" that an entry before it has") + what_next);
}

TEST_F(TrueClocks, SayWhatIsMissingOfAClock) {
    const std::string its = "\"clock\" of entry 0 of \"nodes\" ";
    for (const char* clock : {"[]", "7", "true"}) EXPECT_EQ(said(of_clock(clock)), its + "is no object" + what_next) << clock;
    EXPECT_EQ(said(of_clock("{}")), its + "has no number \"began_clock_us\"" + what_next);
    EXPECT_EQ(said(of_clock(R"({"began_clock_us":1})")), its + "has no number \"offset_us\"" + what_next);
    EXPECT_EQ(said(of_clock(R"({"began_clock_us":1,"offset_us":0})")), its + "has no number \"drift_ppm\"" + what_next);
}

TEST_F(TrueClocks, SayWhichNumberCannotBe) {
    const std::string its = "\"clock\" of entry 0 of \"nodes\" has no possible number ";
    for (const char* began : {"1e300", "-1", "1.5", "1000000000000001", "18446744073709551615", "null", "\"1\""})
        EXPECT_EQ(said(of_clock(std::string(R"({"offset_us":0,"drift_ppm":0,"began_clock_us":)") + began + "}")),
                  its + "\"began_clock_us\"" + what_next)
            << began;
    for (const char* offset : {"\"0\"", "-1.1e15", "1e300", "null"})
        EXPECT_EQ(said(of_clock(std::string(R"({"began_clock_us":1,"drift_ppm":0,"offset_us":)") + offset + "}")),
                  its + "\"offset_us\"" + what_next)
            << offset;
    for (const char* drift : {"-1e6", "1e300", "null", "true"})
        EXPECT_EQ(said(of_clock(std::string(R"({"began_clock_us":1,"offset_us":0,"drift_ppm":)") + drift + "}")),
                  its + "\"drift_ppm\"" + what_next)
            << drift;
}

TEST_F(TrueClocks, GiveTheTrueTimeOfARecord) {
    const std::string oracle = folder.put(
        "o.json",
        of_nodes(R"([{"node":0},{"node":1,"clock":{"began_ps":1,"began_clock_us":10,"offset_us":-5.5,"drift_ppm":100}}])"));
    trace_record::Event event;
    event.node = 1;
    event.time_us = 1000;
    EXPECT_EQ(read_true_time(oracle, 4)(event), static_cast<std::int64_t>((10 + 1000 + 5.5) / 1.0001 * 1000));
}

TEST_F(TrueClocks, GiveNoTrueTimeWhereTheOracleKnowsNoClock) {
    for (const char* nodes :
         {"[]", R"([{"node":0,"clock":null}])", R"([{"node":4,"clock":{"began_clock_us":0,"offset_us":0,"drift_ppm":0}}])"}) {
        try {
            read_true_time(folder.put("o.json", of_nodes(nodes)), 4);
            ADD_FAILURE() << nodes;
        } catch (const vocabulary::InputError& error) {
            EXPECT_EQ(error.message(), "says nothing of the nodes' clocks; record the run again, or leave --oracle out");
        }
    }
}

}  // namespace
}  // namespace tmon_oracle

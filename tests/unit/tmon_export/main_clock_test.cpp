#include "main_clock.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <vocabulary/source_position.hpp>

namespace tmon_export {
namespace {

class TrueClock : public testing::Test {
protected:
    TrueClock()
        : path_((std::filesystem::temp_directory_path() / ("main_clock_test_" + std::to_string(::getpid()))).string()) {}
    ~TrueClock() override { std::filesystem::remove(path_); }
    // What it says against an oracle; empty: nothing.
    std::string said(const std::string& json) const {
        std::ofstream(path_) << json;
        try {
            true_clock(path_, 4);
        } catch (const vocabulary::InputError& error) {
            EXPECT_EQ(error.where().file, path_);
            return error.message();
        }
        return "";
    }
    std::string of_nodes(const std::string& nodes) const {
        return said(R"({"schema":"magicwire.oracle/1","nodes":)" + nodes + "}");
    }
    std::string path_;
};

constexpr const char* what_next = "; record the run again, or leave --oracle out";

TEST_F(TrueClock, IsWhatTheOracleSays) {
    EXPECT_EQ(
        of_nodes(R"([{"node":0},{"node":1,"clock":{"began_ps":1,"began_clock_us":10,"offset_us":-5.5,"drift_ppm":100}}])"), "");
    const auto clock = true_clock(path_, 4).clock;
    tmon::Event event;
    event.node = 1;
    event.time_us = 1000;
    EXPECT_EQ(clock(event), static_cast<std::int64_t>((10 + 1000 + 5.5) / 1.0001 * 1000));
}

TEST_F(TrueClock, RefusesWhatIsNoOracle) {
    for (const char* text :
         {"", "{", "[]", "7", "null", "{}", R"({"schema":7,"nodes":[]})", R"({"schema":"magicwire.trace/1"})"})
        EXPECT_EQ(said(text), "is no oracle.json of magicwire; give the one that lies beside the trace") << text;
}

TEST_F(TrueClock, SaysWhatIsMissingOfTheNodes) {
    EXPECT_EQ(said(R"({"schema":"magicwire.oracle/1"})"), std::string("has no list \"nodes\"") + what_next);
    for (const char* nodes : {"7", "{}", "null", "\"x\""})
        EXPECT_EQ(of_nodes(nodes), std::string("has no list \"nodes\"") + what_next) << nodes;
    EXPECT_EQ(of_nodes("[]"), std::string("says nothing of the nodes' clocks") + what_next);
    for (const char* entry : {"7", "null", "{}", R"({"node":"0"})", R"({"node":-1})", R"({"node":1.5})", "[0]"})
        EXPECT_EQ(of_nodes(std::string(R"([{"node":0},)") + entry + "]"),
                  std::string("entry 1 of \"nodes\" has no number \"node\"") + what_next)
            << entry;
}

TEST_F(TrueClock, SaysWhatIsMissingOfAClock) {
    const auto of_clock = [&](const std::string& clock) { return of_nodes(R"([{"node":0,"clock":)" + clock + "}]"); };
    const std::string its = "\"clock\" of entry 0 of \"nodes\" ";
    EXPECT_EQ(of_clock("null"), std::string("says nothing of the nodes' clocks") + what_next);
    EXPECT_EQ(of_clock("[]"), its + "is no object" + what_next);
    EXPECT_EQ(of_clock("{}"), its + "has no number \"began_clock_us\"" + what_next);
    EXPECT_EQ(of_clock(R"({"began_clock_us":1})"), its + "has no number \"offset_us\"" + what_next);
    EXPECT_EQ(of_clock(R"({"began_clock_us":1,"offset_us":"0"})"), its + "has no possible number \"offset_us\"" + what_next);
    EXPECT_EQ(of_clock(R"({"began_clock_us":1,"offset_us":0})"), its + "has no number \"drift_ppm\"" + what_next);
    for (const char* drift : {"-1e6", "1e300", "null", "true"})
        EXPECT_EQ(of_clock(std::string(R"({"began_clock_us":1,"offset_us":0,"drift_ppm":)") + drift + "}"),
                  its + "has no possible number \"drift_ppm\"" + what_next)
            << drift;
}

}  // namespace
}  // namespace tmon_export

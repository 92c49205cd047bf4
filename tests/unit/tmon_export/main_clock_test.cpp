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
    // The error message about an oracle; empty when there is none.
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

TEST_F(TrueClock, IsWhatTheOracleSays) {
    EXPECT_EQ(
        of_nodes(R"([{"node":0},{"node":1,"clock":{"began_ps":1,"began_clock_us":10,"offset_us":-5.5,"drift_ppm":100}}])"), "");
    const auto clock = true_clock(path_, 4).clock;
    trace_record::Event event;
    event.node = 1;
    event.time_us = 1000;
    EXPECT_EQ(clock(event), static_cast<std::int64_t>((10 + 1000 + 5.5) / 1.0001 * 1000));
}

TEST_F(TrueClock, RefusesAnOracleThatSaysNothingOfClocks) {
    const std::string nothing = "says nothing of the nodes' clocks; record the run again, or leave --oracle out";
    EXPECT_EQ(of_nodes("[]"), nothing);
    EXPECT_EQ(of_nodes(R"([{"node":0,"clock":null}])"), nothing);
    EXPECT_EQ(of_nodes(R"([{"node":4,"clock":{"began_clock_us":0,"offset_us":0,"drift_ppm":0}}])"), nothing);
}

TEST_F(TrueClock, RefusesAsTheReaderOfTheOracleDoes) {
    EXPECT_EQ(of_nodes("7"), "has no list \"nodes\"; record the run again, or do without this file");
}

}  // namespace
}  // namespace tmon_export

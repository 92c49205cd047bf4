// Sweeps of the price of monitoring.
#include <twin/overhead_sweep.hpp>

#include <gmock/gmock.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <array>
#include <stdexcept>

#include "scenario_folder.hpp"

namespace {

using scenario::Setting;
using session_test::ScenarioFolder;
using session_test::watched;
using testing::HasSubstr;
using twin::OverheadSweep;
using twin::SweepRow;
using twin::SweptSetting;

std::string parse_error(const std::string& text) {
    try {
        twin::parse_swept(text);
    } catch (const vocabulary::InputError& error) {
        return error.what();
    }
    return "no error";
}

bool always(std::size_t) {
    return true;
}

OverheadSweep sweep(const ScenarioFolder& folder, const std::vector<SweptSetting>& swept,
                    const std::function<bool(std::size_t)>& go_on = always) {
    folder.write("s.yaml", watched);  // here and not for each point: those are read by several processes at a time
    return twin::sweep_overhead(
        "plain", swept,
        [&](const std::vector<Setting>& point) { return scenario::read_scenario(folder.file("s.yaml"), point, {}); }, go_on);
}

TEST(OverheadSweep, ValuesArePartedAtCommasOrAtSemicolonsWhereTheyHaveCommas) {
    EXPECT_EQ(twin::parse_swept("monitor.buffer=8,16").values, (std::vector<std::string>{"8", "16"}));
    EXPECT_EQ(twin::parse_swept("monitor.unload=1ms/8/8,1s/0/0;1s/8/8").values,
              (std::vector<std::string>{"1ms/8/8,1s/0/0", "1s/8/8"}));
}

TEST(OverheadSweep, SaysWhatIsWrongWithASweep) {
    EXPECT_EQ(parse_error("monitor.buffer"),
              "--sweep monitor.buffer: expected NAME=VALUE,VALUE,..., for example --sweep monitor.buffer=32,64,128");
    EXPECT_EQ(parse_error("a=1,,2"),
              "--sweep a=1,,2: a value is empty; write values with a ',' between them, or with ';' when they have commas");
    EXPECT_EQ(parse_error("a=1,2,1"), "--sweep a=1,2,1: the value '1' comes twice; leave one out");
}

TEST(OverheadSweep, TheLastSettingChangesFirst) {
    const auto points = twin::sweep_points({{"a", {"1", "2"}}, {"b", {"x", "y"}}});
    ASSERT_EQ(points.size(), 4U);
    EXPECT_EQ(points[1], (std::vector<Setting>{{"a", "1"}, {"b", "y"}}));
    EXPECT_EQ(points[2], (std::vector<Setting>{{"a", "2"}, {"b", "x"}}));
}

TEST(OverheadSweep, RefusesANameThatComesTwiceAndTooManyPoints) {
    const auto error_of = [](const std::vector<SweptSetting>& swept) -> std::string {
        try {
            twin::sweep_points(swept);
        } catch (const vocabulary::InputError& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_EQ(error_of({{"a", {"1"}}, {"a", {"2"}}}), "--sweep a: is swept twice; give all its values in one list");
    const std::vector<std::string> many(40, "1");
    EXPECT_EQ(error_of({{"a", many}, {"b", many}}),
              "--sweep b: makes more than 1000 combinations, each of two runs; sweep fewer values");
}

TEST(OverheadSweep, MeasuresEveryPointAndFailsOnlyWhereARunFails) {
    const ScenarioFolder folder;
    // Two buffers of 65536 records of 80 bytes do not fit into a node.
    const auto done = sweep(folder, {{"monitor.buffer", {"16", "65536"}}, {"monitor.record", {"20", "80"}}});
    ASSERT_EQ(done.rows.size(), 4U);
    EXPECT_EQ(done.count(SweepRow::State::Measured), 3U);
    EXPECT_EQ(done.rows[0].compared, 40U);
    EXPECT_GT(done.rows[0].records, 0U);
    EXPECT_GT(done.rows[0].slow_down_percent(), 0.0);
    EXPECT_GT(done.rows[1].trace_bytes, done.rows[0].trace_bytes);
    EXPECT_EQ(done.rows[3].state, SweepRow::State::Failed);
    EXPECT_THAT(done.rows[3].failure, HasSubstr("too little memory for the monitor's buffers"));
    EXPECT_THAT(twin::sweep_text(done), HasSubstr("too little memory for the monitor's buffers"));
    EXPECT_THAT(twin::sweep_csv(done), testing::StartsWith("monitor.buffer,monitor.record,twin_ms,"));
    const auto json = nlohmann::json::parse(twin::sweep_json(done));
    EXPECT_EQ(json["schema"], "magicwire.overhead_sweep/1");
    EXPECT_EQ(json["points"][3]["state"], "failed");
    EXPECT_EQ(json["points"][1]["settings"]["monitor.record"], "80");
}

// Points begin two at a time. The point with `late` tasks measures nothing before both others are done.
std::string table_with_one_late(const ScenarioFolder& folder, const std::string& late) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe(ends.data()), 0);
    bool told = false;
    folder.write("s.yaml", watched);
    const OverheadSweep done = twin::sweep_overhead(
        "plain", {{"farm.tasks", {"40", "2", "20"}}},
        [&](const std::vector<Setting>& point) {
            char letter = 0;
            if (point.front().second == late && read(ends[0], &letter, 1) != 1) throw std::runtime_error("nobody writes");
            return scenario::read_scenario(folder.file("s.yaml"), point, {});
        },
        [&](std::size_t ended) {
            if (ended == 2 && !told) told = write(ends[1], "x", 1) == 1;
            return true;
        });
    EXPECT_TRUE(told);
    EXPECT_EQ(done.count(SweepRow::State::Measured), 3U);
    for (const int end : ends) close(end);
    return twin::sweep_text(done);
}

TEST(OverheadSweep, GivesTheSameTableWhateverEndsFirst) {
    const ScenarioFolder folder;
    const std::string first_is_late = table_with_one_late(folder, "40");
    EXPECT_EQ(table_with_one_late(folder, "2"), first_is_late);
    EXPECT_EQ(table_with_one_late(folder, "20"), first_is_late);
}

TEST(OverheadSweep, KeepsWhatIsDoneWhenItIsInterrupted) {
    const ScenarioFolder folder;
    const auto done =
        sweep(folder, {{"seed", {"1", "2", "3", "4", "5", "6", "7", "8"}}}, [](std::size_t count) { return count < 2; });
    EXPECT_GE(done.count(SweepRow::State::Measured), 2U);
    EXPECT_GE(done.count(SweepRow::State::NotRun), 4U);
    EXPECT_THAT(twin::sweep_text(done), HasSubstr("not run: interrupted"));
}

}  // namespace

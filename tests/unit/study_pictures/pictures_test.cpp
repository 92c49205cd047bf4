#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <study_pictures/pictures.hpp>
#include <vocabulary/errors.hpp>

#include "stored_cases.hpp"

using study_pictures::CurveRequest;
using study_pictures::curves;
using study_pictures::LogAxes;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

const sweeps::StoredStudy& small() {
    static const sweeps::StoredStudy stored = stored_cases::study();
    return stored;
}

std::string curve_error(const CurveRequest& request) {
    try {
        curves(small(), small().rows, request);
    } catch (const vocabulary::RequestError& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST(Curves, APointIsTheMeanWithTheLeastAndTheMostOverTheOtherAxes) {
    const auto picture = curves(small(), small().rows, {.x = "farm.buffers", .y = "rate", .by = "machine"});
    ASSERT_EQ(picture.curves.size(), 2U);
    EXPECT_EQ(picture.curves[1].name, "machine=ring:3");
    ASSERT_EQ(picture.curves[1].points.size(), 3U);
    const auto& point = picture.curves[1].points[2];
    EXPECT_EQ(point.x, 4);
    EXPECT_EQ(point.y, 400.5);
    ASSERT_TRUE(point.spread);
    EXPECT_EQ(point.spread->least, 400);
    EXPECT_EQ(point.spread->most, 401);
    EXPECT_EQ(picture.y.label, "rate (1/s)");
    EXPECT_EQ(picture.note, "mean, least to most, over seed; 1 of 12 points have no value");
}

TEST(Curves, AValueAloneHasNoSpread) {
    const auto picture = curves(small(), small().rows, {.x = "farm.buffers", .y = "rate", .by = "machine"});
    EXPECT_FALSE(picture.curves[0].points[2].spread);
}

TEST(Curves, NamesStandSideBySideAndNumbersWhereTheyAre) {
    const auto names = curves(small(), small().rows, {.x = "machine", .y = "rate"});
    EXPECT_THAT(names.x.names, ElementsAre("tree:2:3", "ring:3"));
    EXPECT_EQ(names.curves[0].points[1].x, 1);
    EXPECT_TRUE(curves(small(), small().rows, {.x = "farm.buffers", .y = "rate"}).x.names.empty());
}

TEST(Curves, TheMedianIsTakenWhereItIsWanted) {
    auto rows = small().rows;
    rows.resize(6);
    rows[0].values[0] = stored_cases::number(1);
    rows[1].values[0] = stored_cases::number(2);
    rows[2].axis_values[1] = "1";
    rows[2].values[0] = stored_cases::number(9);
    const auto at = [&](study_pictures::Middle middle) {
        return curves(small(), rows, {.x = "farm.buffers", .y = "rate", .by = {}, .middle = middle}).curves[0].points[0].y;
    };
    EXPECT_EQ(at(study_pictures::Middle::Mean), 4);
    EXPECT_EQ(at(study_pictures::Middle::Median), 2);
}

TEST(Curves, ALogarithmicAxisRefusesWhatItHasNoPlaceFor) {
    EXPECT_THAT(curve_error({.x = "machine", .y = "rate", .by = {}, .logarithmic = LogAxes::X}),
                HasSubstr("--log: the values of machine are no numbers; leave x out"));
    auto rows = small().rows;
    rows[0].values[0] = stored_cases::number(0);
    EXPECT_THROW(curves(small(), rows, {.x = "seed", .y = "rate", .by = {}, .logarithmic = LogAxes::Y}),
                 vocabulary::RequestError);
}

TEST(Curves, NamesThatAreNotThereAreToldWithTheirOption) {
    EXPECT_EQ(
        curve_error({.x = "farm.bufers", .y = "rate"}),
        "--x: 'farm.bufers' is no axis of this study, did you mean 'farm.buffers'?; there are machine, farm.buffers, seed");
    EXPECT_EQ(curve_error({.x = "seed", .y = "end"}), "--y: 'end' has no number in these points; those that have: rate, us");
    EXPECT_THAT(curve_error({.x = "seed", .y = "rate", .by = "seed"}), HasSubstr("--by: the axis is that of --x already"));
}

TEST(Curves, TooManyAreRefused) {
    auto rows = small().rows;
    const auto pattern = rows[0];
    for (int i = 0; i < 30; ++i) {
        rows.push_back(pattern);
        rows.back().number = 100 + static_cast<std::size_t>(i);
        rows.back().axis_values[1] = std::to_string(10 + i);
    }
    EXPECT_THROW(curves(small(), rows, {.x = "seed", .y = "rate", .by = "farm.buffers"}), vocabulary::RequestError);
}

TEST(HeatMap, ACellIsTheMeanOverTheOtherAxesAndMissesWhereNoPointIs) {
    auto rows = small().rows;
    std::erase_if(rows, [](const auto& row) { return row.axis_values[0] == "ring:3" && row.axis_values[1] == "2"; });
    const auto map = study_pictures::heat_map(small(), rows, {.x = "farm.buffers", .y = "machine", .measure = "rate"});
    EXPECT_THAT(map.x.names, ElementsAre("1", "2", "4"));
    EXPECT_THAT(map.y.names, ElementsAre("tree:2:3", "ring:3"));
    EXPECT_EQ(map.cells[1][0], 100.5);
    EXPECT_FALSE(map.cells[1][1]);
    EXPECT_EQ(map.cells[0][2], 4000);
    EXPECT_EQ(map.note, "mean over seed; 1 of 10 points have no value");
}

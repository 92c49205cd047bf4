#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sweeps/groups.hpp>
#include <sweeps/study_tables.hpp>
#include <vocabulary/errors.hpp>

#include "stored_cases.hpp"

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Spread, HasLeastMeanMedianAndMost) {
    const sweeps::Spread odd = sweeps::spread_of({5, 1, 3});
    EXPECT_EQ((std::vector<double>{odd.least, odd.mean, odd.median, odd.most}), (std::vector<double>{1, 3, 3, 5}));
    const sweeps::Spread even = sweeps::spread_of({8, 1, 2, 3});
    EXPECT_EQ((std::vector<double>{even.least, even.mean, even.median, even.most}), (std::vector<double>{1, 3.5, 2.5, 8}));
    EXPECT_EQ(even.count, 4U);
    EXPECT_EQ(sweeps::spread_of({}).count, 0U);
}

TEST(Spread, KeepsItsMeanInsideOfRoundingNumbers) {
    const sweeps::Spread same = sweeps::spread_of({0.1, 0.1, 0.1});
    EXPECT_EQ(same.mean, 0.1);
}

TEST(Groups, ValuesStandInTheOrderOfTheStudyWhateverTheRowsAreSortedBy) {
    auto rows = stored_cases::study().rows;
    std::reverse(rows.begin(), rows.end());
    EXPECT_THAT(sweeps::values_of(rows, 0), ElementsAre("tree:2:3", "ring:3"));
    EXPECT_THAT(sweeps::values_of(rows, 1), ElementsAre("1", "2", "4"));
}

TEST(Groups, APointThatFailedIsInNoGroup) {
    const auto stored = stored_cases::study();
    const auto cells = sweeps::cells_of(stored.rows, 0, 1, 0);
    EXPECT_THAT(cells.at({"tree:2:3", "4"}), ElementsAre(4000));
    EXPECT_THAT(cells.at({"ring:3", "4"}), ElementsAre(400, 401));
}

namespace {

std::string where_error(const std::string& axis, const std::string& value) {
    sweeps::Selection selection;
    selection.only = {{axis, value}};
    try {
        sweeps::select(stored_cases::study(), selection);
    } catch (const vocabulary::RequestError& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST(Selection, AnUnknownValueIsToldWithTheKnownOnes) {
    EXPECT_EQ(where_error("machine", "ring:4"),
              "--where: no stored point has machine=ring:4, did you mean 'ring:3'?; there are tree:2:3, ring:3");
    EXPECT_THAT(where_error("machin", "ring:3"),
                HasSubstr("--where: 'machin' is no axis of this study, did you mean 'machine'?"));
}

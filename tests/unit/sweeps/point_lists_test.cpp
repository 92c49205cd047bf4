// Lists of points, what a worker has under way, and points that are made when they are asked for.
#include <gmock/gmock.h>

#include <filesystem>
#include <optional>

#include <sweeps/point_lists.hpp>
#include <sweeps/study.hpp>
#include <vocabulary/errors.hpp>

namespace {

using sweeps::list_text;
using sweeps::points_of_list;
using testing::ElementsAre;

std::string no_repeat(const sweeps::Study&, const sweeps::Point& point) {
    return "run " + point.scenario;
}

sweeps::Study two_axes() {
    sweeps::Study study;
    study.scenario = "farm.yaml";
    study.axes = {{"farm.tasks", {{"1", "1", {}}, {"2", "2", {}}, {"3", "3", {}}}, {}},
                  {"seed", {{"7", "7", {}}, {"08", "08", {}}}, {}}};
    return study;
}

}  // namespace

TEST(PointLists, AreRangesOfNumbersFromOne) {
    EXPECT_EQ(list_text({0, 1, 2, 5, 8, 9}), "1-3,6,9-10");
    EXPECT_EQ(list_text({}), "");
    EXPECT_THAT(points_of_list("1-3,6,9-10"), ElementsAre(0, 1, 2, 5, 8, 9));
    EXPECT_TRUE(points_of_list("").empty());
    for (const char* text : {"x", "0", "1-", "3;4", "1,,2", "-1"})
        EXPECT_THROW(points_of_list(text), vocabulary::RequestError) << text;
}

TEST(UnderWay, LeavesWhatAKilledWorkerHad) {
    const std::string path = testing::TempDir() + "under_way";
    EXPECT_EQ(sweeps::UnderWay::left(path), std::nullopt);
    {
        sweeps::UnderWay work(path, 2);
        work.begins(4);
        work.begins(6);
        work.ended(4);
        work.begins(9);
        EXPECT_THAT(*sweeps::UnderWay::left(path), ElementsAre(9, 6));
    }
    EXPECT_TRUE(sweeps::UnderWay::left(path)->empty());  // it failed, but through no point's fault
    sweeps::UnderWay(path, 1).done();
    EXPECT_EQ(sweeps::UnderWay::left(path), std::nullopt);
}

TEST(Points, OfAProductChangeTheLastAxisFirst) {
    sweeps::Study study = two_axes();
    const sweeps::Points all(study, no_repeat);
    ASSERT_EQ(all.size(), 6U);
    EXPECT_THAT(all[3].values, ElementsAre("2", "08"));
    EXPECT_EQ(all.value_of(3, 0), 1U);
    EXPECT_EQ(all[3].repeat, "run farm.yaml");
    study.exclusions = {{{"farm.tasks", "2"}}, {{"farm.tasks", "1"}, {"seed", "7"}}};
    const sweeps::Points some(study, no_repeat);
    ASSERT_EQ(some.size(), 3U);
    EXPECT_THAT(some[0].values, ElementsAre("1", "08"));
    EXPECT_THAT(some[1].values, ElementsAre("3", "7"));
}

TEST(Points, HaveOneKeyForEachSpellingOfAValue) {
    const auto key = [](const std::string& axis, const std::string& value) { return sweeps::key_of({axis}, {value}); };
    EXPECT_EQ(key("seed", "007"), key("seed", "7"));
    EXPECT_EQ(key("end.quiet", "1000us"), key("end.quiet", "1ms"));
    EXPECT_EQ(key("link.stolen_cycles", "4.0"), key("link.stolen_cycles", "4"));
    EXPECT_NE(key("seed", "seven"), key("seed", "7"));
    EXPECT_NE(key("machine", "ring:04"), key("machine", "ring:4"));
    EXPECT_EQ(sweeps::key_of({"seed", "farm.tasks"}, {"08", "1"}), sweeps::key_of({"farm.tasks", "seed"}, {"01", "8"}));
}
